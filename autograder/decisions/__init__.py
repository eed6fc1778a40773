"""Handle decisions of the staff, which override test results and ``grading.yml``.

The functions are pure and use exact arithmetic. Decisions are applied when a result is shown.
"""

from autograder.decisions.decision_model import (
    EVERYONE,
    Decision,
    DecisionContext,
    Kind,
    select_decisions_in_force,
)
from autograder.decisions.decisions_in_force import ClassDecisionsInForce
from autograder.decisions.report_adjustment import apply_decisions_after_lateness, apply_decisions_before_lateness
from autograder.decisions.student_overrides import (
    apply_extension_decisions,
    map_students_to_reopened_attempts,
)

__all__ = [
    "EVERYONE",
    "ClassDecisionsInForce",
    "Decision",
    "DecisionContext",
    "Kind",
    "apply_decisions_after_lateness",
    "apply_decisions_before_lateness",
    "apply_extension_decisions",
    "map_students_to_reopened_attempts",
    "select_decisions_in_force",
]
