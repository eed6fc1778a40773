"""A Python file is read as text, whatever its name and its line ends, or refused with what to do; nothing is run."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.submissions.handed_in import SOLVED, Put, Read, Refusal, notebook, sources


def test_a_python_file_is_one_unit_known_by_its_name_and_the_hash_of_its_bytes(put: Put, read: Read) -> None:
    submission = read(put("alice.py"))
    assert [(unit.name, unit.source) for unit in submission.units] == [("alice.py", SOLVED)]
    assert (submission.id, submission.sha256) == ("alice", hashlib.sha256(SOLVED.encode()).hexdigest())
    assert read(put("alice.py"), "student 7").id == "student 7"


def test_nothing_is_run(put: Put, read: Read, tmp_path: Path) -> None:
    trace = tmp_path / "was_run"
    read(put("value.py", f"open({str(trace)!r}, 'w')\nraise SystemExit\n"))
    assert not trace.exists()


@pytest.mark.parametrize(
    ("content", "source"), [("def (:\n", "def (:\n"), ("\ufeff" + SOLVED, SOLVED)], ids=["syntax error", "BOM"]
)
def test_text_is_read_without_its_mark_and_its_mistakes_are_left_for_later(
    put: Put, read: Read, content: str, source: str
) -> None:
    assert sources(read(put("value.py", content))) == [source]


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_lines_may_end_as_on_other_systems(put: Put, read: Read, ending: str) -> None:
    (source,) = sources(read(put("value.py", SOLVED.replace("\n", ending))))
    compile(source, "value.py", "exec")


@pytest.mark.parametrize(
    "name",
    [
        *("VALUE.PY", "my value.py", 'it\'s "mine".py', "two\nlines.py", "größe_値.py", "\u202egp.eulav.py"),
        *("-rf.py", ".value.py", "value (1).py", "x" * 247 + ".py", "../handed_in/value.py"),
    ],
)
def test_a_file_may_have_an_odd_name(put: Put, folder: Path, read: Read, name: str) -> None:
    assert sources(read(put(name))) == [SOLVED]


def test_a_name_that_is_no_text_does_not_reach_the_students_process(put: Put, folder: Path, read: Read) -> None:
    (unit,) = read(put("caf\udce9.py")).units
    assert unit.name.encode().endswith(b".py")


@pytest.mark.parametrize(
    "comment",
    [
        *("# -*- coding: utf-8 -*-", "# coding=utf8", "# vim: set fileencoding=UTF-8 :", "# coding: us-ascii"),
        *("# -*- coding: utf-8-unix -*-", "# coding: utf-8-sig", "#!/usr/bin/env python3\n# coding: utf-8"),
    ],
)
def test_a_file_may_say_that_it_is_utf_8(put: Put, read: Read, comment: str) -> None:
    assert sources(read(put("value.py", f"{comment}\n{SOLVED}"))) == [f"{comment}\n{SOLVED}"]


@pytest.mark.parametrize(
    "start",
    [
        "\n\n# coding: latin-1",
        "import math\n# on coding: style",
        '"""An engine.\n# encoding: values"""',
        "x = '# coding: y'",
    ],
    ids=["third line", "below code", "in a docstring", "in a string"],
)
def test_what_python_does_not_take_for_an_encoding_is_none(put: Put, read: Read, start: str) -> None:
    assert sources(read(put("value.py", f"{start}\n{SOLVED}"))) == [f"{start}\n{SOLVED}"]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "Latin_1", "iso-8859-15", "cp1250", "utf-7", "big5"])
@pytest.mark.parametrize("above", ["", "#!/usr/bin/env python3\n", "\n"], ids=["first", "second", "below blank"])
def test_a_file_is_read_in_the_encoding_that_it_declares(put: Put, read: Read, encoding: str, above: str) -> None:
    letter = "é" if encoding not in ("big5", "cp1250") else "中" if encoding == "big5" else "ř"
    text = f"{above}# -*- coding: {encoding} -*-\n{SOLVED}# {letter}\n"
    assert sources(read(put("value.py", text.encode(encoding)))) == [text]


def test_a_byte_order_mark_counts_more_than_what_the_file_declares(put: Put, read: Read) -> None:
    text = f"# coding: latin-1\n{SOLVED}# é\n"
    assert sources(read(put("value.py", text.encode("utf-8-sig")))) == [text]


@pytest.mark.parametrize("encoding", ["rot13", "utf-16", "hex", "no-such-encoding", "utf8mb4"])
def test_an_encoding_that_python_does_not_take_is_refused(put: Put, refusal: Refusal, encoding: str) -> None:
    refused = refusal(put("value.py", f"# -*- coding: {encoding} -*-\n{SOLVED}"))
    assert refused.reason == "not-utf-8"
    assert refused.message == (
        "value.py declares an encoding that Python does not know. Delete that line at its top, save the file as "
        "UTF-8 and hand it in again."
    )


