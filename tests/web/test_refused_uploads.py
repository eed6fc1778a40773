"""What cannot be handed in is refused with a sentence, and nothing of it is kept."""

from __future__ import annotations

import io

import pytest

from autograder.platforms.common.export_files import make_zip
from tests.toy import RIGHT
from tests.web.conftest import Site


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("value.py", b"", "is empty"),
        ("value.exe", b"MZ", "hand in .py, .ipynb or .zip"),
        ("value.py.html", b"<script>", "value.py is a web page or another XML file, not Python"),
        ("my notes (2).ipynb", b"<!doctype html>", "my notes (2).ipynb is a web page (HTML), not a Jupyter notebook"),
        ("value", b"x", "hand in .py, .ipynb or .zip"),
        ("value.py", b"\x7fELF\0\0\0", "is not text"),
        ("value.zip", b"Dear all", "value.zip: The zip cannot be read"),
        ("value.zip", b"Rar!\x1a\7\0", "value.zip is a RAR archive, not a zip"),
        ("value.ipynb", b"{}", "value.ipynb is not a Jupyter notebook"),
        ("value.ipynb", b"[" * 100_000, "otebook"),
        ("value.zip", make_zip({f"f{number}.py": b"" for number in range(2_500)}), "members"),
        ("value.zip", make_zip({"../../value.py": RIGHT.encode()}), "zip"),
        ("value.zip", make_zip({"readme.txt": b"hello"}), "no Python file"),
        ("value.py", b"#" * (2 * 2**20), "kB"),
    ],
)
def test_what_is_not_what_it_says_is_refused_and_not_kept(
    site: Site, name: str, content: bytes, sentence: str
) -> None:
    ada, before = site.browser("ada"), site.hand_ins()
    answer = ada.hand_in(content, name)
    assert answer.status_code == 422
    assert "Nothing was handed in." in answer.text
    assert sentence in answer.text
    assert site.hand_ins() == before


@pytest.mark.parametrize("name", ["value.py.txt", "value(1).py", "value.py.download", "value.ipynb", "value.zip"])
def test_a_right_program_is_taken_under_any_of_these_names(site: Site, name: str) -> None:
    answer = site.browser("ada").hand_in(RIGHT.encode(), name)
    assert answer.status_code == 303


def test_nothing_at_all_is_refused_with_a_sentence(site: Site) -> None:
    assert "There is nothing to hand in: choose a file, or paste" in site.browser("ada").post("/assignments/toy").text


def test_a_file_and_pasted_code_together_are_refused_and_the_code_stays(site: Site) -> None:
    ada, before = site.browser("ada"), site.hand_ins()
    answer = ada.post("/assignments/toy", file=(io.BytesIO(RIGHT.encode()), "value.py"), code="print('pasted')")
    assert answer.status_code == 422
    assert "You chose a file and pasted code: hand in one of the two." in answer.text
    assert "print(&#39;pasted&#39;)</textarea>" in answer.text
    assert site.hand_ins() == before


def test_a_refusal_shows_code_as_code_and_no_file_name_can_make_any(site: Site) -> None:
    ada = site.browser("ada")
    page = ada.hand_in(b"x", "`<b>`.exe").text
    assert "&lt;b&gt;" in page
    assert "<code>" not in page.partition('id="refused"')[2].partition("</p>")[0]


def test_a_body_beyond_the_limit_is_refused_with_a_sentence(site: Site) -> None:
    ada, before = site.browser("ada"), site.hand_ins()
    answer = ada.hand_in(b"#" * (21 * 2**20))
    assert (answer.status_code, "At most 20 MB" in answer.text) == (413, True)
    assert site.hand_ins() == before


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/cron.d/value.py",
        "..\\..\\value.py",
        "/etc/value.py",
        "a\0b.py",
        "<img src=x>.py",
        ".py",
        "\u202evalue.py",
    ],
)
def test_a_name_of_a_file_is_never_a_path_nor_markup(site: Site, name: str) -> None:
    ada = site.browser("ada")
    answer = ada.hand_in(RIGHT, name)
    if answer.status_code == 422:
        assert "hand in .py" in answer.text
        assert "<img" not in answer.text
        return
    kept = site.hand_ins()[-1]
    assert not {*kept.file_name} & {*"/\\<>\0\u202e"}
    assert "<img" not in ada.get(answer.headers["Location"]).text
