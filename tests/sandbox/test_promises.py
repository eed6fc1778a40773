"""A process that is less locked than its tier promises is refused before it is sent anything of a student's."""

from __future__ import annotations

import ast
import marshal
import os
from dataclasses import replace
from typing import Any

import pytest

from autograder.course import Limits
from autograder.course.model import TierName
from autograder.faults import KitFault
from autograder.sandbox import SandboxConfig, StudentProcess, probe_tiers
from autograder.sandbox.frame_channel import FrameChannel
from autograder.sandbox.sandbox_config import LAST_RESORT_FACTOR
from autograder.sandbox.student_process import start_student_process
from autograder.sandbox.tier_guarantees import (
    GUARANTEED_BETWEEN_SUBMISSIONS,
    describe_possible_leaks,
    list_required_guarantees,
)
from autograder.sandbox.tiers import TIERS
from tests.sandbox.conftest import offered
from tests.tiers import IDLE, program

PROMISES = [
    ("namespaces", "seccomp", {"seccomp": None}),
    ("namespaces", "processes", {"seccomp": None}),
    ("namespaces", "tracing", {"seccomp": None}),
    ("namespaces", "locks", {"seccomp": None}),
    ("namespaces", "machine", {"seccomp": None}),
    ("namespaces", "counters", {"seccomp": None}),
    ("namespaces", "futexes", {"seccomp": None}),
    ("namespaces", "pages", {"seccomp": None}),
    ("namespaces", "limits", {"limits": {"RLIMIT_NO_SUCH": 1}}),
    ("namespaces", "files", {"outside": os.path.realpath(os.__file__)}),
    ("namespaces", "writing", {"library": "."}),
    ("restricted", "seccomp", {"seccomp": None}),
    ("restricted", "network", {"seccomp": None}),
    ("restricted", "locks", {"seccomp": None}),
    ("restricted", "Landlock", {"landlock": None}),
    ("restricted", "files", {"landlock": None, "root": None}),
    ("restricted", "limits", {"limits": {"RLIMIT_NO_SUCH": 1}}),
    ("process", "limits", {"limits": {"RLIMIT_NO_SUCH": 1}}),
]
"""What is in force no more, when the process is told otherwise."""


def stripped(monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]) -> None:
    """Let processes be told this instead, as if the kernel had less to offer."""
    config = SandboxConfig.make_lockdown_config

    def less(self: SandboxConfig, *arguments: Any) -> dict[str, Any]:
        return {**config(self, *arguments), **changes}

    monkeypatch.setattr(SandboxConfig, "make_lockdown_config", less)


def refused(sandbox: SandboxConfig, monkeypatch: pytest.MonkeyPatch) -> tuple[KitFault, list[bytes]]:
    """The fault when such a process is started, and everything that was sent to it before."""
    sent: list[bytes] = []
    send = FrameChannel.send_frame

    def noted(self: FrameChannel, content: bytes, *arguments: Any, **named: Any) -> None:
        sent.append(content)
        send(self, content, *arguments, **named)

    monkeypatch.setattr(FrameChannel, "send_frame", noted)
    child = start_student_process(sandbox, Limits(), IDLE)
    with pytest.raises(KitFault) as fault:
        child.wait_for_lockdown()
    return fault.value, sent


@pytest.mark.parametrize(("tier", "promise", "changes"), PROMISES)
def test_a_process_that_lacks_a_lock_of_its_tier_is_refused(
    monkeypatch: pytest.MonkeyPatch, tier: TierName, promise: str, changes: dict[str, Any]
) -> None:
    sandbox = offered(tier)
    stripped(monkeypatch, changes)
    fault, sent = refused(sandbox, monkeypatch)
    assert "limits" in marshal.loads(sent[-1]), "nothing but how it is to be locked was sent"
    assert f"tier {tier} does not keep its guarantees: " in fault.what
    assert promise in fault.what.partition("guarantees: ")[2].partition(" not in force")[0].split(", ")


@pytest.mark.parametrize(
    ("word", "changes"), [("paths", {"root": None}), ("reading", {"copy": None, "root": None, "library": "/usr"})]
)
def test_a_way_that_keeps_less_of_a_tier_is_offered_where_a_better_one_fails_and_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, word: str, changes: dict[str, Any]
) -> None:
    if not offered("restricted").uses_own_root:
        pytest.skip("only root can give a process a root folder of its own")
    assert word not in describe_possible_leaks(offered("restricted"))
    config = SandboxConfig.make_lockdown_config

    def less(self: SandboxConfig, *arguments: Any) -> dict[str, Any]:
        return {
            **config(self, *arguments),
            **(changes if self.uses_own_root or (word == "reading" and self.library_copy) else {}),
        }

    monkeypatch.setattr(SandboxConfig, "make_lockdown_config", less)
    assert word in describe_possible_leaks(offered("restricted"))


