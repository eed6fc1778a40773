"""Code that cannot be loaded is told in plain words: by pytest in the folder, and by the notebook's own check."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.course import Assignment
from tests.template.running import run_pytest, unpack_template

NOISE = ("ImportError", "CollectError", "Traceback", "valid Python names", "errors during collection", "Interrupted")
ENDED = "it must end without an error"


@pytest.fixture
def folder(engine: Assignment, tmp_path: Path) -> Path:
    return unpack_template(engine, tmp_path)


@pytest.fixture
def sorting_folder(sorting: Assignment, tmp_path: Path) -> Path:
    return unpack_template(sorting, tmp_path)


def pytest_output(folder: Path, source: str) -> str:
    """What pytest says of a file."""
    (folder / "value.py").write_text(source, encoding="utf-8")
    done = run_pytest(folder)
    assert done.returncode == 1
    assert not any(noise in done.stdout + done.stderr for noise in NOISE)
    return done.stdout


def told_in_notebook(folder: Path, cells: str, check: str = 'run_tests("test_1_forward")') -> str:
    """What a check says where a notebook's cells have defined this."""
    program = f"from notebook_check import run_tests, try_it\n{cells}\n{check}"
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    clean["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert not any(noise in done.stdout for noise in NOISE)
    return re.sub(r"\n  (?=\S)", " ", done.stdout)  # as it was before long lines were broken


# --- A file.


@pytest.mark.first_cases(4)
@pytest.mark.thorough_but("syntax", "merge", "raises", "no class")
@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("x = 1\nif x\n    y = 2\n", ["value.py, line 2: expected ':' (SyntaxError).\n    if x\n", "Fix this line"]),
        ("class Value:\ndef f(): pass\n", ["value.py, line 2: expected an indented block", "\n    def f(): pass\n"]),
        (
            "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> b\n",
            ["value.py, line 1: git could not", "(lines 1, 3 and 5)"],
        ),
        (">>> x = 1\n", ["value.py, line 1: `>>>` is the prompt", "Take the prompts out"]),
        ("x = “a”\n", ["value.py, line 1: `“` is a typographic", "\n    x = “a”\n", "plain ones"]),
        ("if 1:\n\tif 2:\n        x = 1\n", ["value.py, line 3: some lines are indented with tabs", "four spaces"]),
        ("\n1 / 0\n", ["value.py, line 2: ZeroDivisionError: division by zero\n    1 / 0\n", "Fix this line."]),
        ("x = 1\n", ["value.py defines no `Value`. Start from the template and keep the name `Value`."]),
        ("class value: pass\n", ["no `Value`. `value` is defined: did you mean that? Rename it to `Value`"]),
        (
            "class Value: pass\nValue = Value()\n",
            ["`Value` is not a class (its type is Value)", "Look for `Value = ...`"],
        ),
    ],
    ids=["syntax", "indent", "merge", "prompt", "quotes", "tabs", "raises", "nothing", "name", "no class"],
)
def test_a_file_that_cannot_be_loaded_is_told_with_its_line_and_what_to_do(
    folder: Path, source: str, says: list[str]
) -> None:
    said = pytest_output(folder, source)
    for words in says:
        assert words in said
    assert said.count("value.py, line") <= 1
    assert "All of it holds" not in said


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python evaluates annotations late")
def test_an_annotation_that_names_its_own_class_is_told_what_to_do(folder: Path) -> None:
    said = pytest_output(folder, "class Value:\n    def __add__(self, other: Value): pass\n")
    assert "value.py, line 2: NameError: name 'Value' is not defined" in said
    assert "put `from __future__ import annotations` first in the file" in said


def test_a_missing_file_is_told(folder: Path) -> None:
    (folder / "value.py").unlink()
    done = run_pytest(folder)
    assert done.returncode == 1
    assert f"There is no value.py in {folder}." in done.stdout


def test_what_can_be_loaded_is_tested_beside_what_cannot(sorting_folder: Path, sorting: Assignment) -> None:
    source = sorting.solution_file.read_text(encoding="utf-8")
    said = pytest_output(sorting_folder, source.replace("def backward_order(", "def backwards_order("))
    assert "no `backward_order`. `backwards_order` is defined: did you mean that?" in said
    assert "1 build topo                     7 of 7" in said
    assert "All of it holds" not in said


def test_a_loop_that_was_stopped_is_told_with_its_line(folder: Path) -> None:
    stopped = "        os.kill(os.getpid(), signal.SIGINT)\n"
    source = f"import os, signal\n\n\nclass Value:\n    def __init__(self, data):\n{stopped}"
    (folder / "value.py").write_text(source, encoding="utf-8")
    assert "Does a loop there never end? You stopped it at value.py, line 6." in run_pytest(folder).stdout


# --- A notebook.


