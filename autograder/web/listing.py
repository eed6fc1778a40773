"""Show long lists of people in pages of fifty, with filters in the address and a search that forgives accents."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from flask import request, url_for

from autograder.store.audit import AuditRow, AuditSelection
from autograder.web.request import current

T = TypeVar("T")
PAGE_ROWS = 50
MOST_CHARACTERS = 200
WITHOUT_MARKS = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"})
"""Letters that no decomposition makes ASCII, and that people type as these."""


def fold_for_search(text: str) -> str:
    """Return a text as people may type it: small letters without accents.

    >>> fold_for_search("Yılmaz, Łukasz O’BRIEN-Müller")
    "yilmaz, lukasz o'brien-muller"
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return kept.translate(WITHOUT_MARKS).replace("’", "'")


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """One page of a list."""

    rows: Sequence[T]
    number: int
    """From 1."""
    total: int
    """Rows of all pages."""

    @property
    def last_number(self) -> int:
        """Return the number of the last page."""
        return max(1, math.ceil(self.total / PAGE_ROWS))

    @property
    def first_row(self) -> int:
        """Return the place of the first row in the list, from 1; 0 if there is none."""
        return (self.number - 1) * PAGE_ROWS + 1 if self.rows else 0

    @property
    def last_row(self) -> int:
        """Return the place of the last row in the list."""
        return (self.number - 1) * PAGE_ROWS + len(self.rows)


def cut_page(rows: Sequence[T]) -> ListPage[T]:
    """Return the page of a list that the address asks for; the last one if it asks for more."""
    return _load_page(len(rows), lambda skipped, count: rows[skipped : skipped + count])


def _load_page(total: int, load: Callable[[int, int], Sequence[T]]) -> ListPage[T]:
    """Return what ``cut_page`` does of a list of ``total`` rows; ``load`` skips rows, and returns so many."""
    asked = request.args.get("page", "")
    last = max(1, math.ceil(total / PAGE_ROWS))
    number = min(max(int(asked), 1), last) if asked.isdecimal() and len(asked) < 7 else 1
    return ListPage(load((number - 1) * PAGE_ROWS, PAGE_ROWS), number, total)


def load_page_of_log(selection: AuditSelection) -> ListPage[AuditRow]:
    """Return the page of an audit log that the address asks for, the latest rows first."""
    audit = current.store.audit
    return _load_page(audit.count_audit_rows(selection), partial(audit.load_latest_audit_rows, selection))


def read_filters(*names: str) -> dict[str, str]:
    """Return what the address says of each filter; empty for one that it does not name."""
    return {name: request.args.get(name, "")[:MOST_CHARACTERS] for name in names}


def make_page_link(endpoint: str, **filters: Any) -> Callable[[int], str]:
    """Return what makes the address of another page of a list, with the same filters but for empty ones."""
    kept: dict[str, Any] = {name: value for name, value in filters.items() if value != ""}
    return lambda number: url_for(endpoint, **kept, page=number if number > 1 else None)
