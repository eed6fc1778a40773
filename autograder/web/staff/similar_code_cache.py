"""Find similar code among the last attempts of a class, and cache it until something is handed in.

The last attempt of each student or team is compared.
"""

from __future__ import annotations

import threading
from pathlib import Path

from flask import current_app

from autograder.class_reports.code_similarity import find_similar_code
from autograder.class_reports.compared_sources import iterate_given_sources, try_read_submission_code
from autograder.class_reports.similar_code_findings import SimilarCodeFindings, SubmittedProgram
from autograder.course import Assignment
from autograder.store.store import Store
from autograder.store.web.hand_in_model import HandIn
from autograder.submissions.origin import TOGETHER
from autograder.temporary_folders import temporary_folder
from autograder.web.reading_processes import ReadingStopped, read_apart

FOUND = "autograder-similar"
_lock = threading.Lock()
"""Lets one request at a time compare: it takes seconds."""


def find_similar_code_with_cache(store: Store, course: str, assignment: Assignment) -> SimilarCodeFindings:
    """Return similar hand-ins; reuse the last findings if neither the hand-ins nor the assignment changed.

    Args:
        store: holds what was handed in.
        course: the course.
        assignment: the assignment; code that it gave to students is not compared.
    """
    last_hand_ins = {hand_in.owner: hand_in for hand_in in store.hand_ins.list_hand_ins(course, assignment.name)}
    state = assignment.version, frozenset(hand_in.id for hand_in in last_hand_ins.values())
    cache: dict[str, tuple[object, SimilarCodeFindings]] = current_app.extensions.setdefault(FOUND, {})
    with _lock:
        if cache.get(assignment.name, ("",))[0] != state:
            cache[assignment.name] = state, _compare_hand_ins(store, [*last_hand_ins.values()], assignment)
        return cache[assignment.name][1]


def _compare_hand_ins(store: Store, hand_ins: list[HandIn], assignment: Assignment) -> SimilarCodeFindings:
    programs, unreadable_ids = [], []
    with temporary_folder("similar") as folder:
        for hand_in in hand_ins:
            path = folder / f"program{Path(hand_in.file_name).suffix}"
            path.write_bytes(store.hand_ins.load_content(hand_in))
            try:
                source = read_apart(try_read_submission_code, path, assignment)
            except ReadingStopped:
                source = None
            if source is None:
                unreadable_ids.append(hand_in.submission)
            else:
                programs.append(
                    SubmittedProgram(hand_in.submission, source, frozenset(hand_in.owner.split(TOGETHER)))
                )
    return find_similar_code(programs, iterate_given_sources(assignment), unreadable_ids)
