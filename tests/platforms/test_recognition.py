"""A download is one platform's, which the contract's test asks of each; no platform takes a folder of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.platforms import Download, load_platforms_by_name
from tests.platforms.classes import laid_out

BLACKBOARD = "Chapter 13 Problems_jdoe3_attempt_2014-04-30-21-02-38"
BRIGHTSPACE = "840137-90210 - Johnny Cache - Sep 12, 2015 6:31 PM"
CANVAS = ("lovelaceada_12345_67890_value.py", "smithbob_340934_208490284_BobsWork.zip")
PLAIN: tuple[tuple[str, ...], ...] = (
    (),
    ("value.py",),
    ("ada.py", "bob.ipynb"),
    ("ada/value.py", "bob.py"),
    ("ada/value.py", "bob/value.py"),
    ("ada/value.py", "bob/src/value.py", "bob/notes.txt"),
    ("smith_2_3_value.py", "7-9 - Ada.py", "HW_attempt_1.txt"),
    ("submitted/ada.py", "submitted/bob.py"),
    # nearly Blackboard's
    (f"{BLACKBOARD}_value.py",),
    (f"{BLACKBOARD}.txt", "bob.py"),
    (f"{BLACKBOARD}.txt/value.py",),
    (f"{BLACKBOARD}.txt", "HW_eve_attempt_2014-04-30-21-02-38_value.py"),
    # nearly Brightspace's
    ("ada - Sep 12, 2015 6:31 PM/value.py",),
    (f"{BRIGHTSPACE}/value.py", "bob/value.py"),
    (BRIGHTSPACE,),
    ("index.html",),
    # nearly Canvas's
    ("smith_2_3_value.py", "jones_4_5_value.py"),
    ("smith_12345_67890_value.py",),
    ("smith_2024_112030_value.py", "jones_2024_112131_value.py"),
    ("smith_2024_112030_value.py", "jones_2024_112131_value.py", "kim_2023_112232_value.py"),
    ("smith_20241120_153012_value.py", "jones_20241121_091500_value.py"),
    ("smith_11202_16000_value.py", "jones_11203_16000_value.py"),
    (*CANVAS, "turingalan_LATE_12346_67891_value-1.py", "readme.txt"),
    ("smith_12345_text.html", "jones_12346_text.html"),
    # nearly GitHub's
    ("ada/.git/HEAD", "bob/value.py"),
    ("ada/.git/HEAD",),
    ("ada/.git", "bob/.git"),
    ("ada/x/.git/HEAD", "bob/x/.git/HEAD"),
    # nearly Moodle's
    ("Ada_2_assignsubmission_file/value.py", "bob.py"),
    ("Ada_2_assignfeedback_file/feedback.html",),
    ("_assignsubmission_file/value.py",),
    # nearly nbgrader's
    ("ada/ps1/value.py", "bob/ps1/value.py"),
    ("ada/ps1/timestamp.txt", "bob/ps1/value.py"),
    ("ada/ps1/timestamp.txt", "bob.py"),
    ("submitted/ada/value.py", "source/x.py"),
    ("submitted/ada/ps1/value.py",),
)


@pytest.mark.parametrize("files", PLAIN, ids=",".join)
def test_a_plain_folder_is_nobodys(files: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    download = Download(laid_out(tmp_path / "class", dict.fromkeys(files, "")))
    assert [
        name for name, one in load_platforms_by_name().items() if one.reader and one.reader.recognises(download)
    ] == []
