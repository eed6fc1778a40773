"""An engine that is written in an unusual way keeps its marks; one that pretends gains none."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import nbformat
import pytest
from msgspec import structs

from autograder.course import Assignment
from autograder.grading import GradedSubmission, Grader
from autograder.sandbox import SandboxConfig
from tests.graded_sources import grade_source
from tests.grading.engines import ENGINE, edited

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


def points(graded: GradedSubmission) -> tuple[Fraction, Fraction]:
    """Points without the bonus, and those of the bonus."""
    scores = graded.concept_scores
    return sum((one.score for one in scores if not one.bonus), Fraction()), sum(
        (one.score for one in scores if one.bonus), Fraction()
    )


def test_a_class_that_is_made_by_new_keeps_its_marks(grader: Grader, root: Path) -> None:
    wheat = root / "solutions" / "autograd-engine" / "wheats" / "new_instead_of_init.py"
    assert points(grade_source(grader, wheat.read_text()))[0] == 100


IMPORTS = {
    "asyncio": "import asyncio\nasync def main(): await asyncio.sleep(0)\nasyncio.run(main())\n",
    "the standard library": "import contextlib, contextvars, dataclasses, decimal\ndecimal.getcontext().prec = 30\n"
    "@dataclasses.dataclass\nclass Setting:\n    learning_rate: float = 0.1\n",
    "os": "import os\n",
}


@pytest.mark.parametrize("imports", IMPORTS.values(), ids=IMPORTS)
def test_what_a_right_engine_imports_costs_no_mark_and_no_process(grader: Grader, root: Path, imports: str) -> None:
    reference = (root / "solutions" / "autograd-engine" / "value.py").read_text()
    plain, importing = grade_source(grader, reference), grade_source(grader, imports + reference)
    assert points(importing) == points(plain)
    assert importing.process_count == plain.process_count


def test_an_engine_whose_constructor_raises_needs_few_processes(grader: Grader) -> None:
    graded = grade_source(grader, edited(ENGINE, ("        self.data = data\n", "        raise ValueError\n")))
    assert sum(points(graded)) == 0
    assert graded.process_count <= 4


TRAINING = """
weight, losses = Value(0.1), []
for step in range(200):
    loss = (weight * 2.0 + -3.0).tanh() * (weight * 2.0 + -3.0).tanh()
    loss.zero_grad()
    loss.backward()
    weight = Value(weight.data - 0.1 * weight.grad)
    losses.append(loss.data)
"""


def test_a_notebook_that_trains_for_a_while_at_its_top_level_gets_what_its_code_gets(
    grader: Grader, tmp_path: Path
) -> None:
    cells = [nbformat.v4.new_code_cell(source) for source in (ENGINE, TRAINING, "print(losses[-1])")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "value.ipynb")
    assert points(grader.grade(tmp_path / "value.ipynb")) == points(grade_source(grader, ENGINE))


def test_what_running_the_code_anew_takes_is_charged_to_no_test(engine: Assignment, sandbox: SandboxConfig) -> None:
    limits = structs.replace(engine.limits, submission_seconds=0.6)  # a hundred times this training takes longer
    with Grader(replace(engine, limits=limits), sandbox) as grader:
        assert points(grade_source(grader, ENGINE + TRAINING)) == points(grade_source(grader, ENGINE))


def test_a_file_that_trains_for_hours_at_its_top_level_gets_what_its_code_gets(grader: Grader) -> None:
    training = TRAINING.replace("200", "100_000_000")
    assert points(grade_source(grader, ENGINE + training)) == points(grade_source(grader, ENGINE))


def test_a_gradient_that_compares_as_it_likes_earns_nothing(grader: Grader, root: Path) -> None:
    honest = (root / "solutions" / "autograd-engine" / "value.py").read_text()
    results = {r.spec.id: r.outcome for r in grade_source(grader, honest + LIAR).test_results}
    assert results["operators.relu"] == "failed"
