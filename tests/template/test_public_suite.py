"""The public suite, as students run it: in their own folder, with pytest and nothing else."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from autograder.course import Assignment, Course
from tests.template.running import run_pytest, unpack_template

FAILED = 1
MISTAKES = {
    "autograd-engine": ("other.grad += self.data * out.grad", "other.grad = self.data * out.grad"),
    "topological-sort": ("topo.reverse()", "pass"),
    "neural-network": ("    net.zero_grad()\n", ""),
    "tokenizer": ("            place += 2\n", "            place += 1\n"),
}


@pytest.fixture(params=["autograd-engine", "topological-sort", "neural-network", "tokenizer"])
def assignment(request: pytest.FixtureRequest, course: Course) -> Assignment:
    return next(one for one in course.assignments if one.name == request.param)


@pytest.fixture
def unpacked(assignment: Assignment, tmp_path: Path) -> Path:
    """The template, in a folder like a student's."""
    return unpack_template(assignment, tmp_path / "my homework")


@pytest.fixture(scope="module")
def run_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Assignment], subprocess.CompletedProcess[str]]:
    """Run the public suite of an assignment on its untouched template, once."""
    return cache(lambda assignment: run_pytest(unpack_template(assignment, tmp_path_factory.mktemp("my homework"))))


@pytest.fixture
def untouched(
    assignment: Assignment, run_of: Callable[[Assignment], subprocess.CompletedProcess[str]]
) -> subprocess.CompletedProcess[str]:
    """What the public suite says of the untouched template."""
    return run_of(assignment)


def names_of(template: Path) -> list[str]:
    """The functions that students write."""
    tree = ast.parse((template / "value.py").read_text(encoding="utf-8"))
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def test_untouched_it_says_what_is_not_written(unpacked: Path, untouched: subprocess.CompletedProcess[str]) -> None:
    assert untouched.returncode == FAILED
    assert f"{names_of(unpacked)[0]} is not written yet" in untouched.stdout


def test_untouched_no_test_passes_and_none_is_called_wrong(untouched: subprocess.CompletedProcess[str]) -> None:
    assert " passed" not in untouched.stdout
    assert "what is wrong" not in untouched.stdout


def test_untouched_it_says_where_to_begin(untouched: subprocess.CompletedProcess[str]) -> None:
    assert "\nNext: " in untouched.stdout


def test_untouched_it_shows_no_traceback(untouched: subprocess.CompletedProcess[str]) -> None:
    assert "Traceback" not in untouched.stdout + untouched.stderr
    assert "NotImplementedError" not in untouched.stdout + untouched.stderr


def test_of_the_solution_everything_holds(unpacked: Path, assignment: Assignment) -> None:
    shutil.copy(assignment.solution_file, unpacked / "value.py")
    done = run_pytest(unpacked, "-W", "error")
    assert (done.returncode, "All of it holds. Hand it in." in done.stdout) == (0, True)


def test_a_mistake_is_told_with_its_sentence(unpacked: Path, assignment: Assignment) -> None:
    right, wrong = MISTAKES[assignment.name]
    solution = assignment.solution_file.read_text(encoding="utf-8")
    assert right in solution
    (unpacked / "value.py").write_text(solution.replace(right, wrong), encoding="utf-8")
    done = run_pytest(unpacked)
    assert done.returncode == FAILED
    assert "what is wrong" in done.stdout
    assert "Traceback" not in done.stdout


def test_an_exception_that_stops_many_tests_is_told_once(course: Course, tmp_path: Path) -> None:
    folder = unpack_template(course.assignments[0], tmp_path / "homework")
    (folder / "value.py").write_text("class Value:\n    def __init__(self):\n        self.grad = 0\n")
    done = run_pytest(folder)
    assert done.stdout.count("takes 1 positional argument but 2 were given") == 1
    failed = re.search(r"^(\d+) failed", done.stdout, flags=re.M)
    assert failed is not None
    assert f"  The same in {int(failed[1]) - 1} more tests.\n" in done.stdout


