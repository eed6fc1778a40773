"""A class from Canvas and back with the real commands: its zip is graded, its gradebook comes out filled in."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from tests.cli.commands import run, succeeded
from tests.toy import HALF, RIGHT, write_toy

TYPED = "<html><body><h1>Toy: Turing, Alan</h1><div><pre>{}</pre></div></body></html>"
CLASS = {
    "lovelaceada_11_67890_value.py": RIGHT,
    "müllereva_LATE_12_67891_value-1.py": HALF,
    "o_brien_13_67892_notes.txt": "no program",
    "turingalan_14_text.html": TYPED.format(HALF),
    "linkonly_15_link.html": "<html><h1>Toy</h1><a href='https://example.org'>x</a></html>",
}
GRADEBOOK = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Toy (4711),Quiz (23),Final Score\r\n"
    ",,,,,Manual Posting,,\r\n"
    "    Points Possible,,,,,100.00,5.00,(read only)\r\n"
    '"Lovelace, Ada",11,,ada,XC 101,100.00,1.00,\r\n'
    '"Müller, Eva",12,,eva,"XC 101, 102",,2.00,\r\n'
    '"O_Brien",13,,ob,XC 101,7.00,3.00,\r\n'
    '"Turing, Alan",14,,turing,XC 101,EX,4.00,\r\n'
    '"Link, Only",15,,link,XC 101,,,\r\n'
    '"Zuse, Konrad",16,,kz,XC 101,,,\r\n'
    '"Student, Test",99,,9f2c,XC 101,,,\r\n'
)


@pytest.fixture(scope="module")
def canvas_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = write_toy(tmp_path_factory.mktemp("toy"))
    with zipfile.ZipFile(place / "toy-hw1_submissions.zip", "w") as archive:
        for name, content in CLASS.items():
            archive.writestr(name, content)
    (place / "grades.csv").write_bytes(GRADEBOOK.encode())
    done = run("batch", "toy", "toy-hw1_submissions.zip", "--out", "out", "--workers", "1", cwd=place)
    (place / "shown.txt").write_text(succeeded(done), encoding="utf-8")
    return place


def export(place: Path, out: str, *options: str) -> str:
    command = (
        "export",
        "canvas",
        "--batch",
        "out",
        "--gradebook",
        "grades.csv",
        "--out",
        out,
        "--set",
        "column=4711",
    )
    return succeeded(run(*command, "--overwrite", "o_brien_13", *options, cwd=place))


def test_a_zip_of_canvas_is_recognised_and_graded(canvas_class: Path) -> None:
    shown = (canvas_class / "shown.txt").read_text(encoding="utf-8")
    assert "downloaded from Canvas: 5 submissions" in shown
    assert "marked late by Canvas" in shown
    table = (canvas_class / "out" / "gradebook.csv").read_text(encoding="utf-8")
    assert "lovelaceada_11,10," in table
    assert "turingalan_14,5," in table
    assert "link.html is a web page (HTML)" in table


def test_what_changed_comes_out_as_the_gradebook_that_canvas_takes(canvas_class: Path) -> None:
    shown = export(canvas_class, "canvas")
    assert "no result for 1 student there: Zuse, Konrad (16)" in shown
    assert (canvas_class / "canvas" / "canvas_gradebook.csv").read_bytes().decode() == (
        "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Toy (4711)\r\n"
        "    Points Possible,,,,,100.00\r\n"
        '"Müller, Eva",12,,eva,"XC 101, 102",50.00\r\n'
        '"O_Brien",13,,ob,XC 101,0.00\r\n'
        '"Link, Only",15,,link,XC 101,0.00\r\n'
    )


def test_feedback_comes_out_under_the_names_of_the_download(canvas_class: Path) -> None:
    export(canvas_class, "again")
    with zipfile.ZipFile(io.BytesIO((canvas_class / "again" / "feedback.zip").read_bytes())) as archive:
        assert archive.namelist() == ["müllereva_LATE_12_67891_value-1.py", "o_brien_13_67892_notes.txt"]
        assert "5 of 10" in archive.read("müllereva_LATE_12_67891_value-1.py").decode()


def test_after_the_import_there_is_nothing_to_write(canvas_class: Path) -> None:
    filled = GRADEBOOK.replace('XC 101, 102",,', 'XC 101, 102",50.00,').replace("7.00,3.00", "0.00,3.00")
    (canvas_class / "filled.csv").write_bytes(filled.replace("XC 101,,,\r\n", "XC 101,0.00,,\r\n", 1).encode())
    export(canvas_class, "third", "--gradebook", "filled.csv")
    assert (canvas_class / "third" / "canvas_gradebook.csv").read_bytes().count(b"\r\n") == 2
    assert not (canvas_class / "third" / "feedback.zip").exists()
