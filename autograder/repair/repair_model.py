"""Describe a repair as plain data: what has to change in a submission, and which failed tests that mends."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from autograder.course.model import RepairLevel
from autograder.edits import EditKind


class Edit(Struct, frozen=True, kw_only=True):
    """Whole lines of a file, and what takes their place."""

    file: str
    """The name of the file, or of the notebook's cell, as messages have it."""
    line: int
    """The first of the lines, counted from 1 in the text that was handed in, whatever other edits there are."""
    end_line: int
    """The last of them."""
    before: str
    """The lines, without the last line break."""
    after: str
    """What takes their place; empty where they are taken out."""
    kind: Literal[EditKind, ""]
    """Empty where a student may not see it."""
    function: str = ""
    """The function around them, as ``Value.__mul__.backward``; empty outside functions."""
    old: str = ""
    """The piece of ``before`` that changes, as ``self.grad``; empty where something is only added."""
    new: str = ""
    """What takes the place of ``old``, as ``out.grad``; empty where something is only taken out."""
    mends: tuple[str, ...] = ()
    """Ids of the failed tests that the mistake explains to which this edit belongs."""


class Repair(Struct, frozen=True, kw_only=True):
    """The smallest change found after which a submission does what the tests ask for."""

    edits: tuple[Edit, ...] = ()
    """In the order of their lines; none where no repair was found."""
    mends: tuple[str, ...] = ()
    """Ids of the failed tests that pass with the edits; with them, every other test has the outcome that it had."""
    proven: bool = False
    """Whether that was seen when the whole hidden suite graded the changed text."""
    complete: bool = False
    """Whether no failed test within the contract is left."""
    tried: int = 0
    """How many changes were tried."""
    others: tuple[tuple[Edit, ...], ...] = ()
    """Other repairs that are as small and change something else: nothing that was seen tells which one is meant."""
    shown_to: Literal["staff", RepairLevel] = "staff"
    """Who reads it: the staff, or a student of a course that goes so far. What a student may not see is empty."""


NO_REPAIR = Repair()
