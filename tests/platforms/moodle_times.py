"""Worksheets of Moodle with the times at which students handed in."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from autograder.faults import CallerFault
from autograder.platforms.moodle.submission_times import read_worksheet_times
from autograder.submissions import Person, SubmissionOrigin
from autograder.tables import EditableCsv
from tests.platforms.moodle_class import GOLDEN, with_cells

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 21, tzinfo=UTC)
GOLDEN_TIME = datetime(2026, 11, 20, 14, 18, tzinfo=BERLIN)
PLAIN = (GOLDEN / "plain_worksheet.csv").read_bytes()
BLIND = (GOLDEN / "blind_worksheet.csv").read_bytes()
SUBMITTED, TYPED, GRADED = 7, 8, 9
"""Columns of the golden worksheet."""
ADA, BOB = "Ada Lovelace_2", "Bob Builder_4"
TEAMS = """\
Identifier,Full name,Email address,Status,Group,Grade,Maximum grade,Grade can be changed,Last modified (submission),\
Last modified (grade),Feedback comments
Participant 31,Ada Lovelace,ada@uni.example,Submitted,Team Red,,20.00,Yes,"Friday, 20 November 2026, 2:18 PM",-,
Participant 32,Bob Builder,bob@uni.example,Submitted,Team Red,,20.00,Yes,"Friday, 20 November 2026, 2:18 PM",-,
Participant 33,Cy Young,cy@uni.example,Submitted,Team Blue,,20.00,Yes,"Friday, 20 November 2026, 3:18 PM",-,
"""


def origin(name: str) -> SubmissionOrigin:
    """Of a submission as the reader names it: ``Ada Lovelace_2``."""
    student, _, number = name.rpartition("_")
    return SubmissionOrigin("moodle", (Person(number, student),))


def read_times(sheet: bytes | str, *names: str, said: list[str] | None = None) -> dict[str, datetime]:
    """What a worksheet says of submissions; what staff are told goes to ``said``."""
    content = sheet.encode() if isinstance(sheet, str) else sheet
    tell = said.append if said is not None else lambda line: None
    return read_worksheet_times(
        EditableCsv(content, "sheet.csv"), {name: origin(name) for name in names}, BERLIN, NOW, tell
    )


def find_refusal(sheet: bytes | str) -> str:
    with pytest.raises(CallerFault) as fault:
        read_times(sheet, ADA)
    return str(fault.value)


def submitted(**moments: str) -> bytes:
    """The golden worksheet with other times: of Ada, who stands in line 2, and of Bob in line 3."""
    rows = {"ada": 1, "bob": 2}
    return with_cells(PLAIN, {(rows[name], SUBMITTED): moment for name, moment in moments.items()})
