"""A small ``grading.yml``, and what is made of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Assignment, load_course
from autograder.faults import CourseFault

Write = Callable[[str], Path]

COURSE = """\
course: Neural networks
assignments:
  engine:
    defines: [Value]
    concepts:
      forward: 10
"""
NAME_LINE, DEFINES_LINE, POINTS_LINE = 3, 4, 6

SORTING = """\
  sorting:
    title: Topological sort
    defines: [build_topo, backward_order]
    concepts:
      order: 40
      each node once: 20
    bonus:
      robustness: 10
"""


def course_fault(config: Path) -> str:
    """What a course that does not hold together is told."""
    with pytest.raises(CourseFault) as caught:
        load_course(config)
    return str(caught.value)


def engine_of(config: Path) -> Assignment:
    return load_course(config).assignments[0]
