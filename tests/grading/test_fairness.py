"""An engine that is written in an unusual way keeps its marks; one that pretends gains none."""

from __future__ import annotations

from pathlib import Path

from autograder.grading import Grader
from tests.graded_sources import grade_source

LIAR = """
class Liar:
    def __le__(self, other): return True
    __ge__ = __le__
def relu(self):
    out = Value(max(self.data, 0), (self,), "relu")
    def _backward():
        self.grad = Liar() if self.data == 0 else self.grad + (self.data > 0) * out.grad
    out._backward = _backward
    return out
Value.relu = relu
"""


def test_a_class_that_is_made_by_new_keeps_its_marks(grader: Grader, root: Path) -> None:
    wheat = root / "solutions" / "autograd-engine" / "wheats" / "new_instead_of_init.py"
    assert sum(c.score for c in grade_source(grader, wheat.read_text()).concept_scores if not c.bonus) == 100


def test_a_gradient_that_compares_as_it_likes_earns_nothing(grader: Grader, root: Path) -> None:
    honest = (root / "solutions" / "autograd-engine" / "value.py").read_text()
    results = {r.spec.id: r.outcome for r in grade_source(grader, honest + LIAR).test_results}
    assert results["operators.relu"] == "failed"
