"""A batch as a simulation of events: workers, their queues, one coordinator, and machines that fail."""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Plan:
    """What is simulated; all times are seconds."""

    submissions: int
    workers: int
    service: Sequence[float]
    """Times of grading one submission, as they were measured; each is drawn from these."""
    result: float
    """What one result costs the coordinator, who does one thing at a time."""
    opening: float
    """Until a worker has opened the suite."""
    ahead: int = 2
    """Tasks that a worker holds beyond the one it is at."""
    lifetime: float = float("inf")
    """Mean time until a worker is lost, with all that it holds."""
    renewal: float = 60.0
    """Until another takes its place."""


@dataclass(slots=True)
class Outcome:
    """What came of it."""

    seconds: float = 0.0
    grading: float = 0.0
    """Time of all workers together in which they graded."""
    coordinating: float = 0.0
    lost: int = 0
    """Tasks that were handed out again."""


@dataclass(slots=True)
class _Worker:
    life: int = 0
    """Which process this is: events of an earlier one are void."""
    holds: int = 0
    """Tasks, with the one it is at."""
    busy: bool = False


@dataclass(slots=True)
class Simulation:
    """One run; the same seed gives the same."""

    plan: Plan
    seed: int = 1
    outcome: Outcome = field(default_factory=Outcome)
    _events: list[tuple[float, int, str, int, int]] = field(default_factory=list)
    _workers: list[_Worker] = field(default_factory=list)
    _free: float = 0.0
    """When the coordinator has done what it knows of."""
    _left: int = 0
    _wanting: deque[int] = field(default_factory=deque)
    """Workers that could hold more, while there was nothing to hand out."""
    _count: int = 0

    def run(self) -> Outcome:
        """Until every submission has its result."""
        dice, plan = random.Random(self.seed), self.plan
        self._workers = [_Worker(life=-1) for _ in range(plan.workers)]
        self._left, done = plan.submissions, 0
        for number in range(plan.workers):
            self._at(plan.opening, "joins", number, -1)
        while done < plan.submissions:
            now, _, what, number, life = heapq.heappop(self._events)
            worker = self._workers[number]
            if life != worker.life:
                if what == "gets":
                    self._again(now, 1)
                continue
            if what == "joins":
                worker.life, worker.holds, worker.busy = life + 1, 0, False
                if plan.lifetime != float("inf"):
                    self._at(now + dice.expovariate(1 / plan.lifetime), "is lost", number, worker.life)
                for _ in range(1 + plan.ahead):
                    self._hand_out(now, number)
            elif what == "is lost":
                worker.life += 1
                self._wanting = deque(one for one in self._wanting if one != number)
                self._at(now + plan.renewal, "joins", number, worker.life)
                self._again(now, worker.holds)
            elif what == "gets":
                worker.holds += 1
            elif what == "is done":
                worker.holds, worker.busy, done = worker.holds - 1, False, done + 1
                self.outcome.seconds = self._coordinate(now)
                self._hand_out(self.outcome.seconds, number)
            if what in ("gets", "is done") and worker.holds and not worker.busy:
                worker.busy, seconds = True, dice.choice(plan.service)
                self.outcome.grading += seconds
                self._at(now + seconds, "is done", number, worker.life)
        return self.outcome

    def _coordinate(self, now: float) -> float:
        """When the coordinator has taken a result that came now."""
        self._free = max(self._free, now) + self.plan.result
        self.outcome.coordinating += self.plan.result
        return self._free

    def _hand_out(self, now: float, number: int) -> None:
        if self._left:
            self._left -= 1
            self._at(now, "gets", number, self._workers[number].life)
        else:
            self._wanting.append(number)

    def _again(self, now: float, count: int) -> None:
        """Tasks of a worker that was lost, to whoever has nothing to do."""
        self.outcome.lost += count
        self._left += count
        while self._left and self._wanting:
            self._hand_out(now, self._wanting.popleft())

    def _at(self, when: float, what: str, number: int, life: int) -> None:
        self._count += 1  # events of one moment come in the order in which they were made
        heapq.heappush(self._events, (when, self._count, what, number, life))
