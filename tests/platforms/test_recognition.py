"""A download is one platform's: no other that is installed takes it for its own."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from autograder.platforms import Download, load_platforms_by_name
from tests.platforms.classes import laid_out

MOODLE = Path(__file__).parents[1] / "data" / "platforms" / "moodle" / "plain_folders1.zip"
PLAIN = (
    ["ada.py", "bob.ipynb"],
    ["ada/value.py", "bob/src/value.py", "bob/notes.txt"],
    ["smith_2_3_value.py", "7-9 - Ada.py", "HW_attempt_1.txt"],
    ["submitted/ada.py", "submitted/bob.py"],
)


def claims(place: Path) -> list[str]:
    return [
        name
        for name, one in load_platforms_by_name().items()
        if one.reader and one.reader.recognises(Download(place))
    ]


def test_what_moodle_packed_is_moodles_alone(tmp_path: Path) -> None:
    with zipfile.ZipFile(MOODLE) as packed:
        packed.extractall(tmp_path)
    assert claims(tmp_path) == ["moodle"]


@pytest.mark.parametrize("files", PLAIN, ids=lambda files: files[0])
def test_a_plain_folder_is_nobodys(files: list[str], tmp_path: Path) -> None:
    assert claims(laid_out(tmp_path, dict.fromkeys(files, ""))) == []
