"""Submissions given as text, in a process of the strongest tier, or of every tier that this machine offers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import dedent

import pytest

from autograder.bridge import Bridge, LoadResult, StudentProxy, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Limits
from autograder.course.model import TierName
from autograder.sandbox import SandboxConfig
from autograder.sandbox.tiers import TIERS
from tests.tiers import offered, only_the_strongest


class LoadedSubmission:
    """Source text that was loaded, ready to be tested.

    Attributes:
        bridge: to its process.
        loaded: what it defines, and what went wrong on the way.
    """

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge
        self.loaded: LoadResult = bridge.load_without_fatal_code()

    @property
    def pid(self) -> int:
        """The id of its process, as this process sees it."""
        assert self.bridge._client is not None
        return self.bridge._client.process.pid

    @contextmanager
    def test(self) -> Iterator[StudentProxy]:
        """One hidden test: its body is the block."""
        self.bridge.begin_test()
        try:
            yield StudentProxy(self.bridge)
        finally:
            self.bridge.end_test_and_charge_time()


class HandIn:
    """Loads source text: ``with hand_in("x = 1").test() as student: ...``."""

    def __init__(self, sandbox: SandboxConfig) -> None:
        self.tier: TierName = sandbox.tier
        self._sandbox = sandbox
        self._pools: dict[Limits, ProcessPool] = {}
        self._open: list[Bridge] = []

    def __call__(
        self,
        *sources: str,
        defines: Sequence[str] = (),
        modules: Mapping[str, str] | None = None,
        limits: Limits = Limits(),  # noqa: B008  (frozen)
    ) -> LoadedSubmission:
        """Load it: one source is a file, several are cells of a notebook."""
        names = ["value.py"] if len(sources) == 1 else [f"code cell {n}" for n in range(1, len(sources) + 1)]
        units = tuple((name, _text(source)) for name, source in zip(names, sources, strict=True))
        files = {name: _text(source) for name, source in (modules or {}).items()}
        if limits not in self._pools:
            self._pools[limits] = ProcessPool(self._sandbox, limits)
        bridge = Bridge(SubmissionProgram(units, tuple(defines), files), self._pools[limits], limits)
        self._open.append(bridge)
        return LoadedSubmission(bridge)

    def put_away(self) -> None:
        """End the processes of all submissions."""
        while self._open:
            self._open.pop().end_process()

    def close(self) -> None:
        """End everything."""
        self.put_away()
        for processes in self._pools.values():
            processes.end_unused_process()


def _text(source: str) -> str:
    return dedent(source).removeprefix("\n")


@pytest.fixture(scope="session", params=TIERS)
def each_tier(request: pytest.FixtureRequest) -> Iterator[HandIn]:
    """One tier after the other; a test of the trusted side alone names the only one it needs."""
    hand_in = HandIn(offered(request.param))
    yield hand_in
    hand_in.close()


@pytest.fixture
def hand_in(request: pytest.FixtureRequest, each_tier: HandIn) -> Iterator[HandIn]:
    """Hand in source text; see ``HandIn``.

    What is the same in every tier is tried in the strongest, and by ``make redteam`` in each. Tests of limits and
    crashes, which each tier enforces in its own way, are marked ``every_tier``.
    """
    names_its_tier = any("each_tier" in mark.args for mark in request.node.iter_markers("parametrize"))
    if not names_its_tier and not request.node.get_closest_marker("every_tier"):
        only_the_strongest(request, each_tier.tier)
    yield each_tier
    each_tier.put_away()
