"""Show long lists of people in pages of fifty, with filters in the address and a search that forgives accents."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Generic, TypeVar

from flask import request, url_for

from autograder.store.audit import AuditRow, AuditSelection
from autograder.web.names import get_student_display_names
from autograder.web.request import STAFF, current

T = TypeVar("T")
PAGE_ROWS = 50
MOST_CHARACTERS = 200
WITHOUT_MARKS = str.maketrans({"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe"})
"""Letters that no decomposition makes ASCII, and that people type as these."""


@lru_cache(1 << 15)  # a class is sorted by its names for each page
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


@dataclass(frozen=True, slots=True)
class SectionFilter:
    """The section that the address of a page asks for; without one, all students that the person may see."""

    chosen: str = ""
    is_offered: bool = False
    """Whether there may be sections to choose: not for students, and not where they have pseudonyms, since a small
    section would say who is who."""
    shows_all: bool = True
    """Whether whole classes are shown, with those who left."""

    @property
    def choices(self) -> list[str]:
        """Return the sections of the students that the person may see."""
        students = filter(current.may_see_student, current.student_by_login.values() if self.is_offered else ())
        return sorted({section for one in students for section in one.sections})

    def shows(self, owner: str) -> bool:
        """Return whether a student or a team is shown: ``ada``, ``ada + bob``."""
        if self.shows_all:
            return True
        members = current.list_present_members(owner)
        return current.may_see_owner(owner) and any(one.is_in_section(self.chosen) for one in members)

    def shows_submission(self, submission: str) -> bool:
        """Return whether a submission is shown: ``ada-1``, ``ada + bob-2``."""
        return self.shows(submission.rpartition("-")[0])


def read_section_filter(assignment_name: str = "") -> SectionFilter:
    """Return the staff's filter of a page; of an assignment that is graded anonymously, it shows everybody."""
    is_hidden = assignment_name and get_student_display_names(assignment_name).are_hidden
    is_offered = current.person.role in STAFF and not is_hidden
    chosen = read_filters("section")["section"] if is_offered else ""
    return SectionFilter(chosen, is_offered, shows_all=not chosen and not current.own_sections)


def read_filters(*names: str) -> dict[str, str]:
    """Return what the address says of each filter; empty for one that it does not name."""
    return {name: request.args.get(name, "")[:MOST_CHARACTERS] for name in names}


def make_page_link(endpoint: str, **filters: Any) -> Callable[[int], str]:
    """Return what makes the address of another page of a list, with the same filters but for empty ones."""
    kept: dict[str, Any] = {name: value for name, value in filters.items() if value != ""}
    return lambda number: url_for(endpoint, **kept, page=number if number > 1 else None)
