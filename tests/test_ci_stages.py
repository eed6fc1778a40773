"""``.ci/run``: its stages run alone or together, and one that fails fails the run, wherever in it a command fails."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the real ``.ci/run``."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    return tmp_path


def run_stages(repository: Path, *stages: str, rules: str = "") -> subprocess.CompletedProcess[str]:
    """Run stages whose ``make`` knows these rules alone."""
    (repository / "Makefile").write_text(rules, encoding="utf-8")
    scratch = repository / "scratch"
    scratch.mkdir(exist_ok=True)
    return subprocess.run(
        ["bash", ".ci/run", *stages],
        cwd=repository, env={**os.environ, "TMPDIR": str(scratch)}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def listed(repository: Path) -> list[str]:
    """The names of all stages."""
    return [line.split()[0] for line in run_stages(repository, "--list").stdout.splitlines()]


def test_the_list_names_every_stage_with_a_sentence(repository: Path) -> None:
    lines = run_stages(repository, "--list").stdout.splitlines()
    assert all(re.fullmatch(r"\w+\*? +\S.*\S", line) for line in lines)
    assert {"setup*", "tests*", "sample*", "docs*", "redteam"} <= {*listed(repository)}


@pytest.mark.parametrize("arguments", [[], ["everything"]])
def test_a_run_of_many_stages_begins_with_the_first(repository: Path, arguments: list[str]) -> None:
    done = run_stages(repository, *arguments, rules="setup:\n\t@false\n")
    assert re.findall(r"^=== (\w+):", done.stdout, re.M) == ["setup"]


def test_what_is_named_runs_in_the_order_asked_for_and_nothing_else(repository: Path) -> None:
    done = run_stages(repository, "redteam", "gate", rules="check:\n\t@echo checked\nredteam:\n\t@echo attacked\n")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^(?:checked|attacked)$", done.stdout, re.M) == ["attacked", "checked"]


def test_a_stage_that_fails_fails_the_run_and_no_other_follows(repository: Path) -> None:
    done = run_stages(repository, "redteam", "gate", rules="redteam:\n\t@false\ncheck:\n\t@echo checked\n")
    assert done.returncode != 0
    assert "checked" not in done.stdout
    assert "=== redteam failed with status 2" in done.stderr
    assert "all of it holds" not in done.stdout


@pytest.mark.parametrize(("stage", "rule"), [("audit", ".venv-lock/ready"), ("docs", ".venv-docs/ready")])
def test_what_cannot_be_installed_is_skipped_with_a_reason_and_what_then_fails_is_not(
    repository: Path, stage: str, rule: str
) -> None:
    skipped = run_stages(repository, stage, rules=f"{rule}:\n\t@false\n")
    assert skipped.returncode == 0
    assert re.search(r"^skipped: .+ cannot be installed here$", skipped.stdout, re.M)
    failed = run_stages(repository, stage, rules=f"{rule}:\n\t@true\n{stage}:\n\t@false\n")
    assert failed.returncode != 0


def test_a_command_that_fails_in_the_middle_of_a_stage_fails_the_run(repository: Path) -> None:
    done = run_stages(repository, "strongest", rules="demo:\n\t@echo graded\n")  # no clone can be made of it
    assert done.returncode == 128
    assert "graded" not in done.stdout


def test_an_unknown_stage_is_refused_before_anything_runs(repository: Path) -> None:
    done = run_stages(repository, "gate", "gait", rules="check:\n\t@echo checked\n")
    assert done.returncode == 2
    assert done.stderr.startswith("error: unknown stage 'gait'; choose from setup ")
    assert "checked" not in done.stdout
