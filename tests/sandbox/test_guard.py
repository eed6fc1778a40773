"""The grader's own memory, which holds the hidden tests, is hidden from processes of the same user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

GRADER = """
import sys, time
from autograder.course import Limits
from autograder.sandbox import probe
if sys.argv[1] == 'hidden':
    next(offer.sandbox for offer in probe() if offer.sandbox).start(Limits()).kill()
print('ready', flush=True)
time.sleep(30)
"""

NOBODY = 65534


@pytest.mark.parametrize("secret", ["environ", "mem", "maps", "fd"])
@pytest.mark.parametrize("state", ["hidden", "not hidden"])
def test_another_process_of_the_same_user_cannot_look_into_the_grader(secret: str, state: str) -> None:
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
        look = f"import os; p = '/proc/{grader.pid}/{secret}'; os.listdir(p) if {secret == 'fd'} else open(p, 'rb')"
        done = subprocess.run(
            [python, "-B", "-c", look],
            user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ("PermissionError" in done.stderr) == (state == "hidden"), done.stderr
    finally:
        grader.kill()
        grader.communicate()
