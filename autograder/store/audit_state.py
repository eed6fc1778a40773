"""Say how far a change of marks is known to have come."""

from __future__ import annotations

from typing import Literal

AuditState = Literal["written", "sending", "taken", "refused", "unknown", "decided", "graded"]
"""Written into a file; being sent (or killed meanwhile); taken or refused by the platform; no answer came; decided
here by a person; or changed by grading here."""
