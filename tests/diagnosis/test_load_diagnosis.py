"""An assignment's diagnosis module is found, run and checked; what is wrong with it is told with file and line."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from autograder.author_checks.comparison import load_comparison_suites
from autograder.course import Assignment, load_course
from autograder.course.assignment_code import load_assignment_module_if_present
from autograder.diagnosis import load_diagnosis_or_none
from autograder.diagnosis.definition import list_diagnosis_module_files
from autograder.faults import CourseFault
from tests.cli.commands import NOT_PROVEN, run, run_anew, succeeded
from tests.toy import HALF, load_toy, write_toy

MODULE = """\
from autograder.diagnosis import Operation, make_call_diagnosis

diagnosis = make_call_diagnosis([Operation("double(2)")])
"""
PACKAGE = """\
from autograder.diagnosis import Operation, make_call_diagnosis

from .codes import CODE

diagnosis = make_call_diagnosis([Operation(CODE)])
"""


@pytest.fixture
def toy(tmp_path: Path) -> Assignment:
    return load_toy(tmp_path)


def write(toy: Assignment, text: str, name: str = "diagnosis.py") -> Path:
    path = toy.folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def operations_of(toy: Assignment) -> list[str]:
    """The code that a loaded module gave its operations."""
    module = load_assignment_module_if_present(toy, "diagnosis")
    assert module is not None
    made = module.diagnosis.make_programs.__closure__
    assert made is not None
    (vocabulary,) = (cell.cell_contents for cell in made if hasattr(cell.cell_contents, "operations"))
    return [one.code for one in vocabulary.operations]


def test_an_assignment_may_have_none(toy: Assignment) -> None:
    assert load_diagnosis_or_none(toy) is None
    assert list_diagnosis_module_files(toy) == []


def test_one_file_is_enough(toy: Assignment) -> None:
    write(toy, MODULE)
    assert load_diagnosis_or_none(toy) is not None


def test_modules_of_a_package_import_each_other_and_those_of_two_courses_do_not_meet(tmp_path: Path) -> None:
    toys = [load_course(write_toy(tmp_path / name)).assignments[0] for name in ("one", "two")]
    for toy, number in zip(toys, (3, 4), strict=True):
        write(toy, PACKAGE, "diagnosis/__init__.py")
        write(toy, f'CODE = "double({number})"\n', "diagnosis/codes.py")
    assert [operations_of(toy) for toy in toys] == [["double(3)"], ["double(4)"]]


def test_it_is_run_once_and_again_after_a_change(toy: Assignment) -> None:
    write(toy, PACKAGE, "diagnosis/__init__.py")
    write(toy, 'CODE = "double(3)"\n', "diagnosis/codes.py")
    assert load_assignment_module_if_present(toy, "diagnosis") is load_assignment_module_if_present(toy, "diagnosis")
    write(toy, 'CODE = "double(5)"\n', "diagnosis/codes.py")
    assert operations_of(toy) == ["double(5)"]


def test_nothing_is_written_into_the_course(toy: Assignment) -> None:
    write(toy, PACKAGE, "diagnosis/__init__.py")
    write(toy, 'CODE = "double(3)"\n', "diagnosis/codes.py")
    load_diagnosis_or_none(toy)
    assert sorted(path.name for path in (toy.folder / "diagnosis").iterdir()) == ["__init__.py", "codes.py"]


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("import math\n\nmath.nothing\n", "AttributeError: module 'math' has no attribute 'nothing'", 3),
        ("diagnosis = (\n", "SyntaxError: '(' was never closed", 1),
        (MODULE.replace("double(2)", "double({x})"), "{x} in 'double({x})' stands for nothing", 3),
        (MODULE.replace("double(2)", "double("), "an operation is not valid Python: 'double('", 3),
    ],
    ids=["an exception", "a syntax error", "an unknown placeholder", "code that is none"],
)
def test_what_is_wrong_with_it_is_told_with_its_line(toy: Assignment, text: str, said: str, line: int) -> None:
    path = write(toy, text)
    with pytest.raises(CourseFault) as raised:
        load_diagnosis_or_none(toy)
    assert said in raised.value.what
    assert raised.value.where == f"{path}:{line}"


def test_a_module_that_defines_no_diagnosis_is_told(toy: Assignment) -> None:
    path = write(toy, "diagnoses = 1\n")
    with pytest.raises(CourseFault, match="the diagnosis module does not define `diagnosis`") as raised:
        load_diagnosis_or_none(toy)
    assert raised.value.where == str(path)


ENDINGS = ["import sys\nsys.exit()\n", "import sys\nsys.exit(3)\n", "\nquit()\n"]


@pytest.mark.parametrize("text", ENDINGS)
@pytest.mark.parametrize("name", ["diagnosis.py", "other_suites.py"])
def test_a_module_that_ends_the_program_is_told_with_its_line(toy: Assignment, name: str, text: str) -> None:
    path = write(toy, text, name)
    with pytest.raises(CourseFault, match="this file ends the program while it is imported") as raised:
        (load_diagnosis_or_none if name == "diagnosis.py" else load_comparison_suites)(toy)
    assert raised.value.where == f"{path}:2"


def test_ctrl_c_while_a_module_is_imported_ends_the_command(toy: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    write(toy, "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nfor _ in range(9): pass\n")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            load_diagnosis_or_none(toy)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.fixture
def hand_ins(toy: Assignment) -> Path:
    """A class of wrong submissions, each of which has something to diagnose."""
    folder = toy.course_folder / "class"
    folder.mkdir()
    for number in range(6):
        (folder / f"s{number}.py").write_text(f"{HALF}# {number}\n", encoding="utf-8")
    return folder


@pytest.mark.first_cases(1)
@pytest.mark.thorough_but("an end", "an error later")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import nope\n", ":1: cannot load the diagnosis module: ModuleNotFoundError: No module named 'nope'"),
        ("import sys\nsys.exit()\n", ":2: this file ends the program while it is imported"),
        (
            MODULE.replace("diagnosis =", "made =") + "def ends(context): raise SystemExit\n"
            "from dataclasses import replace\ndiagnosis = replace(made, make_programs=ends)\n",
            ":4: this line ends the program",
        ),
        (
            MODULE.replace("diagnosis =", "made =") + "def wrong(context): return nope\n"
            "from dataclasses import replace\ndiagnosis = replace(made, make_programs=wrong)\n",
            ":4: this line raises NameError: name 'nope' is not defined",
        ),
    ],
    ids=["a missing module", "an end", "an end later", "an error later"],
)
def test_a_class_is_graded_without_it_and_one_line_names_the_file(
    toy: Assignment, hand_ins: Path, text: str, said: str
) -> None:
    path, course = write(toy, text), toy.course_folder
    done = run_anew("batch", "toy", hand_ins, "--workers", "2", "--allow-unsafe", "--out", "out", cwd=course)
    assert "6 submissions: 6 graded" in succeeded(done)
    assert done.stderr.count(f"warning: mistakes cannot be named: {path}{said}") == done.stderr.count(str(path)) == 1
    assert "Traceback" not in done.stderr
    one = run("grade", "toy", hand_ins / "s0.py", "--report", "r.json", "--allow-unsafe", cwd=course)
    assert "5 of 10" in succeeded(one)
    assert one.stderr.count(f"{path}{said}") == len(one.stderr.splitlines()) == 1
    assert (course / "r.json").is_file()


def test_check_fails_if_it_ends_the_program(toy: Assignment) -> None:
    path = write(toy, ENDINGS[0])
    done = run("check", "toy", "--quick", "--allow-unsafe", cwd=toy.course_folder)
    assert done.returncode == NOT_PROVEN
    assert f"{path}:2: this file ends the program" in done.stdout
