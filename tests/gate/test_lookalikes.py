"""Misconceptions that look the same are told to the author who measures them, and to nobody else."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.author_checks.catalogue_grading import DiagnosedCatalogue
from autograder.author_checks.grading_pool import TimedDiagnosis
from autograder.author_checks.misconception_lookalikes import warn_of_lookalikes
from autograder.course import Assignment
from autograder.course.misconceptions import MisconceptionCatalogue
from autograder.diagnosis import Diagnosis
from tests.catalogues import load_catalogue_once

ALIKE = ("order-is-not-reversed", "zero-grad-clears-itself-alone")


@pytest.fixture
def alike(engine: Assignment) -> DiagnosedCatalogue:
    """Two misconceptions of which the same is seen, and which both get the general name of what is seen."""
    chosen = tuple(one for one in load_catalogue_once(engine).misconceptions if one.id in ALIKE)
    return DiagnosedCatalogue(
        catalogue=MisconceptionCatalogue(misconceptions=chosen),
        graded_right_programs={},
        graded_wrong_programs={},
        observed_by_failed_tests={},
        observed_misconceptions={name: {"plain": "backward 1234"} for name in ALIKE},
        diagnoses={name: TimedDiagnosis(Diagnosis(verdict="named"), 0.1) for name in ALIKE},
    )


def test_they_are_a_warning_where_observations_are_written(engine: Assignment, alike: DiagnosedCatalogue) -> None:
    with pytest.warns(UserWarning, match="look the same in all that is tried"):
        warn_of_lookalikes(engine, alike, update=True)


def test_they_are_a_warning_where_no_observations_were_written(
    engine: Assignment, alike: DiagnosedCatalogue, tmp_path: Path
) -> None:
    unmeasured = replace(engine, course_folder=tmp_path)
    with pytest.warns(UserWarning, match="look the same in all that is tried"):
        warn_of_lookalikes(unmeasured, alike, update=False)


def test_a_check_of_written_observations_repeats_no_warning(engine: Assignment, alike: DiagnosedCatalogue) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_lookalikes(engine, alike, update=False)
