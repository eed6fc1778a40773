"""Rename columns after what they hold; what they hold does not change."""

from __future__ import annotations

from alembic import op

revision, down_revision = "0017", "0016"

NEW_NAMES = {
    "results": {
        "kept": "observations_for_regrade",
        "known": "misconceptions_state",
        "raw": "pytest_record",
        "conditions": "environment_hash",
    },
    "versions": {"known": "misconceptions_state"},
    "batches": {
        "source": "submissions_path",
        "conditions": "environment_hash",
        "known": "misconceptions_state",
    },
    "members": {"place": "position"},
    "audit": {
        "at": "recorded_at",
        "what": "changed_item",
        "place": "target",
        "label": "student_label",
        "seen": "platform_state_before",
    },
    "decisions": {"who": "submission_or_student"},
    "lti_deadlines": {"moment": "deadline"},
    "lti_mark_attempts": {"at": "recorded_at", "what": "kind"},
}
"""By table: the new name of each renamed column, by its former one. Keys and indexes over them follow."""


def upgrade() -> None:
    """Rename the columns."""
    for table, columns in NEW_NAMES.items():
        for former, new in columns.items():
            op.alter_column(table, former, new_column_name=new)
