"""``autograder serve``: the course on the web."""

from __future__ import annotations

import importlib.util
import logging
import platform
from pathlib import Path

import click

from autograder.cli.fault_handling import exit_on_fault
from autograder.cli.options.isolation_tier_options import IsolationTierOptions, add_isolation_tier_options
from autograder.cli.options.shared_options import results_folder_option, store_option
from autograder.cli.serve_command.served_courses import load_served_names_and_courses, make_results_location_of_course
from autograder.cli.serve_command.server_parts import (
    run_grading_worker,
    run_mark_outbox,
    run_page_server,
    supervise_all_parts_and_exit,
)
from autograder.faults import CallerFault
from autograder.kit_version import advise_to_install_extra
from autograder.web.course_server_settings import STUDENT_MB, CourseServerSettings

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
    "--user-header",
    default="",
    metavar="NAME",
    help="The header in which it says who asks, such as X-Remote-User.",
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
@click.option("--demo", is_flag=True, help="An invented class: anybody here signs in as anybody by a click.")
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
    smtp: str,
    mail_from: str,
    student_mb: int,
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
    from autograder.web.smtp_server import parse_smtp_server_settings

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
            student_mb=student_mb,
            name=name,
        )
        for name, loaded_course in load_served_names_and_courses(courses)
    ]
    _refuse_unsafe(demo, tiers)
    logging.basicConfig(format="%(asctime)s %(name)s: %(message)s")
    logging.getLogger("autograder").setLevel(logging.INFO)
    match part:
        case "pages":
            run_page_server(served_courses)
        case "outbox":
            run_mark_outbox(served_courses, worker_name or platform.node() or "outbox")
        case "worker":
            run_grading_worker(served_courses, tiers, worker_name or platform.node() or "worker", workers)
        case _:
            supervise_all_parts_and_exit(served_courses, tiers)


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
