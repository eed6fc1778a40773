"""Unpack the zip of one student, and refuse it as a whole if anything in it is broken or hostile."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from autograder.file_name_collisions import make_file_name_collision_key
from autograder.safe_text import escape_for_sentence
from autograder.submissions.submitted_files import MAX_FILES
from autograder.submissions.zip_members import (
    BadArchive,
    make_too_large_refusal,
    open_untrusted_zip,
    require_few_members,
    require_safe_member_path,
    unpack_member,
)

MOST_MEMBERS = 20_000
"""Most members of one student's zip, or of one student's part of a class's zip."""


def unpack_zip(
    archive: Path | bytes,
    folder: Path,
    max_bytes: int,
    is_wanted: Callable[[str], bool] = lambda name: True,
) -> None:
    """Unpack one student's zip into the empty ``folder``.

    Args:
        archive: the zip, or its bytes; with bytes, exactly the hashed content is unpacked.
        folder: where its files go; exists and is empty.
        max_bytes: bytes that the unpacked files may have together.
        is_wanted: returns whether to unpack a file of this name.

    Raises:
        BadArchive: the zip or one of its members cannot be trusted; ``folder`` may hold part of the files.
    """
    with open_untrusted_zip(archive, MOST_MEMBERS) as opened:
        members = opened.infolist()
        paths = [require_safe_member_path(member) for member in members]
        _refuse_twins(paths)
        chosen = [
            (member, path)
            for member, path in zip(members, paths, strict=True)
            if path.parts and is_wanted(path.as_posix())
        ]
        require_few_members(len(chosen), MAX_FILES)
        left = max_bytes
        for member, path in chosen:
            left -= unpack_member(
                opened, member, folder.joinpath(*path.parts), left, make_too_large_refusal(max_bytes)
            )


def _refuse_twins(paths: Iterable[PurePosixPath]) -> None:
    """Refuse names that are equal on some file systems, and more folders than allowed members."""
    numbers: dict[tuple[str, ...], int] = {(): 0}
    places: dict[tuple[int, str], str] = {}
    for path in paths:
        parts = path.parts
        known = next(size for size in range(len(parts), -1, -1) if parts[:size] in numbers)
        for size in range(known, len(parts)):
            folder, name = numbers[parts[:size]], parts[size]
            other = places.setdefault((folder, make_file_name_collision_key(name)), name)
            if other != name:
                names = f"'{escape_for_sentence(other, 80)}' and '{escape_for_sentence(name, 80)}'"
                raise BadArchive(f"In the zip, {names} are the same name to many systems. Rename one, and zip again.")
            numbers[parts[: size + 1]] = len(numbers)
            require_few_members(len(places), MOST_MEMBERS)
