"""Programs typed into a Moodle 4.5 that calls their files by a translated name, as its languages do.

``tests/data/platforms/moodle/text`` holds downloads and worksheets of the class of ``moodle_school``: in Arabic
without folders, in French with them.
"""

from __future__ import annotations

import pytest

from autograder.platforms.common.opened_submissions import open_class_submissions
from tests.platforms.moodle_class import GOLDEN, cells, export, pages, result
from tests.platforms.moodle_school import FULL, SINGLE, write_program

NUMBERS = {write_program(number).strip(): number for number in SINGLE.values()}
EMAIL, GRADE, MAXIMUM = 2, 4, 7


@pytest.mark.parametrize("language", ["ar", "fr"])
def test_what_was_typed_is_graded_for_whoever_typed_it_whatever_its_file_is_called(language: str) -> None:
    with open_class_submissions(GOLDEN / "text" / f"{language}.zip") as found:
        assert found.platform is not None
        assert found.platform.name == "moodle"
        rows = []
        for entry in found.entries:
            files = [entry.path] if entry.path.is_file() else [*entry.path.rglob("*.py"), *entry.path.rglob("*.zip")]
            (file,) = files
            number = 3 if file.suffix == ".zip" else NUMBERS[file.read_text("utf-8").strip()]
            rows.append(result(entry.name, number, origin=entry.origin))
    assert len(rows) == len(SINGLE)
    made = export((GOLDEN / "text" / f"{language}.csv").read_bytes(), *rows, max_points=FULL)
    grades = {row[EMAIL].partition("@")[0]: row[GRADE] for row in cells(made.files["worksheet.csv"])[1:]}
    assert {login: float(grade.replace(",", ".")) for login, grade in grades.items() if grade} == {
        login: pytest.approx(number * MAXIMUM / FULL, abs=0.00501) for login, number in SINGLE.items()
    }
    assert len(pages(made)) == len(SINGLE)
    assert made.unmatched == ()
