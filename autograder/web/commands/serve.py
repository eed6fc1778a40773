"""Serve courses on the web (``autograder serve``), and keep the processes of the server running."""

from __future__ import annotations

import importlib.util
import logging
import os
import platform
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import click

from autograder.batch import BatchLocation
from autograder.cli.options import (
    CourseOption,
    IsolationTierOptions,
    add_isolation_tier_options,
    results_folder_option,
    store_option,
)
from autograder.cli.terminal import exit_on_fault, print_line
from autograder.course import Course, load_course
from autograder.faults import CallerFault, list_ending_signals
from autograder.kit_version import advise_to_install_extra
from autograder.web.lti import are_packages_installed
from autograder.web.settings import STUDENT_MB, CourseServerSettings
from autograder.web.store.server_store import open_server_store

CALLERS_MISTAKE = 2
"""The exit code of a process that was started with wrong arguments or settings."""
WORKS_SECONDS = 2.0
"""How long a process runs until its settings count as right; it is started at most once in this time."""
END_SECONDS = 20.0


@dataclass
class SupervisedProcess:
    """A process that is started again when it ends."""

    command: Sequence[str]
    _process: subprocess.Popen[bytes] | None = None
    _started_at: float = -WORKS_SECONDS
    _has_worked: bool = False
    """Whether it once ran for a while. If so, its settings are right, and a failing store should come back."""

    def restart_or_get_exit_code(self) -> int | None:
        """Start the process if it does not run; return its exit code if it cannot be started again."""
        code = self._process.poll() if self._process else None
        has_run_for_a_while = time.monotonic() - self._started_at > WORKS_SECONDS
        if self._process and code is None:
            self._has_worked = self._has_worked or has_run_for_a_while
        elif code == CALLERS_MISTAKE and not self._has_worked:
            return code
        elif has_run_for_a_while:
            self._started_at = time.monotonic()
            self._process = subprocess.Popen(self.command, stdin=subprocess.PIPE)
        return None

    def stop(self) -> None:
        """Ask the process to end, wait, and kill it if it does not."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _supervise(processes: Sequence[SupervisedProcess], stop: threading.Event) -> int:
    """Run processes until ``stop`` is set, or until one cannot run; return the exit code."""
    try:
        while not stop.wait(0.1):
            for process in processes:
                code = process.restart_or_get_exit_code()
                if code is not None:
                    return code
        return 0
    finally:
        for process in processes:
            process.stop()


def _call_when_stdin_closes(callback: Callable[[], None]) -> None:
    """Call ``callback`` when the parent process has ended in any way, which closes the pipe to standard input.

    Do nothing if standard input is not a pipe: then a service manager or a person started this process.
    """
    try:
        pipe = sys.stdin.fileno()
    except OSError:  # not a real file
        return
    if not stat.S_ISFIFO(os.fstat(pipe).st_mode):
        return

    def watch() -> None:
        while os.read(pipe, 4096):
            pass
        callback()

    threading.Thread(target=watch, daemon=True).start()


def _set_event_on_end_signals(stop_event: threading.Event) -> None:
    """Set ``stop_event`` when a signal asks to end."""
    for number in list_ending_signals():
        signal.signal(number, lambda *_: stop_event.set())


PLACEHOLDER = "{course}"


def _load_served_names_and_courses(course_arguments: Sequence[str]) -> list[tuple[str, Course]]:
    """Open the courses of a server, each with its name; the name is empty where it is the only one and has none.

    Args:
        course_arguments: folders, or ``NAME=FOLDER``; the nearest course when empty.

    Raises:
        CallerFault: there is no such course, it does not hold together, or two have the same name.
    """
    named_courses: list[tuple[str, Course]] = []
    for argument in course_arguments or [""]:
        name, separator, folder = argument.rpartition("=")
        if Path(argument).exists():  # a folder's name may contain ``=``
            name, separator, folder = "", "", argument
        course = CourseOption(Path(folder) if folder else None).load()
        if not separator and len(course_arguments) > 1:
            name = course.folder.resolve().name
        named_courses.append((name, course))
    names = [name for name, _ in named_courses]
    repeated_name = next((name for name in names if names.count(name) > 1), None)
    if repeated_name is not None:
        raise CallerFault(
            f"two courses have the name '{repeated_name}'", advice="write --course NAME=FOLDER, with a name for each"
        )
    return named_courses


def make_results_location_of_course(output_folder: Path, store_url_pattern: str, course_name: str) -> BatchLocation:
    """Return where the results of one course are; each course has a store of its own.

    Args:
        output_folder: the folder for results.
        store_url_pattern: the URL of the store, with ``{course}`` for the name; a file in the course's folder when
            empty.
        course_name: the course; empty where the server has one.

    Raises:
        CallerFault: several courses would share a store.
    """
    if not course_name:
        return BatchLocation(output_folder, store_url_pattern)
    if store_url_pattern and PLACEHOLDER not in store_url_pattern:
        raise CallerFault(
            "several courses would share this store",
            where="--store",
            advice="write {course} in it, such as postgresql:///autograder_{course}",
        )
    return BatchLocation(output_folder / course_name, store_url_pattern.replace(PLACEHOLDER, course_name))


def _run_page_server(courses: Sequence[CourseServerSettings]) -> None:
    """Serve the pages of all courses until the process is told to end."""
    from autograder.web.server import serve_pages

    _call_when_stdin_closes(lambda: os.kill(os.getpid(), signal.SIGTERM))
    serve_pages(courses)


def _run_grading_worker(
    courses: Sequence[CourseServerSettings], tiers: IsolationTierOptions, worker_name: str, process_count: int | None
) -> None:
    """Grade the hand-ins to all courses until the process is told to end.

    Args:
        courses: the courses, which are graded in turns.
        tiers: the accepted isolation.
        worker_name: names this worker.
        process_count: how many processes grade at once; one per processor when None.
    """
    from autograder.web.grading_worker import CourseHandInWorker, grade_courses_in_turns

    stop = threading.Event()
    _set_event_on_end_signals(stop)
    os.nice(10)  # the page server has priority
    _call_when_stdin_closes(stop.set)
    workers = [
        CourseHandInWorker(course, tiers.choose_sandbox, worker_name, process_count, stop) for course in courses
    ]
    grade_courses_in_turns(workers, stop)


def _run_mark_outbox(courses: Sequence[CourseServerSettings], worker_name: str) -> None:
    """Send the marks of all courses to LMSs until the process is told to end; each course has a thread.

    Raises:
        CallerFault: a package is missing, or a store cannot be opened.
    """
    if not are_packages_installed():
        raise CallerFault("the packages for LTI are not installed", advice=advise_to_install_extra("lti"))
    from autograder.web.lms.sync import LmsSyncWorker

    stop = threading.Event()
    _set_event_on_end_signals(stop)
    if not sys.stdin.isatty():
        _call_when_stdin_closes(stop.set)
    with ThreadPoolExecutor(len(courses)) as threads:
        futures = [threads.submit(LmsSyncWorker(course, worker_name, stop).run) for course in courses]
        ended_futures, _ = wait(futures, return_when=FIRST_EXCEPTION)
        stop.set()
    for future in ended_futures:
        future.result()


def _supervise_all_parts_and_exit(courses: Sequence[CourseServerSettings], tiers: IsolationTierOptions) -> None:
    """Run every part in a process of its own, and start again what ends.

    Raises:
        CallerFault: the server cannot run as it was started.
    """
    from autograder.web.demo_term import ensure_demo_term
    from autograder.web.server import require_free_address

    for course in courses:
        for assignment in load_course(course.course).assignments:
            tiers.choose_sandbox(assignment)
    require_free_address(courses[0])
    for course in courses:
        if course.demo:
            ensure_demo_term(course, tiers.choose_sandbox, print_line)
        with open_server_store(course.location):
            pass  # says at once what is wrong with it
    own_command = [sys.executable, "-m", "autograder", *sys.argv[1:]]
    stop = threading.Event()
    _set_event_on_end_signals(stop)
    course_paths = ", ".join(str(course.course) for course in courses)
    print_line(f"{courses[0].server_url} serves {course_paths}; Ctrl-C ends it")
    parts = ("pages", "worker", "outbox") if are_packages_installed() else ("pages", "worker")
    sys.exit(_supervise([SupervisedProcess([*own_command, "--only", part]) for part in parts], stop))


PACKAGES = ("flask", "flask_wtf", "flask_limiter", "waitress")
PARTS = ("all", "pages", "worker", "outbox")


@click.command()
@results_folder_option
@store_option
@click.option("--host", default="127.0.0.1", help="Address to listen on; this machine alone by default.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, help="Port to listen on; 8000 by default.")
@click.option(
    "--public-url", default="", metavar="URL", help="How browsers reach the server, behind a proxy with TLS."
)
@click.option(
    "--trusted-proxy", default="", metavar="ADDRESS", help="The reverse proxy that says where requests come from."
)
@click.option(
    "--user-header", default="", metavar="NAME", help="The header in which it says who asks, such as X-Remote-User."
)
@click.option(
    "--sign-in-with",
    default="",
    metavar="PROVIDER",
    help="Sign in with an account of github, google, or the OpenID provider at this address.",
)
@click.option("--client-id", default="", metavar="ID", help="What that provider calls this server.")
@click.option(
    "--sign-in-claim",
    default="email",
    metavar="NAME",
    help="What the provider says of a person that is their login or address here; a verified email by default.",
)
@click.option("--smtp", default="", metavar="URL", help="Send mail to students by this server, as smtps://user@host.")
@click.option("--mail-from", default="", metavar="ADDRESS", help="The address that mail comes from.")
@click.option(
    "--student-mb",
    type=click.IntRange(1, 1_000_000),
    default=STUDENT_MB,
    show_default=True,
    help="Megabytes that all hand-ins of a student to a course may have together.",
)
@click.option(
    "--browser",
    type=click.Path(path_type=Path),
    metavar="SITE",
    help="Let students work in their browser, on the site that `autograder template --browser SITE` wrote.",
)
@click.option("--demo", is_flag=True, help="An invented term: anybody here signs in as anybody by a click.")
@click.option("--workers", type=click.IntRange(1, 512), help="Processes that grade; by default one per processor.")
@click.option(
    "--only",
    "part",
    type=click.Choice(PARTS),
    default="all",
    help="Run one part alone: the pages, the worker that grades, or the outbox that sends marks to an LMS.",
)
@click.option(
    "--worker-name", default="", help="Names the worker among several on one store; by default this machine."
)
@click.option(
    "--course",
    "courses",
    multiple=True,
    metavar="FOLDER",
    help="The folder of grading.yml, by default the nearest one. Given more than once, or as NAME=FOLDER, "
    "each course has its pages under /NAME and its results in OUT/NAME.",
)
@add_isolation_tier_options
@exit_on_fault
def command(  # noqa: PLR0913 - a parameter for each option
    out: Path,
    store: str,
    host: str,
    port: int,
    public_url: str,
    trusted_proxy: str,
    user_header: str,
    sign_in_with: str,
    client_id: str,
    sign_in_claim: str,
    smtp: str,
    mail_from: str,
    student_mb: int,
    browser: Path | None,
    demo: bool,
    workers: int | None,
    part: str,
    worker_name: str,
    courses: tuple[str, ...],
    tiers: IsolationTierOptions,
) -> None:
    """Serve a course on the web: students hand in and see their results, the staff sees the class and decides.

    Results are kept in OUT, as `autograder batch` keeps them, so that `report`, `regrade`, `decide` and `export` work
    on them. The first administrator gets a link by `autograder invite NAME --role administrator`.

    With several courses, each has its own people, staff and results; the URL of a store has {course} in it then.
    """
    if any(importlib.util.find_spec(name) is None for name in PACKAGES):
        raise CallerFault("the packages for the web server are not installed", advice=advise_to_install_extra("web"))
    if sign_in_with and importlib.util.find_spec("authlib") is None:
        raise CallerFault(
            "the packages for signing in elsewhere are not installed", advice=advise_to_install_extra("openid")
        )
    from autograder.web.demo_term import use_demo_course
    from autograder.web.settings import OpenIdSettings, parse_smtp_server_settings

    mail_server = parse_smtp_server_settings(smtp, mail_from) if smtp or mail_from else None
    served_courses = [
        CourseServerSettings(
            loaded_course.folder,
            make_results_location_of_course(out, store, name),
            host=host,
            port=port,
            public_url=public_url,
            trusted_proxy=trusted_proxy,
            user_header=user_header,
            demo=demo,
            mail_server=mail_server,
            openid=OpenIdSettings(sign_in_with, client_id, sign_in_claim) if sign_in_with else None,
            student_mb=student_mb,
            browser_site=browser,
            name=name,
        )
        for name, loaded_course in _load_served_names_and_courses(courses)
    ]
    served_courses = [use_demo_course(course) for course in served_courses] if demo else served_courses
    _refuse_unsafe(demo, tiers)
    logging.basicConfig(format="%(asctime)s %(name)s: %(message)s")
    logging.getLogger("autograder").setLevel(logging.INFO)
    match part:
        case "pages":
            _run_page_server(served_courses)
        case "outbox":
            _run_mark_outbox(served_courses, worker_name or platform.node() or "outbox")
        case "worker":
            _run_grading_worker(served_courses, tiers, worker_name or platform.node() or "worker", workers)
        case _:
            _supervise_all_parts_and_exit(served_courses, tiers)


def _refuse_unsafe(demo: bool, tiers: IsolationTierOptions) -> None:
    """Refuse tier ``process``, which stops accidents but no attacks, for every server except a demo.

    Raises:
        CallerFault: the options allow that tier, and the server is not a demo.
    """
    if (tiers.allow_unsafe or "process" in (tiers.only_tier, tiers.required_tier)) and not demo:
        raise CallerFault(
            "a server grades strangers' code, and tier process stops accidents only",
            where="--allow-unsafe",
            advice="install bubblewrap, see `autograder doctor`; or try it out with --demo",
        )