@pytest.mark.thorough_but("called", "no return", "no self")
@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        (
            "out._backward = _backward\n",
            "out._backward = _backward()\n",
            [
                "'NoneType' object is not callable. Look at value.py, line 47: `out._backward = _backward()` calls",
                "Store the function itself: `out._backward = _backward`.\n",
                "  It happened in tests/test_2_backward.py, line 15: `c._backward()`\n",
            ],
        ),
        (
            "self._backward = nothing",
            "self._backward = None",
            ["'NoneType' object is not callable (value.py, line 95). `_backward` must hold a function"],
        ),
        (
            "        return out\n",
            "",
            ["has no attribute 'data'. Something is None", "tests/test_1_forward.py, line 23"],
        ),
        (
            "def __add__",
            "def add",
            ["+: 'Value' and 'int'. An operator is missing", "line 36: `b, c = a + 1, a + 0.5`"],
        ),
        ("node._backward()", "self.backward()", ["RecursionError: ", "). Does the method call itself"]),
        ("def tanh(self)", "def tanh()", ["but 1 was given. Is `self`", "line 16: `t = Value(number).tanh()`"]),
        ("self._prev = _prev", "self._prev = 3", ["(value.py, line 113). Here should be several things"]),
    ],
    ids=["called", "None", "no return", "no operator", "recursion", "no self", "not iterable"],
)
def test_an_exception_of_a_beginner_is_told_with_its_line_and_what_to_try(
    course: Course, tmp_path: Path, right: str, wrong: str, says: list[str]
) -> None:
    folder = unpack_template(course.assignments[0], tmp_path / "homework")
    source = course.assignments[0].solution_file.read_text(encoding="utf-8")
    assert right in source
    (folder / "value.py").write_text(source.replace(right, wrong), encoding="utf-8")
    said = run_pytest(folder).stdout
    assert [words for words in says if words not in said] == []


def test_each_test_that_does_not_hold_is_told_even_if_all_say_the_same(course: Course, tmp_path: Path) -> None:
    folder = unpack_template(course.assignments[0], tmp_path / "homework")
    shutil.copy(course.assignments[0].solution_file, folder / "value.py")
    (folder / "tests" / "test_9_own.py").write_text(
        "def test_a():\n    'One is two.'\n    assert 1 == 2\n\ndef test_b():\n    'Two is one.'\n    assert 2 == 1\n"
    )
    said = run_pytest(folder, "tests/test_9_own.py", "-p", "no:assertion").stdout
    assert "- One is two.\n" in said
    assert "- Two is one.\n" in said


@pytest.mark.first_cases(2)
@pytest.mark.thorough_but("autograd-engine")
def test_a_file_that_cannot_be_imported_is_told_by_its_line(unpacked: Path) -> None:
    (unpacked / "value.py").write_text("x = 1\ndef (:\n", encoding="utf-8")
    done = run_pytest(unpacked)
    assert done.returncode != 0
    assert "SyntaxError" in done.stdout
    assert "line 2" in done.stdout


@pytest.mark.first_cases(2)
def test_it_can_be_run_from_anywhere(unpacked: Path, assignment: Assignment, tmp_path: Path) -> None:
    shutil.copy(assignment.solution_file, unpacked / "value.py")
    assert run_pytest(tmp_path, str(unpacked)).returncode == 0


@pytest.mark.first_cases(1)
@pytest.mark.thorough_but("autograd-engine")
def test_one_file_of_it_can_be_run_alone(unpacked: Path, assignment: Assignment) -> None:
    shutil.copy(assignment.solution_file, unpacked / "value.py")
    for path in sorted((unpacked / "tests").glob("test_*.py")):
        assert run_pytest(unpacked, f"tests/{path.name}").returncode == 0, path.name


@pytest.mark.first_cases(1)
@pytest.mark.thorough_but("autograd-engine")
def test_stopped_by_ctrl_c_it_names_the_test_and_calls_nothing_done(unpacked: Path, assignment: Assignment) -> None:
    shutil.copy(assignment.solution_file, unpacked / "value.py")
    slow = unpacked / "tests" / "test_9_slow.py"
    slow.write_text(
        'import os, signal\n\n\ndef test_loop():\n    """It ends."""\n    os.kill(os.getpid(), signal.SIGINT)\n',
        encoding="utf-8",
    )
    told = run_pytest(unpacked).stdout
    assert "Stopped in: It ends. Does a loop there never end?" in told
    assert "All of it holds" not in told


def test_it_needs_nothing_but_pytest(unpacked: Path) -> None:
    own = {path.stem for path in unpacked.rglob("*.py")}
    for path in unpacked.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            imported += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names | own | {"pytest"}, (
                path.name
            )
