"""What holds for every platform that takes one report: forged output, what may be seen, and one rule for points."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.course.model import Visibility
from autograder.faults import CallerFault
from autograder.platforms import ExportOptions, require_platform
from tests.platforms.forged import AROUND
from tests.reports.sample import a_report, shown

NAMES = (
    "autolab",
    "classroom50",
    "codegrade",
    "coderunner",
    "coursera",
    "junit",
    "prairielearn",
    "submitty",
    "vpl",
    "xqueue",
)
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")


def written(name: str, text: str, *, status: str = "", **more: str) -> dict[str, bytes]:
    writer = require_platform(name).report_writer
    assert writer is not None
    return dict(writer(a_report(text, status=status), ExportOptions(settings={**AROUND, **more})))


@settings(max_examples=30)
@given(st.text(max_size=40), st.sampled_from(NAMES))
def test_no_text_breaks_a_writer(text: str, name: str) -> None:
    assert all(written(name, text, status=text).values())
    assert all(written(name, text).values())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stage", ["after_due_date", "after_published", "hidden"])
def test_what_is_not_shown_at_once_is_in_no_file(name: str, stage: Visibility) -> None:
    writer = require_platform(name).report_writer
    assert writer is not None
    whole = b"".join(writer(shown(a_report(), stage), ExportOptions(settings=AROUND)).values())
    for secret in (b"It holds that", b"accumulation.second", b"a.grad", b"assigned with", b"third"):
        assert secret not in whole


@pytest.mark.parametrize("name", sorted({*NAMES} - {"junit"}))
def test_an_unknown_way_to_count_the_bonus_is_a_fault_of_the_caller(name: str) -> None:
    with pytest.raises(CallerFault, match="unknown bonus rule 'double'"):
        written(name, "x", bonus="double")


@pytest.mark.parametrize("name", NAMES)
def test_the_same_report_gives_the_same_bytes(name: str) -> None:
    assert written(name, "x") == written(name, "x")
