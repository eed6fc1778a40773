"""A platform that somebody wrote for 0.2.0 works, and whoever runs it is told what its names are called now."""

from __future__ import annotations

import importlib.util
import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import autograder.editable_csv
import autograder.platforms
import autograder.submissions
from autograder.editable_csv import EditableCsv
from autograder.platforms import ClassResults, Download, ExportChange, ExportOptions, SubmissionResult
from autograder.platforms.common import export_model, manual_mark_protection, platform_model
from autograder.submissions import Person, SubmissionOrigin
from tests.platforms.school import SCHOOL
from tests.reports.sample import a_report

DATA = Path(__file__).parents[1] / "data" / "platforms"
SHEET = b"id,points\n1,\n2,3\n4,\n"
EXPORTED: dict[str, Any] = {
    "Arrival": autograder.platforms.DownloadedSubmission,
    "Change": autograder.platforms.ExportChange,
    "Export": autograder.platforms.ExportResult,
    "Given": autograder.platforms.ExportOptions,
    "Result": autograder.platforms.SubmissionResult,
    "Results": autograder.platforms.ClassResults,
    "platform_of": autograder.platforms.require_platform,
    "platforms": autograder.platforms.load_platforms_by_name,
}
"""What ``autograder.platforms`` exported at 0.2.0 under other names."""


@pytest.fixture
def earlier() -> ModuleType:
    """The platform ``school`` of the tests of 0.2.0, letter for letter."""
    spec = importlib.util.spec_from_file_location("school_of_0_2_0", DATA / "school_of_0_2_0.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spec.loader.exec_module(module)
    assert {one.category for one in caught} == {DeprecationWarning}
    assert {one.filename for one in caught} == {spec.origin}
    return module


@pytest.mark.parametrize("name", EXPORTED)
def test_what_platforms_exported_is_found_under_its_former_name(name: str) -> None:
    new = EXPORTED[name].__name__
    told = rf"^autograder\.platforms\.{name} is now called autograder\.platforms\.{new}$"
    with pytest.warns(DeprecationWarning, match=told):
        assert getattr(autograder.platforms, name) is EXPORTED[name]


@pytest.mark.parametrize(
    ("module", "name", "now"),
    [
        ("platforms.model", "Reader", platform_model.DownloadReader),
        ("platforms.model", "Sending", platform_model.UploadObserver),
        ("platforms.model", "Checker", platform_model.AccessChecker),
        ("platforms.model", "Platform", platform_model.Platform),
        ("platforms.exchange", "Given", export_model.ExportOptions),
        ("platforms.decisions", "settled", manual_mark_protection.protect_manual_entries),
        ("platforms.sheet", "Sheet", EditableCsv),
        ("platforms.sheet", "Row", autograder.editable_csv.SheetRow),
        ("submissions", "Origin", SubmissionOrigin),
    ],
)
def test_modules_that_plug_ins_imported_from_find_what_they_held(module: str, name: str, now: Any) -> None:
    with pytest.warns(DeprecationWarning, match=f"autograder.{module}.{name} is now called autograder"):
        assert getattr(import_module(f"autograder.{module}"), name) is now


@pytest.mark.parametrize(
    "module",
    ["platforms", "platforms.model", "platforms.exchange", "platforms.decisions", "platforms.sheet", "submissions"],
)
def test_a_name_that_never_was_is_not_found(module: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'autograder.{module}' has no attribute 'Sitting'"):
        getattr(import_module(f"autograder.{module}"), "Sitting")  # noqa: B009


def test_present_names_warn_of_nothing(recwarn: pytest.WarningsRecorder) -> None:
    for name in autograder.platforms.__all__:
        assert getattr(autograder.platforms, name)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("held", "former", "new"),
    [
        (ExportChange("Ada", "1", "2", id="7"), "is_new", "has_new_value"),
        (ExportChange("Ada", "1", "2", id="7"), "key", "student_key"),
        (SubmissionOrigin("school", (Person("7", "Ada"),)), "student", "student_or_group_identifier"),
        (SubmissionOrigin("school", (Person("7", "Ada"),)), "students", "student_identifiers"),
        (Download(DATA), "top", "top_level_names"),
    ],
)
def test_former_attributes_hold_what_the_present_ones_hold(held: Any, former: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"^{type(held).__name__}\.{former} is now called {new}$"):
        assert getattr(held, former) == getattr(held, new)


def test_a_setting_is_chosen_under_the_former_name() -> None:
    options: Any = ExportOptions(settings={"bonus": "none"})
    with pytest.warns(DeprecationWarning, match=r"ExportOptions\.one_of is now called get_choice_setting"):
        assert options.one_of("bonus", "capped", "none") == "none"


def test_a_reader_of_0_2_0_reads_a_download(earlier: ModuleType, tmp_path: Path) -> None:
    for name in ("ada#1", "bob#2!@1700000000"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "value.py").write_text("x = 1\n")
    assert SCHOOL.reader is not None
    with pytest.warns(DeprecationWarning, match=r"Download\.top is now called top_level_names"):
        assert earlier.Reader().recognises(Download(tmp_path))
    with pytest.warns(DeprecationWarning, match=r"Download\.(top|paths) is now called"):
        read = [*earlier.Reader().read(Download(tmp_path))]
    assert read == [*SCHOOL.reader.read(Download(tmp_path))]
    assert [one.name for one in read] == ["ada_1", "bob_2"]


def test_writers_of_0_2_0_write_what_they_wrote(earlier: ModuleType) -> None:
    report = a_report()
    people = [SubmissionOrigin("school", (Person(number, number),)) for number in "123"]
    rows = tuple(SubmissionResult(one.people[0].name, report, 7.5, one) for one in people)
    results, options = ClassResults("toy", "Toy", 10.0, rows), ExportOptions(SHEET, "points.csv")
    assert SCHOOL.class_writer is not None
    assert SCHOOL.report_writer is not None
    with pytest.warns(DeprecationWarning, match=r"EditableCsv\.put is now called set_cell"):
        written = earlier.class_file(results, options)
    assert written == SCHOOL.class_writer(results, options)
    assert written.files["points.csv"] == b"id,points\n1,7.5\n2,3\n4,\n"
    assert earlier.report_file(report, options) == SCHOOL.report_writer(report, options)
    assert isinstance(earlier.SCHOOL, platform_model.Platform)
