"""Programs whose reports may not change from run to run: sets of operands, right engines, endless loops."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from autograder.course import Assignment
from autograder.course.misconceptions import apply_misconceptions
from autograder.faults import CourseFault
from tests.catalogues import load_catalogue_once

IN_A_SET = ("        self._prev = _prev\n", "        self._prev = set(_prev)\n")
ENDLESS = {
    "endless-backward": ("        self.grad = 1.0\n", "        self.grad = 1.0\n        while True: pass\n"),
    "endless-sum": (
        '        out = Value(self.data + other.data, (self, other), "+")\n',
        "        while self: pass\n",
    ),
    "endless-zero-grad": ("            node.grad = 0.0\n", "            while node.grad == node.grad: pass\n"),
}
RIGHT = (
    *("prev_set", "prev_frozenset", "micrograd", "tape", "depth_at_construction", "typed", "dataclass", "kahn"),
    *("weak_references", "gradients_in_a_table"),
)


def programs(assignment: Assignment, wrong: int) -> dict[str, str]:
    """Source by name: ten right engines, three endless ones, and wrong ones that keep operands in a set.

    Args:
        assignment: the engine's.
        wrong: how many wrong ones, from all over the catalogue.
    """
    solution = assignment.solution_file.read_text(encoding="utf-8")
    made = {f"right-{name}": _wheat(assignment, name) for name in RIGHT}
    made |= {name: solution.replace(*edit) for name, edit in ENDLESS.items()}
    every = [*_wrong(assignment, solution)]
    return made | dict(islice(every, 0, None, max(1, len(every) // max(1, wrong))))


def _wrong(assignment: Assignment, solution: str) -> Iterator[tuple[str, str]]:
    core = {concept.name for concept in assignment.concepts if not concept.bonus}
    for one in load_catalogue_once(assignment).misconceptions:
        try:
            source = apply_misconceptions(solution, one).replace(*IN_A_SET)
        except CourseFault:
            continue
        if IN_A_SET[1] in source and core.issuperset(one.concepts):
            yield f"set-{one.id}", source


def _wheat(assignment: Assignment, name: str) -> str:
    return assignment.solution_file.parent.joinpath("wheats", f"{name}.py").read_text(encoding="utf-8")
