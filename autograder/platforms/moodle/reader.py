"""Read what "Download all submissions" of an assignment packs, with or without folders, for students or teams."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from autograder.faults import CallerFault
from autograder.platforms.common.download import Download, convert_html_to_plain_text
from autograder.platforms.common.platform_model import DownloadedSubmission
from autograder.submissions.origin import Person, SubmissionOrigin

PATTERN = re.compile(
    r"(?!_assignsubmission_)(?P<name>.*?)(?:_(?P<number>\d+))?_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<rest>.*))?",
    re.S,
)
"""``Ada Lovelace_2_assignsubmission_file``; up to Moodle 4.0 with a ``_`` behind it; without folders the file's name
follows. Moodle makes every ``_`` of a name a space, so the first number is the participant's. Only the team of those
who are in no team has none."""


@dataclass(frozen=True, slots=True)
class MoodlePath:
    """The student and path that one file of a download belongs to."""

    owner_name: str
    """The student's, the team's, or the word for a participant where names are hidden."""
    participant_number: str
    """The participant's or the team's; empty for the team of those who are in none."""
    plugin: str
    """``file`` or ``onlinetext``, or what a site has added."""
    inner_path: str
    """Within the submission."""

    @property
    def owner_key(self) -> tuple[str, str]:
        """Return whose file it is: files with the same owner belong to one submission."""
        return self.owner_name, self.participant_number


def _try_parse_moodle_path(path: str) -> MoodlePath | None:
    """Return where a path of a download belongs; None if Moodle does not name it so.

    Only the first part of the path decides: all that is in a student's folder is the student's.

    >>> _try_parse_moodle_path("Ada Lovelace_42_assignsubmission_file_/value.py")
    MoodlePath(owner_name='Ada Lovelace', participant_number='42', plugin='file', inner_path='value.py')
    """
    folder, _, path_in_folder = path.partition("/")
    match = PATTERN.fullmatch(folder)
    if match is None:
        return None
    inner_path = "/".join(part for part in (match["rest"], path_in_folder) if part)
    return MoodlePath(match["name"], match["number"] or "", match["plugin"], inner_path)


TYPED = "onlinetext"
PAGE = "onlinetext.html"
"""The name of an online text's file in most languages; French uses ``texteenligne.html``, Arabic its own words."""
PAGE_BEGINS = (b"<!DOCTYPE html>", b"<html>")
"""How Moodle begins such a file in every language."""
MOST_TYPED = 1 << 20
"""Bytes of an online text; a larger one was not typed."""
ADVICE = "choose Submissions, Download all submissions in the assignment, and use that zip as it is"


class MoodleDownloadReader:
    """Reads a download of one assignment."""

    def recognises(self, download: Download) -> bool:
        """Return whether everything in the download is named as Moodle names submissions."""
        return bool(download.top_level_names) and all(
            PATTERN.fullmatch(download.original_path(name)) for name in download.top_level_names
        )

    def read(self, download: Download) -> Iterator[DownloadedSubmission]:
        """Yield a submission for each participant or team that handed in anything.

        Raises:
            CallerFault: something in the download is not named as Moodle names submissions.
        """
        for name in download.top_level_names:
            if not PATTERN.fullmatch(download.original_path(name)):
                raise download.make_foreign_name_fault(name, "Moodle", ADVICE)
        paths_by_owner: dict[tuple[str, str], dict[str, MoodlePath]] = {}
        for path in download.file_paths:
            moodle_path = _try_parse_moodle_path(download.original_path(path))
            if moodle_path is not None:
                paths_by_owner.setdefault(moodle_path.owner_key, {})[path] = moodle_path
        for (name, number), moodle_paths in sorted(paths_by_owner.items()):
            yield from _make_submission(name, number, moodle_paths, download)


def _make_submission(
    name: str, number: str, moodle_paths: Mapping[str, MoodlePath], download: Download
) -> Iterator[DownloadedSubmission]:
    files, texts = _map_files(moodle_paths), {}
    if not files:
        page = _find_page(moodle_paths, download)
        content = _read_online_text(page, download) if page else b""
        if page and content is None:
            files = {PAGE: page}
        elif text := convert_html_to_plain_text((content or b"").decode("utf-8", "replace")):
            texts = {"value.py": text.encode()}
    if not files and not texts:
        return  # Moodle keeps an empty online text for everyone who ever opened the form
    origin = SubmissionOrigin(
        "moodle",
        people=(Person(id=number, name=name),) if number else (),
        group="" if number else name,
        names=tuple(dict.fromkeys(download.original_path(path).partition("/")[0] for path in moodle_paths)),
    )
    yield DownloadedSubmission(f"{name}_{number}" if number else name, origin, files, texts=texts)


def _map_files(moodle_paths: Mapping[str, MoodlePath]) -> dict[str, str]:
    """Return the files handed in; if two plugins have a file of the same name, the second goes into a folder."""
    files: dict[str, str] = {}
    for path, moodle_path in moodle_paths.items():
        if moodle_path.plugin != TYPED and moodle_path.inner_path:
            name = moodle_path.inner_path
            files[f"{moodle_path.plugin}/{name}" if name in files else name] = path
    return files


def _find_page(moodle_paths: Mapping[str, MoodlePath], download: Download) -> str | None:
    """Return the path of the online text, whatever the language calls it; its images lie beside it."""
    names = {
        path: moodle_path.inner_path
        for path, moodle_path in moodle_paths.items()
        if moodle_path.plugin == TYPED and moodle_path.inner_path and "/" not in moodle_path.inner_path
    }
    standard_pages = (path for path, name in names.items() if name == PAGE)
    html_pages = (path for path in names if (_read_online_text(path, download) or b"").startswith(PAGE_BEGINS))
    return next(chain(standard_pages, html_pages, names), None)


def _read_online_text(page_path: str, download: Download) -> bytes | None:
    """Return an online text; None if it is too large or cannot be read, which affects its student alone."""
    try:
        content = download.read_file(page_path)
    except CallerFault:
        return None
    return content if len(content) <= MOST_TYPED else None
