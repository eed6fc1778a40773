"""Find similar code among the last attempts of a class, and cache it until something is handed in.

The last attempt of each student or team is compared.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from flask import current_app

from autograder.class_reports.code_similarity import find_similar_code
from autograder.class_reports.comparable_code import iterate_given_sources, try_read_submission_code
from autograder.class_reports.similar_code_findings import SimilarCodeFindings, SubmittedProgram
from autograder.course import Assignment
from autograder.store.store import Store
from autograder.store.web.hand_in_table import HandIn

FOUND = "autograder-similar"


@dataclass
class _Found:
    """The last findings by assignment. A comparison takes seconds, so a lock lets one request at a time do it."""

    by_assignment: dict[str, tuple[object, SimilarCodeFindings]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


def find_similar_code_with_cache(store: Store, course: str, assignment: Assignment) -> SimilarCodeFindings:
    """Return similar hand-ins; reuse the last findings if neither the hand-ins nor the assignment changed.

    Args:
        store: holds what was handed in.
        course: the course.
        assignment: the assignment; code that it gave to students is not compared.
    """
    last = {one.owner: one for one in store.hand_ins.list_hand_ins(course, assignment.name)}
    state = assignment.version, frozenset(one.id for one in last.values())
    found: _Found = current_app.extensions.setdefault(FOUND, _Found())
    with found.lock:
        known, similar = found.by_assignment.get(assignment.name, (None, None))
        if similar is None or known != state:
            similar = _compare(store, [*last.values()], assignment)
            found.by_assignment[assignment.name] = state, similar
        return similar


def _compare(store: Store, hand_ins: list[HandIn], assignment: Assignment) -> SimilarCodeFindings:
    programs, unread = [], []
    with TemporaryDirectory(prefix="similar-") as folder:
        for one in hand_ins:
            path = Path(folder) / f"program{Path(one.file_name).suffix}"
            path.write_bytes(store.hand_ins.load_content(one))
            source = try_read_submission_code(path, assignment)
            if source is None:
                unread.append(one.submission)
            else:
                programs.append(SubmittedProgram(one.submission, source, frozenset(one.owner.split("+"))))
    return find_similar_code(programs, iterate_given_sources(assignment), unread)
