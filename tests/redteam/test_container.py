"""The red team in what is nearly a container: no namespaces to be had, as its root and as an ordinary user."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.redteam.container import run_inside, why_not

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534
SYSTEM_PYTHON = Path(f"/usr/bin/python{sys.version_info[0]}.{sys.version_info[1]}")
LOOK = """
import ctypes
from autograder.sandbox import probe_tiers
libc = ctypes.CDLL(None)
print('unshare', *[libc.unshare(flag) for flag in (0x10000000, 0x20000, 0x20000000, 0x40000000)])
for offer in probe_tiers(): print(offer.tier, 'offered' if offer.sandbox else 'refused')
"""


@pytest.fixture(scope="module", autouse=True)
def container(pytestconfig: pytest.Config) -> None:
    """Skip all of it where there can be no container, or where not every tier is tried."""
    if not pytestconfig.getoption("--every-tier"):
        pytest.skip("`make redteam` tries it in a container")
    reason = why_not()
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="module", params=[0, NOBODY], ids=["root", "nobody"])
def inside(request: pytest.FixtureRequest) -> Iterator[tuple[list[str], int, dict[str, str]]]:
    """An interpreter that this user can start, the user, and the environment."""
    packages = Path(msgspec.__file__).parents[1]
    if request.param == 0:
        yield [sys.executable, "-B"], 0, {**os.environ}
        return
    if not SYSTEM_PYTHON.exists():
        pytest.skip(f"there is no {SYSTEM_PYTHON} that another user could run")
    for path in (ROOT, packages):
        if not all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents)):
            pytest.skip(f"another user cannot read {path}")
    home = tempfile.mkdtemp(dir="/var/tmp")
    os.chown(home, NOBODY, NOBODY)
    yield (
        [str(SYSTEM_PYTHON), "-B"],
        NOBODY,
        {"PYTHONPATH": f"{ROOT}:{packages}", "PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home},
    )
    shutil.rmtree(home)


def test_no_namespace_can_be_made_there_and_the_tier_is_the_one_for_containers(
    inside: tuple[list[str], int, dict[str, str]],
) -> None:
    python, user, environment = inside
    done = run_inside([*python, "-c", LOOK], user, cwd=ROOT, env=environment, timeout=300)
    assert done.stdout.split("\n")[:4] == [
        "unshare -1 -1 -1 -1",
        "namespaces refused",
        "restricted offered",
        "process offered",
    ], done.stderr


REACH = "reach"
ATTACKS = {
    REACH: ("test_reach.py", "test_reach_of_memory.py", "test_surroundings.py"),
    "leak": ("test_leak.py",),
    "forge": ("test_forge.py",),
    "stall": ("test_stall_in_restricted.py",),
    "channel": ("test_channels.py",),
}


@pytest.mark.parametrize("goal", ATTACKS)
def test_every_attack_ends_there_as_it_does_elsewhere(
    request: pytest.FixtureRequest, inside: tuple[list[str], int, dict[str, str]], goal: str
) -> None:
    python, user, environment = inside
    if (goal != REACH or user) and not request.config.getoption("--every-tier"):
        pytest.skip("`make redteam` tries it in a container too")
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--every-tier", "-k", "restricted"]
    command = [*python, "-m", "pytest", *options, *(f"tests/redteam/{file}" for file in ATTACKS[goal])]
    done = run_inside(command, user, cwd=ROOT, env=environment, timeout=400)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) > 10
