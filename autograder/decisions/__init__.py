"""Handle decisions of the staff, which override test results and ``grading.yml``.

The functions are pure and use exact arithmetic. Decisions are applied when a result is shown.
"""

from autograder.decisions.apply_to_deadlines_and_attempts import (
    apply_extension_decisions,
    map_students_to_reopened_attempts,
)
from autograder.decisions.apply_to_report import apply_decisions_after_lateness, apply_decisions_before_lateness
from autograder.decisions.class_decisions import ClassDecisionsInForce
from autograder.decisions.decision_model import (
    EVERYONE,
    Decision,
    DecisionAuthorAndTime,
    Kind,
    select_decisions_in_force,
)

__all__ = [
    "EVERYONE",
    "ClassDecisionsInForce",
    "Decision",
    "DecisionAuthorAndTime",
    "Kind",
    "apply_decisions_after_lateness",
    "apply_decisions_before_lateness",
    "apply_extension_decisions",
    "map_students_to_reopened_attempts",
    "select_decisions_in_force",
]
