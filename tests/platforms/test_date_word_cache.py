"""The words of dates are the same from the cache, and collected anew where it holds nothing of use."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from autograder.platforms.moodle import date_word_cache
from autograder.platforms.moodle.babel_date_words import collect_babel_date_words
from autograder.platforms.moodle.language_date_words import LanguageDateWords

pytestmark = pytest.mark.skipif(find_spec("babel") is None, reason="Babel is not installed")
times: list[int] = []
"""How often words were collected."""


@cache
def collect_three() -> tuple[LanguageDateWords, ...]:
    return collect_babel_date_words()[:3]


def collect() -> tuple[LanguageDateWords, ...]:
    times.append(1)
    return collect_three()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder, which is not there yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(date_word_cache, "collect_babel_date_words", collect)
    times.clear()
    return tmp_path / "autograder"


def load() -> tuple[LanguageDateWords, ...]:
    """As a new process does."""
    return date_word_cache.load_date_words.__wrapped__()


@pytest.mark.thorough
def test_what_was_kept_is_what_was_collected(folder: Path) -> None:
    assert load() == load() == collect_three()
    assert len(times) == 1
    assert [path.suffix for path in folder.iterdir()] == [".date-words"]


@pytest.mark.parametrize("content", [b"", b"[{}", b"[[]]", b'[{"a": [[9, 0]]}]', b'{"a": 1}', b"\xff"])
def test_a_file_that_cannot_be_used_is_written_anew(folder: Path, content: bytes) -> None:
    load()
    (file,) = folder.iterdir()
    file.write_bytes(content)
    assert load() == collect_three()
    assert load() == collect_three()
    assert len(times) == 2


def test_without_a_folder_to_write_to_words_are_collected_each_time(tmp_path: Path) -> None:
    (tmp_path / "autograder").write_text("a file, and no folder")
    assert load() == load() == collect_three()
    assert len(times) == 2


def test_another_babel_is_another_file(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    load()
    monkeypatch.setattr(date_word_cache, "version", lambda name: "99")
    load()
    assert len({*folder.iterdir()}) == 2
