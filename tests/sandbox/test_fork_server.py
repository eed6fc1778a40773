"""Forked processes know nothing of each other, end as others do, and are not needed where they cannot be had."""

from __future__ import annotations

import ast
import os
import signal
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox import SandboxConfig, StudentProcess, fork_server, probe_tiers, tiers
from autograder.sandbox.student_process import clean_up_killed_processes, start_student_process
from autograder.sandbox.tier_guarantees import list_required_guarantees
from autograder.sandbox.tiers import list_namespaces_sandbox_configs
from tests.redteam.processes import below, processes_of
from tests.sandbox.conftest import offered
from tests.tiers import IDLE, program

Start = Callable[[str], StudentProcess]

LOOK = """
import fcntl, os, resource, threading
found = {
    'process': os.getpid(), 'parent': os.getppid(), 'session': os.getsid(0), 'thread': threading.get_native_id(),
    'folder': os.getcwd(), 'files': os.listdir('.'), 'inode': os.stat('.').st_ino,
    'input': fcntl.fcntl(0, fcntl.F_GETFL), 'handler': str(__import__('signal').getsignal(10)),
    'open': [number for number in range(256) if not fails(os.fstat, number)],
}
text = ascii(found).encode()
os.write(CHANNEL, len(text).to_bytes(4, 'big') + text)
os.read(CHANNEL, 1)
"""
FAILS = """
def fails(call, *arguments):
    try: call(*arguments)
    except OSError: return True
    return False
"""
LEAVES_TRACES = """
import fcntl, os, signal, threading
fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK)
signal.signal(10, signal.SIG_IGN)
for number in range(20): open(f'trace-{number}', 'w').write('here')
for _ in range(5):
    thread = threading.Thread(target=str); thread.start(); thread.join()
"""


@pytest.fixture
def forking() -> SandboxConfig:
    sandbox = offered("namespaces")
    if not sandbox.uses_fork_server:
        pytest.skip("this machine does not let a sandbox make namespaces")
    return sandbox


@pytest.fixture
def start(forking: SandboxConfig) -> Iterator[Start]:
    """Start a program in a locked process of a fork server."""
    started: list[StudentProcess] = []

    def one(source: str) -> StudentProcess:
        child = start_student_process(forking, Limits(), program(SERVES_ANY))
        started.append(child)
        child.wait_for_lockdown()
        child.channel.send_frame(source.encode())
        return child

    yield one
    for child in started:
        child.kill_without_waiting()
    clean_up_killed_processes()
    fork_server.discard_thread_fork_server()


SERVES_ANY = """
import os
size = int.from_bytes(os.read(CHANNEL, 4), 'big')
exec(os.read(CHANNEL, size).decode(), globals())
"""
"""One program for all, so that all come from one server."""


def answer(child: StudentProcess) -> Any:
    """What a program answers."""
    frame = child.channel.receive_frame_or_none_within(10)
    assert frame is not None, child.read_final_output()
    return ast.literal_eval(frame.decode())


def test_a_process_sees_the_same_whatever_the_one_before_it_did(start: Start) -> None:
    first = answer(start(FAILS + LOOK))
    start(FAILS + LEAVES_TRACES + LOOK)
    assert answer(start(FAILS + LOOK)) == first


def test_a_process_sees_the_same_while_another_one_is_at_work(start: Start) -> None:
    first = answer(start(FAILS + LOOK))
    other = start(FAILS + LEAVES_TRACES + LOOK)
    assert len(answer(other)["files"]) == 20
    assert answer(start(FAILS + LOOK)) == first


def test_a_process_sees_what_one_sees_that_is_no_fork(start: Start, forking: SandboxConfig) -> None:
    launched = start_student_process(replace(forking, uses_fork_server=False), Limits(), program(SERVES_ANY))
    launched.wait_for_lockdown()
    launched.channel.send_frame((FAILS + LOOK).encode())
    seen = answer(launched)
    launched.kill_without_waiting()
    forked = answer(start(FAILS + LOOK))
    apart = {"open", "inode", "session"}  # the channel has another number, and so have the folder and the session
    assert {name: forked[name] for name in forked if name not in apart} == {
        name: seen[name] for name in seen if name not in apart
    }


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("import os\nos._exit(3)", 3),
        ("raise SystemExit(4)", 4),
        ("import ctypes\nctypes.string_at(0)", -signal.SIGSEGV),
        ("import os\nos.abort()", -signal.SIGABRT),
    ],
)
def test_how_a_process_ended_is_told(start: Start, source: str, status: int) -> None:
    assert start(source).wait_for_exit_status_or_none(300) == status


