"""`autograder lti` makes platforms known, by options or by asking, and says what is wrong in one line."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from flask import Response

from autograder.batch.batch_location import BatchLocation
from autograder.web.lti.tool import LINE_ITEM_READ_ONLY, MEMBERS_READ_ONLY, RESULT_READ_ONLY, SCORE
from autograder.web.store.server_store import ServerStore, open_server_store
from tests.cli.commands import NOT_PROVEN, clean_environment, run, succeeded, told
from tests.web.lti.fake_platform import FakePlatform, serve_platform

MOODLE = ("--kind", "moodle", "--url", "https://moodle.uni.example", "--client-id", "abc")


@pytest.fixture
def fake() -> Iterator[FakePlatform]:
    with serve_platform() as served:
        yield served


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "results"


def test_the_addresses_of_moodle_follow_from_its_own(out: Path) -> None:
    assert "accepts deployments 1" in succeeded(
        run("lti", "add", "moodle", *MOODLE, "--deployment", "1", "--out", out)
    )
    with open_server_store(BatchLocation(out)) as store:
        (kept,) = store.lti_platforms.list_active()
    assert (kept.issuer, kept.login_url, kept.token_url, kept.keys_url) == (
        "https://moodle.uni.example",
        "https://moodle.uni.example/mod/lti/auth.php",
        "https://moodle.uni.example/mod/lti/token.php",
        "https://moodle.uni.example/mod/lti/certs.php",
    )


def test_a_log_without_events_says_so(out: Path) -> None:
    assert succeeded(run("lti", "log", "--out", out)) == "LTI has changed and sent nothing yet\n"


def test_what_no_option_says_stays_and_a_deployment_is_added(out: Path) -> None:
    run("lti", "add", "moodle", *MOODLE, "--deployment", "1", "--out", out)
    succeeded(run("lti", "add", "moodle", "--deployment", "2", "--client-id", "new", "--out", out))
    with open_server_store(BatchLocation(out)) as store:
        (kept,) = store.lti_platforms.list_active()
    assert (kept.deployments, kept.client_id, kept.kind) == (("1", "2"), "new", "moodle")


@pytest.mark.thorough
def test_on_a_terminal_it_asks_for_what_is_missing(out: Path) -> None:
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "autograder", "lti", "add", "moodle", "--out", str(out)]
    with subprocess.Popen(command, stdin=terminal, stdout=subprocess.PIPE, env=clean_environment()) as asking:
        os.close(terminal)
        os.write(master, b"moodle\nhttps://moodle.uni.example\nabc\n7\n")
        shown = asking.communicate(timeout=300)[0].decode()
    os.close(master)
    assert asking.returncode == 0, shown
    assert "accepts deployments 7" in shown


@pytest.mark.first_cases(3)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("add", "moodle", "--kind", "moodle"), "missing option --client-id"),
        (("add", "moodle", *MOODLE), "missing option --deployment"),
        (("add", "Moodle!", *MOODLE, "--deployment", "1"), "cannot be the name of a platform"),
        (
            ("add", "m", *MOODLE, "--deployment", "1", "--token-url", "http://moodle.uni.example/t"),
            "does not begin with https",
        ),
        (("add", "m", *MOODLE, "--deployment", "1", "--keys-url", "https://10.0.0.1/k"), "private network"),
        (
            ("add", "m", *MOODLE, "--deployment", "1", "--login-url", "javascript:alert(1)"),
            "the address is malformed",
        ),
        (("remove", "moodle"), "unknown platform 'moodle'"),
        (("test", "moodle"), "unknown platform 'moodle'"),
        (("roster",), "no connected course"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(out: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in told(run("lti", *arguments, "--out", out))


def test_the_same_platform_is_not_added_twice(out: Path) -> None:
    run("lti", "add", "moodle", *MOODLE, "--deployment", "1", "--out", out)
    assert "change moodle" in told(run("lti", "add", "again", *MOODLE, "--deployment", "1", "--out", out))


def test_a_course_that_asked_is_listed_and_connected(out: Path) -> None:
    run("lti", "add", "moodle", *MOODLE, "--deployment", "1", "--out", out)
    with open_server_store(BatchLocation(out)) as store:
        ask(store)
    assert "course 2 (Pottery \\x1b[31m): asks to come in" in succeeded(run("lti", "list", "--out", out))
    succeeded(run("lti", "connect", "moodle", "2", "--out", out))
    assert "course 2 (Pottery \\x1b[31m): connected" in succeeded(run("lti", "list", "--out", out))
    succeeded(run("lti", "connect", "moodle", "2", "--off", "--out", out))
    assert "asks to come in" in succeeded(run("lti", "list", "--out", out))
    assert "no course with the id '3'" in told(run("lti", "connect", "moodle", "3", "--out", out))


def test_a_launch_without_a_course_is_listed_as_one_and_connected(out: Path) -> None:
    run("lti", "add", "moodle", *MOODLE, "--deployment", "1", "--out", out)
    with open_server_store(BatchLocation(out)) as store:
        store.lti_contexts.add_or_update_context(store.lti_platforms.list_active()[0].id, "1", "", "")
    assert "course '' (no course named): asks to come in" in succeeded(run("lti", "list", "--out", out))
    assert succeeded(run("lti", "connect", "moodle", "", "--out", out)) == "(no course named): connected\n"


def test_a_link_without_a_column_is_listed_with_the_command_that_forgets_it(out: Path) -> None:
    run("lti", "add", "moodle", *MOODLE, "--deployment", "1", "--out", out)
    with open_server_store(BatchLocation(out)) as store:
        ask(store)
        (context,) = store.lti_contexts.list_all(course="")
        store.lti_contexts.set_connected(context.id, is_connected=True)
        store.lti_links.add_or_update(context.id, "link", "toy")
    shown = succeeded(run("lti", "list", "--out", out))
    assert "link 1 to toy: the platform gave no column for marks" in shown
    assert "(`autograder lti forget 1`)" in shown
    assert succeeded(run("lti", "forget", "1", "--out", out)) == "link 1 to toy: forgotten\n"
    assert "link" not in succeeded(run("lti", "list", "--out", out))
    assert "no connected course has a link 1" in told(run("lti", "forget", "1", "--out", out))


def ask(store: ServerStore) -> None:
    store.lti_contexts.add_or_update_context(
        store.lti_platforms.list_active()[0].id, "1", "2", "", title="Pottery \x1b[31m"
    )


def test_a_removed_platform_is_not_listed(out: Path) -> None:
    run("lti", "add", "moodle", *MOODLE, "--deployment", "1", "--out", out)
    succeeded(run("lti", "remove", "moodle", "--out", out))
    assert succeeded(run("lti", "list", "--out", out)) == "no platform is connected yet\n"


def test_a_link_to_register_is_at_the_servers_address(out: Path) -> None:
    shown = succeeded(run("lti", "registration-link", "--url", "https://grader.uni.example/", "--out", out))
    assert shown.startswith("https://grader.uni.example/lti/register/")
    assert len(shown.splitlines()) == 1


def test_a_rotated_key_is_listed_last(out: Path) -> None:
    (first,) = succeeded(run("lti", "keys", "--out", out)).splitlines()
    assert succeeded(run("lti", "keys", "--rotate", "--out", out)).splitlines()[0] == first
    assert len(succeeded(run("lti", "keys", "--out", out)).splitlines()) == 2


def test_the_test_of_a_connection_posts_nothing_but_for_a_token(out: Path, fake: FakePlatform) -> None:
    with open_server_store(BatchLocation(out)) as store:
        platform = store.lti_platforms.save_platform(replace(fake.platform, name="fake"))
        context = store.lti_contexts.add_or_update_context(platform.id, "1", "2", "", title="Course", scopes=["s"])
        store.lti_contexts.set_connected(context.id, is_connected=True)
        store.lti_links.add_or_update(
            context.id, "link", "toy",
            line_item_url=f"{fake.url}/items/1?type_id=1", scopes=[LINE_ITEM_READ_ONLY, RESULT_READ_ONLY],
        )  # fmt: skip
    shown = succeeded(run("lti", "test", "fake", "--out", out)).splitlines()
    assert [line.partition(":")[0] for line in shown] == [
        "✓ keys of the platform",
        "✓ access token",
        "✓ line item of toy",
        "✓ results of toy",
    ]
    asked = [(method, path) for method, path, _, _ in fake.requests]
    assert {path for method, path in asked if method != "GET"} == {"/token"}
    assert ("GET", "/items/1/results?type_id=1") in asked


def test_the_test_of_a_connection_asks_for_no_scope_that_the_platform_did_not_grant(
    out: Path, fake: FakePlatform
) -> None:
    with open_server_store(BatchLocation(out)) as store:
        platform = store.lti_platforms.save_platform(replace(fake.platform, name="fake"))
        context = store.lti_contexts.add_or_update_context(
            platform.id, "1", "2", "", title="Course", members_url=f"{fake.url}/members"
        )
        store.lti_contexts.set_connected(context.id, is_connected=True)
        store.lti_links.add_or_update(context.id, "link", "toy", line_item_url=f"{fake.url}/items/1", scopes=[SCORE])
    shown = run("lti", "test", "fake", "--out", out).stdout
    scopes = {parse_qs(body.decode())["scope"][0] for _, _, _, body in fake.asked("token")}
    assert scopes == {MEMBERS_READ_ONLY}
    assert "✗ line item of toy: the platform does not let the tool read this (allow it in the tool's" in shown


def test_what_a_platform_calls_the_tool_does_not_steer_the_terminal(out: Path, fake: FakePlatform) -> None:
    with open_server_store(BatchLocation(out)) as store:
        store.lti_platforms.save_platform(replace(fake.platform, client_id="a\x1b[31m\nb", deployments=("1\x1b[2J",)))
    shown = succeeded(run("lti", "list", "--out", out))
    assert "client id a\\x1b[31m\\nb\n" in shown
    assert "deployments: 1\\x1b[2J\n" in shown


def test_a_connection_that_does_not_work_says_where(out: Path, fake: FakePlatform) -> None:
    with open_server_store(BatchLocation(out)) as store:
        store.lti_platforms.save_platform(replace(fake.platform, name="fake", keys_url=f"{fake.url}/nothing"))
    done = run("lti", "test", "fake", "--out", out)
    assert done.returncode == 1
    assert "✗ keys of the platform" in done.stdout
    assert "the answer is not a key set" in done.stdout
    assert "✓ access token" in done.stdout


def test_a_platforms_failure_is_not_told_as_the_kits(out: Path, fake: FakePlatform) -> None:
    fake.answers["members"] = Response("Service Unavailable", 503)
    with open_server_store(BatchLocation(out)) as store:
        platform = store.lti_platforms.save_platform(fake.platform)
        context = store.lti_contexts.add_or_update_context(
            platform.id, "1", "2", "", members_url=f"{fake.url}/members"
        )
        store.lti_contexts.set_connected(context.id, is_connected=True)
    done = run("lti", "roster", "--out", out)
    assert done.returncode == NOT_PROVEN
    assert done.stderr == (
        f"external error: {fake.url}/members: the platform gives no members: status 503 (try again in some minutes)\n"
    )
