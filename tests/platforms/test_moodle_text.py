"""A program that was typed into Moodle's editor comes out as it was meant."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.platforms.common.html_to_text import convert_html_to_plain_text
from tests.machine import cost_of

PROGRAM = "class Value:\n    def __init__(self, data):\n        self.data = data  # a < b & c\n\nx = 'é'\n"


def text_of(page: bytes) -> str:
    return convert_html_to_plain_text(page.decode("utf-8", "replace"))


def escaped(line: str) -> str:
    return html.escape(line).replace("  ", "&nbsp; ")


@pytest.mark.parametrize(
    "page",
    [
        "".join(f"<p>{escaped(line) or '<br>'}</p>\n" for line in PROGRAM.splitlines()),
        "<p>" + "<br />\n".join(map(escaped, PROGRAM.splitlines())) + "</p>",
        "<div>" + "<br>".join(map(escaped, PROGRAM.splitlines())) + "</div>",
        f"<pre>{html.escape(PROGRAM)}</pre>",
        f"<pre><code>\n{html.escape(PROGRAM)}</code></pre>\n<p>&nbsp;</p>",
        "<ul>" + "".join(f"\n  <li>{escaped(line)}</li>" for line in PROGRAM.splitlines()) + "\n</ul>",
        html.escape(PROGRAM).replace("\n", "\r\n"),
        '<p style="x">' + "</p><p>".join(f"<span>{escaped(line)}</span>" for line in PROGRAM.splitlines()) + "</p>",
    ],
    ids=["paragraphs", "breaks of plain text", "breaks", "pre", "code in pre", "list", "no tags", "spans"],
)
def test_a_program_keeps_its_lines_and_indentation(page: str) -> None:
    whole = f'<!DOCTYPE html><html><head><meta charset="UTF-8"></head><body>{page}</body></html>'
    assert [line for line in text_of(whole.encode()).splitlines() if line] == [
        line for line in PROGRAM.splitlines() if line
    ]


def test_blank_lines_of_plain_text_stay() -> None:
    assert text_of(b"<p>a = 1<br />\n<br />\nb = 2</p>") == "a = 1\n\nb = 2\n"


@pytest.mark.parametrize(
    "page",
    [b"", b"<html><body></body></html>", b"<p>&nbsp;</p><p><br></p>", b"<style>p {x: y}</style><script>f()</script>"],
)
def test_what_shows_nothing_is_empty(page: bytes) -> None:
    assert text_of(page) == ""


@given(st.text("<>/!-[]&;#p\nbré x\"'=") | st.binary().map(lambda raw: raw.decode("latin-1")))
def test_no_page_is_too_broken_to_be_read(page: str) -> None:
    text = text_of(page.encode())
    assert text == "" or (text.endswith("\n") and text.strip())


@pytest.mark.parametrize(
    "page", [b"<![nonsense[ x", b"<!DOCTYPE x [<!ELEMENT>", b"\xff\xfe<p>x", b"<p" * 9999 + b"x"]
)
def test_declarations_that_nobody_writes_stop_nothing(page: bytes) -> None:
    assert isinstance(text_of(page), str)


@pytest.mark.parametrize(
    "piece", ["<!--", "<a ", "<a b='", "<a/", "</", "<?", "<![CDATA[", "<script>", "&#", "<", "<p>"]
)
def test_a_million_bytes_of_unfinished_tags_take_seconds_and_not_hours(piece: str) -> None:
    assert cost_of(lambda: text_of((piece * (1_000_000 // len(piece))).encode())) < 320


def test_a_sign_that_begins_no_tag_is_the_students() -> None:
    assert text_of(b"<p>if a < b and c <= d:</p><!-- x --><p>1 << 2</p>") == "if a < b and c <= d:\n1 << 2\n"


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1), min_size=1))
def test_lines_in_paragraphs_come_back_letter_for_letter(lines: list[str]) -> None:
    page = "\n".join(f"<p>{html.escape(line)}</p>" for line in lines)
    assert text_of(page.encode()) == "\n".join(lines) + "\n"