def test_a_process_that_is_killed_is_gone_with_its_namespaces(start: Start) -> None:
    child = start("import time\ntime.sleep(100)")
    assert Path(f"/proc/{child.pid}").exists()
    child.kill_without_waiting()
    assert child.wait_for_exit_status_or_none(300) == -signal.SIGKILL
    assert not Path(f"/proc/{child.pid}").exists()


def test_a_server_is_replaced_before_its_addresses_are_old(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "MOST_PROCESSES", 2)
    address = "import os\ntext = str(id(object)).encode()\nos.write(CHANNEL, len(text).to_bytes(4, 'big') + text)"
    seen = [answer(start(address)) for _ in range(6)]
    assert seen[0] == seen[1]
    assert len({*seen}) > 1


def test_nothing_runs_any_more_once_the_servers_are_ended(forking: SandboxConfig) -> None:
    fork_server.discard_thread_fork_server()
    child = start_student_process(forking, Limits(), IDLE)
    child.wait_for_lockdown()
    started = processes_of(child)  # and not whatever is new: what earlier tests left may start more
    assert started <= below(os.getpid())
    child.kill_without_waiting()
    clean_up_killed_processes()
    del child
    fork_server.discard_thread_fork_server()
    assert not started & below(os.getpid())


def test_a_fork_that_the_kernel_refuses_is_told_and_leaves_the_others_alone(
    forking: SandboxConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork_server.discard_thread_fork_server()
    monkeypatch.setattr(
        "autograder.sandbox.fork_server.seccomp_filter.get_unwrapped_syscall_numbers",
        lambda machine: {"clone": 9999},
    )
    for _ in range(2):
        child = start_student_process(forking, Limits(), IDLE)
        with pytest.raises(KitFault, match="no namespaces can be made"):
            child.wait_for_lockdown()
        assert fork_server._server_of_thread.server is not None
        assert fork_server._server_of_thread.server.can_fork
    fork_server.discard_thread_fork_server()


def test_a_server_that_ended_is_replaced(start: Start) -> None:
    fork_server.discard_thread_fork_server()
    child = start(FAILS + LOOK)
    assert fork_server._server_of_thread.server is not None
    fork_server._server_of_thread.server._connection.shutdown(socket.SHUT_RDWR)
    assert child.wait_for_exit_status_or_none(300) is not None  # all that it forked ended with it
    assert answer(start(FAILS + LOOK))["process"] == 2


def test_a_tier_is_offered_without_forks_where_a_sandbox_may_make_no_namespaces(
    forking: SandboxConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_right(way: SandboxConfig) -> SandboxConfig:
        return replace(way, bwrap_arguments=tuple(a for a in way.bwrap_arguments if a != "CAP_SYS_ADMIN")[:-1])

    ways = [without_right(way) if way.uses_fork_server else way for way in list_namespaces_sandbox_configs()]
    monkeypatch.setattr("autograder.sandbox.tiers.list_namespaces_sandbox_configs", lambda packages: ways)
    offer = next(offer for offer in probe_tiers() if offer.tier == "namespaces")
    assert offer.sandbox is not None
    assert not offer.sandbox.uses_fork_server


@pytest.mark.parametrize("number", range(len(list_namespaces_sandbox_configs())))
def test_every_way_to_build_the_tier_keeps_all_of_its_promises(number: int) -> None:
    way = list_namespaces_sandbox_configs()[number]
    problem = tiers._find_problem(way)
    assert "does not keep its guarantees" not in problem
    if problem:
        pytest.skip(problem)
    child = start_student_process(way, Limits(), IDLE)
    try:
        assert {*list_required_guarantees(way, None)} <= {*child.wait_for_lockdown()}
    finally:
        child.kill_without_waiting()
