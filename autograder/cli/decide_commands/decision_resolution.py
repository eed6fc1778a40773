"""Find the submissions or students that decisions on the command line name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from autograder.batch.opened_graded_class import OpenedGradedClass
from autograder.cli.submission_lookup import SubmissionLookup
from autograder.decisions import EVERYONE, Decision, DecisionProvenance
from autograder.decisions.decision_check import check_and_normalize_decision
from autograder.decisions.decision_model import ABOUT_SUBMISSIONS, FOR_EVERYONE
from autograder.faults import CallerFault


def resolve_and_check_decisions(
    opened_class: OpenedGradedClass,
    lookup: SubmissionLookup,
    provenance: DecisionProvenance,
    locations_and_decisions: Iterable[tuple[str, Decision]],
) -> list[Decision]:
    """Return decisions ready to be saved: with the submission or student resolved, checked, and with their author.

    Args:
        opened_class: the class.
        lookup: its members.
        provenance: who decides, when, and with which command.
        locations_and_decisions: decisions as written, each with its location for messages.

    Raises:
        CallerFault: a decision is invalid, or its submission or student is unknown.
    """
    reports = {entry.report.submission.id: entry.report for entry in opened_class.load_personalized_entries()}
    now, made = datetime.fromisoformat(provenance.decided_at), []
    for where, draft in locations_and_decisions:
        for who in _find_whom(lookup, draft):
            one = check_and_normalize_decision(
                replace(draft, who=who), reports, opened_class.deadline_rules_before_decisions, now, where
            )
            sha256 = reports[who].submission.sha256 if one.kind in ABOUT_SUBMISSIONS and who in reports else ""
            made.append(provenance.make_decision(one.kind, who, one.subject, one.value, one.reason, sha256))
    return made


def _find_whom(targets: SubmissionLookup, draft: Decision) -> list[str]:
    if draft.who == EVERYONE:
        if draft.kind not in FOR_EVERYONE:
            raise CallerFault(f"a decision of kind {draft.kind} cannot apply to everyone", advice="name one student")
        return [EVERYONE]
    return (
        [targets.get_only_submission_id(draft.who)]
        if draft.kind in ABOUT_SUBMISSIONS
        else targets.resolve_students(draft.who)
    )
