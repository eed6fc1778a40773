"""Lock files name versions and hashes of everything that pyproject.toml asks for, and no place to get them from."""

from __future__ import annotations

import re
import runpy
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder.platforms.gradescope.autograder_zip import LOCK_FILE

ROOT = Path(__file__).parents[1]
DEV = ROOT / "requirements.lock"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HASH = re.compile(r"sha256:[0-9a-f]{64}")
MACHINES = [
    {"python_version": version, "python_full_version": f"{version}.0", "sys_platform": system, "extra": ""}
    for version in ("3.11", "3.12", "3.13")
    for system in ("linux", "darwin")
]


def iterate_requirements_for_machine(lock_text: str, machine: dict[str, str]) -> Iterator[str]:
    """The lines that hold on a machine, without their conditions."""
    for line in lock_text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            text, *hashes = line.split("--hash=")
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate(machine):
                named = f"{requirement.name}{requirement.specifier}"
                yield " ".join([named, *(f"--hash={one.strip()}" for one in hashes)])


def locked(path: Path, machine: dict[str, str]) -> dict[str, str]:
    """The version of each package."""
    lines = iterate_requirements_for_machine(path.read_text(encoding="utf-8"), machine)
    found = [line.partition(" ")[0].split("==") for line in lines]
    assert len({name for name, _ in found}) == len(found), "two versions of one package for one machine"
    return {canonicalize_name(name): version for name, version in found}


def asked(*extras: str) -> Iterator[Requirement]:
    """What the project requires, with what its extras ask for; one may name another."""
    lines = [*PROJECT["dependencies"], *(line for one in extras for line in PROJECT["optional-dependencies"][one])]
    for wanted in map(Requirement, lines):
        if wanted.name == PROJECT["name"]:
            yield from asked(*wanted.extras)
        else:
            yield wanted


@pytest.mark.parametrize("path", [DEV, LOCK_FILE], ids=["setup", "grading"])
def test_every_line_is_a_version_and_its_hashes_and_none_is_a_place(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^-|^\s+--(?!hash=)|@", text, re.M)
    lines = [*iterate_requirements_for_machine(text, MACHINES[0])]
    assert lines
    for line in lines:
        version, *hashes = line.split(" --hash=")
        assert re.fullmatch(r"[\w.-]+==[\w.]+", version)
        assert hashes
        assert all(map(HASH.fullmatch, hashes))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: "-".join([*machine.values()][1:3]))
def test_whatever_the_project_requires_is_locked_at_a_version_that_it_allows(machine: dict[str, str]) -> None:
    for path, extras in ((DEV, ("dev",)), (LOCK_FILE, ())):
        versions = locked(path, machine)
        wrong = [
            str(one) for one in asked(*extras) if versions.get(canonicalize_name(one.name), "") not in one.specifier
        ]
        assert not wrong, f"{path.name} is out of date: run `make lock`"


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: "-".join([*machine.values()][1:3]))
def test_images_get_the_versions_that_the_tests_ran_with(machine: dict[str, str]) -> None:
    assert locked(LOCK_FILE, machine).items() <= locked(DEV, machine).items()


@pytest.mark.parametrize("fits", [True, False])
def test_setup_takes_the_ranges_where_the_lock_file_does_not_fit_and_says_so_in_one_line(
    tmp_path: Path, fits: bool
) -> None:
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\necho "$*" >> "{tmp_path}/asked"\n'
        f'case "$*" in *require-hashes*) {"" if fits else "echo ERROR: no wheel of numpy >&2; exit 1"};; esac\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    done = subprocess.run([ROOT / ".ci" / "install", python], cwd=ROOT, capture_output=True, text=True, check=True)
    first, second, third = (tmp_path / "asked").read_text(encoding="utf-8").splitlines()
    assert "--require-hashes --requirement requirements.lock" in first
    assert second.endswith("--editable .[dev]")
    assert ("--no-build-isolation" in second) is fits
    assert third == "-m compileall -q autograder"
    assert done.stdout.splitlines()[1:-1] == (
        ["installing the kit"]
        if fits
        else [
            "requirements.lock does not fit here (ERROR: no wheel of numpy): "
            "installing from the ranges in pyproject.toml"
        ]
    )


def test_setup_stops_where_a_package_is_not_the_one_that_was_locked(tmp_path: Path) -> None:
    python = tmp_path / "python"
    said = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."
    python.write_text(f'#!/bin/sh\necho >> "{tmp_path}/asked"\necho "{said}" >&2; exit 1\n', encoding="utf-8")
    python.chmod(0o755)
    done = subprocess.run([ROOT / ".ci" / "install", python], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert said in done.stderr
    assert len((tmp_path / "asked").read_text(encoding="utf-8").splitlines()) == 1


BAD = {"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]}
FINE = {"name": "b", "version": "1", "vulns": []}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "holds", "says"),
    [
        ([FINE, UNKNOWN], True, "1 of 2 packages looked up, 0 known"),
        ([FINE, BAD], False, "a 1 has CVE-1 (fixed in 2)"),
        ([UNKNOWN, UNKNOWN], True, "skipped"),
        ("no route to host", True, "skipped"),
    ],
)
def test_an_audit_fails_for_what_is_known_and_claims_nothing_of_what_was_not_looked_up(
    packages: Any, holds: bool, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = runpy.run_path(str(ROOT / ".ci" / "audit.py"))["told"]
    assert told("x.lock", packages) is holds
    printed = capsys.readouterr().out
    assert says in printed
    assert ("known vulnerabilities" in printed) is ("skipped" not in says)
