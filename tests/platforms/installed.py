"""Platforms as a course installs them: a distribution beside the kit, with an entry point."""

from __future__ import annotations

from pathlib import Path

FOREIGN = """\
from autograder.faults import CallerFault
from autograder.platforms import DownloadedSubmission, ExportChange, ExportResult, Platform
from autograder.submissions import SubmissionOrigin, Person

ADA = SubmissionOrigin("foreign", (Person("1"),))
class Reader:
    def recognises(self, download):
        {recognises}
    def read(self, download):
        {read}
def report(report, options):
    {report}
def graded(results, options):
    {graded}
def upload(results, options, dry_run, progress):
    {upload}
FOREIGN = Platform({named}, reader=Reader(), report_writer=report, class_writer={graded_by}, uploader=upload)
"""
LINES = {line.strip(" {}"): number for number, line in enumerate(FOREIGN.splitlines(), 1) if line.startswith(" ")}
"""Where in the module each body stands."""
WHOLE = {
    "recognises": "return True",
    "read": "return [DownloadedSubmission(one, SubmissionOrigin('foreign', (Person(one),)), {one: one}) "
    "for one in download.file_paths]",
    "report": "return {'points.txt': b'1'}",
    "graded": "return ExportResult({'class.txt': b'1'}, (ExportChange('ada', '', '1'),))",
    "upload": "return ExportResult({})",
    "graded_by": "graded",
    "named": "'foreign', 'Foreign'",
}
"""What stands in the module of a platform that works."""


def distribution(place: Path, name: str, value: str) -> Path:
    """A folder that brings a platform once it is on the path.

    Args:
        place: the folder.
        name: the distribution's and the entry point's.
        value: what the entry point names, such as ``module:PLATFORM``.
    """
    info = place / f"{name}-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[autograder.platforms]\n{name} = {value}\n")
    return place


def foreign(place: Path, **bodies: str) -> Path:
    """A platform ``foreign`` of somebody else's, in ``foreign.py`` of the folder.

    Args:
        place: the folder.
        bodies: of functions, in one line each, and other parts, instead of those that work.
    """
    distribution(place, "foreign", "foreign:FOREIGN")
    (place / "foreign.py").write_text(FOREIGN.format(**{**WHOLE, **bodies}))
    return place