@pytest.mark.parametrize(
    ("head", "kind"), [("# coding: ascii\n", "ascii"), ("# coding: cp1252\n", "cp1252"), ("x = 1\n", "UTF-8")]
)
def test_text_that_is_not_in_the_declared_encoding_is_refused_with_its_line(
    put: Put, refusal: Refusal, head: str, kind: str
) -> None:
    refused = refusal(put("value.py", f"{head}{SOLVED}".encode() + b"# \x81\n"))
    assert refused.reason == "not-utf-8"
    assert f"value.py is not {kind} text (line 4). Save it as UTF-8" in refused.message


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_by_name(put: Put, refusal: Refusal, encoding: str) -> None:
    refused = refusal(put("value.py", f"\ufeff{SOLVED}".encode(encoding)))
    assert (refused.reason, "is UTF-16 text. Save it as UTF-8" in refused.message) == ("not-utf-8", True)


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n"], ids=repr)
@pytest.mark.parametrize("name", ["value.py", "value.ipynb"])
def test_an_empty_file_is_refused(put: Put, refusal: Refusal, name: str, content: bytes) -> None:
    refused = refusal(put(name, content))
    assert (refused.reason, "Save your" in refused.message) == ("empty", True)


@pytest.mark.parametrize("content", [bytes(range(256)), b"\x7fELF\0", b"\0", b"x = 1\0"], ids=range(4))
def test_a_binary_file_is_refused(put: Put, refusal: Refusal, content: bytes) -> None:
    assert refusal(put("value.py", content)).reason == "binary"


@pytest.mark.parametrize(
    "name",
    [
        *("value.py.txt", "value(1).py", "value.py.download", "value.PY.TXT", "value.py (1)", "value (2).py.txt"),
        *("value.py~", "value.py.bak", "value.txt", "value", "value.json", "ada's work.md", "value.ipynb"),
    ],
)
@pytest.mark.parametrize("in_folder", [False, True], ids=["alone", "in a folder"])
def test_what_a_file_holds_counts_more_than_its_ending(
    put: Put, folder: Path, read: Read, name: str, in_folder: bool
) -> None:
    path = put(name)
    submission = read(folder if in_folder else path)
    assert sources(submission) == [SOLVED]
    assert submission.files == (name,)
    what = "Python text, not a notebook," if name.endswith(".ipynb") else "Python text,"
    if not name.endswith(".py"):
        assert submission.notes == (
            f"{name} holds {what} and was graded as a Python file. Next time hand in the Python file itself, "
            "with its name ending in .py.",
        )


@pytest.mark.parametrize(
    "name", ["value.ipynb.json", "value.ipynb.txt", "value.json", "value.ipynb (1)", "value", "value.py", "v.py.txt"]
)
@pytest.mark.parametrize("in_folder", [False, True], ids=["alone", "in a folder"])
def test_a_notebook_is_one_under_any_name(put: Put, folder: Path, read: Read, name: str, in_folder: bool) -> None:
    path = put(name, notebook("x = 1", SOLVED))
    submission = read(folder if in_folder else path)
    assert sources(submission) == ["x = 1", SOLVED]
    assert f"{name} holds a notebook" in submission.notes[0]


def test_a_file_with_its_own_ending_goes_before_one_with_another(put: Put, folder: Path, read: Read) -> None:
    put("value.py.bak", "class Value: ...\n")
    put("value.py")
    put("value.py~", "class Value: ...\n")
    assert sources(read(folder)) == [SOLVED]


@pytest.mark.parametrize("name", ["value.txt", "value.pyc", "value", "notes.md"])
def test_a_file_without_a_program_is_refused_by_name(put: Put, refusal: Refusal, name: str) -> None:
    refused = refusal(put(name, "Dear all, I could not do it.\n"))
    assert (refused.reason, refused.files) == ("no-python-file", (name,))
    assert refused.message == (
        f"There is no Python file or notebook here, only {name}. Hand in value.py or value.ipynb."
    )


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\n<!DOCTYPE html>\n<html><body>class Value:</body></html>", "a web page (HTML)"),
        (b"<html lang=en>class Value: ...", "a web page (HTML)"),
        (b"{\\rtf1\\ansi class Value:}", "a document of a text processor (RTF)"),
        (b"%PDF-1.7\n\0", "a PDF document"),
        (b"PK\3\4\0[Content_Types].xml\0", "a zip archive or an office document"),
        (b"\x89PNG\r\n\x1a\n\0\0", "a picture"),
        (b"Rar!\x1a\7\0", "a RAR archive"),
    ],
)
@pytest.mark.parametrize("name", ["value.py", "mine.ipynb", "value.zip", "value.dat"])
def test_what_is_no_program_at_all_is_told_by_its_name_and_kind(
    put: Put, refusal: Refusal, name: str, content: bytes, kind: str
) -> None:
    message = refusal(put(name, content)).message
    if not (name == "value.zip" and b"PK" in content):
        assert message.startswith(f"{name} is {kind}")
    assert "and in" in message or "hand in" in message


def test_a_file_that_is_not_there_is_refused(tmp_path: Path, refusal: Refusal) -> None:
    assert refusal(tmp_path / "value.py").reason == "unreadable"
