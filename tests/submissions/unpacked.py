"""Folders for what archives are unpacked into."""

from __future__ import annotations

from pathlib import Path


def make_deep_folder(place: Path) -> Path:
    """Make a folder with others above it, for what leaves it."""
    made = place / "deep" / "out"
    made.mkdir(parents=True)
    return made


def files_in(folder: Path) -> dict[str, str]:
    """Return the text of every file by its path."""
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
