"""Read a download on the disk: its paths, the platform's own files, and typed text. Links are never followed."""

from __future__ import annotations

import html
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from autograder.faults import CallerFault, translate_file_errors
from autograder.submissions.safe_paths import MAX_DEPTH, may_leave_folder
from autograder.submissions.submission_files import MAX_FILES
from autograder.submissions.zips import SHARED_FOLDERS
from autograder.text import escape_for_display

MAX_PATHS = 500_000
MAX_PATHS_OF_A_STUDENT = 5 * MAX_FILES
"""Most paths of one student that are listed: more than a submission may have."""
DEEPEST = 2 * MAX_DEPTH
MOST_BYTES = 64 << 20
"""Largest size of a file that the platform itself wrote."""
JUNK = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini", ".DS_Store"})


class Download:
    """A folder, or an unpacked zip, that may come from a platform."""

    def __init__(
        self,
        root: Path,
        source: Path | None = None,
        spoilt: Mapping[str, str] | None = None,
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        self.root = root
        """The folder that is read."""
        self.source = source or root
        """What the caller named, for messages: a folder or a zip."""
        reason_by_path = {
            name.replace("\\", "/"): reason for name, reason in (spoilt or {}).items() if not may_leave_folder(name)
        }
        self.spoilt: Mapping[str, str] = reason_by_path
        """Files of a zip that could not be unpacked, and why.

        They count among ``file_paths`` all the same: whose they are
        is told, and nobody is left out."""
        self._original_name_by_part = renamed or {}

    @cached_property
    def top_level_names(self) -> tuple[str, ...]:
        """Return the names at the top of the download, sorted, without links and what operating systems leave.

        Raises:
            CallerFault: the download cannot be read.
        """
        with translate_file_errors(self.source), os.scandir(self.root) as dir_entries:
            names = {dir_entry.name for dir_entry in dir_entries if not dir_entry.is_symlink()}
        names |= {path.partition("/")[0] for path in self.spoilt}
        return tuple(sorted(name for name in names if not _is_system_junk(name)))

    @cached_property
    def file_paths(self) -> tuple[str, ...]:
        """Return every ordinary file, relative to the download, with forward slashes, sorted; leave out links.

        Raises:
            CallerFault: there are more than ``MAX_PATHS``.
        """
        paths = {path for path in self.spoilt if not any(map(_is_system_junk, path.split("/")))}
        for path in self._walk_files():
            paths.add(path)
            if len(paths) > MAX_PATHS:
                raise CallerFault(
                    f"the download holds more than {MAX_PATHS} files",
                    str(self.source),
                    "check that it is the right folder",
                )
        return tuple(sorted(paths))

    def _walk_files(self) -> Iterator[str]:
        """Yield ordinary files, but only the first ones if a student's folder is too deep or holds too many.

        Those are enough: reading the submission tells its student, and other students' files are there.
        """
        wrappers = self.top_level_names if len(self.top_level_names) == 1 else [name for (name,) in SHARED_FOLDERS]
        path_counts: Counter[tuple[str, ...]] = Counter()
        pending_folders: list[tuple[str, ...]] = [()]
        while pending_folders:
            folder = pending_folders.pop()
            for name, is_folder in _list_folder(self.root.joinpath(*folder)):
                path = (*folder, name)
                owner = path[: 2 if path[0] in wrappers else 1]
                path_counts[owner] += 1
                if path_counts[owner] > MAX_PATHS_OF_A_STUDENT and len(path) > len(owner):
                    break
                if not is_folder:
                    yield "/".join(path)
                elif len(path) < DEEPEST:
                    pending_folders.append(path)

    def original_path(self, unpacked_path: str) -> str:
        """Return a path as the platform packed it: a name that was too long for the disk is whole again."""
        return (
            "/".join(self._original_name_by_part.get(part, part) for part in unpacked_path.split("/"))
            if self._original_name_by_part
            else unpacked_path
        )

    def is_folder(self, relative_path: str) -> bool:
        """Return whether a path of the download is a folder, and not a link to one."""
        path = self.root / relative_path
        is_ordinary_folder = os.path.isdir(path) and not os.path.islink(path)
        return is_ordinary_folder or any(path.startswith(f"{relative_path}/") for path in self.spoilt)

    def make_foreign_name_fault(self, name: str, platform_title: str, advice: str) -> CallerFault:
        """Return the fault for a file or folder that the platform does not name so."""
        problem = f"'{escape_for_display(name, 80)}' is not named as in a {platform_title} download"
        return CallerFault(problem, str(self.source), advice)

    def read_file(self, relative_path: str) -> bytes:
        """Return the content of a file that the platform wrote.

        Raises:
            CallerFault: the file cannot be read, or is too large to be the platform's own.
        """
        path = self.root / relative_path
        with translate_file_errors(f"{self.source}: {relative_path}"):
            if os.path.islink(path) or not os.path.isfile(path) or path.stat().st_size > MOST_BYTES:
                raise CallerFault(
                    f"the download has no readable {relative_path}", str(self.source), "download it again"
                )
            return path.read_bytes()


def _list_folder(folder: Path) -> list[tuple[str, bool]]:
    """List the files and folders in a folder, sorted: names, and whether they are folders; leave out all else."""
    try:
        with os.scandir(folder) as dir_entries:
            names_and_kinds = [
                (dir_entry.name, dir_entry.is_dir(follow_symlinks=False))
                for dir_entry in dir_entries
                if not _is_system_junk(dir_entry.name)
                and (dir_entry.is_dir(follow_symlinks=False) or dir_entry.is_file(follow_symlinks=False))
            ]
    except OSError:
        return []  # not readable: reported when the submission is read
    return sorted(names_and_kinds)


def _is_system_junk(path_part: str) -> bool:
    """Return whether an operating system leaves files of this name."""
    return path_part in JUNK or path_part.startswith("._")


TAG = re.compile(r"(<(?:[/!]?[A-Za-z]|!\[)[^<>]*>)")
NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)")
BLOCKS = frozenset(
    {
        "address", "blockquote", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
        "pre", "table", "td", "th", "tr", "ul",
    }
)  # fmt: skip
"""Elements that begin a line."""
UNSEEN = frozenset({"script", "style", "title"})
NO_CHARACTER = re.compile("&#[0-9]{8,};?")
"""A reference to an impossible character. For one with some thousand digits, ``html.unescape`` raises an error."""
SPACES = str.maketrans({"\xa0": " ", "\u200b": "", "\ufeff": ""})
"""An editor keeps an indentation with spaces that do not break."""


