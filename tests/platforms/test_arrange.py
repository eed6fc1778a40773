"""A platform's download becomes a class: nobody is left out, nobody poses as another."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from autograder.faults import CallerFault
from autograder.platforms.common.download import Download
from autograder.platforms.common.opened_submissions import open_class_submissions
from tests.platforms.classes import entries

pytestmark = pytest.mark.usefixtures("school")


def tree(root: Path, *files: str) -> Path:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n")
    return root


def test_a_download_is_recognised_and_the_files_of_a_student_are_together(tmp_path: Path) -> None:
    place = tree(tmp_path, "ada#1/value.py", "bob#2/value.py", "bob#2/lib/more.py")
    assert entries(place) == {
        "ada_1": {"value.py": "# ada#1/value.py\n"},
        "bob_2": {"value.py": "# bob#2/value.py\n", "lib/more.py": "# bob#2/lib/more.py\n"},
    }


def test_the_students_files_are_not_changed_by_being_read(tmp_path: Path) -> None:
    place = tree(tmp_path, "bob#2/value.py", "bob#2/lib/more.py")
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    entries(place)
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before


def test_a_zip_with_one_folder_around_everything_is_recognised_too(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as packed:
        for name in ("ada#1", "bob#2"):
            packed.writestr(f"download/{name}/value.py", "x = 1\n")
    assert list(entries(tmp_path / "class.zip")) == ["ada_1", "bob_2"]


def test_a_plain_folder_is_no_platforms(tmp_path: Path) -> None:
    with open_class_submissions(tree(tmp_path, "ada#1/value.py", "bob.py")) as found:
        assert found.platform is None
        assert [entry.name for entry in found.entries] == ["ada#1", "bob"]


def test_who_says_that_it_is_a_plain_folder_is_believed(tmp_path: Path) -> None:
    assert list(entries(tree(tmp_path, "ada#1/value.py"), "folder")) == ["ada#1"]


def test_a_platform_may_be_named_where_it_is_not_recognised(tmp_path: Path) -> None:
    assert list(entries(tree(tmp_path, "ada#1/value.py", "notes.txt"), "school")) == ["ada_1"]


def test_what_cannot_be_unpacked_is_that_students_alone_and_is_told(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as packed:
        packed.writestr("ada#1/value.py", "x = 1\n")
        link = zipfile.ZipInfo("bob#2/value.py")
        link.external_attr = 0o120777 << 16
        packed.writestr(link, "../ada#1/value.py")
    with open_class_submissions(tmp_path / "class.zip") as found:
        ada, bob = found.entries
        assert (ada.name, ada.reading_problem, bob.name) == ("ada_1", "", "bob_2")
        assert "link" in bob.reading_problem


def test_what_cannot_be_unpacked_where_a_folder_lies_is_that_students_alone_too(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as packed:
        packed.writestr("ada#1/value.py", "x = 1\n")
        packed.writestr("bob#2/value.py/x.py", "x = 1\n")
        link = zipfile.ZipInfo("bob#2/value.py")
        link.external_attr = 0o120777 << 16
        packed.writestr(link, "../ada#1/value.py")
    with open_class_submissions(tmp_path / "class.zip") as found:
        assert [(one.name, bool(one.reading_problem)) for one in found.entries] == [("ada_1", False), ("bob_2", True)]


def test_links_are_never_followed(tmp_path: Path) -> None:
    place = tree(tmp_path / "class", "ada#1/value.py", "bob#2/value.py")
    os.symlink(place / "ada#1" / "value.py", place / "bob#2" / "stolen.py")
    os.symlink(tmp_path, place / "bob#2" / "up")
    assert entries(place)["bob_2"] == {"value.py": "# bob#2/value.py\n"}


def test_two_submissions_of_one_name_are_both_there(tmp_path: Path) -> None:
    assert list(entries(tree(tmp_path, "ada#1/value.py", "Ada#1/value.py"))) == ["Ada_1", "ada_1~2"]


def test_a_platform_that_packs_nothing_is_not_asked(tmp_path: Path) -> None:
    with (
        pytest.raises(CallerFault, match="unknown platform"),
        open_class_submissions(tree(tmp_path, "a.py"), "nowhere"),
    ):
        pass


def test_a_download_leaves_out_what_operating_systems_leave(tmp_path: Path) -> None:
    place = tree(tmp_path, "__MACOSX/x", "._a", ".DS_Store", "a/b.py")
    assert (Download(place).top_level_names, Download(place).file_paths) == (("a",), ("a/b.py",))


@pytest.mark.parametrize("name", ["../out.py", "/etc/x.py", "..\\out.py", "a/../../b.py"])
def test_a_path_that_leads_out_of_its_folder_goes_nowhere(tmp_path: Path, name: str) -> None:
    from autograder.platforms.common.opened_submissions import _gather_files
    from autograder.platforms.common.platform_model import DownloadedSubmission
    from autograder.submissions import SubmissionOrigin

    place = tree(tmp_path / "class", "x")
    problem = _gather_files(
        DownloadedSubmission("a", SubmissionOrigin("school"), {name: "x"}), Download(place), tmp_path / "staged" / "0"
    )[1]
    assert "leaves its folder" in problem
    assert [one.name for one in tmp_path.rglob("*") if one.is_file()] == ["x"]
