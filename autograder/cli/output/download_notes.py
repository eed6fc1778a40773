"""Note for the staff what is missing or unusual in a class's downloaded submissions."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.english_wording import format_abbreviated_list, format_count
from autograder.lateness import SubmissionTimes
from autograder.roster.roster import Roster
from autograder.safe_text import escape_name_unambiguously
from autograder.submissions import SubmissionEntry


def iterate_download_notes(
    entries: list[SubmissionEntry],
    platform_title: str,
    roster: Roster | None,
    submission_times: SubmissionTimes | None,
) -> Iterator[str]:
    """Yield notes for the staff about unmatched submissions and students, so that none is left out silently."""
    if platform_title:
        yield f"downloaded from {platform_title}: {format_count(len(entries), 'submission')}"
    late = [
        entry.name
        for entry in entries
        if entry.origin
        and entry.origin.marked_late
        and not (submission_times and submission_times.find_submission_time(escape_name_unambiguously(entry.name)))
    ]
    if late:
        yield (
            f"marked late by {platform_title}; no submission time known, so no penalty applied "
            f"(give times with --submission-times): {format_abbreviated_list(late)}"
        )
    if roster:
        strangers = [entry.name for entry in entries if not (entry.origin and entry.origin.roster)]
        if strangers:
            yield f"not on the roster, graded all the same: {format_abbreviated_list(strangers)}"
        absent = roster.list_students_without_entry(entries)
        if absent:
            yield f"on the roster, without a submission: {format_abbreviated_list(absent)}"
