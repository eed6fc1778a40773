"""A platform may be anybody's: a mistake in its code is told as its own, and nothing is graded or written by it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.faults import CallerFault, Fault, KitFault
from autograder.platforms import Download, ExportOptions, require_platform
from autograder.platforms.common.installed_platforms import (
    does_platform_recognise,
    encode_report_files_with_platform,
    export_class,
    read_submissions_with_platform,
    upload_class_results,
)
from autograder.platforms.common.opened_submissions import open_class_submissions
from tests.platforms.classes import Told, a_class, entries, laid_out, result
from tests.platforms.conftest import Foreign
from tests.platforms.installed import LINES
from tests.reports.sample import a_report

ROWS = a_class(result("ada", 1), result("bob", 2))
CALLS: dict[str, Callable[[Path], object]] = {
    "recognises": lambda place: does_platform_recognise(require_platform("foreign"), Download(place)),
    "read": lambda place: read_submissions_with_platform(require_platform("foreign"), Download(place)),
    "report": lambda place: encode_report_files_with_platform(
        require_platform("foreign"), a_report("ada"), ExportOptions()
    ),
    "graded": lambda place: export_class(require_platform("foreign"), ROWS, ExportOptions()),
    "upload": lambda place: upload_class_results(require_platform("foreign"), ROWS, ExportOptions(), False, Told()),
}
"""Each way in which the kit calls a platform, by the body that it runs."""


def fault(part: str, place: Path) -> Fault:
    """What is told of a part."""
    with pytest.raises(Fault) as told:
        CALLS[part](place)
    assert "\n" not in str(told.value)
    return told.value


# What it raises


@pytest.mark.parametrize(
    ("part", "named", "then"),
    [
        ("recognises", "the reader", "name another platform with --from"),
        ("read", "the reader", "nothing was read"),
        ("report", "the writer", "nothing was written"),
        ("graded", "the writer", "nothing was written"),
        ("upload", "the uploader", "see with --upload --dry-run what is left to send"),
    ],
)
def test_a_bug_is_told_with_its_entry_point_its_line_and_what_to_do(
    part: str, named: str, then: str, install_foreign: Foreign, tmp_path: Path
) -> None:
    file = install_foreign(**{part: "return {}['id']"})
    told = fault(part, tmp_path)
    assert isinstance(told, CallerFault)
    assert told.where.startswith("platform foreign, entry point foreign = foreign:FOREIGN")
    assert told.what == f"{named} raised KeyError: 'id' at {file}:{LINES[part]}"
    assert told.advice.endswith("; fix or uninstall foreign 1, which brings it")
    assert then in told.advice


def test_a_submission_of_which_no_result_can_be_made_is_named(install_foreign: Foreign, tmp_path: Path) -> None:
    install_foreign(graded_by="None", report="return {'x': b'1'} if report.submission.id == 'ada' else 1 / 0")
    assert fault("graded", tmp_path).where.endswith(", submission bob")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise SystemExit(3)", "raised SystemExit: 3 at "),
        ("raise ValueError('two\\nlines')", "raised ValueError: two\\nlines at "),
        ("raise NotImplementedError", "raised NotImplementedError at "),
        ("return (lambda: 1)(2)", "takes 0 positional arguments but 1 was given at "),
        ("yield DownloadedSubmission('a', ADA); 1 / 0", "raised ZeroDivisionError: division by zero at "),
    ],
)
def test_whatever_is_raised_is_told_in_one_line(
    body: str, says: str, install_foreign: Foreign, tmp_path: Path
) -> None:
    install_foreign(read=body)
    assert says in str(fault("read", tmp_path))


def test_what_a_platform_says_on_purpose_is_said_as_it_is(install_foreign: Foreign, tmp_path: Path) -> None:
    install_foreign(read="raise CallerFault('holds no names', 'class.zip', 'show them')")
    assert str(fault("read", tmp_path)) == "class.zip: holds no names (show them)"


def test_a_bug_of_the_kits_own_is_the_kits_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("autograder.platforms.github.MOST_SHARE", None)
    laid_out(tmp_path, dict.fromkeys(("hw-ada/.git/HEAD", "hw-bob/.git/HEAD"), ""))
    with pytest.raises(
        KitFault, match=r"^platform github: the reader raised TypeError: .* at .*github\.py:\d+ "
    ) as told:
        entries(tmp_path, "github")
    assert "as a bug of the kit" in told.value.advice


def test_a_file_that_the_kits_own_reader_may_not_open_is_no_bug_of_the_kits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "class/ada")

    monkeypatch.setattr("autograder.platforms.github._list_folders", refuse)
    with pytest.raises(PermissionError):
        entries(laid_out(tmp_path, {"hw-ada/value.py": ""}), "github")


# What it answers


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("None", "'NoneType' object is not iterable"),
        ("['ada']", "returned a str instead of a DownloadedSubmission"),
        (
            "[DownloadedSubmission(7, ADA)]",
            "returned Expected `str`, got `int` - at `$.name`",
        ),
        ("[DownloadedSubmission('ada', 'Ada')]", "got `str` - at `$.origin`"),
        ("[DownloadedSubmission('ada', SubmissionOrigin('foreign', (Person(7),)))]", "at `$.origin.people[0].id`"),
        (
            "[DownloadedSubmission('ada', SubmissionOrigin('foreign', handed_in='2026-11-20'))]",
            "at `$.origin.handed_in`",
        ),
        (
            "[DownloadedSubmission('ada', ADA, texts={'value.py': 'x = 1'})]",
            "Expected `bytes`, got `str` - at `$.texts",
        ),
    ],
)
def test_what_is_no_class_is_told_and_nothing_outside_of_the_download_is_read(
    answer: str, says: str, install_foreign: Foreign, tmp_path: Path
) -> None:
    install_foreign(read=f"return {answer}")
    place = laid_out(tmp_path, {"out.py": "", "class/in/ada.py": ""}) / "class"
    os.symlink(tmp_path, place / "linked")
    with pytest.raises(CallerFault) as told, open_class_submissions(place, "foreign"):
        pass
    assert says in told.value.what
    assert told.value.what.startswith("the reader ")


def test_two_submissions_of_one_name_and_odd_names_are_all_graded(install_foreign: Foreign, tmp_path: Path) -> None:
    install_foreign(
        read="names = ('ada', 'ada', 'a/b', '../up', ''); "
        "return [DownloadedSubmission(name, ADA, {'v.py': 'v.py'}) for name in names]"
    )
    found = entries(laid_out(tmp_path, {"v.py": "x = 1"}), "foreign")
    assert found == {name: {"v.py": "x = 1"} for name in ("", "../up", "a/b", "ada", "ada~2")}


FILES = [
    ("[b'1']", "Expected `object`, got `array`"),
    ("{'a.csv': '1'}", "Expected `bytes`, got `str`"),
    ("{'../a.csv': b'1'}", "named a file '../a.csv', which is not a path below --out"),
    ("{'/a.csv': b'1'}", "which is not a path below --out"),
    ("{'C:a.csv': b'1'}", "which is not a path below --out"),
    ("{'': b'1'}", "which is not a path below --out"),
    ("{'\\ud800': b'1'}", "which is not a path below --out"),
    ("{7: b'1'}", "Expected `str`, got `int`"),
]


@pytest.mark.parametrize(("answer", "says"), FILES)
def test_files_that_cannot_all_be_written_are_told_before_one_is(
    answer: str, says: str, install_foreign: Foreign, tmp_path: Path
) -> None:
    install_foreign(report=f"return {answer}", graded=f"return ExportResult({answer})")
    assert says in fault("report", tmp_path).what
    assert says in fault("graded", tmp_path).what


@pytest.mark.parametrize("part", ["graded", "upload"])
@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("None", "returned a NoneType instead of a ExportResult"),
        ("{'a.csv': b'1'}", "returned a dict instead of a ExportResult"),
        ("ExportResult({}, (ExportChange('ada', 0, 1),))", "Expected `str`, got `int` - at `$.changes[0].before`"),
        ("ExportResult({}, missing='ada')", "Expected `array`, got `str` - at `$.missing`"),
    ],
)
def test_what_is_no_export_is_told(
    part: str, answer: str, says: str, install_foreign: Foreign, tmp_path: Path
) -> None:
    install_foreign(**{part: f"return {answer}"})
    assert says in fault(part, tmp_path).what


# What people decided


def test_a_writer_that_replaces_a_mark_of_a_persons_has_written_nothing(
    install_foreign: Foreign, tmp_path: Path
) -> None:
    install_foreign(graded="return ExportResult({'class.txt': b'1'}, (ExportChange('ada', '20', '15.8'),))")
    assert fault("graded", tmp_path).what == (
        "the writer would replace a mark of ada that a person set (20); see common.manual_mark_protection"
    )


def test_it_may_when_staff_said_so(install_foreign: Foreign) -> None:
    install_foreign(graded="return ExportResult({'class.txt': b'1'}, (ExportChange('ada', '20', '15.8'),))")
    given = ExportOptions(overwrite=frozenset({"ada"}))
    assert export_class(require_platform("foreign"), ROWS, given).files == {"class.txt": b"1"}
