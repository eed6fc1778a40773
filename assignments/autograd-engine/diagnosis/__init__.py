"""Tell the kit how to find out what is wrong with an engine: expressions to try.

``docs/new-assignment.md`` says what such a module is for; ``AssignmentDiagnosis`` lists what it provides.
"""

from __future__ import annotations

from autograder.diagnosis import AssignmentDiagnosis, DiagnosisContext

from .engine_operations import CORE, OPERATIONS
from .engine_programs import ExpressionProgramFamily

BONUS = frozenset(need for name, one in OPERATIONS.items() if name not in CORE for need in one.required_names) - {
    "__add__", "__mul__"
}  # fmt: skip
"""Names of operations that nothing of the core needs."""


def make_programs(context: DiagnosisContext) -> ExpressionProgramFamily:
    """Return expressions of the operations that a submission has."""
    return ExpressionProgramFamily(context.implemented_names, context.assignment.conventions.second_backward)


diagnosis = AssignmentDiagnosis(
    make_programs=make_programs,
    optional_names=BONUS,
    disputed_wheats=frozenset(
        {
            "cleared_on_the_way",  # the oracle wants gradients of nodes in between after a first backward()
            "complex_step_large",  # the last bit of its gradients differs
        }
    ),
)
