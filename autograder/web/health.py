"""Show the administrator the workers, the queue, recent faults and the free disk space."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from flask import render_template
from flask.typing import ResponseReturnValue

from autograder.kit_version import get_kit_version_with_code_digest
from autograder.store.connection import SCHEMA_VERSION
from autograder.web.names import get_student_display_names, name_submission
from autograder.web.request import Pages, Permission, current
from autograder.web.store.hand_ins import LEASE, HandIn, HandInQueueSummary
from autograder.web.store.staff_actions import LastWorkerRun

pages = Pages("admin_health_pages", __name__)
LEAST_FREE = 2**30
"""Free bytes on the disk below which the page shows a warning."""
LONGEST_WAIT = timedelta(minutes=10)
"""If the oldest queued hand-in has waited longer, the page shows a warning."""
MOST_FAULTS = 20


@pages.on_get("/health", Permission.SEE_HEALTH)
def show_server_health() -> ResponseReturnValue:
    """Show the state of the server, problems first."""
    store, course, now = current.store, current.course_key, datetime.now(UTC)
    workers, queue = store.workers.list_workers(course), store.hand_ins.load_hand_in_queue_summary(course)
    failed_hand_ins = [
        get_student_display_names(assignment.name).mask_hand_in(hand_in)
        for assignment in current.course.assignments
        for hand_in in store.hand_ins.list_hand_ins(course, assignment.name)
        if hand_in.state == "failed"
    ]
    location = current.settings.location
    out = location.output_folder.absolute()  # which may not exist yet if its store is elsewhere
    disk = shutil.disk_usage(next(folder for folder in (out, *out.parents) if folder.exists()))
    problems = [*_iterate_problems(workers, queue, failed_hand_ins, now)]
    if disk.free < LEAST_FREE:
        problems.append("The disk with the results is nearly full: make room before hand-ins are refused.")
    return render_template(
        "health.html.j2",
        problems=problems,
        workers=[
            (worker, "ended" if worker.ended_at else "running" if _is_running(worker, now) else "no longer seen")
            for worker in workers
        ],
        queue=queue,
        times=store.grading_queue.load_grading_times(course),
        mails=store.mails.count_by_state(course) if current.settings.mail_server else None,
        failed=failed_hand_ins,
        name=name_submission,
        faults=[
            replace(fault, text=_hide_names(fault.text))
            for fault in store.faults.list_latest_faults(course, MOST_FAULTS)
        ],
        disk=disk,
        out=location.output_folder,
        store_url=location.store_url.render_as_string(),
        kit=get_kit_version_with_code_digest(),
        python=platform.python_version(),
        tables=SCHEMA_VERSION,
        assignments=current.course.assignments,
        zone=next((one.deadline_rules.default_zone for one in current.course.assignments), None),
    )


def _iterate_problems(
    workers: Iterable[LastWorkerRun], queue: HandInQueueSummary, failed_hand_ins: Iterable[HandIn], now: datetime
) -> Iterator[str]:
    running_workers = [worker for worker in workers if _is_running(worker, now)]
    if not running_workers:
        yield "No worker is running, so nothing is graded. Start `autograder serve`, or `serve --only worker`."
    if any(worker.kit != get_kit_version_with_code_digest() for worker in running_workers):
        yield "A worker runs another version of the kit than the pages: start both again."
    if queue.oldest and now - queue.oldest > LONGEST_WAIT:
        yield f"A hand-in has waited for more than {LONGEST_WAIT // timedelta(minutes=1)} minutes."
    if any(failed_hand_ins):
        yield "The grader failed on hand-ins: see below, and grade them again when the cause is fixed."


def _hide_names(text: str) -> str:
    """Return a fault's text with pseudonyms for the students of every assignment that is graded anonymously."""
    for assignment in current.course.assignments:
        text = get_student_display_names(assignment.name).mask_text(text)
    return text


def _is_running(worker: LastWorkerRun, now: datetime) -> bool:
    return worker.ended_at is None and now - worker.seen_at < LEASE
