"""A hidden suite that cannot be collected is the course's fault, told once, with the line where the mistake is."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from autograder.course import Assignment, load_course
from autograder.faults import CourseFault, list_course_faults
from autograder.grading.hidden_suite import HiddenSuiteSession
from tests.cli.commands import run
from tests.toy import TESTS, load_toy

ENDS = "this file ends the program while it is imported (take sys.exit() or unittest.main() out"


@pytest.fixture
def toy(tmp_path: Path) -> Assignment:
    """The toy assignment, whose two test files import the helper ``number_checks``."""
    test = TESTS.replace("import pytest\n", "from number_checks import FACTOR\nimport pytest\n")
    again = test.replace("test_double", "test_double_again")
    beside = {"number_checks.py": "FACTOR = 2\n", "test_double.py": test, "test_double_again.py": again}
    files = {f"assignments/toy/hidden/{name}": text for name, text in beside.items()}
    return load_toy(tmp_path / "course", files=files)


def write(assignment: Assignment, name: str, text: str) -> Path:
    path = assignment.hidden_suite_folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def collect(assignment: Assignment) -> list[str]:
    """Collect the suite; return what its faults say, without the folder before them."""
    try:
        HiddenSuiteSession(assignment).close()
    except CourseFault as fault:
        return [str(one).removeprefix(f"{assignment.hidden_suite_folder}/") for one in list_course_faults(fault)]
    return []


@pytest.mark.first_cases(5)
@pytest.mark.parametrize(
    "line", ["sys.exit(0)", "sys.exit(3)", "raise KeyboardInterrupt", "unittest.main(argv=['x'])", "pytest.exit('x')"]
)
@pytest.mark.parametrize("name", ["number_checks.py", "conftest.py", "test_double.py"])
def test_a_file_that_ends_the_program_is_named_with_its_line(toy: Assignment, name: str, line: str) -> None:
    write(toy, name, f"import sys, unittest, pytest\n\nFACTOR = 2\n{line}\n")
    assert [said.partition(",")[0] for said in collect(toy)] == [f"{name}:4: {ENDS}"]


@pytest.mark.parametrize("command", ["check", "grade"])
def test_every_command_says_so_and_fails(toy: Assignment, command: str) -> None:
    write(toy, "number_checks.py", "import sys\nsys.exit(0)\n")
    what = ["toy", str(toy.solution_file)] if command == "grade" else ["toy", "--quick"]
    done = run(command, *what, "--allow-unsafe", cwd=toy.course_folder)
    assert done.returncode != 0
    assert f"number_checks.py:2: {ENDS}" in done.stdout + done.stderr


def test_ctrl_c_while_a_file_is_imported_ends_the_command(toy: Assignment) -> None:
    write(
        toy, "number_checks.py", "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nfor _ in range(9): pass\n"
    )
    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # as in a command; other tests may have left another
    try:
        with pytest.raises(KeyboardInterrupt):
            HiddenSuiteSession(toy)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize(
    ("helper", "said"),
    [
        (
            "FACTOR = 2\nif FACTOR\n    pass\n",
            "number_checks.py:2: this line is not valid Python: expected ':' (fix the line)",
        ),
        (
            "\nimport nmber_things\n",
            "number_checks.py:2: cannot import this file: ModuleNotFoundError: No module named 'nmber_things' (put a "
            "copy of the module into hidden/, or install the package; did you mean 'number_things'?)",
        ),
        (
            "FACTOR = 2\nimport value\n",
            "number_checks.py:2: cannot import this file: ModuleNotFoundError: No module named 'value' (the "
            "submission runs in a process of its own: take what you need with `student.get(...)`)",
        ),
        (
            "from number_things import CLOSE\n",
            "number_checks.py:1: cannot import this file: ImportError: cannot import name 'CLOSE' from "
            "'number_things' (fix the import, or the module that it names)",
        ),
        (
            "import json\n\nFACTOR = json.loads('[')\n",
            "number_checks.py:3: cannot import this file: JSONDecodeError: Expecting value: line 1 column 2 (char 1) "
            "(fix the line)",
        ),
    ],
)
def test_a_mistake_in_a_helper_is_told_once_however_many_files_import_it(
    toy: Assignment, helper: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "value", raising=False)  # other tests import a submission
    monkeypatch.setattr(sys, "path", [one for one in sys.path if not Path(one, "value.py").exists()])
    write(toy, "number_things.py", "SEVEN = 7\n")
    write(toy, "number_checks.py", helper)
    assert collect(toy) == [said]


@pytest.mark.parametrize("text", ["def (:\n", "import nowhere_at_all\n"])
def test_a_mistake_in_conftest_is_told_with_its_line(toy: Assignment, text: str) -> None:
    write(toy, "conftest.py", f"\n{text}")
    (said,) = collect(toy)
    assert said.startswith("conftest.py:2: ")


def test_a_file_that_skips_itself_is_named(toy: Assignment) -> None:
    write(toy, "test_double.py", "import pytest\n\npytest.importorskip('nowhere_at_all')\n")
    (said,) = collect(toy)
    assert said.startswith("test_double.py:3: this file leaves itself out: could not import 'nowhere_at_all'")


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("json.py", "this file has the name of a module of Python's own"),
        ("queue/checks.py", "this folder has the name of a module of Python's own"),
        ("pytest.py", "this file has the name of an installed package"),
        ("autograder.py", "this file has the name of an installed package"),
    ],
)
def test_a_helper_that_hides_another_module_is_refused(toy: Assignment, name: str, whose: str) -> None:
    write(toy, name, "")
    assert collect(toy) == [f"{name.partition('/')[0]}: {whose} and hides it (rename it)"]


def test_a_module_beside_the_tests_that_is_imported_inside_a_function_is_refused(toy: Assignment) -> None:
    path = toy.hidden_suite_folder / "test_double.py"
    path.write_text(
        path.read_text().replace("    got =", "    import json\n    from number_checks import FACTOR\n    got =")
    )
    (said,) = collect(toy)
    assert said.startswith("test_double.py:11: a module beside the tests is imported inside a function (import it at")


@pytest.mark.parametrize("trick", ["sys.path.insert(0, {!r})", "sys.path.append({!r})"])
def test_a_module_from_outside_the_folder_is_refused_every_time(toy: Assignment, tmp_path: Path, trick: str) -> None:
    (tmp_path / "outside_things.py").write_text("import outside_things_of_these\n")
    (tmp_path / "outside_things_of_these.py").write_text("")
    write(toy, "conftest.py", f"import sys\n{trick.format(str(tmp_path))}\nimport outside_things\n")
    search_path = [*sys.path]
    for _ in range(2):
        assert collect(toy) == [
            f"conftest.py:3: the suite imports {tmp_path}/outside_things.py, which lies outside its folder (put a "
            "copy of the module into hidden/, or install the package)"
        ]
    assert sys.path == search_path


def test_a_linked_folder_is_refused_and_a_linked_file_is_part_of_the_version(toy: Assignment, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "seven.py").write_text("SEVEN = 7\n")
    (toy.hidden_suite_folder / "seven.py").symlink_to(tmp_path / "elsewhere" / "seven.py")
    write(toy, "conftest.py", "import seven\n")
    (before,) = load_course(toy.course_folder).assignments
    assert collect(before) == []
    (tmp_path / "elsewhere" / "seven.py").write_text("SEVEN = 8\n")
    (after,) = load_course(toy.course_folder).assignments
    assert after.version != before.version
    (toy.hidden_suite_folder / "linked").symlink_to(tmp_path / "elsewhere")
    (said,) = collect(toy)
    assert said.startswith("linked: this folder is a symbolic link")