def test_a_class_cell_that_was_not_run_is_told(folder: Path) -> None:
    said = told_in_notebook(folder, "x = 1")
    assert f"`Value` is not defined yet: run the cell that defines it ({ENDED}), then this cell again." in said


def test_a_class_of_nearly_the_right_name_is_told(folder: Path) -> None:
    said = told_in_notebook(folder, "class value: pass")
    assert "`value` is defined: did you mean that? Rename it to `Value`, everywhere." in said


def test_a_name_that_stands_for_something_else_is_told(folder: Path) -> None:
    said = told_in_notebook(folder, "Value = 3.0")
    assert "`Value` is not a class (its type is float)" in said
    assert "run the cell that defines it again" in said


def test_a_function_cell_that_was_not_run_is_told(sorting_folder: Path) -> None:
    said = told_in_notebook(sorting_folder, "def build_top(): pass", 'run_tests("test_1_build_topo")')
    assert "`build_topo` is not defined yet: run the cell" in said
    assert "`build_top` is defined: did you mean that?" in said


def test_an_example_that_needs_a_cell_that_was_not_run_is_told(folder: Path) -> None:
    said = told_in_notebook(folder, "def forward(): return Value(1)", "try_it(forward)")
    assert said == f"`Value` is not defined yet: run the cell that defines it ({ENDED}), then this cell again.\n"


def test_an_example_that_raises_says_the_line_and_what_to_try(folder: Path) -> None:
    cells = "class Value:\n    def __init__(self, data): self.data = None + data\ndef forward(): return Value(1)"
    said = told_in_notebook(folder, cells, "try_it(forward)")
    assert said.startswith("not there yet: TypeError: unsupported operand type(s) for +: 'NoneType' and 'int' (")
    assert "line 3). One of the two is None" in said


def test_a_check_that_is_run_again_looks_at_what_is_defined_by_then(folder: Path, engine: Assignment) -> None:
    solved = "exec(open('solved.py').read(), globals())"
    (folder / "solved.py").write_text(engine.solution_file.read_text(encoding="utf-8"), encoding="utf-8")
    twice = f'run_tests("test_1_forward")\n{solved}\nrun_tests("test_1_forward")'
    said = told_in_notebook(folder, "x = 1", twice)
    assert said.index("`Value` is not defined yet") < said.index("All of it holds. Not run here")


@pytest.mark.parametrize("end", ["exit()", "quit(1)", "import sys; sys.exit('done')", "raise SystemExit"])
def test_a_file_that_ends_the_program_is_told_by_its_line_in_few_lines(folder: Path, end: str) -> None:
    shown = pytest_output(folder, f"class Value: ...\n{end}\n")
    assert f"value.py, line 2: this ends the program, and the tests with it\n    {end}\nTake it out" in shown
    assert "INTERNALERROR" not in shown
    assert len(shown.splitlines()) < 10


def test_a_question_to_the_user_is_told_by_its_line(folder: Path) -> None:
    shown = pytest_output(folder, "class Value: ...\nx = input('name? ')\n")
    assert "value.py, line 2: `input()` waits for somebody to type, and nobody does while tests run" in shown
    assert "-s" not in shown.replace("tests", "")


@pytest.mark.parametrize("hanging", ["while True: pass", "import time; time.sleep(1000)"])
def test_a_file_whose_loading_does_not_end_is_stopped_and_told_by_its_line_once(folder: Path, hanging: str) -> None:
    limit = folder / "tests" / "time_limit.py"
    limit.write_text(limit.read_text(encoding="utf-8").replace("SECONDS = 20", "SECONDS = 1"), encoding="utf-8")
    shown = pytest_output(folder, f"class Value: ...\n{hanging}\n")
    assert f"value.py, line 2: loading your file did not get past this line\n    {hanging}\n" in shown
    assert shown.count("Does a loop there never end?") == 1
    assert "KeyboardInterrupt" not in shown


@pytest.mark.parametrize(
    ("stop", "says"),
    [("exit()", "This ends the program"), ("input()", "`input()` waits for somebody to type")],
)
def test_what_would_end_the_kernel_or_wait_for_somebody_is_told_in_a_notebook(
    folder: Path, stop: str, says: str
) -> None:
    cells = f"class Value:\n    def __init__(self, data): {stop}"
    for check in ('run_tests("test_1_forward")', "try_it(lambda: Value(1))"):
        assert says in told_in_notebook(folder, cells, check)


def test_what_to_try_is_said_once(folder: Path) -> None:
    source = """class Value:
    def __init__(self, data): self.data, self.grad, self._prev = data, 0.0, ()
    def __add__(self, other): return input()
    def __mul__(self, other): return input()
"""
    shown = pytest_output(folder, source)
    assert (shown.count("`input()` waits"), shown.count("Take it out")) == (2, 1)
