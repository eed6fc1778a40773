"""What `autograder doctor` says of the isolation that a machine offers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autograder.cli.doctor import _describe_processes
from autograder.sandbox import Sandbox

NAMESPACES = Sandbox("namespaces", "python3", "bwrap", ())


@pytest.mark.parametrize(
    ("sandbox", "words"),
    [
        (None, ""),
        (Sandbox("restricted", "python3"), ""),
        (replace(NAMESPACES, uses_fork_server=True), "each process a fork of an interpreter that is in the sandbox"),
        (
            replace(NAMESPACES, uses_own_uid=True, uses_fork_server=True),
            "under a user id of its own; each process a fork",
        ),
        (NAMESPACES, "an interpreter of its own, which is slower, since none can fork into namespaces here"),
    ],
)
def test_it_says_as_whom_processes_run_and_whether_they_are_forked(sandbox: Sandbox | None, words: str) -> None:
    said = _describe_processes(sandbox)
    assert words in said
    assert bool(words) == bool(said)
