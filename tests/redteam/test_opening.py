"""Standing among the submissions, the command line runs nothing of theirs and believes nothing of theirs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

AUTOGRADER = Path(sys.executable).with_name("autograder")
ENGINE = "class Value:\n    def __init__(self, data):\n        self.data, self.grad = data, 0.0\n"

SHADOWS = (
    "socket",
    "multiprocessing",
    "struct",
    "pickle",
    "json",
    "random",
    "typing",
    "pytest",
    "click",
    "encodings",
)
"""Modules that an interpreter, a worker or the kit imports."""


@pytest.fixture
def students(tmp_path: Path) -> Path:
    """A class whose files run when anything imports them, and leave a trace outside of any sandbox."""
    folder = tmp_path / "class"
    folder.mkdir()
    trace = f"open({str(tmp_path / 'trace')!r}, 'a').write('run ')"
    for name in (*SHADOWS, "sitecustomize", "usercustomize", "conftest"):
        (folder / f"{name}.py").write_text(f"if __name__ == {name!r}:\n    {trace}\n{ENGINE}")
    (folder / "evil.pth").write_text(f"import sys; {trace}\n")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p conftest\n")
    return folder


def run_cleanly(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    clean.pop("PYTHONSAFEPATH", None)
    return subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, timeout=300, check=False)


def test_an_interpreter_that_starts_here_would_run_them(students: Path, tmp_path: Path) -> None:
    run_cleanly(sys.executable, "-c", "import socket", cwd=students)
    assert (tmp_path / "trace").read_text() == "run "


@pytest.mark.redteam
@pytest.mark.parametrize(
    "command",
    [(AUTOGRADER,), (sys.executable, "-m", "autograder")],
    ids=["script", "module"],
)
def test_a_batch_runs_no_file_of_a_student_outside_the_sandbox(
    students: Path, tmp_path: Path, root: Path, command: tuple[str | Path, ...]
) -> None:
    keep = [name for name in SHADOWS[:4] if command == (AUTOGRADER,) or name in ("socket", "multiprocessing")]
    for path in [*students.glob("*.py")]:
        if path.stem not in (*keep, "sitecustomize", "conftest"):
            path.unlink()
    done = run_cleanly(
        *(*command, "batch", "autograd-engine", ".", "--out", tmp_path / "out", "--course", root),
        *("--allow-unsafe", "--workers", "1"),
        cwd=students,
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "trace").exists()
    graded = {path.stem for path in (tmp_path / "out" / "reports").iterdir()}
    assert graded == {*keep, "sitecustomize", "conftest", "evil.pth", "pytest.ini"}


@pytest.mark.redteam
def test_one_submission_is_graded_here_without_running_the_others(students: Path, tmp_path: Path, root: Path) -> None:
    done = run_cleanly(
        *(AUTOGRADER, "grade", "autograd-engine", "socket.py", "--course", root, "--allow-unsafe"),
        cwd=students,
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "trace").exists()


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("out", [".", "results"])
def test_no_report_is_looked_for_among_the_submissions(students: Path, root: Path, out: str) -> None:
    (students / out / "reports").mkdir(parents=True)
    (students / out / "reports" / "socket.json").write_text('{"score": 100}')
    done = run_cleanly(AUTOGRADER, "batch", "autograd-engine", ".", "--out", out, "--course", root, cwd=students)
    assert done.returncode == 2
    assert "lies among the submissions, and one of them could pass for a report" in done.stderr


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("command", [("batch", ".", "--out", "../out"), ("grade", ".")], ids=["batch", "grade"])
def test_a_course_that_lies_among_the_submissions_is_not_used(
    students: Path, root: Path, command: tuple[str, ...]
) -> None:
    (students / "grading.yml").write_bytes((root / "grading.yml").read_bytes())
    name, *rest = command
    done = run_cleanly(AUTOGRADER, name, "autograd-engine", *rest, cwd=students)
    assert done.returncode == 2
    assert "grading.yml: the course lies among the submissions (name your course with --course)" in done.stderr
