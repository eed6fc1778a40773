"""Read what "Download all submissions" of an assignment packs, with or without folders, for students or teams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from autograder.faults import CallerFault
from autograder.platforms.common.download import Download
from autograder.platforms.common.html_to_text import convert_html_to_plain_text
from autograder.platforms.common.platform_model import DownloadedSubmission
from autograder.platforms.moodle.download_paths import PATTERN, MoodlePath, try_parse_moodle_path
from autograder.submissions.origin import Person, SubmissionOrigin

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
            moodle_path = try_parse_moodle_path(download.original_path(path))
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
