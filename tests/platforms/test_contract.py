"""What holds for every installed platform: what a student writes is text, and who gets which points comes through.

A platform without a sample fails here until it has one in ``report_parsers``, ``packed_downloads`` or
``class_tables``.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tomllib
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from autograder.course import Assignment
from autograder.faults import CallerFault
from autograder.platforms import Download, ExportOptions, ExportResult, SubmissionResult, load_platforms_by_name
from autograder.platforms.common.installed_platforms import GROUP
from autograder.platforms.common.opened_submissions import OpenedSubmissions, open_class_submissions
from autograder.reports import ScoreReport, make_score_report
from tests.platforms import class_tables, report_parsers
from tests.platforms.class_tables import ClassSample, read_table
from tests.platforms.classes import EVERYBODYS, Told, a_class, result
from tests.platforms.forged import everywhere
from tests.platforms.packed_downloads import PACKINGS, Student, packed
from tests.platforms.report_parsers import ReportSample, parse_markdown, parse_page, texts_of
from tests.platforms.student_texts import NAMES, PRINTED, READABLE
from tests.redteam.formula_texts import opens_formula
from tests.redteam.hostile_texts import grade_text, is_seen, story
from tests.reports.sample import a_report

PLATFORMS = load_platforms_by_name()
REPORT_WRITERS = [name for name, one in PLATFORMS.items() if one.report_writer and name in report_parsers.SAMPLES]
CLASS_WRITERS = [name for name, one in PLATFORMS.items() if one.class_writer and name in class_tables.SAMPLES]
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "platforms" / "README.md"
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
STUDENTS = [Student(number, name, ("value.py",)) for number, name in enumerate(NAMES)]


def list_report_samples(platform_name: str) -> Sequence[ReportSample]:
    return report_parsers.SAMPLES[platform_name]


def write_report(platform_name: str, sample: ReportSample, report: ScoreReport) -> Mapping[str, bytes]:
    writer = PLATFORMS[platform_name].report_writer
    assert writer is not None
    return writer(report, ExportOptions(settings=sample.settings))


# Samples


def test_every_platform_of_the_kit_is_installed() -> None:
    kit = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    missing = kit["entry-points"][GROUP].keys() - PLATFORMS.keys()
    assert not missing, "make setup installs the entry points of pyproject.toml"


@pytest.mark.parametrize("platform_name", PLATFORMS)
def test_every_part_of_a_platform_has_a_sample(platform_name: str) -> None:
    platform, packed_platforms = PLATFORMS[platform_name], {name for _, name, _ in PACKINGS.values()}
    samples: tuple[tuple[object, Collection[str], str], ...] = (
        (platform.report_writer, report_parsers.SAMPLES, "SAMPLES of report_parsers.py"),
        (platform.reader, packed_platforms, "PACKINGS of packed_downloads.py"),
        (platform.class_writer, class_tables.SAMPLES, "SAMPLES of class_tables.py"),
    )
    missing = [place for part, named, place in samples if part and platform_name not in named]
    assert not missing, f"in tests/platforms, add {platform_name} to {', '.join(missing)}"


@pytest.mark.parametrize("platform_name", PLATFORMS)
def test_every_platform_is_in_the_table_of_platforms(platform_name: str) -> None:
    lines = PAGE.read_text(encoding="utf-8").replace(" ", "").casefold().splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert any(platform_name in row for row in rows), "add a row to docs/platforms/README.md"


class RecordedSettings(dict[str, str]):
    """Settings of which none is given, and the keys that were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.keys_read: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.keys_read.add(key)
        return default


@pytest.mark.parametrize("platform_name", PLATFORMS)
def test_every_setting_that_a_platform_offers_is_read(platform_name: str) -> None:
    platform, read = PLATFORMS[platform_name], RecordedSettings()
    sample = class_tables.SAMPLES.get(platform_name)
    options = ExportOptions(sample.table(STUDENTS) if sample and sample.table else None, "table.csv", read)
    calls: tuple[tuple[Callable[..., object] | None, tuple[object, ...]], ...] = (
        (platform.report_writer, (a_report(), options)),
        (platform.class_writer, (a_class(result("ada", 1.0)), options)),
        (platform.uploader, (a_class(), options, True, Told())),
        (platform.checker and (lambda given: [*platform.checker(given)]), (options,)),
    )
    for call, arguments in calls:
        with suppress(CallerFault):  # for want of a setting
            if call:
                call(*arguments)
    assert {*platform.settings} - read.keys_read == set()


# One report