def convert_html_to_plain_text(html_markup: str) -> str:
    r"""Return the text in some markup, a line for each line shown, with a line end; empty if it shows nothing.

    >>> convert_html_to_plain_text("<p>a = 1 &lt; 2</p><p>&nbsp; b<br>c</p>")
    'a = 1 < 2\n  b\nc\n'
    """
    text = "".join(_iterate_text_pieces(_remove_comments(html_markup.replace("\r\n", "\n").replace("\r", "\n"))))
    lines = [line.rstrip() for line in text.translate(SPACES).split("\n")]
    program = "\n".join(lines).strip("\n")
    return f"{program}\n" if program.strip() else ""


def _iterate_text_pieces(markup: str) -> Iterator[str]:
    has_line_text = False  # whether this line has text yet
    # spaces that begin it: an indentation if something follows, an empty line if they do not break
    leading_spaces = ""
    is_hidden = is_preformatted = False
    for number, piece in enumerate(TAG.split(markup)):
        is_tag = number % 2 == 1
        tag_match = NAME.match(piece) if is_tag else None
        name = tag_match[1].lower() if tag_match else ""
        if name == "br" or (name in BLOCKS and (has_line_text or "\xa0" in leading_spaces)):
            yield "\n"
            has_line_text = False
        if name == "br" or name in BLOCKS:
            leading_spaces = ""
        if name == "pre":
            is_preformatted = not piece.startswith("</")
        elif name in UNSEEN:
            is_hidden = not piece.startswith("</")
        elif not is_tag and piece and not is_hidden:
            escaped_text = piece if is_preformatted or has_line_text else piece.removeprefix("\n")
            text = html.unescape(NO_CHARACTER.sub("\ufffd", escaped_text))
            if not is_preformatted and not has_line_text and not text.strip() and "\n" not in text:
                leading_spaces += text
            elif is_preformatted or text.strip(" \t\n") or "\n" not in piece:
                yield leading_spaces + text
                leading_spaces = ""
                has_line_text = bool(text.rpartition("\n")[2].strip()) or (has_line_text and "\n" not in text)


def _remove_comments(markup: str) -> str:
    head, *parts_after_comments = markup.split("<!--")
    return head + "".join(part.partition("-->")[2] for part in parts_after_comments)
