"""Submissions given as text, in a process of every tier that this machine offers."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import dedent

import pytest

from autograder.bridge import Bridge, Loaded, Program, Student
from autograder.bridge.supply import Supply
from autograder.course import Limits
from autograder.course.model import TierName
from autograder.sandbox import Offer, Sandbox, probe
from autograder.sandbox.probe import TIERS


class Submission:
    """Source text that was loaded, ready to be tested.

    Attributes:
        bridge: to its process.
        loaded: what it defines, and what went wrong on the way.
    """

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge
        self.loaded: Loaded = bridge.load()

    @property
    def pid(self) -> int:
        """The id of its process, as this process sees it."""
        assert self.bridge._link is not None
        return self.bridge._link.child.pid

    @contextmanager
    def test(self) -> Iterator[Student]:
        """One hidden test: its body is the block."""
        self.bridge.begin_test()
        try:
            yield Student(self.bridge)
        finally:
            self.bridge.end_test()


class HandIn:
    """Loads source text: ``with hand_in("x = 1").test() as student: ...``."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.tier: TierName = sandbox.tier
        self._sandbox = sandbox
        self._supplies: dict[Limits, Supply] = {}
        self._open: list[Bridge] = []

    def __call__(
        self,
        *sources: str,
        defines: Sequence[str] = (),
        modules: Mapping[str, str] | None = None,
        limits: Limits = Limits(),  # noqa: B008  (frozen)
        **keeps: bool,
    ) -> Submission:
        """Load it: one source is a file, several are the cells of a notebook; for ``keeps``, see ``Bridge``."""
        names = ["value.py"] if len(sources) == 1 else [f"code cell {n}" for n in range(1, len(sources) + 1)]
        units = tuple((name, _text(source)) for name, source in zip(names, sources, strict=True))
        files = {name: _text(source) for name, source in (modules or {}).items()}
        if limits not in self._supplies:
            self._supplies[limits] = Supply(self._sandbox, limits)
        bridge = Bridge(Program(units, tuple(defines), files), self._supplies[limits], limits, **keeps)
        self._open.append(bridge)
        return Submission(bridge)

    def put_away(self) -> None:
        """End the processes of all submissions."""
        while self._open:
            self._open.pop().discard()

    def close(self) -> None:
        """End everything."""
        self.put_away()
        for supply in self._supplies.values():
            supply.close()


def _text(source: str) -> str:
    return dedent(source).removeprefix("\n")


@functools.cache
def _offers() -> dict[TierName, Offer]:
    return {offer.tier: offer for offer in probe()}


@pytest.fixture(scope="session", params=TIERS)
def each_tier(request: pytest.FixtureRequest) -> Iterator[HandIn]:
    """One tier after the other; a test of the trusted side alone names the only one it needs."""
    offer = _offers()[request.param]
    if offer.sandbox is None:
        pytest.skip(f"tier {offer.tier}: {offer.reason}")
    hand_in = HandIn(offer.sandbox)
    yield hand_in
    hand_in.close()


@pytest.fixture
def hand_in(each_tier: HandIn) -> Iterator[HandIn]:
    """Hand in source text; see ``HandIn``."""
    yield each_tier
    each_tier.put_away()
