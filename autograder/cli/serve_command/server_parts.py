"""Run the parts of a server: the pages, the worker that grades, the outbox that sends marks, or all of them."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from autograder.cli.options.isolation_tier_options import IsolationTierOptions, choose_sandbox_and_warn_if_weak
from autograder.cli.output.console import print_line
from autograder.course import load_course
from autograder.faults import CallerFault
from autograder.kit_version import advise_to_install_extra
from autograder.lti import are_packages_installed

if TYPE_CHECKING:
    from autograder.web.course_server_settings import CourseServerSettings


def run_page_server(courses: Sequence[CourseServerSettings]) -> None:
    """Serve the pages of all courses until the process is told to end."""
    from autograder.web.server import serve_pages
    from autograder.web.workers.supervisor import call_when_stdin_closes

    call_when_stdin_closes(_end_now)
    serve_pages(courses)


def run_grading_worker(
    courses: Sequence[CourseServerSettings], tiers: IsolationTierOptions, worker_name: str, process_count: int | None
) -> None:
    """Grade the hand-ins to all courses until the process is told to end.

    Args:
        courses: the courses, which are graded in turns.
        tiers: the accepted isolation.
        worker_name: names this worker.
        process_count: how many processes grade at once; one per processor when None.
    """
    from autograder.web.workers.course_grading_turns import grade_courses_in_turns
    from autograder.web.workers.hand_in_worker import CourseHandInWorker
    from autograder.web.workers.supervisor import call_when_stdin_closes, set_event_on_end_signals

    stop = threading.Event()
    set_event_on_end_signals(stop)
    os.nice(10)  # the page server has priority
    call_when_stdin_closes(stop.set)
    workers = [
        CourseHandInWorker(
            course,
            lambda assignment: choose_sandbox_and_warn_if_weak(assignment, tiers),
            worker_name,
            process_count,
            stop,
        )
        for course in courses
    ]
    grade_courses_in_turns(workers, stop)


def run_mark_outbox(courses: Sequence[CourseServerSettings], worker_name: str) -> None:
    """Send the marks of all courses to LMSs until the process is told to end; each course has a thread.

    Raises:
        CallerFault: a package is missing, or a store cannot be opened.
    """
    if not are_packages_installed():
        raise CallerFault("the packages for LTI are not installed", advice=advise_to_install_extra("lti"))
    from autograder.web.workers.lms_sync_worker import LmsSyncWorker
    from autograder.web.workers.supervisor import call_when_stdin_closes, set_event_on_end_signals

    stop = threading.Event()
    set_event_on_end_signals(stop)
    if not sys.stdin.isatty():
        call_when_stdin_closes(stop.set)
    with ThreadPoolExecutor(len(courses)) as threads:
        futures = [threads.submit(LmsSyncWorker(course, worker_name, stop).run) for course in courses]
        ended_futures, _ = wait(futures, return_when=FIRST_EXCEPTION)
        stop.set()
    for future in ended_futures:
        future.result()


def supervise_all_parts_and_exit(courses: Sequence[CourseServerSettings], tiers: IsolationTierOptions) -> None:
    """Run every part in a process of its own, and start again what ends.

    Raises:
        CallerFault: the server cannot run as it was started.
    """
    from autograder.web.demo_class import ensure_demo_class
    from autograder.web.server import require_free_address
    from autograder.web.workers.supervisor import SupervisedProcess, set_event_on_end_signals, supervise

    for course in courses:
        for assignment in load_course(course.course).assignments:
            choose_sandbox_and_warn_if_weak(assignment, tiers)
    require_free_address(courses[0])
    for course in courses:
        if course.demo:
            ensure_demo_class(course)
        with course.location.open_or_create_store():
            pass  # says at once what is wrong with it
    own_command = [sys.executable, "-m", "autograder", *sys.argv[1:]]
    stop = threading.Event()
    set_event_on_end_signals(stop)
    course_paths = ", ".join(str(course.course) for course in courses)
    print_line(f"{courses[0].server_url} serves {course_paths}; Ctrl-C ends it")
    parts = ("pages", "worker", "outbox") if are_packages_installed() else ("pages", "worker")
    sys.exit(supervise([SupervisedProcess([*own_command, "--only", part]) for part in parts], stop))


def _end_now() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
