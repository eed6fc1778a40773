"""Cache the words of dates in every language between runs: collecting them takes longer than reading all dates.

They are in the cache folder of the user who grades. If they cannot be read or written, they are collected anew.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from autograder.file_cache import get_cache_file_path, write_cache_file_and_prune
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.platforms.moodle.babel_date_words import collect_babel_date_words
from autograder.platforms.moodle.language_date_words import DateWordKind, DateWordMeaning, LanguageDateWords

SUFFIX = ".date-words"

PackedLanguage = dict[str, list[tuple[DateWordKind, int]]]
"""The kinds and values of what each word may stand for."""


@cache
def load_date_words() -> tuple[LanguageDateWords, ...]:
    """Return every language once; see ``babel_date_words.collect_babel_date_words``.

    Raises:
        CallerFault: Babel is not installed.
    """
    with suppress(PackageNotFoundError, OSError, RuntimeError, msgspec.DecodeError):
        packed = msgspec.json.decode(_find_file().read_bytes(), type=list[PackedLanguage])
        return tuple(map(_unpack_language, packed))
    languages = collect_babel_date_words()
    with suppress(PackageNotFoundError, OSError, RuntimeError):
        write_cache_file_and_prune(_find_file(), msgspec.json.encode(list(map(_pack_language, languages))))
    return languages


def _pack_language(language: LanguageDateWords) -> PackedLanguage:
    return {word: [(one.kind, one.value) for one in meanings] for word, meanings in language.words.items()}


def _unpack_language(packed: PackedLanguage) -> LanguageDateWords:
    return LanguageDateWords({word: _unpack_meanings(tuple(meanings)) for word, meanings in packed.items()})


@cache
def _unpack_meanings(packed_meanings: Iterable[tuple[DateWordKind, int]]) -> frozenset[DateWordMeaning]:
    return frozenset(DateWordMeaning(kind, value) for kind, value in packed_meanings)


def _find_file() -> Path:
    key_parts = (get_kit_version_with_code_digest(), version("babel"), sys.version)
    digest = hashlib.sha256("\0".join(key_parts).encode()).hexdigest()[:16]
    return get_cache_file_path(f"{digest}{SUFFIX}")
