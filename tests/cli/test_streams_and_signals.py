"""A command whose output nothing takes, or that is interrupted at its very start, ends with one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from autograder.cli.main import main
from autograder.reports import read_report_json
from tests.toy import write_toy


@pytest.mark.thorough
def test_output_that_cannot_be_written_is_told_in_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "autograder", "doctor"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: cannot write the output: No space left on device")


def test_a_reader_that_leaves_early_ends_a_command_silently() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    with os.fdopen(write_end, "wb") as pipe:
        command = [sys.executable, "-m", "autograder", "export", "list"]
        done = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")


def test_an_interruption_while_a_command_is_imported_ends_it_as_a_later_one_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(click.Group, "resolve_command", interrupt)
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 130
    assert done.stderr.startswith("stopped: ")


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
def test_a_command_whose_standard_streams_are_closed_does_its_work(tmp_path: Path, closed: str) -> None:
    course = write_toy(tmp_path / "course")
    grade = f"{sys.executable} -m autograder grade toy {course}/solutions/toy/value.py --allow-unsafe"
    command = f"{grade} --course {course} --report {tmp_path}/report.json >{tmp_path}/shown {closed}"
    assert subprocess.run(command, shell=True, timeout=300, check=False).returncode == 0
    assert read_report_json(tmp_path / "report.json").score == read_report_json(tmp_path / "report.json").max_score
