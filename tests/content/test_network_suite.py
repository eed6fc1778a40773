"""The hidden suite of neural-network: a mistake costs its own concept, and no other where that can be helped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.course import Assignment, Course
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig

WHOLE = "training-as-a-whole.any-training"
EVERY_STEP = "training-as-a-whole.no-step-is-left-out"


@pytest.fixture(scope="module")
def network(course: Course) -> Assignment:
    return next(one for one in course.assignments if one.name == "neural-network")


@pytest.fixture(scope="module")
def network_grader(network: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    with Grader(network, sandbox) as opened:
        yield opened


def test_a_network_that_was_never_written_leaves_the_marks_for_neurons_and_the_loss(network_grader: Grader) -> None:
    solution = network_grader.assignment.solution_file.read_text(encoding="utf-8")
    start, end = solution.index("class MLP"), solution.index("def mean_squared_error")
    graded = network_grader.grade_submission(make_submission_from_source("ada", solution[:start] + solution[end:]))
    points = {one.name: float(one.score) for one in graded.concept_scores}
    assert points["neuron"] == 20
    assert points["layer"] == 10
    assert points["loss"] == 10
    assert points["network"] == 0
    assert {one.outcome for one in graded.test_results if one.spec.concept == "network"} == {"not attempted"}


def test_a_changed_engine_costs_nothing_and_is_told(network_grader: Grader) -> None:
    solution = network_grader.assignment.solution_file.read_text(encoding="utf-8")
    broken = solution.replace("self.grad += (1 - t**2) * out.grad", "self.grad = 0.0")
    assert broken != solution
    graded = network_grader.grade_submission(make_submission_from_source("ada", broken))
    assert all(one.outcome == "passed" for one in graded.test_results)
    assert [note for note in graded.notes if note.startswith("`Value` is given")] == list(graded.notes) != []


@pytest.mark.first_cases(3)
@pytest.mark.parametrize(
    ("old", "new", "failed"),
    [
        ("random.uniform(-1, 1))", "random.uniform(-0.1, 0.1))", {"neuron.weights-start-at-random"}),
        ("random.uniform(-1, 1))", "random.uniform(-0.8, 0.8))", {"neuron.weights-start-at-random"}),
        ("random.uniform(-1, 1))", "round(random.uniform(-1, 1), 3))", {"neuron.weights-start-at-random"}),
        ("zip(self.w, x, strict=True)", "zip(self.w[:6], x)", {"neuron.any-neuron", "neuron.any-gradients"}),
        ("total = self.b\n", "total = self.b if self.b.data else Value(0.0)\n", {"neuron.any-gradients"}),
        (
            "[Neuron(nin, nonlin) for _ in range(nout)]",
            "[Neuron(nin, nonlin) for _ in range(nout)]\n        self.neurons[0].b.data = 0.01",
            {"layer.neurons-start-as-neurons-do"},
        ),
        (
            "sizes = [nin, *nouts]",
            "sizes = [nin, *nouts]\n        random.seed(0)",
            {"network.layers-start-as-layers-do"},
        ),
        (
            "if len(outputs) == 1 else outputs",
            "if len(outputs) == 1 else [Value(one.data) for one in outputs]",
            {"network.gradients-reach-the-first-layer"},
        ),
        (
            "for layer in self.layers for parameter",
            "for layer in self.layers[:3] for parameter",
            {"parameters.of-a-network", WHOLE},
        ),
        (
            "(prediction - target) ** 2\n",
            "(min(prediction - target, 1000.0, key=lambda one: getattr(one, 'data', one))) ** 2\n",
            {"loss.any-number-of-points", "loss.gradients-of-the-predictions"},
        ),
        ("[net(x) for x in xs], ys)", "[net(x) for x in xs[:32]], ys[:32])", {"training-step.any-step", WHOLE}),
        ("for _ in range(steps)]", "for _ in range(min(steps, 200))]", {WHOLE}),
        ("for _ in range(steps)]", "for _ in range(max(steps, 1))]", {EVERY_STEP}),
        (
            "sizes = [nin, *nouts]\n        last = len(nouts) - 1",
            "nouts.insert(0, nin)\n        sizes, nouts = nouts, nouts[1:]\n        last = len(nouts) - 1",
            {"network.sizes-of-layers"},
        ),
        ("zip(self.w, x, strict=True)", "zip(self.w, x + [], strict=True)", {"neuron.inputs-may-stand-in-a-tuple"}),
    ],
)
def test_a_mistake_that_small_examples_hide_loses_the_tests_about_it(
    network_grader: Grader, old: str, new: str, failed: set[str]
) -> None:
    solution = network_grader.assignment.solution_file.read_text(encoding="utf-8")
    start = solution.index("# END GIVEN")
    assert old in solution[start:]
    source = solution[:start] + solution[start:].replace(old, new)
    graded = network_grader.grade_submission(make_submission_from_source("ada", source))
    assert {one.spec.id for one in graded.test_results if one.outcome != "passed"} == failed


def test_a_layer_that_gives_one_output_without_a_list_costs_a_right_network_nothing(network_grader: Grader) -> None:
    solution = network_grader.assignment.solution_file.read_text(encoding="utf-8")
    outputs = "return [neuron(x) for neuron in self.neurons]"
    passed_on = "outputs = layer(x)\n"
    assert solution.count(outputs) == solution.count(passed_on) == 1
    source = solution.replace(
        outputs, "made = [neuron(x) for neuron in self.neurons]\n        return made[0] if len(made) == 1 else made"
    ).replace(passed_on, "made = layer(x)\n            outputs = made if isinstance(made, list) else [made]\n")
    failed = [
        one
        for one in network_grader.grade_submission(make_submission_from_source("ada", source)).test_results
        if one.outcome != "passed"
    ]
    assert {one.spec.concept for one in failed} == {"layer"}
    assert {one.outcome for one in failed} == {"failed"}


def test_a_step_that_a_networks_list_keeps_from_being_tested_is_not_said_to_lack_the_loss(
    network_grader: Grader,
) -> None:
    solution = network_grader.assignment.solution_file.read_text(encoding="utf-8")
    source = solution.replace("return outputs[0] if len(outputs) == 1 else outputs", "return tuple(outputs)")
    source = source.replace("mean_squared_error([net(x) for x", "mean_squared_error([net(x)[0] for x")
    results = network_grader.grade_submission(make_submission_from_source("ada", source)).test_results
    messages = {one.message for one in results if one.outcome == "blocked"}
    assert messages == {"This needs `MLP.__call__`, which does not work yet."}
    (told,) = [one.message for one in results if one.spec.id == "network.one-output-or-several"]
    assert told == "one output comes in a tuple of 1"


@pytest.mark.parametrize(
    ("right", "wrong", "test", "told"),
    [
        (
            "return total.tanh() if self.nonlin else total",
            "return (total,)",
            "neuron.the-weighted-sum",
            "the output is no Value, but a tuple of 1",
        ),
        (
            "return [neuron(x) for neuron in self.neurons]",
            "return (neuron(x) for neuron in self.neurons)",
            "layer.a-layer-of-one-neuron",
            "it gives no list, but a generator",
        ),
    ],
)
def test_what_comes_in_place_of_a_value_or_a_list_is_told_by_its_type(
    network_grader: Grader, right: str, wrong: str, test: str, told: str
) -> None:
    source = network_grader.assignment.solution_file.read_text(encoding="utf-8").replace(right, wrong)
    results = network_grader.grade_submission(make_submission_from_source("ada", source)).test_results
    assert [one.message for one in results if one.spec.id == test] == [told]
