"""How fast a class is graded, and at what cost: this kit, its peers and the floor, on the same submissions and tests.

    make bench                                       # or: python -m benchmarks.bench
    python -m benchmarks.bench --only kit --thousand # a class of 1,000 for real
    python -m benchmarks.bench --otter-python PATH   # an environment that has otter-grader and gradescope-utils

Each submission is a copy of the reference solution with another comment, and has to get full marks from every grader.
Those that grade many in one process are run on a few and on many: the difference is what one more costs, the rest is
start-up. Writes the table into benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from autograder.course import Assignment, load_course
from autograder.course.model import TierName
from autograder.sandbox import probe
from benchmarks.classes import ROOT, make_copies
from benchmarks.measure import measure
from benchmarks.peers.environment import peers_python
from benchmarks.peers.floor import Floor
from benchmarks.peers.gradescope import Gradescope
from benchmarks.peers.kit import Kit
from benchmarks.peers.otter import OtterApi, OtterRun
from benchmarks.peers.peer import Job, Peer
from benchmarks.peers.plain_pytest import PlainPytest
from benchmarks.readme import machine, put_between
from benchmarks.row import Measured, Row, middle, row_of, table

AT_ONCE = (1, 2)
README = ROOT / "benchmarks" / "README.md"
GROUPS = ("kit", "floor", "pytest", "gradescope", "otter")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print a table and write it into the README."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--course", type=Path, default=ROOT)
    parser.add_argument("--assignment", default="autograd-engine")
    parser.add_argument("--copies", type=int, default=200, help="for the kit and the floor")
    parser.add_argument(
        "--few", type=int, default=20, help="for the kit and the floor, to tell start-up from the rest"
    )
    parser.add_argument("--slow-copies", type=int, default=8, help="for the peers")
    parser.add_argument("--rounds", type=int, default=1, help="everything so often, in turn; the middle one is told")
    parser.add_argument("--only", choices=GROUPS, action="append", help="one of them; may be said several times")
    parser.add_argument("--thousand", action="store_true", help="the kit grades 1,000 as well")
    parser.add_argument("--otter-python", type=Path, help="an interpreter with the peers; build/peers by default")
    parser.add_argument("--readme", type=Path, help=f"where the table goes; {README} when everything is measured")
    options = parser.parse_args(arguments)
    assignment = next(one for one in load_course(options.course).assignments if one.name == options.assignment)
    before = machine()
    rounds: dict[tuple[str, int], list[Row]] = defaultdict(list)
    skipped = []
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench(assignment, options.course.resolve(), Path(temporary))
        chosen: list[Peer] = []
        for found in peers(options.only or GROUPS, options.otter_python):
            if isinstance(found, str):
                skipped.append(f"skipped: {found}")
                print(skipped[-1], file=sys.stderr)
            else:
                chosen.append(found)
        for peer, at_once in product(chosen * options.rounds, AT_ONCE):
            row = bench.row(peer, *sizes(peer, options), at_once)
            rounds[peer.name, at_once].append(row)
            print(f"{peer.name}, {at_once} at once: {row.seconds:.1f} s", file=sys.stderr)
        rows = [middle(found) for found in rounds.values()]
        if options.thousand:
            rows.append(bench.row(Kit(strongest()), 0, 1000, max(AT_ONCE)))
    text = "\n\n".join([before, table(rows), *skipped])
    print(text)
    readme = options.readme or (README if options.only is None else None)
    if readme:
        put_between(readme, "bench", text)


def sizes(peer: Peer, options: argparse.Namespace) -> tuple[int, int]:
    """How many submissions a peer is run on first, to tell its start-up, and then."""
    if isinstance(peer, Kit | Floor):
        return options.few, options.copies
    return (2, options.slow_copies) if peer.warm else (0, options.slow_copies)


def strongest() -> TierName:
    """The strongest tier of this machine."""
    return next(offer.tier for offer in probe() if offer.sandbox)


def peers(groups: Sequence[str], python: Path | None) -> Iterator[Peer | str]:
    """What is measured, and for what cannot be, why.

    Args:
        groups: which, of ``GROUPS``.
        python: see ``peers_python``.
    """
    if "kit" in groups:
        for offer in probe():
            yield Kit(offer.tier) if offer.sandbox else f"tier {offer.tier}: {offer.reason}"
    if "floor" in groups:
        yield Floor()
    if "pytest" in groups:
        yield PlainPytest()
    if {"gradescope", "otter"} & set(groups):
        found, wrong = peers_python(python)
        if found is None:
            yield f"gradescope-utils and otter-grader: {wrong}"
            return
        if "gradescope" in groups:
            yield Gradescope(found)
        if "otter" in groups:
            yield from (OtterApi(found), OtterRun(found))


class Bench:
    """Measures peers on copies of one reference solution."""

    def __init__(self, assignment: Assignment, course: Path, scratch: Path) -> None:
        self._assignment = assignment
        self._course = course
        self._scratch = scratch
        self._jobs = 0

    def row(self, peer: Peer, few: int, many: int, at_once: int) -> Row:
        """One line of the table.

        Args:
            peer: who grades.
            few: submissions to tell the start-up by; it is not told when this is 0, or not below ``many``.
            many: submissions.
            at_once: see ``Job``.

        Raises:
            SystemExit: a submission did not get full marks, or the peer failed.
        """
        first = self._run(peer, few, at_once) if 0 < few < many else None
        return row_of(peer, at_once, self._run(peer, many, at_once), first)

    def _run(self, peer: Peer, count: int, at_once: int) -> Measured:
        self._jobs += 1
        place = self._scratch / str(self._jobs)
        submissions = make_copies(place / "submissions", self._assignment.solution, count)
        scratch = place / "scratch"
        scratch.mkdir()
        job = Job(self._assignment, self._course, submissions, scratch, at_once)
        cost = measure(peer.commands(job), at_once)
        shares = peer.shares(job)
        if [round(share, 9) for share in shares] != [1.0] * count:
            raise SystemExit(f"{peer.name}: the reference solution got {shares} of the marks, not {count} times 1")
        return Measured(count, cost)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was started is ended then, too
    main()