@pytest.mark.first_cases(4)
@pytest.mark.parametrize("platform_name", REPORT_WRITERS)
def test_what_a_student_writes_changes_nothing_but_texts_in_a_report(platform_name: str) -> None:
    samples = list_report_samples(platform_name)
    plain_reports = [
        one.parse(write_report(platform_name, one, report)) for one in samples for report in everywhere("zebra")
    ]
    for printed in PRINTED:
        pairs = [(one, report) for one in samples for report in everywhere(printed)]
        for (sample, report), plain in zip(pairs, plain_reports, strict=True):
            files = write_report(platform_name, sample, report)
            found = sample.parse(files)
            assert (found.shape, found.share) == (plain.shape, plain.share), printed
            for name, content in files.items():
                assert name.endswith(".html") or not CONTROL.search(content), printed


@pytest.mark.parametrize("platform_name", REPORT_WRITERS)
def test_a_reports_points_and_texts_are_read_as_they_were_written(platform_name: str) -> None:
    whole, unreadable = everywhere(READABLE)
    for sample in list_report_samples(platform_name):
        found = sample.parse(write_report(platform_name, sample, whole))
        assert found.share in (None, 0.3)
        assert f"a.grad is 1.0 {READABLE}" in "\n".join(found.texts)
        failed = sample.parse(write_report(platform_name, sample, unreadable))
        assert failed.share in (None, 0.0)
        assert f"line 1: {READABLE}" in "\n".join(failed.texts)


def make_reports_as_the_kit_does(assignment: Assignment, text: str) -> Iterator[ScoreReport]:
    """Yield reports in which everything that a student has a say in was this text."""
    unreadable = grade_text(assignment, text)
    yield make_score_report(unreadable, assignment)
    yield make_score_report(replace(unreadable, status="graded", message=""), assignment, story(text))


def list_shown_texts(content: bytes) -> list[str]:
    """Return the texts in a file: those of its JSON, or of each line that is JSON, and the other lines."""
    try:
        return [*texts_of(json.loads(content))]
    except ValueError:
        lines = content.decode().split("\n")
    return [
        text for line in lines for text in (texts_of(json.loads(line)) if line.startswith(('{"', "[")) else (line,))
    ]


@pytest.fixture(scope="module")
def reports_of_the_kit(engine: Assignment) -> list[ScoreReport]:
    """The reports in which students have said everything that is printed here."""
    return [report for printed in PRINTED for report in make_reports_as_the_kit_does(engine, printed)]


@pytest.mark.first_cases(4)
@pytest.mark.parametrize("platform_name", REPORT_WRITERS)
def test_nothing_that_steers_or_hides_is_in_a_file_of_a_report(
    platform_name: str, reports_of_the_kit: list[ScoreReport]
) -> None:
    for sample in list_report_samples(platform_name):
        for report in reports_of_the_kit:
            for content in write_report(platform_name, sample, report).values():
                lines = [line for text in list_shown_texts(content) for line in text.split("\n")]
                assert [line for line in lines if not is_seen(line.replace("\t", " "))] == []


@pytest.mark.parametrize("text", ["<b>a</b>", "<!-- a", "</pre><script>"])
def test_the_parsers_see_markup_that_is_written_as_it_is(text: str) -> None:
    assert parse_page(f"<pre>{text}</pre>")[0] != parse_page("<pre>zebra</pre>")[0]
    assert parse_markdown(text)[0] != parse_markdown("zebra")[0]


# A class


@contextmanager
def read_packed_class(root: Path, packing: str) -> Iterator[OpenedSubmissions]:
    with open_class_submissions(packed(root, PACKINGS[packing][0], STUDENTS)) as found:
        yield found


def find_student(path: Path) -> Student:
    """Return whose work a submission is, by the one line that ``Student.content`` is."""
    files = [path] if path.is_file() else [*path.rglob("*.py")]
    (work,) = {file.read_text() for file in files}
    (student,) = (one for one in STUDENTS if one.content == work)
    return student


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_class_with_awkward_names_is_read_with_the_right_students_and_files(packing: str, tmp_path: Path) -> None:
    _, platform_name, id_of = PACKINGS[packing]
    with read_packed_class(tmp_path, packing) as found:
        assert found.platform is not None
        assert found.platform.name == platform_name
        ids = {}
        for entry in found.entries:
            assert entry.origin is not None
            known = {one for person in entry.origin.people for one in (person.id, person.login) if one}
            ids[find_student(entry.path).number] = known or {entry.origin.group or entry.name}
    assert ids == {one.number: {id_of(one)} for one in STUDENTS}


@pytest.mark.parametrize("packing", ["blackboard", "brightspace", "gradescope"])
def test_a_name_that_is_in_the_download_is_read_letter_for_letter(packing: str, tmp_path: Path) -> None:
    with read_packed_class(tmp_path, packing) as found:
        names = {
            find_student(entry.path).name: entry.origin.people[0].name for entry in found.entries if entry.origin
        }
    assert names == {one.name: one.name.replace("/", "" if packing == "brightspace" else "/") for one in STUDENTS}


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_packed_class_is_recognised_by_its_own_platform_alone(packing: str, tmp_path: Path) -> None:
    download = Download(packed(tmp_path, PACKINGS[packing][0], STUDENTS))
    claims = [name for name, one in PLATFORMS.items() if one.reader and one.reader.recognises(download)]
    assert claims == [PACKINGS[packing][1]]


