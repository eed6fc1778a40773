"""The service files and the configuration of nginx in ``deploy/`` say what programs understand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from autograder.cli.serve import command

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))


OPTIONS = {name for option in command.params for name in option.opts}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_service_starts_a_command_that_there_is(unit: Path) -> None:
    (line,) = re.findall(r"^ExecStart=(.*(?:\\\n.*)*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
    words = line.replace("\\\n", " ").split()
    assert words[:2] == ["/opt/autograder/bin/autograder", "serve"]
    assert {word for word in words if word.startswith("--")} <= OPTIONS


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_understands_a_service(unit: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd is not installed")
    done = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=300, check=False
    )
    told = [one for one in done.stderr.splitlines() if unit.name in one and "not executable" not in one]
    assert told == []


def test_what_grades_has_a_user_and_a_folder_without_the_keys_of_the_others() -> None:
    texts = {unit.name.partition("@")[0]: unit.read_text(encoding="utf-8") for unit in UNITS}
    assert texts.keys() == {"autograder-pages", "autograder-outbox", "autograder-worker"}
    for name, text in texts.items():
        user = "autograder-worker" if name == "autograder-worker" else "autograder-pages"
        assert f"User={user}\n" in text
        assert f"BindPaths=/var/lib/{user}/%i:" in text
        assert f"StateDirectory={user}/%i\n" in text  # systemd takes it away from any other user
        assert ("--trusted-proxy" in text) == (name == "autograder-pages")


@pytest.mark.parametrize(("words", "user"), [((), "autograder-worker"), (("--pages",), "autograder-pages")])
def test_a_command_on_the_course_of_a_server_sees_the_folder_of_one_service(
    tmp_path: Path, words: tuple[str, ...], user: str
) -> None:
    if os.getuid() or not (shutil.which("unshare") and shutil.which("setpriv")):
        pytest.skip("only root mounts a folder")
    for path in (f"var/lib/{user}/mg101", "var/lib/autograder/mg101", "srv/mg101", "opt/autograder/bin"):
        (tmp_path / path).mkdir(parents=True)
    (tmp_path / f"var/lib/{user}/mg101/report").touch()
    program = tmp_path / "opt/autograder/bin/autograder"
    program.write_text('#!/bin/sh\nls "$2"; pwd; id -un; echo "$1"', encoding="utf-8")
    program.chmod(0o755)
    text = (DEPLOY / "autograder-course").read_text(encoding="utf-8")
    text = re.sub(r"/(?=(?:var|srv|opt)/)", f"{tmp_path}/", text)
    text = text.replace('--reuid "$user" --regid "$user"', "--reuid root --regid root")
    out = tmp_path / "var/lib/autograder/mg101"
    done = subprocess.run(
        ["sh", "-c", text, "autograder-course", *words, "mg101", "erase ada", out],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    if "Operation not permitted" in done.stderr:
        pytest.skip("this container mounts nothing")
    assert done.stdout.splitlines() == ["report", str(tmp_path / "srv/mg101"), "root", "erase ada"], done.stderr
    assert [*out.iterdir()] == []


def test_nginx_understands_its_configuration_and_lets_no_browser_say_who_it_is(tmp_path: Path) -> None:
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    assert 'proxy_set_header X-Remote-User "";' in text
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    if not (Path(nginx).exists() and shutil.which("openssl")):
        pytest.skip("nginx or openssl is not installed")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-days", "1"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], capture_output=True, timeout=300, check=True)
    text = re.sub(
        r"(ssl_certificate_key) .*;", rf"\1 {key};", re.sub(r"(ssl_certificate) .*;", rf"\1 {certificate};", text)
    )
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid; error_log {tmp_path}/log; events {{}} http {{ {text} }}", encoding="utf-8"
    )
    done = subprocess.run(
        [nginx, "-t", "-q", "-c", tmp_path / "nginx.conf"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_container_starts_a_command_that_there_is_as_a_user_without_rights() -> None:
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    (line,) = re.findall(r"^CMD \[(.*)\]$", text, re.MULTILINE)
    words = re.findall(r'"([^"]+)"', line)
    assert words[0] == "serve"
    assert {word for word in words if word.startswith("--")} <= OPTIONS
    assert re.findall(r"^USER (\w+)$", text, re.MULTILINE) == ["autograder"]
    assert text.index("\nUSER ") < text.index("\nENTRYPOINT ")
    extras = re.findall(r"/tmp/kit\[([\w,]+)\]", text)[0].split(",")
    project = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert {*extras} <= {*project["project"]["optional-dependencies"]}
