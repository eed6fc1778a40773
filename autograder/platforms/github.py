"""GitHub: a folder of students' repositories, as ``gh classroom clone`` or a loop over ``git clone`` leaves it.

Nothing of git's is run or read in them: hooks and settings in a repository are its student's.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograder.faults import CallerFault
from autograder.platforms.download import Download
from autograder.platforms.model import Arrival, Platform
from autograder.submissions.origin import Origin, Person

NAME = "github"
CLONES = "-submissions"
"""How ``gh classroom clone`` calls the folder of an assignment's repositories."""


class GithubReader:
    """Reads a folder of repositories; what they are called says whose they are."""

    def recognises(self, download: Download) -> bool:
        """Whether there are several folders, each a repository: one may be what a student handed in."""
        folders = _folders(download)
        return len(folders) > 1 and all(_is_repository(download, name) for name in folders)

    def read(self, download: Download) -> Iterable[Arrival]:
        """A submission for each repository; other folders are none.

        Raises:
            CallerFault: there is no repository, or the download is one itself.
        """
        if ".git" in download.top:
            raise CallerFault(
                "is one repository", str(download.source), "name the folder that holds all students' repositories"
            )
        names = [name for name in _folders(download) if _is_repository(download, name)]
        if not names:
            raise CallerFault(
                "holds no folder with a .git", str(download.source), "clone the students' repositories into it"
            )
        start = _start(names, download)
        for name in names:
            login = name.removeprefix(start)
            yield Arrival(name, Origin(NAME, (Person(login=login),), names=(name,)), folder=name)


def _folders(download: Download) -> list[str]:
    return [name for name in download.top if not name.startswith(".") and download.is_folder(name)]


def _is_repository(download: Download, name: str) -> bool:
    return download.is_folder(f"{name}/.git")


def _start(names: list[str], download: Download) -> str:
    """What all names begin with: the assignment and a dash; nothing where they have nothing in common.

    The folder's name decides, where it is ``<assignment>-submissions``: logins may begin alike, too.
    """
    for folder in (download.root.name, download.source.stem):
        start = f"{folder.removesuffix(CLONES)}-"
        if folder.endswith(CLONES) and all(name.startswith(start) and name != start for name in names):
            return start
    if len(names) == 1:
        return ""
    words = [name.split("-") for name in names]
    common = 0
    while all(len(one) > common + 1 and one[: common + 1] == words[0][: common + 1] for one in words):
        common += 1
    return "".join(f"{word}-" for word in words[0][:common])


platform = Platform(NAME, "GitHub", reader=GithubReader())
