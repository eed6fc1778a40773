"""GitHub: a folder of students' repositories, as ``gh classroom clone`` or a loop over ``git clone`` leaves it.

The kit never runs git in them and reads none of git's files: a repository's hooks and settings are its student's.

The command: https://github.com/github/gh-classroom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from autograder.faults import CallerFault
from autograder.platforms.common.download import Download
from autograder.platforms.common.platform_model import DownloadedSubmission, Platform
from autograder.submissions.origin import Person, SubmissionOrigin

NAME = "github"
CLONES_SUFFIX = "-submissions"
"""How ``gh classroom clone`` calls the folder of an assignment's repositories."""
MOST_SHARE = 0.9
"""The share of a class's repositories that must have a common prefix; fewer may have it by chance."""


class ClonedRepositoriesReader:
    """Reads a folder of repositories, and finds their students by the repositories' names."""

    def recognises(self, download: Download) -> bool:
        """Return whether there are several folders, each a repository: one alone may be what a student handed in.

        Without git's own files, the folder's name tells, as ``gh classroom clone`` gives it.
        """
        folders = _list_folders(download)
        if len(folders) > 1 and all(_is_repository(download, name) for name in folders):
            return True
        prefix = download.root.name.removesuffix(CLONES_SUFFIX) + "-"
        is_classroom_folder = download.root.name.endswith(CLONES_SUFFIX) and len(folders) > 1
        return is_classroom_folder and all(name.startswith(prefix) for name in folders)

    def read(self, download: Download) -> Iterable[DownloadedSubmission]:
        """Yield a submission for each repository; skip other folders.

        Raises:
            CallerFault: there is no repository, or the download is itself one.
        """
        if ".git" in download.top_level_names:
            raise CallerFault(
                "the download is a single repository",
                str(download.source),
                "name the folder that holds all students' repositories",
            )
        folders = _list_folders(download)
        names = [name for name in folders if _is_repository(download, name)]
        if not names and self.recognises(download):  # packed without git's own files
            names = folders
        if not names:
            raise CallerFault(
                "the folder holds no repository", str(download.source), "clone the students' repositories into it"
            )
        prefix = _find_common_prefix(names, download)
        for name in names:
            is_renamed = not name.startswith(prefix)  # renamed by its student, so the name does not tell the login
            person = Person(name=name) if is_renamed else Person(login=name.removeprefix(prefix))
            yield DownloadedSubmission(name, SubmissionOrigin(NAME, (person,), names=(name,)), folder=name)


def _list_folders(download: Download) -> list[str]:
    return [name for name in download.top_level_names if not name.startswith(".") and download.is_folder(name)]


def _is_repository(download: Download, name: str) -> bool:
    return download.is_folder(f"{name}/.git")


def _find_common_prefix(names: list[str], download: Download) -> str:
    """Return what names begin with: the assignment and a dash; empty where they have nothing in common.

    The folder's name decides if it is ``<assignment>-submissions``, since logins may begin alike, too. A few names
    that begin otherwise change nothing, since students may rename their repositories.
    """
    for folder in (download.root.name, download.source.stem):
        prefix = f"{folder.removesuffix(CLONES_SUFFIX)}-"
        count = sum(name.startswith(prefix) and name != prefix for name in names)
        if folder.endswith(CLONES_SUFFIX) and _are_most(count, names):
            return prefix
    prefix = ""
    while len(names) > 1:
        remainders = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
        word_counts = Counter(remainder.partition("-")[0] for remainder in remainders if "-" in remainder)
        word, count = word_counts.most_common(1)[0] if word_counts else ("", 0)
        if not _are_most(count, names):
            break
        prefix += f"{word}-"
    return prefix


def _are_most(count: int, names: list[str]) -> bool:
    return count >= MOST_SHARE * len(names)


platform = Platform(NAME, "GitHub", reader=ClonedRepositoriesReader())
