"""What `autograder doctor` says of the isolation that a machine offers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from autograder.cli.doctor import _describe_processes, command
from autograder.sandbox import SandboxConfig
from autograder.sandbox.installed_files import MOST_BYTES
from autograder.sandbox.tier_guarantees import POSSIBLE_GAPS, describe_possible_leaks
from tests.cli.commands import Copy, unwrapped
from tests.tiers import offered

NAMESPACES = SandboxConfig("namespaces", "python3", "bwrap", ())


@pytest.mark.parametrize(
    ("sandbox", "words"),
    [
        (None, ""),
        (SandboxConfig("restricted", "python3"), ""),
        (replace(NAMESPACES, uses_fork_server=True), "each process is a fork of an interpreter in the sandbox"),
        (
            replace(NAMESPACES, uses_own_uid=True, uses_fork_server=True),
            "under a user id of its own; each process is a fork",
        ),
        (NAMESPACES, "starts an interpreter of its own, which is slower, since none can fork into namespaces here"),
    ],
)
def test_it_says_as_whom_processes_run_and_whether_they_are_forked(sandbox: SandboxConfig | None, words: str) -> None:
    said = _describe_processes(sandbox)
    assert words in said
    assert bool(words) == bool(said)


def test_it_says_of_each_tier_what_is_not_kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = unwrapped(CliRunner().invoke(command).output)
    gaps = describe_possible_leaks(offered("process"))
    assert {"machine", "counters", "pages", "futexes", "uptime"} <= {*gaps}
    for sentence in gaps.values():
        assert unwrapped(f"not isolated: {sentence}") in shown


def test_it_looks_with_the_packages_of_the_course(
    copy: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not offered("restricted").library_copy:
        pytest.skip("the library is not copied here")
    site = tmp_path / "site"
    (site / "large").mkdir(parents=True)
    (site / "large" / "__init__.py").touch()
    with open(site / "large" / "table", "wb") as table:
        table.truncate(MOST_BYTES + 1)
    (site / "large-1.dist-info").mkdir()
    (site / "large-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: large\nVersion: 1\n")
    (site / "large-1.dist-info" / "RECORD").write_text("large/__init__.py,,\nlarge/table,,\n")
    monkeypatch.syspath_prepend(site)
    course = copy()
    settings = course / "grading.yml"
    text = settings.read_text(encoding="utf-8")
    assert "packages: []" in text
    sentence = unwrapped(POSSIBLE_GAPS["reading"])
    before = unwrapped(CliRunner().invoke(command, ["--course", str(course)]).output).count(sentence)
    settings.write_text(text.replace("packages: []", "packages: [large]"), encoding="utf-8")
    done = CliRunner().invoke(command, ["--course", str(course)])
    assert unwrapped(done.output).count(sentence) == before + 1, done.output
