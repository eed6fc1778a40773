"""Isolation tiers: what a machine offers, what is refused, and that none is weaker than it says."""

from __future__ import annotations

import ast
import json
import marshal
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest
from click.testing import CliRunner

from autograder.cli.common import TierWish, open_sandbox
from autograder.cli.main import main
from autograder.course import Assignment, Limits
from autograder.course.model import TierName
from autograder.faults import CallerFault, KitFault
from autograder.sandbox import Child, Sandbox, choose_sandbox, interpreter, probe
from autograder.sandbox.channel import Channel
from autograder.sandbox.probe import TIERS
from autograder.sandbox.promises import MEANING, promised

ROOT = Path(__file__).resolve().parents[2]


def sandbox_of(tier: TierName) -> Sandbox:
    """The sandbox of one tier; where the machine does not offer it, the test is skipped."""
    offer = next(offer for offer in probe() if offer.tier == tier)
    if offer.sandbox is None:
        pytest.skip(f"tier {tier}: {offer.reason}")
    return offer.sandbox


def without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    def which(name: str, path: str = "") -> str | None:
        return None

    monkeypatch.setattr(shutil, "which", which)


def without_landlock_and_seccomp(monkeypatch: pytest.MonkeyPatch) -> None:
    def supported(machine: str) -> bool:
        return False

    monkeypatch.setattr("autograder.sandbox.seccomp.supported", supported)


# --- What a machine offers.


def test_every_tier_is_tried_the_strongest_first() -> None:
    assert [offer.tier for offer in probe()] == ["namespaces", "restricted", "process"]


def test_a_tier_is_offered_or_refused_with_a_reason() -> None:
    for offer in probe():
        assert (offer.sandbox is None) == bool(offer.reason)


def test_the_weakest_tier_is_offered_everywhere() -> None:
    assert probe()[-1].sandbox is not None


def test_a_machine_without_bubblewrap_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox_of("namespaces")
    without_bubblewrap(monkeypatch)
    assert (probe()[0].sandbox, probe()[0].reason) == (None, "bubblewrap is not installed")


def test_a_machine_that_forbids_namespaces_is_told_what_bubblewrap_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sandbox_of("namespaces")
    bwrap = tmp_path / "bwrap"
    bwrap.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    bwrap.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert "setting up uid map: Permission denied" in probe()[0].reason


def test_a_process_that_ends_before_it_is_locked_is_no_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    config = Sandbox.lock_config
    monkeypatch.setattr(Sandbox, "lock_config", lambda *arguments: {**config(*arguments), "limits": None})
    assert [offer.sandbox for offer in probe()] == [None, None, None]


def test_a_processor_without_a_filter_has_the_weakest_tier_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    without_landlock_and_seccomp(monkeypatch)
    assert [offer.tier for offer in probe() if offer.sandbox] == ["process"]


@pytest.mark.parametrize("tier", TIERS)
def test_a_sandbox_is_plain_data_that_can_be_sent_to_a_worker(tier: TierName) -> None:
    sandbox = sandbox_of(tier)
    assert eval(repr(sandbox), {"Sandbox": Sandbox}) == sandbox


# --- What is accepted.


def test_the_strongest_tier_is_chosen() -> None:
    best = next(offer.sandbox for offer in probe() if offer.sandbox)
    assert choose_sandbox("process") == best


@pytest.mark.parametrize("tier", TIERS)
def test_a_tier_that_is_asked_for_is_chosen(tier: TierName) -> None:
    assert choose_sandbox("process", tier) == sandbox_of(tier)


def test_the_next_tier_is_chosen_where_the_course_accepts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox_of("restricted")
    without_bubblewrap(monkeypatch)
    assert choose_sandbox("restricted").tier == "restricted"


def test_a_weaker_tier_than_the_course_accepts_is_never_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    without_landlock_and_seccomp(monkeypatch)
    for weakest in ("namespaces", "restricted"):
        with pytest.raises(CallerFault):
            choose_sandbox(weakest)


def test_the_refusal_says_what_is_missing_and_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox_of("namespaces")
    without_bubblewrap(monkeypatch)
    with pytest.raises(CallerFault) as refused:
        choose_sandbox("namespaces")
    assert refused.value.what.startswith("this machine offers no tier as strong as namespaces: ")
    assert "bubblewrap is not installed; install bubblewrap (apt-get install bubblewrap)" in refused.value.what
    assert "--allow-unsafe" in refused.value.advice


