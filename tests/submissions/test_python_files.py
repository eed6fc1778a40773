"""A Python file is read as text, whatever its name and its line ends, or refused with what to do; nothing is run."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.submissions.handed_in import SOLVED, Put, Read, Refusal, sources


def test_a_python_file_is_one_unit_of_its_name(put: Put, read: Read) -> None:
    (unit,) = read(put("value.py")).units
    assert (unit.name, unit.source) == ("value.py", SOLVED)


def test_a_submission_is_called_like_its_file(put: Put, read: Read) -> None:
    assert read(put("alice.py")).id == "alice"


def test_a_submission_may_be_given_another_name(put: Put, read: Read) -> None:
    assert read(put("alice.py"), "student 7").id == "student 7"


def test_a_submission_is_known_by_the_hash_of_its_bytes(put: Put, read: Read) -> None:
    assert read(put("value.py")).sha256 == hashlib.sha256(SOLVED.encode()).hexdigest()


def test_nothing_is_run(put: Put, read: Read, tmp_path: Path) -> None:
    trace = tmp_path / "was_run"
    read(put("value.py", f"open({str(trace)!r}, 'w')\nraise SystemExit\n"))
    assert not trace.exists()


def test_an_ending_may_be_in_capitals(put: Put, read: Read) -> None:
    assert sources(read(put("VALUE.PY"))) == [SOLVED]


def test_a_syntax_error_is_left_for_later(put: Put, read: Read) -> None:
    assert sources(read(put("value.py", "def (:\n"))) == ["def (:\n"]


def test_a_byte_order_mark_is_taken_off(put: Put, read: Read) -> None:
    assert sources(read(put("value.py", "\ufeff" + SOLVED))) == [SOLVED]


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_lines_may_end_as_on_other_systems(put: Put, read: Read, ending: str) -> None:
    (source,) = sources(read(put("value.py", SOLVED.replace("\n", ending))))
    compile(source, "value.py", "exec")


@pytest.mark.parametrize(
    "name",
    [
        "my value.py",
        'it\'s "mine".py',
        "two\nlines.py",
        "größe_値.py",
        "\u202egp.eulav.py",
        "-rf.py",
        ".value.py",
        "value (1).py",
        "x" * 247 + ".py",
        "../handed_in/value.py",
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
        "# -*- coding: utf-8 -*-",
        "# coding=utf8",
        "# vim: set fileencoding=UTF-8 :",
        "# -*- coding: utf_8 -*-",
        "# -*- coding: utf-8-unix -*-",
        "# coding: utf-8-sig",
        "# coding: ascii",
        "# coding: us-ascii",
        "#!/usr/bin/env python3\n# coding: utf-8",
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


@pytest.mark.parametrize(
    "encoding", ["latin-1", "utf-7", "cp1252", "rot13", "utf-16", "Latin_1", "raw_unicode_escape"]
)
@pytest.mark.parametrize("above", ["", "#!/usr/bin/env python3\n", "\n"], ids=["first", "second", "below blank"])
def test_a_file_in_another_encoding_is_refused(put: Put, refusal: Refusal, encoding: str, above: str) -> None:
    refused = refusal(put("value.py", f"{above}# -*- coding: {encoding} -*-\n{SOLVED}"))
    assert refused.reason == "not-utf-8"
    assert "encoding. Save it as UTF-8" in refused.message


def test_text_that_is_not_utf_8_is_refused_with_its_line(put: Put, refusal: Refusal) -> None:
    refused = refusal(put("value.py", SOLVED.encode() + b"# caf\xe9\n"))
    assert (refused.reason, "value.py is not UTF-8 text (line 3)" in refused.message) == ("not-utf-8", True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_by_name(put: Put, refusal: Refusal, encoding: str) -> None:
    refused = refusal(put("value.py", f"\ufeff{SOLVED}".encode(encoding)))
    assert (refused.reason, "is UTF-16 text. Save it as UTF-8" in refused.message) == ("not-utf-8", True)


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n"], ids=repr)
@pytest.mark.parametrize("name", ["value.py", "value.ipynb"])
def test_an_empty_file_is_refused(put: Put, refusal: Refusal, name: str, content: bytes) -> None:
    refused = refusal(put(name, content))
    assert (refused.reason, "Save your" in refused.message) == ("empty", True)


@pytest.mark.parametrize(
    "content", [bytes(range(256)), b"\x89PNG\r\n\x1a\n\0\0", b"\x7fELF\0", b"\0", b"x = 1\0"], ids=range(5)
)
def test_a_binary_file_is_refused(put: Put, refusal: Refusal, content: bytes) -> None:
    assert refusal(put("value.py", content)).reason == "binary"


@pytest.mark.parametrize("name", ["value.txt", "value.pdf", "value.pyc", "value.rar", "value", "value.py.txt"])
def test_a_file_of_another_kind_is_refused_by_name(put: Put, refusal: Refusal, name: str) -> None:
    refused = refusal(put(name))
    assert (refused.reason, refused.files) == ("no-python-file", (name,))
    assert name in refused.message
    assert "Hand in value.py or value.ipynb" in refused.message


def test_a_file_that_is_not_there_is_refused(tmp_path: Path, refusal: Refusal) -> None:
    assert refusal(tmp_path / "value.py").reason == "unreadable"
