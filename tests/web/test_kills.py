"""Every receipt has its result in the end, whatever is killed meanwhile: the pages, the worker, or the database."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.workers.task_scheduler import MOST_TRIES
from tests.postgres import PostgresServer, start_postgres
from tests.toy import RIGHT
from tests.web.conftest import PEOPLE, Site, make_site, wait_until
from tests.web.real_server import Visitor, answers, children, served

SLOW = f"import time\ntime.sleep(0.2)\n{RIGHT}"


@pytest.fixture
def site(root: Path, free_port: int) -> Site:
    return make_site(root, port=free_port, demo=True)


Kill = Callable[[int, dict[str, int]], None]
"""Kills something for the time of this number; it is told which processes the server has."""


def kill_processes(number: int, running: dict[str, int]) -> None:
    os.kill(running["worker" if number % 3 else "pages"], signal.SIGKILL)


def kill_again_and_again(
    site: Site, times: int, kill: Kill = kill_processes, most_kills_of_a_hand_in: int | None = None
) -> None:
    """Kill something while students hand in; then every receipt must have its result."""

    def wait_for_results() -> None:
        wait_until(lambda: {one.state for one in site.hand_ins()} <= {"graded", "failed"}, "all have an end")

    receipts: list[tuple[Visitor, str]] = []
    earlier = len(site.hand_ins())
    chance = random.Random(18)
    with served(site) as server:
        visitors = [Visitor(site.settings.course_url, login) for login in ("ada", "bob", "cy")]
        for number in range(times):
            receipts += [(visitor, visitor.hand_in(f"{SLOW}# {number}\n")) for visitor in visitors]
            wait_until(lambda: len(children(server)) == 2, "both processes run")
            time.sleep(chance.uniform(0.0, 2.0))
            kill(number, children(server))
            if most_kills_of_a_hand_in and (number + 1) % most_kills_of_a_hand_in == 0:
                wait_for_results()
        wait_until(lambda: answers(site), "the server answers again")
        wait_for_results()
        assert {one.problem for one in site.hand_ins()} == {""}
        pages = [visitor.get(path) for visitor, path in receipts]
    assert len({path for _, path in receipts}) == 3 * times
    assert all('class="result"' in page for page in pages)
    assert len(site.hand_ins()) >= earlier + 3 * times  # nothing is lost
    numbers = [one.submission for one in site.hand_ins()]
    assert len({*numbers}) == len(numbers)  # and nothing is there twice


@pytest.mark.thorough
def test_every_receipt_has_its_result_although_processes_are_killed_often(site: Site) -> None:
    kill_again_and_again(site, 20)


def kill_graders(number: int, running: dict[str, int]) -> None:
    """Kill everything that the worker started, what grades and the students' processes, once there is something."""
    wait_until(lambda: kill_all_below(running["worker"]) > 0 or number == 0, "something grades")


def kill_all_below(worker: int) -> int:
    """Kill every process below one, and return how many there were."""
    waiting, found = [worker], 0
    while waiting:
        pid = waiting.pop()
        with suppress(OSError):  # it ended meanwhile
            for children_of_thread in Path(f"/proc/{pid}/task").glob("*/children"):
                waiting += map(int, children_of_thread.read_text(encoding="ascii").split())
        if pid != worker:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            found += 1
    return found


@pytest.mark.thorough
def test_every_receipt_has_its_result_although_what_grades_is_killed_often(site: Site) -> None:
    kill_again_and_again(site, 20, kill_graders, MOST_TRIES - 1)


@pytest.fixture
def database() -> Iterator[PostgresServer]:
    with start_postgres() as server:
        yield server


@pytest.fixture
def site_on_a_server(site: Site, database: PostgresServer) -> Site:
    """The same course, its results in PostgreSQL."""
    place = replace(site.settings.location, store_option=database.url)
    made = Site(replace(site.settings, location=place))
    for login in PEOPLE:
        made.invite(login)
    return made


@pytest.mark.thorough
def test_every_receipt_has_its_result_although_the_database_is_killed_often(
    site_on_a_server: Site, database: PostgresServer
) -> None:
    def kill(number: int, running: dict[str, int]) -> None:
        database.kill()
        time.sleep(number % 3)
        database.start()

    kill_again_and_again(site_on_a_server, 20, kill)
