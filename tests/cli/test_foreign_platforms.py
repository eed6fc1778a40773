"""A platform of somebody else's that fails is told in one line, and costs nobody what was there before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run, succeeded, told
from tests.platforms.classes import laid_out
from tests.platforms.installed import foreign
from tests.toy import RIGHT, write_toy

WHERE = "platform foreign, entry point foreign = foreign:FOREIGN"


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = write_toy(tmp_path_factory.mktemp("toy"))
    laid_out(place, {"class/ada.py": RIGHT, "class/bob.py": RIGHT, "up/foreign/points.txt": "0"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(foreign(tmp_path_factory.mktemp("whole"))))
        succeeded(run("batch", "toy", "class", "--from", "foreign", "--out", "out", "--workers", "1", cwd=place))
    return place


def told_of(place: Path, monkeypatch: pytest.MonkeyPatch, site: Path, *arguments: str) -> str:
    """What a command says, which has to leave every file as it was."""
    monkeypatch.setenv("PYTHONPATH", str(site))
    before = files(place)
    said = told(run(*arguments, cwd=place))
    assert files(place) == before
    return said


def files(place: Path) -> dict[Path, bytes]:
    """All but the store's own, which come and go while it is open."""
    return {one: one.read_bytes() for one in place.rglob("*") if one.is_file() and "sqlite-" not in one.name}


def test_a_reader_that_fails_leaves_a_class_as_it_was_graded(
    graded_class: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = "yield DownloadedSubmission('ada.py', ADA, {'ada.py': 'ada.py'})"
    site = foreign(tmp_path, read=f"{first}; raise IndexError('row 2')")
    said = told_of(graded_class, monkeypatch, site, "batch", "toy", "class", "--from", "foreign", "--out", "out")
    assert said.startswith(f"error: {WHERE}: the reader raised IndexError: row 2 at {site}/foreign.py:")
    assert said.endswith("(nothing was read; fix or uninstall foreign 1, which brings it)")


@pytest.mark.parametrize(
    "body",
    [
        "return {'points.txt': b'1'} if report.submission.id == 'ada.py' else {'points.txt': 1}",
        "return {'points.txt': b'1', '../../points.txt': b'1'}",
        "return {'points.txt': b'1', 'points.txt/more': b'1'}",
    ],
)
def test_a_writer_that_fails_after_its_first_file_has_written_none(
    graded_class: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    site = foreign(tmp_path, graded_by="None", report=body)
    said = told_of(graded_class, monkeypatch, site, "export", "foreign", "--batch", "out", "--out", "up/foreign")
    assert said.startswith(f"error: {WHERE}, submission ")
    assert "(nothing was written; fix or uninstall foreign 1" in said


def test_of_an_upload_that_ends_early_it_is_told_how_to_see_what_is_left(
    graded_class: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = foreign(tmp_path, upload="progress(1, 2); raise ConnectionError")
    said = told_of(graded_class, monkeypatch, site, "export", "foreign", "--batch", "out", "--upload")
    assert f"{WHERE}: the uploader raised ConnectionError at {site}/foreign.py:" in said
    assert "see with --upload --dry-run what is left to send" in said
