"""Say in one line what was decided, for the staff."""

from __future__ import annotations

from collections.abc import Container

from autograder.decisions.decision_model import Decision
from autograder.decisions.decision_values import SPAN
from autograder.decisions.outweighed_decisions import OUTWEIGHED
from autograder.safe_text import escape_for_display


def format_decision_line(decision: Decision, outweighed_decisions: Container[Decision] = ()) -> str:
    """Return a decision as a line: ``ada: score 7, "appeal granted" (Kim)``.

    Args:
        decision: the decision.
        outweighed_decisions: the decisions of which the line says that they change no mark; see
            ``find_outweighed_decisions``.
    """
    who = escape_for_display(decision.who, 80) or "everyone"
    note = f"; {OUTWEIGHED}" if decision in outweighed_decisions else ""
    reason = f', "{escape_for_display(decision.reason, 200)}"' if decision.reason else ""
    return f"{who}: {_format_content(decision)}{reason} ({escape_for_display(decision.author, 80)}){note}"


def _format_content(decision: Decision) -> str:
    subject, value = escape_for_display(decision.subject, 80), escape_for_display(decision.value, 200)
    match decision.kind:
        case "override":
            return f"{subject or 'score'} {value}"
        case "comment":
            return f"comment: {value}"
        case "exempt":
            return f"{subject} exempt"
        case "points":
            return f"{value} {'point' if value in ('1', '-1') else 'points'} for {subject}"
        case "extend":
            return f"deadline moved by {value}" if SPAN.fullmatch(value) else f"deadline {value}"
        case "reopen":
            return f"attempt reopened until {value}" if value else "attempt reopened"