@pytest.mark.parametrize(("weakest", "only"), [("namespaces", "restricted"), ("restricted", "process")])
def test_asking_for_a_weaker_tier_than_the_course_accepts_is_refused(weakest: TierName, only: TierName) -> None:
    with pytest.raises(CallerFault) as refused:
        choose_sandbox(weakest, only)
    assert refused.value.what == f"tier {only} is weaker than is accepted here ({weakest})"
    assert refused.value.where == "isolation.weakest_tier"
    assert "--allow-unsafe" in refused.value.advice


def test_a_tier_that_is_asked_for_and_not_there_is_not_replaced_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox_of("namespaces")
    without_bubblewrap(monkeypatch)
    with pytest.raises(CallerFault, match="bubblewrap is not installed"):
        choose_sandbox("process", "namespaces")


def test_the_command_line_refuses_a_weaker_tier_before_anything_is_run(root: Path, tmp_path: Path) -> None:
    submission = tmp_path / "value.py"
    submission.write_text(f"open({str(tmp_path / 'was-run')!r}, 'w')")
    command = ["grade", "autograd-engine", str(submission), "--course", str(root), "--tier", "process"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2
    assert "tier process is weaker than is accepted here" in done.output
    assert not (tmp_path / "was-run").exists()


def test_the_command_line_knows_the_names_of_the_tiers() -> None:
    done = CliRunner().invoke(main, ["grade", "autograd-engine", "value.py", "--tier", "chroot"])
    assert done.exit_code == 2
    assert all(tier in done.output for tier in TIERS)


@pytest.mark.parametrize("tier", ["restricted", "process"])
def test_a_weaker_tier_is_never_used_silently(
    engine: Assignment, tier: TierName, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox_of(tier)
    with click.Context(click.Command("grade")):
        open_sandbox(engine, TierWish(only=tier, allow_unsafe=True))
    assert f"isolation: tier {tier}, weaker than namespaces" in capsys.readouterr().err


def test_the_strongest_tier_is_used_without_a_word(engine: Assignment, capsys: pytest.CaptureFixture[str]) -> None:
    sandbox_of("namespaces")
    with click.Context(click.Command("grade")):
        assert open_sandbox(engine, TierWish()).tier == "namespaces"
    assert capsys.readouterr().err == ""


def test_a_tier_that_is_required_is_an_error_where_the_machine_offers_less(
    engine: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox_of("restricted")
    without_bubblewrap(monkeypatch)
    assert engine.weakest_tier == "restricted"
    with pytest.raises(CallerFault, match="no tier as strong as namespaces"):
        open_sandbox(engine, TierWish(require="namespaces"))


def test_a_tier_that_is_required_stays_required_where_unsafe_ones_are_allowed(
    engine: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_bubblewrap(monkeypatch)
    without_landlock_and_seccomp(monkeypatch)
    with pytest.raises(CallerFault, match="no tier as strong as restricted"):
        open_sandbox(engine, TierWish(require="restricted", allow_unsafe=True))


def test_requiring_less_than_the_course_does_changes_nothing(engine: Assignment) -> None:
    assert TierWish(require="process").weakest(engine.weakest_tier) == "restricted"


def test_the_weakest_tier_is_used_only_where_it_is_allowed(
    engine: Assignment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_bubblewrap(monkeypatch)
    without_landlock_and_seccomp(monkeypatch)
    with pytest.raises(CallerFault, match="no tier as strong as restricted"):
        open_sandbox(engine, TierWish())
    with click.Context(click.Command("grade")):
        assert open_sandbox(engine, TierWish(allow_unsafe=True)).tier == "process"


# --- A process that is less locked than its tier promises is refused.

PROMISES = [
    ("namespaces", "seccomp", {"seccomp": None}),
    ("namespaces", "processes", {"seccomp": None}),
    ("namespaces", "tracing", {"seccomp": None}),
    ("namespaces", "limits", {"limits": {"RLIMIT_NO_SUCH": 1}}),
    ("namespaces", "files", {"outside": os.path.realpath(os.__file__)}),
    ("namespaces", "writing", {"library": "."}),
    ("restricted", "seccomp", {"seccomp": None}),
    ("restricted", "network", {"seccomp": None}),
    ("restricted", "Landlock", {"landlock": None}),
    ("restricted", "files", {"landlock": None}),
    ("restricted", "limits", {"limits": {"RLIMIT_NO_SUCH": 1}}),
    ("process", "limits", {"limits": {"RLIMIT_NO_SUCH": 1}}),
]
"""What is in force no more, when the process is told otherwise."""


def stripped(monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]) -> None:
    """Let processes be told this instead, as if the kernel had less to offer."""
    config = Sandbox.lock_config

    def less(self: Sandbox, *arguments: Any) -> dict[str, Any]:
        return {**config(self, *arguments), **changes}

    monkeypatch.setattr(Sandbox, "lock_config", less)


def refused(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> tuple[KitFault, list[bytes]]:
    """The fault when such a process is started, and everything that was sent to it before."""
    sent: list[bytes] = []
    send = Channel.send

    def noted(self: Channel, content: bytes, *arguments: Any, **named: Any) -> None:
        sent.append(content)
        send(self, content, *arguments, **named)

    monkeypatch.setattr(Channel, "send", noted)
    child = sandbox.start(Limits())
    with pytest.raises(KitFault) as fault:
        child.ready(marshal.dumps([("students.own", compile("'of the student'", "", "exec"))]))
    return fault.value, sent


@pytest.mark.parametrize(("tier", "promise", "changes"), PROMISES)
def test_a_process_that_lacks_a_lock_of_its_tier_is_refused(
    monkeypatch: pytest.MonkeyPatch, tier: TierName, promise: str, changes: dict[str, Any]
) -> None:
    sandbox = sandbox_of(tier)
    stripped(monkeypatch, changes)
    fault, _ = refused(sandbox, monkeypatch)
    assert f"tier {tier} is not what it promises: " in fault.what
    assert promise in fault.what.partition("promises: ")[2].partition(" not in force")[0].split(", ")


@pytest.mark.parametrize("tier", TIERS)
def test_every_word_of_a_promise_has_a_meaning(tier: TierName) -> None:
    assert {*promised(sandbox_of(tier), 1)} <= {*MEANING}


@pytest.mark.parametrize("tier", ["namespaces", "restricted"])
def test_a_process_that_keeps_the_graders_user_is_refused(monkeypatch: pytest.MonkeyPatch, tier: TierName) -> None:
    sandbox = sandbox_of(tier)
    if not sandbox.own_uid:
        pytest.skip("only root can give each process a user of its own")
    stripped(monkeypatch, {"uid": None})
    fault, _ = refused(sandbox, monkeypatch)
    assert "user not in force" in fault.what


def test_a_plain_process_that_claims_a_stronger_tier_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stripped(monkeypatch, {"seccomp": None, "landlock": None})
    pretender = Sandbox("restricted", sandbox_of("process").python, filtered=True, readable=("/usr",))
    fault, _ = refused(pretender, monkeypatch)
    assert all(word in fault.what for word in ("seccomp", "Landlock", "not in force"))


@pytest.mark.parametrize(("tier", "promise", "changes"), PROMISES)
def test_nothing_of_the_students_is_sent_to_a_process_that_is_refused(
    monkeypatch: pytest.MonkeyPatch, tier: TierName, promise: str, changes: dict[str, Any]
) -> None:
    sandbox = sandbox_of(tier)
    stripped(monkeypatch, changes)
    _, sent = refused(sandbox, monkeypatch)
    assert len(sent) == 2  # what locks it, and how
    assert not [frame for frame in sent if b"of the student" in frame]


@pytest.mark.parametrize(("tier", "promise", "changes"), PROMISES)
def test_a_tier_that_does_not_keep_its_promise_is_not_offered(
    monkeypatch: pytest.MonkeyPatch, tier: TierName, promise: str, changes: dict[str, Any]
) -> None:
    sandbox_of(tier)
    stripped(monkeypatch, changes)
    offer = next(offer for offer in probe() if offer.tier == tier)
    assert offer.sandbox is None
    assert promise in offer.reason


def test_a_process_that_cannot_be_started_is_the_kits_fault() -> None:
    with pytest.raises(KitFault, match="cannot be started"):
        replace(sandbox_of("process"), python="/no/such/python").start(Limits())


@pytest.mark.parametrize("tier", TIERS)
def test_every_limit_of_a_process_is_in_force(tier: TierName) -> None:
    source = """
import os, resource, sys
names = [name for name in dir(resource) if name.startswith('RLIMIT_')]
text = repr({name: resource.getrlimit(getattr(resource, name)) for name in names}).encode()
os.write(CHANNEL, len(text).to_bytes(4, 'big') + text)
"""
    limits = Limits(memory_mb=300, submission_seconds=20, import_seconds=2)
    found = answer_of(sandbox_of(tier).start(limits), source)
    assert found["RLIMIT_AS"] == (300 * 2**20, 300 * 2**20)
    assert found["RLIMIT_CPU"] == (23, 23)
    assert found["RLIMIT_CORE"] == (0, 0)
    assert max(found["RLIMIT_FSIZE"]) <= 16 * 2**20
    assert max(found["RLIMIT_NOFILE"]) <= 256
    assert max(found["RLIMIT_NPROC"]) <= (32 if sandbox_of(tier).own_uid else 10_000)


def answer_of(child: Child, source: str) -> Any:
    """What a program answers that runs in a locked process."""
    try:
        child.ready(marshal.dumps([("program", compile(source, "", "exec"))]))
        frame = child.channel.wait(10)
        assert frame is not None
        return ast.literal_eval(frame.decode())
    finally:
        child.kill()


# --- Another user, another interpreter.

TRIAL = """
import json, os, sys
from autograder.bridge import Bridge, Program, Student, StudentError
from autograder.bridge.supply import Supply
from autograder.course import Assignment, Limits
from autograder.sandbox import probe

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
for offer in probe():
    if offer.sandbox is None:
        results[offer.tier] = offer.reason
        continue
    source = f"import ctypes, os, resource, socket\\nPARENT, FILE = {os.getpid()}, {FILE!r}\\n"
    source += "libc = ctypes.CDLL(None, use_errno=True)\\n"
    source += "def check(r):\\n    if r < 0: raise OSError(ctypes.get_errno(), 'denied')\\n"
    source += "class Value:\\n    def __init__(self, data): self.data = data\\n"
    source += "    def __add__(self, other): return Value(self.data + other.data)\\n"
    for number, body in enumerate(FORBIDDEN.values()):
        source += f"def attack_{number}(): {body}\\n"
    supply = Supply(offer.sandbox, Limits())
    bridge = Bridge(Program((("value.py", source),), ("Value",)), supply, Limits())
    done = results[offer.tier] = {"notes": len(bridge.load().notes), "succeeded": []}
    bridge.begin_test()
    student = Student(bridge)
    Value = student.get("Value")
    done["sum"] = (Value(2.0) + Value(3.0)).data
    bridge.end_test()
    if offer.tier != "process":
        for number, name in enumerate(FORBIDDEN):
            bridge.begin_test()
            try:
                student.get(f"attack_{number}")()
                done["succeeded"].append(name)
            except OSError:
                pass
            bridge.end_test()
    bridge.discard()
    supply.close()
print(json.dumps(results))
"""


@pytest.fixture(scope="module", params=["root", "nobody"])
def user(request: pytest.FixtureRequest) -> int:
    """A user's number."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    return 0 if request.param == "root" else 65534


@pytest.fixture
def own_file(user: int) -> Iterator[Path]:
    """A file of this user's."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    folder.chmod(0o755)
    file = folder / "own"
    file.write_text("own")
    os.chown(file, user, user)
    yield file
    shutil.rmtree(folder)


@pytest.fixture
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
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def reachable(path: Path) -> bool:
    """Whether any user may pass through every folder on the way."""
    return all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents))


def test_every_user_is_offered_tiers_that_work(tried: dict[str, Any]) -> None:
    offered = [done for done in tried.values() if isinstance(done, dict)]
    assert offered
    for done in offered:
        assert (done["notes"], done["sum"]) == (0, 5.0)


@pytest.mark.parametrize("tier", ["namespaces", "restricted"])
def test_no_user_is_offered_a_tier_that_is_weaker_than_it_says(
    tried: dict[str, Any], own_file: Path, tier: str
) -> None:
    if not isinstance(tried[tier], dict):
        pytest.skip(tried[tier])
    assert tried[tier]["succeeded"] == []
    assert own_file.read_text() == "own"


def test_the_interpreter_of_a_sandbox_is_this_one() -> None:
    python = interpreter.interpreter()
    assert python.executable == os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    assert python.stdlib == os.path.dirname(os.path.realpath(os.__file__))


@pytest.mark.parametrize("folder", ["/home/ta/.local/lib/python3/site-packages", "/usr/lib/python3/dist-packages"])
def test_no_library_of_an_installed_package_is_among_those_of_the_interpreter(
    monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    found = interpreter._mapped_libraries()
    monkeypatch.setattr(interpreter, "_mapped_libraries", lambda: [*found, f"{folder}/msgspec/_core.so"])
    python = interpreter.interpreter.__wrapped__()
    assert not [path for path in python.libraries if "-packages/" in path]
