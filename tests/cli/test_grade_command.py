"""``autograder grade``: what is printed and written of one submission."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from tests.cli.commands import run, run_anew, succeeded, told, unwrapped


def test_a_right_submission_is_graded(root: Path, solution: Path) -> None:
    assert "value  autograd-engine  100 of 100" in succeeded(run("grade", "autograd-engine", solution, cwd=root))


def test_a_wrong_submission_is_work_done_too(root: Path, wrong: Path) -> None:
    shown = succeeded(run("grade", "autograd-engine", wrong, "--no-explain", "--course", root))
    assert "wrong  autograd-engine" in shown
    assert "100 of 100" not in shown


def test_a_page_for_the_student_can_be_written(root: Path, wrong: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    succeeded(run("grade", "autograd-engine", wrong, "--no-explain", "--course", root, "--page", page))
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.thorough
def test_a_page_is_opened_in_the_browser(
    root: Path, wrong: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n', encoding="utf-8")
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    shown = succeeded(run("grade", "autograd-engine", wrong, "--no-explain", "--course", root, "--open"))
    page = Path(url2pathname(urlsplit((tmp_path / "opened").read_text(encoding="utf-8").strip()).path))
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert unwrapped(f"the page is {page}") in unwrapped(shown)
    chosen = tmp_path / "chosen page.html"
    succeeded(run("grade", "autograd-engine", wrong, "--no-explain", "--course", root, "--open", "--page", chosen))
    assert (tmp_path / "opened").read_text(encoding="utf-8").strip() == chosen.as_uri()


def test_without_a_browser_it_is_said_where_the_page_is(
    root: Path, wrong: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", str(tmp_path / "none %s"))
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    page = tmp_path / "page.html"
    shown = succeeded(
        run("grade", "autograd-engine", wrong, "--no-explain", "--course", root, "--open", "--page", page)
    )
    assert unwrapped(f"no browser can be opened here; open {page}") in unwrapped(shown)
    assert page.is_file()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("value.py", b"def (:\n", "Fix this line"),
        ("value.ipynb", b"{", "is not a Jupyter notebook"),
        ("value.zip", b"PK", "The zip cannot be read"),
    ],
)
def test_a_submission_that_cannot_be_graded_is_told_why(
    root: Path, tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    shown = succeeded(run("grade", "autograd-engine", tmp_path / name, "--course", root))
    assert unwrapped(says) in unwrapped(shown)


@pytest.mark.parametrize("name", ["nowhere.py", "nowhere" * 50])
def test_a_submission_that_is_not_there_is_told_by_its_name(root: Path, tmp_path: Path, name: str) -> None:
    assert "nowhere" in told(run("grade", "autograd-engine", tmp_path / name, "--course", root))


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("name", ["[red]alice", "\x1b[31malice", "two\nlines", "\u202eecila"])
def test_a_name_is_printed_as_it_is_and_does_nothing_to_the_terminal(
    root: Path, tmp_path: Path, solution: Path, name: str
) -> None:
    (tmp_path / f"{name}.py").write_bytes(solution.read_bytes())
    shown = succeeded(run("grade", "autograd-engine", tmp_path / f"{name}.py", "--course", root))
    assert not {"\x1b", "\u202e"} & {*shown}
    assert name.encode("unicode_escape").decode().replace("\\\\", "\\") in shown.splitlines()[0]


def test_a_report_has_the_record_of_pytest_beside_it(root: Path, tmp_path: Path, wrong: Path) -> None:
    succeeded(
        run("grade", "autograd-engine", wrong, "--no-explain", "--course", root, "--report", tmp_path / "wrong.json")
    )
    record = json.loads((tmp_path / "wrong.pytest.json").read_bytes())
    assert record["summary"]["failed"] > 0


def test_a_report_to_standard_output_is_all_that_is_printed_there(root: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.py").touch()
    (tmp_path / "stdout").symlink_to("/dev/stdout")  # an error here must not replace the node itself
    done = run_anew("grade", "autograd-engine", "empty.py", "--course", root, "--report", "stdout", cwd=tmp_path)
    assert json.loads(succeeded(done))["status"]["outcome"] == "empty"
    assert "empty  autograd-engine" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty.py", "stdout"]


@pytest.mark.thorough
def test_a_report_to_a_fifo_has_no_record_beside_it(root: Path, tmp_path: Path, wrong: Path) -> None:
    fifo, got = tmp_path / "fifo", []
    os.mkfifo(fifo)
    Thread(target=lambda: got.append(fifo.read_bytes()), daemon=True).start()
    succeeded(run("grade", "autograd-engine", wrong, "--no-explain", "--course", root, "--report", fifo))
    assert json.loads(got[0])["submission"]["id"] == "wrong"
    assert stat.S_ISFIFO(fifo.lstat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fifo", "wrong.py"]


def test_a_report_of_what_cannot_be_graded_says_why(root: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.py").touch()
    succeeded(
        run("grade", "autograd-engine", tmp_path / "empty.py", "--course", root, "--report", tmp_path / "r.json")
    )
    report = json.loads((tmp_path / "r.json").read_bytes())
    assert (report["status"]["outcome"], report["score"], report["max_score"]) == ("empty", 0, 100)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("place", ["folder", "file/report.json", "x" * 300 + ".json", "."])
def test_a_report_that_cannot_be_written_is_told_and_leaves_nothing_behind(
    root: Path, tmp_path: Path, solution: Path, place: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    line = told(run("grade", "autograd-engine", solution, "--course", root, "--report", place, cwd=tmp_path))
    assert "cannot write this file" in line
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder"]
