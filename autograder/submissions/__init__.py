"""Read what students hand in: files, notebooks, folders and zips, as text that is never run here."""

from autograder.submissions.entries import Entry, Opened, entries_of, open_entries, opened
from autograder.submissions.model import Submission, Unit, Unreadable
from autograder.submissions.origin import Origin, Person
from autograder.submissions.read import read_submission

__all__ = [
    "Entry",
    "Opened",
    "Origin",
    "Person",
    "Submission",
    "Unit",
    "Unreadable",
    "entries_of",
    "open_entries",
    "opened",
    "read_submission",
]
