"""The command line: exit code 0 when the work was done, 2 and one line when the caller has something to mend."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from autograder import __version__

DONE, NOT_PROVEN, CALLERS_MISTAKE = 0, 1, 2
AUTOGRADER = Path(sys.executable).with_name("autograder")
COMMANDS = ("grade", "batch", "report", "regrade", "export", "check", "gradescope-zip", "template", "doctor")

Run = subprocess.CompletedProcess[str]
Copy = Callable[[], Path]


def run(*arguments: str | Path, cwd: Path | None = None, command: tuple[str | Path, ...] = (AUTOGRADER,)) -> Run:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "FORCE_COLOR"))}
    return subprocess.run(
        [*command, *arguments], cwd=cwd, env=clean, capture_output=True, text=True, timeout=120, check=False
    )


def told(done: Run) -> str:
    """The one line that a caller's mistake is told in."""
    assert done.returncode == CALLERS_MISTAKE, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("isolation: ")]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    return lines[0]


def succeeded(done: Run) -> str:
    """What a command printed that did its work."""
    assert done.returncode == DONE, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def unwrapped(text: str) -> str:
    """Text without its white space: long lines are wrapped, and a path may be in two of them."""
    return "".join(text.split())


@pytest.fixture
def solution(root: Path) -> Path:
    return root / "solutions" / "autograd-engine" / "value.py"


@pytest.fixture
def wrong(solution: Path, tmp_path: Path) -> Path:
    """A submission that overwrites gradients."""
    path = tmp_path / "wrong.py"
    path.write_text(solution.read_text(encoding="utf-8").replace(".grad += ", ".grad = "), encoding="utf-8")
    return path


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Copy:
    """Copy the course, to be changed."""

    def copied() -> Path:
        folder = tmp_path / "course"
        folder.mkdir()
        shutil.copy(root / "grading.yml", folder)
        for name in ("assignments", "solutions", "student_template"):
            shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
        return folder

    return copied


# The command itself


def test_help_lists_the_commands() -> None:
    shown = succeeded(run("--help"))
    assert [line.split()[0] for line in shown.partition("Commands:")[2].splitlines() if line.strip()] == list(
        COMMANDS
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    assert f"Usage: autograder {command}" in succeeded(run(command, "--help"))


@pytest.mark.parametrize("command", [(AUTOGRADER,), (sys.executable, "-m", "autograder")], ids=["script", "module"])
def test_it_can_be_started_in_two_ways(command: tuple[str | Path, ...]) -> None:
    assert succeeded(run("--version", command=command)).strip() == f"autograder, version {__version__}"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["grade", "--nope"], "No such option"),
        (["mark"], "No such command"),
        (["grade", "autograd-engine"], "Missing argument"),
        (["batch", "autograd-engine", "."], "Missing option '--out'"),
        (["batch", "autograd-engine", ".", "--out", "x", "--workers", "0"], "not in the range"),
        (["grade", "autograd-engine", "x.py", "--tier", "none"], "is not one of"),
    ],
)
def test_a_wrong_use_is_told_with_where_to_find_help(arguments: list[str], says: str) -> None:
    done = run(*arguments)
    assert done.returncode == CALLERS_MISTAKE
    assert says in done.stderr.splitlines()[-1]
    assert "--help" in done.stderr


# The course


@pytest.mark.parametrize(
    "arguments", [["grade", "autograd-engine", "x.py"], ["batch", "autograd-engine", ".", "--out", "x"]], ids=" ".join
)
def test_without_a_course_grading_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    assert "no grading.yml here or in any folder above" in told(run(*arguments, cwd=tmp_path))