def grade_class(root: Path, sample: ClassSample, texts: Sequence[str]) -> list[SubmissionResult]:
    """Return results of the packed class: other points for each student, and a text of theirs in each report."""
    with read_packed_class(root, sample.packing) as found:
        students = [(find_student(entry.path), entry) for entry in found.entries]
    rows = []
    for student, entry in students:
        text = texts[student.number % len(texts)]
        report = a_report(text, status=text if student.number % 2 else "")
        listed = [sample.roster_row(student)] if sample.roster_row else []
        rows.append(result(entry.name, _points(student), entry.origin, *listed, report=report))
    return rows


def _points(student: Student) -> float:
    return student.number + 1.25


def write_class(
    platform_name: str, rows: Sequence[SubmissionResult], table: bytes | None
) -> tuple[ExportResult, bytes, dict[str, bytes]]:
    """Return an export, its table, and the other files by name, those in zips too."""
    writer = PLATFORMS[platform_name].class_writer
    assert writer is not None
    made = writer(a_class(*rows), ExportOptions(table, "table.csv", overwrite=EVERYBODYS))
    (written,) = (content for name, content in made.files.items() if name.endswith(".csv"))
    feedback: dict[str, bytes] = {}
    for name, content in made.files.items():
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                feedback |= {one: archive.read(one) for one in archive.namelist()}
        elif not name.endswith(".csv"):
            feedback[name] = content
    return made, written, feedback


def parse_feedback(name: str, content: bytes) -> object:
    """Return a student's file without its texts."""
    match PurePosixPath(name).suffix:
        case ".html":
            return parse_page(content.decode())[0]
        case ".py":
            return ast.dump(ast.parse(content))
        case other:
            pytest.fail(f"{name}: say in parse_feedback what a file ending in {other!r} must be")


@pytest.mark.parametrize("platform_name", CLASS_WRITERS)
def test_marks_are_read_from_the_written_table_as_they_were_given(platform_name: str, tmp_path: Path) -> None:
    sample = class_tables.SAMPLES[platform_name]
    table = sample.table(STUDENTS) if sample.table else None
    rows = grade_class(tmp_path, sample, [READABLE])
    made, written, _ = write_class(platform_name, rows, table)
    assert sample.read_marks(written) == {sample.key_of(one): _points(one) for one in STUDENTS}
    assert (made.unmatched, made.missing) == ((), ())
    if sample.reads_own_table:
        again, _, _ = write_class(platform_name, rows, written)
        assert {one.student_key: one.before for one in again.changes} == {
            one.student_key: one.after for one in made.changes
        }
        assert not any(one.has_new_value for one in again.changes)
        assert again.unmatched == ()


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("platform_name", CLASS_WRITERS)
def test_what_students_write_changes_nothing_but_texts_in_the_files_of_a_class(
    platform_name: str, tmp_path: Path
) -> None:
    sample = class_tables.SAMPLES[platform_name]
    table = sample.table(STUDENTS) if sample.table else None
    given = {cell for row in read_table(table or b"") for cell in row} | {sample.key_of(one) for one in STUDENTS}
    _, plain, plain_feedback = write_class(platform_name, grade_class(tmp_path / "plain", sample, ["zebra"]), table)
    for start in range(0, len(PRINTED), len(STUDENTS)):
        texts = (*PRINTED[start:], *PRINTED)[: len(STUDENTS)]
        rows = grade_class(tmp_path / str(start), sample, texts)
        _, written, feedback = write_class(platform_name, rows, table)
        assert sample.read_marks(written) == sample.read_marks(plain)
        assert [*feedback] == [*plain_feedback]
        for name, content in feedback.items():
            assert parse_feedback(name, content) == parse_feedback(name, plain_feedback[name])
        new_cells = {cell for row in read_table(written) for cell in row} - given
        assert [cell for cell in new_cells if opens_formula(cell) and cell.strip("-")] == []  # "-" is for none


@pytest.mark.parametrize("platform_name", CLASS_WRITERS)
def test_no_students_file_lies_outside_the_folder_that_it_is_unpacked_into(
    platform_name: str, tmp_path: Path
) -> None:
    sample = class_tables.SAMPLES[platform_name]
    rows = grade_class(tmp_path, sample, ["zebra"])
    _, _, feedback = write_class(platform_name, rows, sample.table(STUDENTS) if sample.table else None)
    assert len(feedback) in (0, len(STUDENTS))
    for name in feedback:
        assert not PurePosixPath(name).is_absolute()
        assert not {"..", "."} & {*re.split(r"[/\\]", name)}
