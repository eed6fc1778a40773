"""Whatever ends a batch, the same command again gives what it would have given without."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from autograder.cli.terminal import EXIT_INTERRUPTED
from autograder.faults import KitFault
from autograder.sandbox import choose_strongest_sandbox
from autograder.workers.grading_tasks import GradingTaskResult
from autograder.workers.local_workers import open_local_workers
from tests.store.conftest import RIGHT, CounterCourse, make_counter_course

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")

SUBMISSIONS, KILLS = 300, 50
SHORTEST, LONGEST = 0.02, 4.0
"""Seconds between two kills."""
KINDS = (RIGHT, RIGHT.replace("+= 1", "+= 2"), RIGHT.replace("-= 1", "-= 3"), "def (:\n", "")
ENDED, FAILED, BROKEN = 0, 3, 4
AUTOGRADER = Path(sys.executable).with_name("autograder")


two_workers = partial(open_local_workers, worker_count=2)


def in_child(action: Callable[[], object]) -> int:
    """Do something in a process of its own; its id. It ends with a code of the above."""
    child = os.fork()
    if child:
        return child
    code = BROKEN
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = FAILED if action() else ENDED
    finally:
        os._exit(code)


def start_batch(counter_course: CounterCourse, out: str) -> int:
    """Start a batch in a process of its own; its id."""
    command = [
        str(AUTOGRADER),
        "batch",
        "counter",
        str(counter_course.students),
        "--out",
        str(counter_course.root / out),
    ]
    command += ["--course", str(counter_course.root), "--workers", "2", "--tier", "process", "--allow-unsafe"]
    silent = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    return os.posix_spawn(AUTOGRADER, command, os.environ, file_actions=silent)


def code_of(child: int) -> int | None:
    """How a process ended; None while it runs, or when it was killed."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def below(parent: int) -> list[int]:
    """Processes that a batch started, and those that they started: the fork server, workers, student processes."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                after_name = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if after_name[0] != "Z":
                parents[int(folder.name)] = int(after_name[1])
    found = [parent]
    for one in found:
        found += [process for process, above in parents.items() if above == one]
    return found[1:]


def until_it_ends(counter_course: CounterCourse, out: str) -> None:
    """Run the command again until nothing is left to do."""
    for _ in range(5):
        if code_of(start_batch(counter_course, out)) == ENDED:
            return
    raise AssertionError("it does not come to an end")


def views(folder: Path) -> dict[str, Any]:
    """All that people read, without times."""
    found: dict[str, Any] = {"gradebook": (folder / "gradebook.csv").read_bytes()}
    for path in sorted(folder.glob("*/*.json")):
        found[f"{path.parent.name}/{path.name}"] = timeless(json.loads(path.read_bytes()))
    return found


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k not in ("timing", "created", "duration")}
    if isinstance(value, str):  # the pytest that runs these tests adds the values of an assertion in its own process
        return value.partition("\nassert ")[0]
    return [timeless(one) for one in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> CounterCourse:
    """A large class; graded into ``out``, where nothing happened to it."""
    counter_course = make_counter_course(
        tmp_path_factory.mktemp("accidents") / "course", choose_strongest_sandbox("process", "process")
    )
    for path in counter_course.students.iterdir():
        path.unlink()
    for number in range(SUBMISSIONS):
        counter_course.hand_in(**{f"s{number}": KINDS[number % len(KINDS)] + f"# {number}\n"})
    until_it_ends(counter_course, "out")
    return counter_course


@pytest.mark.thorough
def test_a_batch_that_is_killed_again_and_again_comes_to_the_same(large: CounterCourse) -> None:
    seed = int(os.environ.get("KIT_SEED", random.randrange(2**32)))
    print(f"KIT_SEED={seed}")
    chance = random.Random(seed)
    kills = rounds = 0
    while kills < KILLS:
        rounds += 1
        out = f"killed{rounds}"
        running = start_batch(large, out)
        while kills < KILLS:
            time.sleep(chance.uniform(SHORTEST, LONGEST))
            ended, status = os.waitpid(running, os.WNOHANG)
            if ended and os.waitstatus_to_exitcode(status) == ENDED:
                break
            if ended:
                running = start_batch(large, out)
                continue
            victim = chance.choice([running, *below(running)])
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                continue
            if victim == running:
                code = code_of(running)
                if code == ENDED:  # just before it was hit
                    break
                assert code == -signal.SIGKILL
                running = start_batch(large, out)
            kills += 1
        else:
            code_of(running)
        until_it_ends(large, out)
        assert views(large.root / out) == views(large.root / "out")


@pytest.mark.thorough
def test_a_batch_that_is_interrupted_goes_on_where_it_was(large: CounterCourse) -> None:
    running = start_batch(large, "interrupted")
    while len([*(large.root / "interrupted").glob("reports/*.json")]) < 20:
        time.sleep(0.01)
    os.kill(running, signal.SIGINT)
    assert code_of(running) == EXIT_INTERRUPTED
    kept = len([*(large.root / "interrupted").glob("reports/*.json")])
    told: list[GradingTaskResult] = []
    large.batch("interrupted", open_workers=two_workers, on_result=told.append)
    assert sum(done.was_reused for done in told) >= kept
    assert views(large.root / "interrupted") == views(large.root / "out")


@pytest.mark.thorough
def test_a_disk_that_is_full_is_told_and_loses_nothing(large: CounterCourse) -> None:
    def on_a_small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY))
        with pytest.raises(KitFault, match=r"what is done stays done|File too large"):
            large.batch("full", open_workers=two_workers)

    assert code_of(in_child(on_a_small_disk)) == ENDED
    until_it_ends(large, "full")
    assert views(large.root / "full") == views(large.root / "out")


@pytest.mark.thorough
@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a disk")
def test_a_small_disk_that_is_full_is_told_and_loses_nothing(large: CounterCourse) -> None:
    out = large.root / "small"
    out.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "none", str(out)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        with pytest.raises(KitFault, match="cannot write to the database"):
            large.batch("small", open_workers=two_workers)
        subprocess.run(["mount", "-o", "remount,size=100m", str(out)], check=True)
        until_it_ends(large, "small")
        assert views(out) == views(large.root / "out")
    finally:
        subprocess.run(["umount", "--lazy", str(out)], check=True)
