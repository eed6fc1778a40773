"""Read what "Export submissions" packs: a folder for each submission, and ``submission_metadata.yml`` beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import yaml

from autograder.faults import CallerFault
from autograder.platforms.common.download import Download
from autograder.platforms.common.platform_model import DownloadedSubmission
from autograder.submissions.origin import Person, SubmissionOrigin
from autograder.text import escape_for_display

METADATA_FILE = "submission_metadata.yml"
BEGINNING = re.compile(rb"(?:---[ \t]*\r?\n|#[^\n]*\n)*(['\"]?)submission_\d+\1:[^\n]*\n[ \t]+['\"]?:[a-z_]+['\"]?:")
NAME = re.compile(r"submission_\d+")
SPACE_BEFORE_ZONE = re.compile(r"(?<!\s)\s++(?=(?:[+-]\d|Z$))")
UTC_BY_NAME = re.compile(r"(?<!\s)\s*+UTC$")
ADVICE = 'download it again: "Export submissions" on the page Review Grades'
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""Loads every value as text, so that a student's number keeps its zeros and no tag creates an object."""


class GradescopeDownloadReader:
    """Reads an export, named as a whole or by the folder in it."""

    def recognises(self, download: Download) -> bool:
        """Return whether there is a table of submissions that begins as Gradescope's own does."""
        table_path = _find_export_folder(download) + METADATA_FILE
        if not (download.root / table_path).is_file():
            return False
        try:
            return BEGINNING.match(download.read_file(table_path)) is not None
        except CallerFault:
            return False

    def read(self, download: Download) -> Iterator[DownloadedSubmission]:
        """Yield the submissions: those of the table first, then folders that the table does not know.

        Raises:
            CallerFault: the table is malformed, or names something that is not a submission.
        """
        export_folder = _find_export_folder(download)
        table = _load_table(download, export_folder + METADATA_FILE)
        for name, entry in table.items():
            yield _make_submission(download, export_folder, name, entry)
        inner_download = Download(download.root / export_folder, download.source) if export_folder else download
        for name in inner_download.top_level_names:
            if NAME.fullmatch(name) and name not in table and download.is_folder(export_folder + name):
                yield DownloadedSubmission(
                    name, SubmissionOrigin("gradescope", names=(export_folder + name,)), folder=export_folder + name
                )


def _find_export_folder(download: Download) -> str:
    """Return where in the download the export lies: at the top, or in the one folder that it unpacks to."""
    if (
        METADATA_FILE not in download.top_level_names
        and len(download.top_level_names) == 1
        and download.is_folder(download.top_level_names[0])
    ):
        return f"{download.top_level_names[0]}/"
    return ""


def _load_table(download: Download, table_path: str) -> dict[str, Mapping[str, Any]]:
    location = f"{download.source}: {table_path}"
    try:
        data = yaml.load(download.read_file(table_path), Loader=LOADER)  # texts, lists and mappings alone
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise CallerFault(
            f"the table is not YAML: {escape_for_display(str(error), 200)}", location, ADVICE
        ) from error
    if not isinstance(data, dict):
        raise CallerFault("the table names no submissions", location, ADVICE)
    for name, entry in data.items():
        if not (isinstance(name, str) and NAME.fullmatch(name) and isinstance(entry, dict)):
            raise CallerFault(
                f"the entry '{escape_for_display(str(name), 80)}' is not a submission", location, ADVICE
            )
    return data


def _make_submission(
    download: Download, export_folder: str, name: str, entry: Mapping[str, Any]
) -> DownloadedSubmission:
    submitters = entry.get(":submitters")
    people = (
        tuple(_make_person(submitter) for submitter in submitters if isinstance(submitter, dict))
        if isinstance(submitters, list)
        else ()
    )
    origin = SubmissionOrigin(
        "gradescope",
        people=people,
        handed_in=_parse_time(entry.get(":created_at"), f"{download.source}: {export_folder}{METADATA_FILE}: {name}"),
        names=(export_folder + name,),
    )
    return DownloadedSubmission(
        name, origin, folder=export_folder + name if download.is_folder(export_folder + name) else ""
    )


def _make_person(submitter: Mapping[str, Any]) -> Person:
    return Person(
        id=_get_text(submitter.get(":sid")),
        name=_get_text(submitter.get(":name")),
        email=_get_text(submitter.get(":email")),
    )


def _get_text(value: object) -> str:
    return value.strip() if isinstance(value, str) and value.strip() != "~" else ""


def _parse_time(time_or_zones: object, location: str) -> datetime | None:
    """Return when a submission was handed in, in UTC, to the microsecond; None where the table does not say."""
    if isinstance(time_or_zones, dict):
        time_or_zones = time_or_zones.get("utc")  # a time with its zone, as Ruby on Rails writes one
    text = _get_text(time_or_zones)
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(SPACE_BEFORE_ZONE.sub("", UTC_BY_NAME.sub("Z", text)))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise CallerFault(f"created_at is not a time: {escape_for_display(text, 60)}", location, ADVICE) from error