@pytest.mark.parametrize("arguments", [["check"], ["gradescope-zip", "autograd-engine"], ["template"]], ids=" ".join)
def test_without_a_course_an_author_is_told_so(tmp_path: Path, arguments: list[str]) -> None:
    assert "no grading.yml here or in any folder above" in told(run(*arguments, cwd=tmp_path))


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("check", "nowhere"),
        ("check", "empty"),
        ("check", "nowhere" * 50),
        ("doctor", "nowhere"),
        ("doctor", "n" * 300),
    ],
    ids=["missing", "without grading.yml", "too long", "missing for the doctor", "too long for the doctor"],
)
def test_a_course_that_is_not_there_is_told_by_its_name(tmp_path: Path, command: str, name: str) -> None:
    (tmp_path / "empty").mkdir()
    assert name[:20] in told(run(command, "--course", tmp_path / name))


@pytest.mark.parametrize(
    "arguments",
    ["grade calculus x.py", "batch calculus . --out x", "check calculus", "template calculus"],
)
def test_an_unknown_assignment_is_told_which_are_known(root: Path, tmp_path: Path, arguments: str) -> None:
    line = told(run(*arguments.split(), "--course", root, cwd=tmp_path))
    assert "calculus: is no assignment of this course (known: autograd-engine, topological-sort)" in line


def test_a_course_may_be_named_by_its_file(root: Path, tmp_path: Path, solution: Path) -> None:
    succeeded(run("grade", "autograd-engine", solution, "--course", root / "grading.yml", cwd=tmp_path))


def test_a_course_is_found_from_a_folder_in_it(root: Path, solution: Path) -> None:
    succeeded(run("grade", "autograd-engine", solution, cwd=root / "assignments" / "autograd-engine"))


@pytest.mark.parametrize("command", [["check"], ["template"], ["doctor"], ["grade", "autograd-engine", "value.py"]])
def test_a_mistake_in_grading_yml_is_told_with_its_line_and_key(copy: Copy, command: list[str]) -> None:
    config = copy() / "grading.yml"
    config.write_text("limit: 3\n" + config.read_text(encoding="utf-8"), encoding="utf-8")
    assert f"{config}:1: limit: is not a setting" in told(run(*command, "--course", config))


def test_a_course_that_does_not_hold_together_is_told_and_not_graded(copy: Copy, solution: Path) -> None:
    course = copy()
    (course / "assignments" / "autograd-engine" / "hidden" / "test_9.py").write_text(
        "import nowhere\n", encoding="utf-8"
    )
    assert "No module named 'nowhere'" in told(run("grade", "autograd-engine", solution, "--course", course))


def test_a_course_without_its_solution_is_told_which_file_to_write(copy: Copy, wrong: Path) -> None:
    course = copy()
    (course / "solutions" / "autograd-engine" / "value.py").unlink()
    line = told(run("grade", "autograd-engine", wrong, "--course", course))
    assert "solutions/autograd-engine/value.py: has no reference solution" in line


# grade


def test_a_right_submission_is_graded(root: Path, solution: Path) -> None:
    assert "value  autograd-engine  100 of 100" in succeeded(run("grade", "autograd-engine", solution, cwd=root))


def test_a_wrong_submission_is_work_done_too(root: Path, wrong: Path) -> None:
    shown = succeeded(run("grade", "autograd-engine", wrong, "--course", root))
    assert "wrong  autograd-engine" in shown
    assert "100 of 100" not in shown


