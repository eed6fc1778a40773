"""``autograder serve`` and ``autograder invite`` on the command line."""

from __future__ import annotations

import importlib.util
import re
import socket
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from markupsafe import escape

from autograder.cli.main import main
from autograder.kit_version import advise_to_install_extra
from tests.toy import write_toy
from tests.web.conftest import make_site


def invoke_command(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_without_its_packages_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_toy(tmp_path)
    real = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "waitress" else real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    result = invoke_command("serve", "--course", str(tmp_path))
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        f"error: the packages for the web server are not installed ({advise_to_install_extra('web')})"
    ]


@pytest.mark.parametrize("option", [["--allow-unsafe"], ["--tier", "process"], ["--require-tier", "process"]])
@pytest.mark.parametrize("part", ["all", "pages", "worker"])
def test_tier_process_is_for_a_demo_alone(tmp_path: Path, option: list[str], part: str) -> None:
    write_toy(tmp_path)
    result = invoke_command(
        "serve", "--course", str(tmp_path), "--out", str(tmp_path / "out"), "--only", part, *option
    )
    assert result.exit_code == 2
    assert "stops accidents only" in result.stderr
    assert not (tmp_path / "out").exists()


def test_the_first_administrator_signs_in_by_the_link_that_the_command_prints(tmp_path: Path) -> None:
    write_toy(tmp_path / "course")
    out = str(tmp_path / "results")
    result = invoke_command(
        "invite", "Root", "--role", "administrator", "--name", "Zoë", "--out", out, "--url", "https://g.example/"
    )
    assert result.exit_code == 0
    found = re.fullmatch(r"root, administrator: https://g\.example(/link/\S+)\n", result.stdout)
    assert found
    browser = make_site(tmp_path).browser()
    assert browser.post(found[1]).status_code == 303
    assert "Zoë, administrator" in browser.get("/").text
    assert invoke_command("invite", "root", "--revoke", "--out", out).exit_code == 0
    assert browser.get("/").status_code == 303


@pytest.mark.parametrize("login", ["p.o'brien@uni.example", "ada+cs@uni.example", "d'arcy", "c++"])
def test_an_e_mail_address_with_an_apostrophe_or_a_plus_is_a_login(tmp_path: Path, login: str) -> None:
    write_toy(tmp_path / "course")
    result = invoke_command("invite", login, "--out", str(tmp_path / "results"))
    assert result.stdout.startswith(f"{login}, student: http")
    proxied = make_site(tmp_path, trusted_proxy="10.1.2.3", user_header="X-Remote-User")
    answer = proxied.app.test_client().get(
        "/", headers=[("X-Remote-User", login)], environ_base={"REMOTE_ADDR": "10.1.2.3"}
    )
    assert answer.status_code == 200
    assert escape(login) in answer.text


def test_one_name_that_is_no_login_is_told_and_nobody_is_invited(tmp_path: Path) -> None:
    write_toy(tmp_path / "course")
    out = str(tmp_path / "results")
    result = invoke_command("invite", "ada", "o neill", "bob", "zoë", "--out", out)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "'o neill' and 'zoë' are not logins, so nobody was invited" in result.stderr
    unknown = invoke_command("invite", "ada", "--revoke", "--out", out).stderr
    assert "no member of this course has the login 'ada'" in unknown


def test_the_key_of_cookies_and_the_store_are_the_owners_alone(tmp_path: Path) -> None:
    write_toy(tmp_path / "course")
    site = make_site(tmp_path)
    site.invite("ada")
    for name in ("web-secret", "results.sqlite"):
        assert (site.settings.location.output_folder / name).stat().st_mode & 0o077 == 0
    assert make_site(tmp_path).app.secret_key == site.app.secret_key
    assert len(str(site.app.secret_key)) == 64


@pytest.mark.first_cases(1)
@pytest.mark.thorough_but("all")
@pytest.mark.parametrize("part", [["--only", "pages"], ["--demo", "--allow-unsafe"]], ids=["pages", "all"])
def test_a_port_that_another_program_has_is_told_in_one_line(tmp_path: Path, part: list[str]) -> None:
    write_toy(tmp_path / "course")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        words = ["serve", *part, "--course", str(tmp_path / "course"), "--port", str(port)]
        result = subprocess.run(
            [sys.executable, "-m", "autograder", *words, "--out", str(tmp_path / "out")],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert result.returncode == 2
    assert [line for line in result.stderr.splitlines() if line.startswith("error")] == [
        f"error: 127.0.0.1:{port}: cannot listen on this address: Address already in use "
        "(end what listens there, or name others with --host and --port)"
    ]