@pytest.mark.parametrize("tier", TIERS)
def test_what_is_promised_between_submissions_is_told_where_it_is_not_kept(tier: TierName) -> None:
    kept = {*list_required_guarantees(offered(tier), None)}
    told = {*describe_possible_leaks(offered(tier))}
    between = {*GUARANTEED_BETWEEN_SUBMISSIONS, "numbers", "reading", "paths"}
    assert told & between == between - kept


def test_tier_process_denies_locks_where_that_is_possible_and_is_refused_where_it_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sandbox = offered("process")
    if not sandbox.denies_locks_alone:
        pytest.skip("there is no filter of system calls here")
    stripped(monkeypatch, {"seccomp": None})
    fault, _ = refused(sandbox, monkeypatch)
    assert "locks not in force" in fault.what


def test_a_tier_process_without_its_filter_is_offered_and_says_that_files_can_be_locked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "locks" not in describe_possible_leaks(offered("process"))
    stripped(monkeypatch, {"seccomp": None})
    assert "locks" in describe_possible_leaks(offered("process"))
    assert not offered("process").lets_processes_overlap


@pytest.mark.parametrize("tier", ["namespaces", "restricted"])
def test_a_process_that_keeps_the_graders_user_is_refused(monkeypatch: pytest.MonkeyPatch, tier: TierName) -> None:
    sandbox = offered(tier)
    if not sandbox.uses_own_uid:
        pytest.skip("only root can give each process a user of its own")
    stripped(monkeypatch, {"uid": None})
    fault, _ = refused(sandbox, monkeypatch)
    assert "user not in force" in fault.what


def test_a_plain_process_that_claims_a_stronger_tier_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stripped(monkeypatch, {"seccomp": None, "landlock": None})
    pretender = SandboxConfig(
        "restricted", offered("process").python_path, uses_seccomp=True, readable_paths=("/usr",)
    )
    fault, _ = refused(pretender, monkeypatch)
    assert all(word in fault.what for word in ("seccomp", "Landlock", "not in force"))


@pytest.mark.first_cases(4)
@pytest.mark.parametrize(("tier", "promise", "changes"), PROMISES)
def test_a_tier_that_does_not_keep_its_promise_is_not_offered(
    monkeypatch: pytest.MonkeyPatch, tier: TierName, promise: str, changes: dict[str, Any]
) -> None:
    offered(tier)
    stripped(monkeypatch, changes)
    offer = next(offer for offer in probe_tiers() if offer.tier == tier)
    assert offer.sandbox is None
    assert promise in offer.unavailable_reason


def test_a_process_that_cannot_be_started_is_the_kits_fault() -> None:
    with pytest.raises(KitFault, match="cannot start the student's process"):
        start_student_process(replace(offered("process"), python_path="/no/such/python"), Limits(), IDLE)


@pytest.mark.parametrize("tier", TIERS)
def test_every_limit_of_a_process_is_in_force(tier: TierName) -> None:
    source = """
import os, resource, sys
names = [name for name in dir(resource) if name.startswith('RLIMIT_')]
text = repr({name: resource.getrlimit(getattr(resource, name)) for name in names}).encode()
os.write(CHANNEL, len(text).to_bytes(4, 'big') + text)
"""
    limits = Limits(memory_mb=300, submission_seconds=20, import_seconds=2)
    found = answer_of(start_student_process(offered(tier), limits, program(source)))
    assert found["RLIMIT_AS"] == (300 * 2**20, 300 * 2**20)
    assert found["RLIMIT_CPU"] == (23 * LAST_RESORT_FACTOR,) * 2
    assert found["RLIMIT_CORE"] == (0, 0)
    assert max(found["RLIMIT_FSIZE"]) <= 16 * 2**20
    assert max(found["RLIMIT_NOFILE"]) <= 256
    assert max(found["RLIMIT_NPROC"]) <= (32 if offered(tier).uses_own_uid else 10_000)


def answer_of(child: StudentProcess) -> Any:
    """What a program answers that runs in a locked process."""
    try:
        child.wait_for_lockdown()
        frame = child.channel.receive_frame_or_none_within(10)
        assert frame is not None
        return ast.literal_eval(frame.decode())
    finally:
        child.kill_without_waiting()