def test_a_page_for_the_student_can_be_written(root: Path, wrong: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    succeeded(run("grade", "autograd-engine", wrong, "--course", root, "--page", page))
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("value.py", b"def (:\n", "Mend this line"),
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


@pytest.mark.parametrize("name", ["[red]alice", "\x1b[31malice", "two\nlines", "\u202eecila"])
def test_a_name_is_printed_as_it_is_and_does_nothing_to_the_terminal(
    root: Path, tmp_path: Path, solution: Path, name: str
) -> None:
    (tmp_path / f"{name}.py").write_bytes(solution.read_bytes())
    shown = succeeded(run("grade", "autograd-engine", tmp_path / f"{name}.py", "--course", root))
    assert not {"\x1b", "\u202e"} & {*shown}
    assert name.encode("unicode_escape").decode().replace("\\\\", "\\") in shown.splitlines()[0]


def test_a_report_keeps_to_the_published_schema(root: Path, tmp_path: Path, wrong: Path) -> None:
    report = tmp_path / "out" / "wrong.json"
    succeeded(run("grade", "autograd-engine", wrong, "--course", root, "--report", report))
    schema: dict[str, Any] = json.loads((root / "docs" / "score-report.schema.json").read_bytes())
    jsonschema.Draft202012Validator(schema).validate(json.loads(report.read_bytes()))


def test_a_report_has_the_record_of_pytest_beside_it(root: Path, tmp_path: Path, wrong: Path) -> None:
    succeeded(run("grade", "autograd-engine", wrong, "--course", root, "--report", tmp_path / "wrong.json"))
    record = json.loads((tmp_path / "wrong.pytest.json").read_bytes())
    assert record["summary"]["failed"] > 0


def test_a_report_of_what_cannot_be_graded_says_why(root: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.py").touch()
    succeeded(
        run("grade", "autograd-engine", tmp_path / "empty.py", "--course", root, "--report", tmp_path / "r.json")
    )
    report = json.loads((tmp_path / "r.json").read_bytes())
    assert (report["status"]["outcome"], report["score"], report["max_score"]) == ("empty", 0, 100)


@pytest.mark.parametrize("place", ["folder", "file/report.json", "x" * 300 + ".json", "."])
def test_a_report_that_cannot_be_written_is_told_and_leaves_nothing_behind(
    root: Path, tmp_path: Path, solution: Path, place: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    line = told(run("grade", "autograd-engine", solution, "--course", root, "--report", place, cwd=tmp_path))
    assert "cannot be written" in line
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder"]


# Isolation


@pytest.mark.parametrize(
    "arguments",
    [
        "check",
        "grade autograd-engine solutions/autograd-engine/value.py",
        "batch autograd-engine solutions/autograd-engine --out {out}",
    ],
)
def test_a_tier_weaker_than_the_course_accepts_is_refused(root: Path, tmp_path: Path, arguments: str) -> None:
    filled = [argument.format(out=tmp_path / "out") for argument in arguments.split()]
    line = told(run(*filled, "--tier", "process", cwd=root))
    assert "tier process is weaker than is accepted here (restricted)" in line
    assert "--allow-unsafe" in line


def test_a_weaker_tier_can_be_accepted_and_is_told(root: Path, solution: Path) -> None:
    done = run("grade", "autograd-engine", solution, "--tier", "process", "--allow-unsafe", cwd=root)
    assert "(isolation: process)" in succeeded(done)
    assert done.stderr.startswith("isolation: tier process, weaker than namespaces; for namespaces, ")


def test_a_course_cannot_settle_for_the_tier_that_only_stops_accidents(copy: Copy, solution: Path) -> None:
    course = copy()
    config = course / "grading.yml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("weakest_tier: restricted", "weakest_tier: process"), encoding="utf-8")
    line = told(run("grade", "autograd-engine", solution, "--course", course))
    assert "isolation.weakest_tier: tier process stops accidents only" in line
    assert "--allow-unsafe" in line


# batch


def test_a_batch_prints_how_it_went_and_where_its_results_are(root: Path, tmp_path: Path, solution: Path) -> None:
    (tmp_path / "class").mkdir()
    shutil.copy(solution, tmp_path / "class" / "alice.py")
    (tmp_path / "class" / "bob.py").touch()
    arguments = ("batch", "autograd-engine", tmp_path / "class", "--out", tmp_path / "out", "--workers", "1")
    shown = succeeded(run(*arguments, "--course", root))
    assert "2 submissions: 2 graded" in shown
    assert "could not be graded: 1 empty" in shown
    assert unwrapped(str(tmp_path / "out" / "gradebook.csv")) in unwrapped(shown)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "gradebook.csv",
        "raw",
        "reports",
        "results.sqlite",
    }


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("nowhere", "does not exist"),
        ("nowhere" * 50, "nowhere"),
        ("empty", "holds no submission"),
        ("bad.zip", "is neither a folder nor a whole zip"),
        ("alice.py", "a batch is a folder or a zip of submissions"),
    ],
)
def test_a_batch_that_is_none_is_refused(root: Path, tmp_path: Path, solution: Path, source: str, says: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.zip").write_bytes(b"no zip")
    shutil.copy(solution, tmp_path / "alice.py")
    arguments = ("batch", "autograd-engine", tmp_path / source, "--out", tmp_path / "out")
    assert says in told(run(*arguments, "--course", root))


@pytest.mark.parametrize("out", ["file", "file/below", "x" * 300, "taken"])
def test_a_place_for_results_that_cannot_be_written_is_told(
    root: Path, tmp_path: Path, solution: Path, out: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "reports").touch()
    arguments = ("batch", "autograd-engine", solution.parent, "--out", tmp_path / out)
    line = told(run(*arguments, "--course", root))
    assert "cannot be written" in line
    assert "name another folder with --out" in line


def test_results_are_not_written_among_the_submissions(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alice.py").touch()
    arguments = ("batch", "autograd-engine", tmp_path, "--out", tmp_path / "results", "--workers", "1")
    assert "lies among the submissions" in told(run(*arguments, "--course", root))
    assert not (tmp_path / "results").exists()


# check, template, doctor


def test_the_assignments_of_this_course_are_proven(copy: Copy) -> None:
    shown = succeeded(run("check", "--quick", "--course", copy()))
    assert "autograd-engine" in shown
    assert "topological-sort" in shown
    assert "✗" not in shown


def test_one_assignment_can_be_proven_alone(copy: Copy) -> None:
    assert "autograd-engine" not in succeeded(run("check", "topological-sort", "--quick", "--course", copy()))


def test_an_assignment_that_does_not_hold_together_is_not_proven(copy: Copy) -> None:
    course = copy()
    (course / "student_template" / "topological-sort" / "handout.md").unlink()
    done = run("check", "topological-sort", "--quick", "--course", course)
    assert done.returncode == NOT_PROVEN
    assert "✗ the template is up to date" in done.stdout
    assert "handout.md is missing: run `autograder template`" in done.stdout


def test_a_template_that_is_up_to_date_is_said_to_be(copy: Copy) -> None:
    shown = succeeded(run("template", "--course", copy()))
    assert unwrapped(shown).count(unwrapped("up to date")) == 2


def test_a_template_that_is_not_is_written(copy: Copy) -> None:
    course = copy()
    (course / "student_template" / "topological-sort" / "handout.md").unlink()
    assert "handout.md" in succeeded(run("template", "topological-sort", "--course", course))
    assert (course / "student_template" / "topological-sort" / "handout.md").is_file()


def test_a_template_of_a_solution_without_markers_is_told(copy: Copy) -> None:
    course = copy()
    solution = course / "solutions" / "topological-sort" / "value.py"
    solution.write_text("def build_topo(v, visited, topo): ...\n", encoding="utf-8")
    assert f"{solution}: has no # BEGIN SOLUTION" in told(run("template", "--course", course))


def test_the_doctor_says_tiers_versions_and_limits(root: Path) -> None:
    shown = succeeded(run("doctor", cwd=root))
    for word in ("namespaces", "restricted", "process", "pytest", "bubblewrap", "cpu_seconds"):
        assert word in shown
    assert unwrapped(f"from {root / 'grading.yml'}") in unwrapped(shown)


def test_the_doctor_needs_no_course(tmp_path: Path) -> None:
    assert "the kit's defaults; no course here" in succeeded(run("doctor", cwd=tmp_path))
