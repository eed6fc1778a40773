"""How fast a class is graded, and at what cost: this kit, its peers and the floor, on the same submissions and tests.

    make bench                                       # or: python -m benchmarks.bench
    python -m benchmarks.bench --only kit --thousand # a class of 1,000 for real
    python -m benchmarks.bench --otter-python PATH   # an environment that has otter-grader and gradescope-utils

First come copies of the reference solution, each with another comment, which have to get full marks from all graders.
Those that grade many in one process are run on a few and on many: the difference is what one more costs, the rest is
start-up. Then comes a generated class, half of it wrong, some of it hanging. Writes tables into benchmarks/README.md.
To try it:

    python -m benchmarks.bench --class-size 20 --copies 4 --few 2 --slow-copies 2 --only kit --only pytest
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from autograder.course import Assignment, load_course
from autograder.course.model import TierName
from autograder.sandbox import probe_tiers
from benchmarks.class_bench import ClassBench
from benchmarks.class_row import ClassRow
from benchmarks.class_table import class_tables
from benchmarks.classes import ENGINE, ROOT, make_copies
from benchmarks.generated_class import Kind, make_class
from benchmarks.measure import measure
from benchmarks.peers.environment import peers_python
from benchmarks.peers.floor import Floor
from benchmarks.peers.gradescope import Gradescope
from benchmarks.peers.kit import Kit
from benchmarks.peers.otter import OtterApi, OtterRun
from benchmarks.peers.peer import Job, Peer
from benchmarks.peers.plain_pytest import PlainPytest
from benchmarks.readme import machine, put_between, require_parts
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
    parser.add_argument("--class-size", type=int, default=200, help="of the generated class; 0 leaves it out")
    parser.add_argument("--class-seed", type=int, default=1)
    parser.add_argument(
        "--class-sample", type=int, default=8, help="right and wrong ones of it for the peers; 0: all"
    )
    parser.add_argument("--class-limit", type=float, default=60, help="seconds that a peer gets for a program of it")
    parser.add_argument("--otter-python", type=Path, help="an interpreter with the peers; build/peers by default")
    parser.add_argument("--readme", type=Path, help=f"where the table goes; {README} when everything is measured")
    options = parser.parse_args(arguments)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # installed peers have bytecode; a checkout has it then
    readme = options.readme or (README if options.only is None else None)
    if readme:
        require_parts(
            readme, ["bench", "class"] if options.class_size and options.assignment == ENGINE else ["bench"]
        )
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
        of_class = []
        if options.class_size and assignment.name == ENGINE:
            made = make_class(Path(temporary) / "class", assignment, options.class_size, options.class_seed)
            place = Path(temporary) / "graded"
            class_bench = ClassBench(assignment, options.course.resolve(), place, made, options.class_limit)
            of_class = list(class_rows(class_bench, chosen, options.class_sample))
    texts = {"bench": "\n\n".join([before, table(rows), *skipped])}
    if of_class:
        drawn = f"A generated class of {options.class_size}, seed {options.class_seed}"
        drawn += f"; peers get {options.class_limit:g} s a program."
        texts["class"] = "\n\n".join([f"{before} {drawn}", class_tables(of_class), *skipped])
    print("\n\n".join(texts.values()))
    for name, text in texts.items():
        if readme:
            put_between(readme, name, text)


def sizes(peer: Peer, options: argparse.Namespace) -> tuple[int, int]:
    """How many submissions a peer is run on first, to tell its start-up, and then."""
    if isinstance(peer, Kit | Floor):
        return options.few, options.copies
    return (2, options.slow_copies) if peer.warm else (0, options.slow_copies)


def class_rows(bench: ClassBench, chosen: Sequence[Peer], sample: int) -> Iterator[ClassRow]:
    """Measure the kit in its strongest tier, its peers, and the floor, on a generated class.

    The floor takes the right ones alone, because nothing in it ends a program that does not end. A peer is tried on
    those that hang once, with the most at once, because each of them may take as long as it is given.

    Args:
        bench: has the class.
        chosen: who grades.
        sample: see ``ClassBench.peer_row``.
    """
    ends: tuple[Kind, ...] = ("right", "wrong", "ungradable")
    for peer, at_once in product(chosen, AT_ONCE):
        if isinstance(peer, Floor):
            yield bench.peer_row(peer, ("right",), at_once, 0, hangs=False)
        elif not isinstance(peer, Kit):
            yield bench.peer_row(peer, ends, at_once, sample, hangs=at_once == max(AT_ONCE))
        elif peer.name == Kit(strongest()).name:
            yield bench.kit_row(peer, at_once)


def strongest() -> TierName:
    """Return the strongest tier of this machine."""
    return next(offer.tier for offer in probe_tiers() if offer.sandbox)


def peers(groups: Sequence[str], python: Path | None) -> Iterator[Peer | str]:
    """Say what is measured, and for what cannot be, why.

    Args:
        groups: which, of ``GROUPS``.
        python: see ``peers_python``.
    """
    if "kit" in groups:
        for offer in probe_tiers():
            yield Kit(offer.tier) if offer.sandbox else f"tier {offer.tier}: {offer.unavailable_reason}"
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
        submissions = make_copies(place / "submissions", self._assignment.solution_file, count)
        scratch = place / "scratch"
        scratch.mkdir()
        job = Job(self._assignment, self._course, submissions, scratch, at_once)
        cost = measure(peer.commands(job), at_once)
        shares = [round(share, 9) for share in peer.shares(job).values()]
        if shares != [1.0] * count:
            raise SystemExit(f"{peer.name}: the reference solution got {shares} of the marks, not {count} times 1")
        return Measured(count, cost)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was started is ended then, too
    main()
