"""Tell the kit how to find out what is wrong with an engine: expressions to try, and experiments on its parts.

``docs/new-assignment.md`` says what such a module is for; ``AssignmentDiagnosis`` lists what it provides.
"""

from __future__ import annotations

from autograder.diagnosis import AssignmentDiagnosis, DiagnosisContext

from .engine_operations import CORE, OPERATIONS
from .engine_parts import MILD, STYLED, list_engine_parts
from .engine_programs import ExpressionProgramFamily

BONUS = frozenset(need for name, one in OPERATIONS.items() if name not in CORE for need in one.required_names) - {
    "__add__", "__mul__"
}  # fmt: skip
"""Names of operations that nothing of the core needs."""
WALKS = ("nodes-left-out", "only-one-operand-followed", "stuck-at-twins", "equal-numbers-are-one")
FOLLOWS = {
    "zero-grad-takes-equal-numbers-for-one": ("equal-numbers-are-one",),
    "zero-grad-does-not-finish-large-graphs": ("large-graphs-are-not-finished",),
    "zero-grad-leaves-out-nodes": WALKS,
    "zero-grad-raises": ("backward-raises",),
    "zero_grad does-not-come-back": ("nodes-called-again",),
}
"""Findings that are one with another where both are there: both methods go down the graph in one way."""


def make_programs(context: DiagnosisContext) -> ExpressionProgramFamily:
    """Return expressions of the operations that a submission has."""
    return ExpressionProgramFamily(context.implemented_names, context.assignment.conventions.second_backward)


diagnosis = AssignmentDiagnosis(
    make_programs=make_programs,
    list_parts=list_engine_parts,
    style_dependent_parts=STYLED,
    harmless_findings=MILD,
    leaking_findings=frozenset({"leaf-has-operands"}),
    optional_names=BONUS,
    disputed_wheats=frozenset(
        {
            "cleared_on_the_way",  # the oracle wants gradients of nodes in between after a first backward()
            "complex_step_large",  # the last bit of its gradients differs
        }
    ),
    merged_findings=FOLLOWS,
)
