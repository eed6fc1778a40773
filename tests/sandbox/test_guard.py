"""The grader's own memory, which holds the hidden tests, is hidden from processes of the same user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.machine import until
from tests.running import is_running

GRADER = """
import marshal, sys, time
from autograder.course import Limits
from autograder.sandbox import probe_tiers
from autograder.sandbox.student_process import start_student_process
if sys.argv[1] == 'hidden':
    sandbox = next(offer.sandbox for offer in probe_tiers() if offer.sandbox)
    code = marshal.dumps([('nothing', compile('def serve_requests(): pass', '', 'exec'))])
    start_student_process(sandbox, Limits(), code).kill_without_waiting()
print('ready', flush=True)
time.sleep(600)
"""

NOBODY = 65534


@pytest.mark.parametrize("state", ["hidden", "not hidden"])
def test_another_process_of_the_same_user_cannot_look_into_the_grader(state: str) -> None:
    if sys.platform != "linux" or os.getuid() != 0:
        pytest.skip("only root can become another user, and root may look everywhere")
    if any(not os.stat(folder).st_mode & 0o001 for folder in (sys.prefix, *map(str, Path(sys.prefix).parents))):
        pytest.skip("another user cannot run this interpreter")
    python = Path(f"/usr/bin/python{sys.version_info[0]}.{sys.version_info[1]}")
    if not python.exists():
        pytest.skip(f"there is no {python}")
    import msgspec

    paths = f"{Path(__file__).parents[2]}:{Path(msgspec.__file__).parents[1]}"
    grader = subprocess.Popen(
        [python, "-B", "-c", GRADER, state],
        user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", stdout=subprocess.PIPE, text=True,
        env={"PYTHONPATH": paths, "PATH": os.environ["PATH"]},
    )  # fmt: skip
    try:
        assert grader.stdout is not None
        assert grader.stdout.readline() == "ready\n"
        for secret in ("environ", "mem", "maps", "fd"):
            look = (
                f"import os; p = '/proc/{grader.pid}/{secret}'; os.listdir(p) if {secret == 'fd'} else open(p, 'rb')"
            )
            done = subprocess.run(
                [python, "-I", "-S", "-c", look],
                user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert ("PermissionError" in done.stderr) == (state == "hidden"), (secret, done.stderr)
    finally:
        grader.kill()
        grader.communicate()


SLEEPER = """
import sys, time
from autograder.bridge import Bridge, SubmissionProgram, StudentProxy
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Limits
from autograder.sandbox import probe_tiers
from autograder.sandbox.student_process import start_student_process

sandbox = next((offer.sandbox for offer in probe_tiers() if offer.tier == sys.argv[1]), None)
if sandbox is None:
    print('none', flush=True)
    sys.exit()
limits = Limits(wall_seconds=100, import_seconds=100)
program = SubmissionProgram((('value.py', 'import time\\ndef wait(): time.sleep(600)'),), ())
bridge = Bridge(program, ProcessPool(sandbox, limits), limits)
bridge.load_without_fatal_code()
bridge.begin_test()
print(bridge._client.process.pid, flush=True)
StudentProxy(bridge).get('wait')()
"""


@pytest.mark.thorough_where(tier="restricted")
@pytest.mark.parametrize("tier", ["namespaces", "restricted", "process"])
def test_a_grader_that_is_killed_takes_the_students_process_with_it(tier: str) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux tells a process that its parent ended")
    grader = subprocess.Popen([sys.executable, "-c", SLEEPER, tier], stdout=subprocess.PIPE, text=True)
    assert grader.stdout is not None
    told = grader.stdout.readline().strip()
    if told == "none":
        pytest.skip(f"there is no tier {tier} here")
    process = int(told)
    assert is_running(process)
    grader.kill()
    grader.communicate()
    until(lambda: not is_running(process), "its end")
