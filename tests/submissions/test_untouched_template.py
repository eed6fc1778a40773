"""A file of the template that nobody touched does not stand beside the student's own work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autograder.course import Assignment
from tests.submissions.handed_in import SOLVED, Put, Read, Refusal, notebook, sources


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_the_notebook_is_graded_when_the_file_of_the_template_is_untouched_but_for_its_line_ends(
    put: Put, folder: Path, read: Read, engine: Assignment, ending: str
) -> None:
    template = (engine.template_folder / "value.py").read_text(encoding="utf-8")
    put("value.py", template.replace("\n", ending))
    put("value.ipynb", notebook(SOLVED))
    assert sources(read(folder)) == [SOLVED]


@pytest.mark.parametrize("was_run", [False, True])
def test_the_file_is_graded_when_the_notebook_of_the_template_is_untouched_or_was_only_run(
    put: Put, folder: Path, read: Read, engine: Assignment, *, was_run: bool
) -> None:
    made = json.loads((engine.template_folder / "value.ipynb").read_bytes())
    for number, cell in enumerate(made["cells"]):
        if was_run and cell["cell_type"] == "code":
            cell["execution_count"] = number
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["not written yet\n"]}]
    put("value.ipynb", json.dumps(made))
    put("value.py")
    submission = read(folder)
    assert (sources(submission), submission.notes) == ([SOLVED], ())


def test_a_template_that_nobody_touched_can_still_be_read(read: Read, engine: Assignment) -> None:
    assert read(engine.template_folder).units


def test_work_in_both_files_of_the_template_is_refused(put: Put, folder: Path, refusal: Refusal) -> None:
    put("value.py")
    put("value.ipynb", notebook(SOLVED))
    assert refusal(folder).reason == "several-candidates"
