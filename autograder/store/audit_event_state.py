"""Define the states of a change in the audit log."""

from __future__ import annotations

from typing import Literal

AuditState = Literal["written", "sending", "taken", "refused", "unknown", "decided", "graded"]
"""Written into a file; being sent (or killed meanwhile); taken or refused by the platform; no answer came; decided
here by a person; or changed by grading here."""
