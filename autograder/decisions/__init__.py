"""Handle decisions of the staff, which override test results and ``grading.yml``.

The functions are pure and use exact arithmetic. Decisions are applied when a result is shown.
"""

from autograder.decisions.decision_model import (
    EVERYONE,
    ClassDecisionsInForce,
    Decision,
    DecisionProvenance,
    Kind,
    select_decisions_in_force,
)
from autograder.decisions.report_adjustment import (
    apply_decisions_after_lateness,
    apply_decisions_before_lateness,
    apply_extension_decisions,
    map_reopened_attempts_by_student,
)

__all__ = [
    "EVERYONE",
    "ClassDecisionsInForce",
    "Decision",
    "DecisionProvenance",
    "Kind",
    "apply_decisions_after_lateness",
    "apply_decisions_before_lateness",
    "apply_extension_decisions",
    "map_reopened_attempts_by_student",
    "select_decisions_in_force",
]
