"""GitHub: a folder of repositories comes in, and nothing in them is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.faults import CallerFault
from autograder.platforms import Download
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.platforms.github import NAME, ClonedRepositoriesReader
from autograder.submissions import Person, SubmissionOrigin
from autograder.submissions.submission_files import list_submitted_files
from tests.platforms.classes import by_name, entries, laid_out

READER = ClonedRepositoriesReader()


def clones(place: Path, *names: str, work: str = "value.py") -> Path:
    for name in names:
        laid_out(place, {f"{name}/.git/HEAD": "ref: refs/heads/main\n", f"{name}/{work}": f"# {name}\n"})
    return place


def logins(place: Path) -> list[str]:
    return [arrival.origin.people[0].login for arrival in READER.read(Download(place))]


def test_a_folder_of_repositories_becomes_a_class(tmp_path: Path) -> None:
    found = entries(clones(tmp_path, "hw1-ada", "hw1-bob"))
    assert list(found) == ["hw1-ada", "hw1-bob"]
    assert found["hw1-ada"]["value.py"] == "# hw1-ada\n"


def test_whose_it_is_stands_in_the_repositorys_name_and_no_time_is_made_up(tmp_path: Path) -> None:
    found = by_name(READER.read(Download(clones(tmp_path, "hw1-ada", "hw1-bob"))))
    assert found["hw1-ada"].origin == SubmissionOrigin(NAME, (Person(login="ada"),), names=("hw1-ada",))


@pytest.mark.parametrize(
    ("folder", "names", "found"),
    [
        ("x", ["hw1-ada", "hw1-bob"], ["ada", "bob"]),
        ("x", ["micro-grad-ada-l", "micro-grad-bob"], ["ada-l", "bob"]),
        ("x", ["hw1-anna", "hw1-anton"], ["anna", "anton"]),
        ("x", ["ada", "bob-b"], ["ada", "bob-b"]),
        ("x", ["hw1", "hw1-bob"], ["hw1", "hw1-bob"]),
        ("x", ["hw1-ada"], ["hw1-ada"]),
        ("hw1-submissions", ["hw1-ada"], ["ada"]),
        ("hw1-submissions", ["hw1-team-a", "hw1-team-b"], ["team-a", "team-b"]),
        ("hw2-submissions", ["hw1-team-a", "hw1-team-b"], ["a", "b"]),
    ],
)
def test_a_login_is_what_differs(folder: str, names: list[str], found: list[str], tmp_path: Path) -> None:
    assert logins(clones(tmp_path / folder, *names)) == found


def test_what_lies_in_git_is_never_part_of_the_submission(tmp_path: Path) -> None:
    place = clones(tmp_path, "hw1-ada", "hw1-bob")
    laid_out(place, {"hw1-ada/.git/objects/value.py": "x = 1", "hw1-ada/.github/workflows/grade.py": "y = 2"})
    with open_class_submissions(place) as found:
        assert [file.name for file in list_submitted_files(found.entries[0].path, 1000)] == ["value.py"]


def test_a_hook_is_not_run_and_a_setting_not_read(tmp_path: Path) -> None:
    place = clones(tmp_path / "class", "hw1-eve", "hw1-bob")
    mark = tmp_path / "ran"
    for name in ("hooks/post-checkout", "hooks/fsmonitor"):
        hook = place / "hw1-eve" / ".git" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
    (place / "hw1-eve" / ".git" / "config").write_text(f"[core]\n\tfsmonitor = touch {mark}\n")
    entries(place)
    assert not mark.exists()


def test_a_repository_within_a_submission_is_no_submission(tmp_path: Path) -> None:
    place = clones(tmp_path, "hw1-ada", "hw1-eve", "hw1-eve/hw1-bob")
    assert logins(place) == ["ada", "eve"]


def test_a_link_to_anothers_repository_is_no_submission(tmp_path: Path) -> None:
    place = clones(tmp_path, "hw1-ada", "hw1-bob")
    (place / "hw1-eve").symlink_to(place / "hw1-ada")
    laid_out(place, {"hw1-max/value.py": ""})
    (place / "hw1-max" / ".git").symlink_to(place / "hw1-ada" / ".git")
    assert logins(place) == ["ada", "bob"]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ([".git/HEAD", "value.py"], "the download is a single repository"),
        (["ada/value.py"], "the folder holds no repository"),
    ],
)
def test_what_is_no_class_is_told(files: list[str], says: str, tmp_path: Path) -> None:
    with pytest.raises(CallerFault, match=says):
        list(READER.read(Download(laid_out(tmp_path, dict.fromkeys(files, "")))))


def test_a_classs_folder_packed_without_gits_files_is_read_by_its_name(tmp_path: Path) -> None:
    folder = laid_out(tmp_path / "hw1-submissions", {f"hw1-{name}/value.py": "x = 1\n" for name in ("ada", "bob")})
    assert logins(tmp_path / "hw1-submissions") == ["ada", "bob"]
    assert READER.recognises(Download(tmp_path / "hw1-submissions"))
    assert folder is not None
