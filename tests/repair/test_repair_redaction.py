"""What a student's copy of a repair holds: nothing beyond the level of the course."""

from __future__ import annotations

import msgspec
import pytest

from autograder.course.model import RepairLevel
from autograder.repair.model import Repair, redact_repair
from tests.reports.sample import an_edit

SECRET = "secret_name"
EDIT = an_edit(after=f"grad += {SECRET}", new=SECRET)
REPAIR = Repair(edits=(EDIT,), others=((EDIT,),), mends=EDIT.mends, proven=True)


@pytest.mark.parametrize("level", ["method", "line", "kind"])
def test_below_the_change_no_copy_holds_it(level: RepairLevel) -> None:
    assert SECRET not in msgspec.json.encode(redact_repair(REPAIR, level)).decode()


def test_a_hidden_repair_is_as_if_nobody_had_looked() -> None:
    assert redact_repair(REPAIR, "hidden") is None


def test_at_the_level_of_methods_no_line_is_told() -> None:
    copy = redact_repair(REPAIR, "method")
    assert copy is not None
    assert (copy.edits[0].line, copy.edits[0].before, copy.edits[0].kind) == (0, "", "")
    assert copy.edits[0].function == EDIT.function


def test_at_the_level_of_lines_the_kind_is_not_told_and_the_students_own_lines_stay() -> None:
    copy = redact_repair(REPAIR, "line")
    assert copy is not None
    assert (copy.edits[0].line, copy.edits[0].before, copy.edits[0].kind) == (31, EDIT.before, "")


def test_at_the_last_level_the_change_is_whole() -> None:
    copy = redact_repair(REPAIR, "change")
    assert copy is not None
    assert copy.edits == REPAIR.edits


def test_the_text_of_another_method_reaches_no_student() -> None:
    repair = Repair(edits=(an_edit(kind="method", after=SECRET, new=SECRET),), proven=True)
    assert SECRET not in msgspec.json.encode(redact_repair(repair, "change")).decode()
