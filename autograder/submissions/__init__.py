"""What students hand in: files, notebooks, folders and zips, read as text and never run here."""

from autograder.submissions.entries import Entry, open_entries
from autograder.submissions.model import Submission, Unit, Unreadable
from autograder.submissions.read import read_submission

__all__ = ["Entry", "Submission", "Unit", "Unreadable", "open_entries", "read_submission"]
