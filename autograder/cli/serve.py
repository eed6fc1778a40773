"""``autograder serve``: the course on the web."""

from __future__ import annotations

import importlib.util
import logging
import os
import platform
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autograder.batch import BatchLocation
from autograder.cli.shared_options import (
    TierOptions,
    add_tier_options,
    choose_and_announce_sandbox,
    course_option,
    exit_on_fault,
    make_console,
    open_course,
    store_option,
)
from autograder.faults import CallerFault
from autograder.lti import are_packages_installed

if TYPE_CHECKING:
    from autograder.web.settings import ServerSettings

PACKAGES = ("flask", "flask_wtf", "flask_limiter", "waitress")
PARTS = ("all", "pages", "worker", "outbox")


@click.command()
@click.option(
    "--out", type=click.Path(path_type=Path), default="results", help="Folder for results; `results` by default."
)
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
@click.option("--demo", is_flag=True, help="A made class; anybody at this machine signs in as anybody by a click.")
@click.option("--workers", type=click.IntRange(1, 512), help="Processes that grade; by default one a processor.")
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
@course_option
@add_tier_options
@exit_on_fault
def command(
    out: Path,
    store: str,
    host: str,
    port: int,
    public_url: str,
    trusted_proxy: str,
    user_header: str,
    smtp: str,
    mail_from: str,
    demo: bool,
    workers: int | None,
    part: str,
    worker_name: str,
    course: Path | None,
    tiers: TierOptions,
) -> None:
    """Serve the course on the web: students hand in and see their results, the staff sees the class and decides.

    Results are kept in OUT, as `autograder batch` keeps them, so that `report`, `regrade`, `decide` and `export` work
    on them. The first administrator gets a link by `autograder invite NAME --role administrator`.
    """
    if any(importlib.util.find_spec(name) is None for name in PACKAGES):
        raise CallerFault("needs packages that are not installed", advice="pip install 'autograd-exercise-kit[web]'")
    from autograder.web.mail_server import parse_mail_server
    from autograder.web.settings import ServerSettings

    opened = open_course(course)
    place = BatchLocation(out, store)
    mail_server = parse_mail_server(smtp, mail_from) if smtp or mail_from else None
    settings = ServerSettings(
        opened.folder, place, host, port, public_url, trusted_proxy, user_header, demo, mail_server
    )
    _refuse_unsafe(settings, tiers)
    logging.basicConfig(format="%(asctime)s %(name)s: %(message)s")
    logging.getLogger("autograder").setLevel(logging.INFO)
    if part == "pages":
        _serve_pages(settings)
    elif part == "outbox":
        _send_marks(settings, worker_name or platform.node() or "outbox")
    elif part == "worker":
        _grade(settings, tiers, worker_name or platform.node() or "worker", workers)
    else:
        for assignment in opened.assignments:
            choose_and_announce_sandbox(assignment, tiers)
        _serve_all(settings)


def _refuse_unsafe(settings: ServerSettings, tiers: TierOptions) -> None:
    """Check that no stranger's code runs where nothing but accidents is stopped.

    Raises:
        CallerFault: it would.
    """
    if (tiers.allow_unsafe or "process" in (tiers.only_tier, tiers.required_tier)) and not settings.demo:
        raise CallerFault(
            "a server grades strangers' code, and tier process stops accidents only",
            where="--allow-unsafe",
            advice="install bubblewrap, see `autograder doctor`; or try it out with --demo",
        )


def _serve_pages(settings: ServerSettings) -> None:
    from autograder.web.server import serve_pages
    from autograder.web.supervisor import end_with_parent

    end_with_parent(_end_now)
    serve_pages(settings)


def _grade(settings: ServerSettings, tiers: TierOptions, name: str, count: int | None) -> None:
    from autograder.web.hand_in_worker import HandInWorker
    from autograder.web.supervisor import end_with_parent, stop_on_signals

    worker = HandInWorker(settings, lambda assignment: choose_and_announce_sandbox(assignment, tiers), name, count)
    stop_on_signals(worker.stop)
    os.nice(10)  # pages come first
    end_with_parent(worker.stop.set)
    worker.run()


def _send_marks(settings: ServerSettings, name: str) -> None:
    """Send marks to LMSs.

    Raises:
        CallerFault: a package is missing.
    """
    if not are_packages_installed():
        raise CallerFault("needs packages that are not installed", advice="pip install 'autograd-exercise-kit[lti]'")
    from autograder.web.outbox_worker import OutboxWorker
    from autograder.web.supervisor import end_with_parent, stop_on_signals

    worker = OutboxWorker(settings, name)
    stop_on_signals(worker.stop)
    if not sys.stdin.isatty():
        end_with_parent(worker.stop.set)
    worker.run()


def _serve_all(settings: ServerSettings) -> None:
    from autograder.web.demo import make_demo_class
    from autograder.web.server import require_free_address
    from autograder.web.supervisor import SupervisedProcess, stop_on_signals, supervise

    require_free_address(settings)
    if settings.demo:
        make_demo_class(settings)
    with settings.place.open_store():
        pass  # says at once what is wrong with it
    same = [sys.executable, "-m", "autograder", *sys.argv[1:]]
    stop = threading.Event()
    stop_on_signals(stop)
    make_console().print(f"{settings.url} serves {settings.course}; Ctrl-C ends it")
    parts = ("pages", "worker", "outbox") if are_packages_installed() else ("pages", "worker")
    sys.exit(supervise([SupervisedProcess([*same, "--only", part]) for part in parts], stop))


def _end_now() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
