"""What was typed into a platform's editor comes out as it was typed, whatever it is, and soon."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.platforms.common.html_to_text import convert_html_to_plain_text
from tests.machine import cost_of

CODE = (
    st.lists(st.text('ab <>&"=:#()', max_size=20).map(str.rstrip), max_size=8)
    .map("\n".join)
    .map(lambda code: code.strip("\n"))
)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>class V:</p><p>&nbsp; &nbsp; def f(self):</p>", "class V:\n    def f(self):\n"),
        ("<p>if a &lt; b:<br />&nbsp;&nbsp;x = 1</p>", "if a < b:\n  x = 1\n"),
        ("<div>\r\n<p>a</p>\r\n<p>b<br>\r\n  c</p>\r\n</div>", "a\nb\n  c\n"),
        ("<pre>\nclass V:\n\n    def f(self):\n        pass\n</pre>", "class V:\n\n    def f(self):\n        pass\n"),
        ("<p>x<b>y</b> z</p>", "xy z\n"),
        ("<p>a</p><p><br></p><p>b</p>", "a\n\nb\n"),
        ("<p>a</p>\n<p>&nbsp;</p>\n<p>b</p>", "a\n\nb\n"),
        ("<p>a</p> <p>b</p>", "a\nb\n"),
        ("<p>a:</p><p>&nbsp; <b>&nbsp;</b> b</p>", "a:\n    b\n"),
        ("<p>a<!-- x <b> -->b</p><style>p{}</style>c<!-- <!-- no end", "ab\nc\n"),
        ("<!DOCTYPE html><html><head><title>t</title></head><body><![if x]>a<![endif]></body></html>", "a\n"),
        ("a < b and c > d", "a < b and c > d\n"),
        ("<p>&nbsp;</p><p></p>\n", ""),
        ("", ""),
    ],
)
def test_the_text_is_what_is_seen(markup: str, text: str) -> None:
    assert convert_html_to_plain_text(markup) == text


@given(CODE)
def test_lines_come_back_as_they_were_typed(code: str) -> None:
    escaped = html.escape(code).replace(" ", "&nbsp;")
    ways = [
        "<p>" + escaped.replace("\n", "<br />") + "</p>",
        f"<pre>{html.escape(code)}</pre>",
    ]
    for markup in ways:
        assert convert_html_to_plain_text(markup) == (f"{code}\n" if code.strip() else "")


@given(st.text("<>!-/abrp &;#'\"\n"))
def test_anything_has_some_text(markup: str) -> None:
    assert "\r" not in convert_html_to_plain_text(markup)


@pytest.mark.parametrize("piece", ["<!--", "<![", "<p a='", "</", "<script>", "&", "<b>a", "<"])
def test_no_text_is_made_to_take_long(piece: str) -> None:
    cost = cost_of(lambda: convert_html_to_plain_text(f"<p>{piece * (2**20 // len(piece))}"))
    assert cost < 160, "a parser that looks at everything again for each piece takes minutes"
