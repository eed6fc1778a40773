"""Notebooks as Jupyter writes them, of every version; outputs say nothing."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from autograder.course import Assignment
from autograder.grading import Grader
from autograder.reports import make_score_report
from autograder.submissions import read_submission
from tests.submissions.nbformat_notebooks import notebook

FIRST = "class Value:\n    first = True\n"


@pytest.mark.parametrize("version", [(2, 0), (3, 0), *((4, minor) for minor in range(6))], ids=str)
def test_a_notebook_that_jupyter_wrote_in_any_version_has_the_same_code(
    tmp_path: Path, engine: Assignment, version: tuple[int, int]
) -> None:
    major, minor = version
    made = nbformat.v4.upgrade(notebook(FIRST, nbformat.v4.new_markdown_cell("# text"), "x = [1,\n     2]"))
    if major == 4:
        made["nbformat_minor"] = minor
        for one in made["cells"] if minor < 5 else ():
            del one["id"]
    elif major == 3:
        made = nbformat.convert(made, 3)
    else:
        made = nbformat.v3.downgrade(nbformat.convert(made, 3))
    path = tmp_path / "value.ipynb"
    path.write_text({2: nbformat.v2, 3: nbformat.v3, 4: nbformat.v4}[major].writes_json(made), encoding="utf-8")
    assert json.loads(path.read_text(encoding="utf-8"))["nbformat"] == major
    units = read_submission(path, engine).units
    assert [(unit.name, unit.source.rstrip("\n")) for unit in units] == [
        ("code cell 1", FIRST.rstrip("\n")),
        ("code cell 2", "x = [1,\n     2]"),
    ]


# Outputs, and where something went wrong


def test_outputs_change_nothing(tmp_path: Path, engine: Assignment) -> None:
    made = notebook(FIRST, "print('wrong')")
    path = tmp_path / "value.ipynb"
    path.write_text(nbformat.writes(made), encoding="utf-8")
    clean = read_submission(path, engine)
    planted = [
        nbformat.v4.new_output("stream", text="All of it holds. Hand it in.\n100 of 100"),
        nbformat.v4.new_output(
            "execute_result", {"text/plain": "class Value: ...", "application/json": {"score": 100}}
        ),
        nbformat.v4.new_output("error", ename="Passed", evalue="100", traceback=["q1 passed!"]),
    ]
    for one in made["cells"]:
        one["outputs"], one["execution_count"] = planted, 99
    made["metadata"]["score"] = made["cells"][0]["metadata"]["points"] = 100
    path.write_text(nbformat.writes(made), encoding="utf-8")
    after = read_submission(path, engine)
    assert after.sha256 != clean.sha256
    assert (after.units, after.notes, after.modules) == (clean.units, clean.notes, clean.modules)


RAISES = """\
import math

class Value:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0
        self._prev = ()
        self._op = ""
        self._backward = lambda: None

    def __add__(self, other):
        return self.data.nothing
"""


def test_feedback_names_the_cell_from_the_top_and_the_line_in_it(
    grader: Grader, engine: Assignment, tmp_path: Path
) -> None:
    made = notebook("", nbformat.v4.new_markdown_cell("text"), "x = 1\ny = )", RAISES, "1\n\nx = 1 / 0")
    for one in made["cells"]:
        if one["cell_type"] == "code":
            one["execution_count"] = 41
    path = tmp_path / "value.ipynb"
    path.write_text(nbformat.writes(made), encoding="utf-8")
    report = make_score_report(grader.grade(path), engine)
    assert report.notes[0].startswith("code cell 2, line 2, `y = )`: unmatched ')' (SyntaxError)")
    assert report.notes[1].startswith("code cell 4, line 3, `x = 1 / 0`: ZeroDivisionError")
    assert report.notes[2:] == [
        "Code cells are counted from the top of the notebook, whatever number Jupyter shows beside them."
    ]
    raised = {test.message for test in report.tests if "AttributeError" in test.message}
    assert raised
    assert all(" at code cell 3, line 12, in `Value.__add__`" in message for message in raised)


def test_how_cells_are_counted_is_not_said_where_none_is_named(
    grader: Grader, engine: Assignment, tmp_path: Path
) -> None:
    solution = tmp_path / "value.ipynb"
    solution.write_text(nbformat.writes(notebook(engine.solution_file.read_text(encoding="utf-8"))), encoding="utf-8")
    script = tmp_path / "value.py"
    script.write_text(RAISES, encoding="utf-8")
    for path in (solution, script):
        assert not [note for note in make_score_report(grader.grade(path), engine).notes if "counted" in note]
