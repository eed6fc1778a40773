"""A mistake is named if, and only if, the submission's own numbers prove it."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.course.misconceptions import apply_misconceptions
from autograder.diagnosis import Diagnosis, SubmissionDiagnoser, diagnoser, naming
from autograder.diagnosis.naming import NO_NAME, SEVERAL_NAMES, MistakeCandidateRunner
from autograder.faults import CourseFault, CourseWarning
from autograder.grading import Grader
from autograder.submissions import SourceUnit, Submission
from tests.catalogues import load_catalogue_once


def diagnosed(grader: Grader, source: str) -> Diagnosis:
    graded = grader.grade_submission(Submission("one", "", ("value.py",), (SourceUnit("value.py", source),)))
    return SubmissionDiagnoser(grader).diagnose(graded)


def named(diagnosis: Diagnosis) -> list[set[str]]:
    return [{one.id for one in cause.misconceptions} for cause in diagnosis.causes]


@pytest.fixture(scope="module")
def published(engine: Assignment) -> str:
    """micrograd as published: another style than the reference's, and right."""
    return (engine.solution_file.parent / "wheats" / "micrograd.py").read_text(encoding="utf-8")


def bent(source: str, *edits: tuple[str, str]) -> str:
    for old, new in edits:
        assert source.count(old) >= 1, old
        source = source.replace(old, new, 1)
    return source


def example(root: Path, name: str) -> str:
    return (root / "examples" / "submissions" / f"{name}.py").read_text(encoding="utf-8")


def test_a_mistake_is_named_in_an_engine_of_another_style(grader: Grader, root: Path) -> None:
    found = diagnosed(grader, example(root, "zero_grad_shallow"))
    assert (found.verdict, named(found)) == ("named", [{"zero-grad-clears-itself-alone"}])
    assert found.evidence is not None
    assert found.evidence.programs >= 20
    assert found.evidence.failing_programs > 0
    assert found.evidence.tests == len(found.causes[0].tests)
    assert all(cause.tests and len(cause.misconceptions[0].ladder) == 3 for cause in found.causes)


RULE = "            self.grad += out.grad\n            other.grad += out.grad\n"


def test_a_mistake_that_nobody_listed_has_no_name_and_a_counterexample(grader: Grader, published: str) -> None:
    found = diagnosed(grader, bent(published, ("self.grad += other.data * out.grad", "self.grad += 3.5 * out.grad")))
    assert (found.verdict, found.causes, found.evidence) == ("unknown", (), None)
    assert found.reason == NO_NAME
    assert found.counterexample is not None
    assert found.counterexample.kind == "gradient"


def test_a_listed_mistake_beside_another_one_is_not_named(grader: Grader, engine: Assignment) -> None:
    seed = "        self.grad = 1.0\n        for node"
    source = bent(
        engine.solution_file.read_text(encoding="utf-8"),
        (RULE, RULE.replace("+=", "=")),
        (seed, seed.replace("=", "+=", 1)),
    )
    found = diagnosed(grader, source)
    assert (found.verdict, found.causes) == ("unknown", ())
    assert found.counterexample is not None


@pytest.mark.thorough
def test_mistakes_that_nothing_tells_apart_are_not_named(grader: Grader, engine: Assignment) -> None:
    (one,) = (one for one in load_catalogue_once(engine).misconceptions if one.id == "product-passes-nothing-on")
    found = diagnosed(grader, apply_misconceptions(engine.solution_file.read_text(encoding="utf-8"), one))
    assert (found.verdict, found.reason) == ("unknown", SEVERAL_NAMES)


def test_a_mistake_that_loses_the_same_tests_needs_the_same_results_on_programs(
    grader: Grader, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MistakeCandidateRunner, "behaves_like_submission", lambda *_: False)
    found = diagnosed(grader, example(root, "zero_grad_shallow"))
    assert (found.verdict, found.reason) == ("unknown", NO_NAME)


@pytest.mark.thorough
def test_a_mistake_that_raises_is_named_under_other_names(grader: Grader, published: str) -> None:
    found = diagnosed(grader, bent(published, ("for v in reversed(topo):", "for one in topo.reverse():")))
    assert named(found) == [{"reverse-gives-none"}]


def test_a_forgotten_return_has_a_name(grader: Grader, published: str) -> None:
    found = diagnosed(grader, bent(published, ("        out._backward = _backward\n\n        return out", "")))
    assert named(found) == [{"sum-returns-nothing"}]


def test_a_right_engine_is_not_diagnosed_though_it_fails_beyond_the_contract(
    grader: Grader, published: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded = grader.grade_submission(Submission("one", "", ("value.py",), (SourceUnit("value.py", published),)))
    assert any(result.outcome == "error" and result.spec.asks_beyond_contract for result in graded.test_results)
    monkeypatch.setattr(grader.suite_runner, "acquire_bridge", lambda *_: pytest.fail("a process was started"))
    assert SubmissionDiagnoser(grader).diagnose(graded).verdict == "none"


def test_the_untouched_stub_has_nothing_to_diagnose(grader: Grader, root: Path) -> None:
    assert diagnosed(grader, example(root, "untouched")).verdict == "none"


def test_without_current_observations_nothing_is_named(
    grader: Grader, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnoser, "read_observations_if_current", lambda _: None)
    found = diagnosed(grader, example(root, "zero_grad_shallow"))
    assert (found.verdict, found.causes) == ("unknown", ())
    assert "`autograder check autograd-engine --update`" in found.reason


def test_a_broken_catalogue_is_nobodys_fault_but_the_staffs(
    grader: Grader, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Assignment) -> None:
        raise CourseFault("is broken")

    monkeypatch.setattr(naming, "load_misconception_catalogue", broken)
    with pytest.warns(CourseWarning, match="mistakes cannot be named: is broken"):
        found = diagnosed(grader, example(root, "zero_grad_shallow"))
    assert found.verdict == "unknown"
    assert "`autograder check` tells the staff why" in found.reason
