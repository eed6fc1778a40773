"""No tier is weaker than it says for another user or with another interpreter."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder.sandbox import installed_files

ROOT = Path(__file__).resolve().parents[2]

TRIAL = """
import json, os, sys
from autograder.bridge import Bridge, SubmissionProgram, StudentProxy, StudentError
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Assignment, Limits
from autograder.sandbox import probe_tiers

FORBIDDEN = {
    "read": "open('/etc/passwd').read()",
    "own file": "open(FILE).read()",
    "overwrite": "open(FILE, 'w')",
    "truncate": "os.truncate(FILE, 0)",
    "remove": "os.unlink(FILE)",
    "environment": "open(f'/proc/{PARENT}/environ').read()",
    "memory": "open(f'/proc/{PARENT}/mem', 'rb').read(1)",
    "descriptors": "os.listdir(f'/proc/{PARENT}/fd')",
    "folder": "os.readlink(f'/proc/{PARENT}/cwd')",
    "signal": "os.kill(PARENT, 0)",
    "trace": "check(libc.ptrace(0x4206, PARENT, 0, 0))",
    "limits": "resource.prlimit(PARENT, resource.RLIMIT_CPU)",
    "fork": "os.fork() or os._exit(0)",
    "socket": "socket.socket()",
}
FILE = sys.argv[1]
results = {}
for offer in probe_tiers():
    if offer.sandbox is None:
        results[offer.tier] = offer.unavailable_reason
        continue
    source = f"import ctypes, os, resource, socket\\nPARENT, FILE = {os.getpid()}, {FILE!r}\\n"
    source += "libc = ctypes.CDLL(None, use_errno=True)\\n"
    source += "def check(r):\\n    if r < 0: raise OSError(ctypes.get_errno(), 'denied')\\n"
    source += "class Value:\\n    def __init__(self, data): self.data = data\\n"
    source += "    def __add__(self, other): return Value(self.data + other.data)\\n"
    for number, body in enumerate(FORBIDDEN.values()):
        source += f"def attack_{number}(): {body}\\n"
    processes = ProcessPool(offer.sandbox, Limits())
    bridge = Bridge(SubmissionProgram((("value.py", source),), ("Value",)), processes, Limits())
    loaded = bridge.load_without_fatal_code()
    done = results[offer.tier] = {"notes": len(loaded.problems), "attacks": {}}
    bridge.begin_test()
    student = StudentProxy(bridge)
    Value = student.get("Value")
    done["sum"] = (Value(2.0) + Value(3.0)).data
    bridge.end_test_and_charge_time()
    if offer.tier != "process":
        for number, name in enumerate(FORBIDDEN):
            bridge.begin_test()
            try:
                student.get(f"attack_{number}")()
                done["attacks"][name] = "succeeded"
            except OSError:
                done["attacks"][name] = "denied"
            bridge.end_test_and_charge_time()
    bridge.end_process()
    processes.end_unused_process()
print(json.dumps(results))
"""


@pytest.fixture(scope="module", params=["root", "nobody"])
def user(request: pytest.FixtureRequest) -> int:
    """A user's number."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    return 0 if request.param == "root" else 65534


@pytest.fixture(scope="module")
def own_file(user: int) -> Iterator[Path]:
    """A file of this user's."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    folder.chmod(0o755)
    file = folder / "own"
    file.write_text("own")
    os.chown(file, user, user)
    yield file
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def tried(user: int, own_file: Path) -> dict[str, Any]:
    """What each tier does for this user, with the interpreter of the system."""
    python = Path(f"/usr/bin/python{sys.version_info[0]}.{sys.version_info[1]}")
    packages = Path(msgspec.__file__).parents[1]
    if not python.exists():
        pytest.skip(f"there is no {python}")
    if not (reachable(packages) and reachable(ROOT)):
        pytest.skip("another user cannot read the packages")
    done = subprocess.run(
        [python, "-B", "-c", TRIAL, own_file],
        user=user,
        group=user,
        extra_groups=[],
        cwd="/",
        env={"PYTHONPATH": f"{ROOT}:{packages}", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def reachable(path: Path) -> bool:
    """Whether any user may pass through every folder on the way."""
    return all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents))


@pytest.mark.first_cases(1)
def test_every_user_is_offered_tiers_that_work(tried: dict[str, Any]) -> None:
    tiers = [done for done in tried.values() if isinstance(done, dict)]
    assert tiers
    for done in tiers:
        assert (done["notes"], done["sum"]) == (0, 5.0)


@pytest.mark.parametrize("tier", ["namespaces", "restricted"])
def test_no_user_is_offered_a_tier_that_is_weaker_than_it_says(
    tried: dict[str, Any], own_file: Path, tier: str
) -> None:
    if not isinstance(tried[tier], dict):
        pytest.skip(tried[tier])
    attacks = tried[tier]["attacks"]
    assert attacks == dict.fromkeys(attacks, "denied")
    assert len(attacks) >= 14
    assert own_file.read_text() == "own"


def test_the_interpreter_of_a_sandbox_is_this_one() -> None:
    python = installed_files.find_current_interpreter_files()
    assert python.executable == os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    assert python.stdlib == os.path.dirname(os.path.realpath(os.__file__))


@pytest.mark.parametrize("folder", ["/home/ta/.local/lib/python3/site-packages", "/usr/lib/python3/dist-packages"])
def test_no_library_of_an_installed_package_is_among_those_of_the_interpreter(
    monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    found = installed_files._list_mapped_libraries()
    mapped = [*found, "/opt/python/lib/libpython3.so", f"{folder}/msgspec/_core.so"]
    monkeypatch.setattr(installed_files, "_list_mapped_libraries", lambda: mapped)
    python = installed_files.find_current_interpreter_files.__wrapped__()
    assert "/opt/python/lib/libpython3.so" in python.shared_libraries
    assert not [path for path in python.shared_libraries if "-packages/" in path]
