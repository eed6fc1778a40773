"""Catalogues of misconceptions, read once in a process: the engine's has two hundred entries."""

from __future__ import annotations

from functools import cache

from autograder.course import Assignment, load_course
from autograder.course.misconceptions import MisconceptionCatalogue, load_misconception_catalogue
from tests.conftest import ROOT


def load_catalogue_once(assignment: Assignment) -> MisconceptionCatalogue:
    """The catalogue of an assignment of this repository."""
    assert assignment.course_folder == ROOT
    return _load(assignment.name)


@cache
def _load(name: str) -> MisconceptionCatalogue:
    (assignment,) = (one for one in load_course(ROOT).assignments if one.name == name)
    return load_misconception_catalogue(assignment)
