"""Regrade hand-ins, at once or after a trial that shows the staff which marks would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

from flask import abort, render_template
from flask.typing import ResponseReturnValue

from autograder.store.audit import AuditContext, AuditEvent
from autograder.web.class_pages import list_chosen_rows, render_class_page
from autograder.web.hand_ins import get_permitted_hand_in_or_404
from autograder.web.names import get_student_display_names, name_submission
from autograder.web.request import Pages, Permission, current, see_other, send_with_scripts
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.staff_actions import HandInTrialOutcome, RegradeTrial

pages = Pages("regrade_pages", __name__)
ENDED = ("graded", "failed")


@pages.on_post("/hand-ins/<hand_in_key>/regrade", Permission.GRADE)
def queue_regrade_of_hand_in(hand_in_key: str) -> ResponseReturnValue:
    """Queue one hand-in again.

    It is graded anew only as far as the assignment or the kit changed, or the grader failed.
    """
    _requeue_ended([get_permitted_hand_in_or_404(hand_in_key)])
    return see_other("hand_in_result_pages.show_hand_in", hand_in_key=hand_in_key)


@pages.on_post("/hand-ins/<hand_in_key>/try-regrade", Permission.GRADE)
def begin_regrade_trial_of_hand_in(hand_in_key: str) -> ResponseReturnValue:
    """Begin a regrade trial of one hand-in."""
    hand_in = get_permitted_hand_in_or_404(hand_in_key)
    if hand_in.state not in ENDED:
        return see_other("hand_in_result_pages.show_hand_in", hand_in_key=hand_in_key)
    return _begin_trial(hand_in.assignment, [hand_in])


@pages.on_post("/class/<assignment_name>/try-regrade", Permission.GRADE)
def start_regrade_trial(assignment_name: str) -> ResponseReturnValue:
    """Begin a regrade trial of the chosen students' hand-ins, or of the whole class's."""
    current.assignment(assignment_name)
    hand_ins = current.store.hand_ins.list_hand_ins(current.course_key, assignment_name)
    chosen = {one.id for row in list_chosen_rows(assignment_name) for one in row.hand_ins}
    chosen_hand_ins = [one for one in hand_ins if one.id in chosen and one.state in ENDED]
    if not chosen_hand_ins:
        refusal = "nothing is there to grade again: choose students with a result"
        return render_class_page(assignment_name, refusal), 422
    return _begin_trial(assignment_name, chosen_hand_ins)


@pages.on_get("/regrades/<trial_key>", Permission.GRADE)
def show_regrade_trial(trial_key: str) -> ResponseReturnValue:
    """Show which marks a regrade would change, lowered ones first."""
    trial, all_outcomes = _load_trial(trial_key)
    display_names = get_student_display_names(trial.assignment)
    outcomes = [
        replace(
            outcome,
            hand_in=display_names.mask_hand_in(outcome.hand_in),
            lines=tuple(map(display_names.mask_text, outcome.lines)),
        )
        for outcome in all_outcomes
    ]
    changed_outcomes = [outcome for outcome in outcomes if outcome.state == "tried" and outcome.lines]
    lowered_outcomes = [outcome for outcome in changed_outcomes if outcome.is_lowered]
    raised_outcomes = [outcome for outcome in changed_outcomes if not outcome.is_lowered]
    assignment = current.assignment(trial.assignment)
    waiting = sum(outcome.state == "waiting" for outcome in outcomes)
    page = render_template(
        "regrade.html.j2",
        trial=trial,
        assignment=assignment,
        total=len(outcomes),
        waiting=waiting,
        lowered=sorted(lowered_outcomes, key=attrgetter("difference")),
        raised=sorted(raised_outcomes, key=attrgetter("difference"), reverse=True),
        name=partial(name_submission, trial.assignment),
        failed=[outcome for outcome in outcomes if outcome.state == "failed"],
        stay=sum(outcome.state == "tried" and not outcome.lines for outcome in outcomes),
        is_old=trial.version != assignment.version,
    )
    return send_with_scripts(page, waits=waiting > 0)


@pages.on_post("/regrades/<trial_key>/carry-out", Permission.GRADE)
def queue_regrade_of_trial(trial_key: str) -> ResponseReturnValue:
    """Queue the hand-ins of a trial for a regrade that counts."""
    trial, outcomes = _load_trial(trial_key)
    with current.store.group():
        if current.store.regrade_trials.try_mark_carried_out(trial):
            _requeue_ended([outcome.hand_in for outcome in outcomes])
    return see_other("regrade_pages.show_regrade_trial", trial_key=trial_key)


def _load_trial(trial_key: str) -> tuple[RegradeTrial, list[HandInTrialOutcome]]:
    """Return a trial with what came of each hand-in; 404 where the person may not see one of these."""
    trials = current.store.regrade_trials
    trial = trials.find_trial(current.course_key, trial_key) or abort(404)
    outcomes = trials.list_hand_in_outcomes(trial)
    return (trial, outcomes) if all(current.may_see_owner(one.hand_in.owner) for one in outcomes) else abort(404)


def _begin_trial(assignment_name: str, hand_ins: Sequence[HandIn]) -> ResponseReturnValue:
    version = current.assignment(assignment_name).version
    trial = current.store.regrade_trials.queue_trial(
        current.course_key, assignment_name, version, hand_ins, current.person
    )
    return see_other("regrade_pages.show_regrade_trial", trial_key=trial.key)


def _requeue_ended(hand_ins: Sequence[HandIn]) -> None:
    """Queue hand-ins of one assignment whose grading has ended, and note it in the audit log."""
    ended_hand_ins = [hand_in for hand_in in hand_ins if hand_in.state in ENDED]
    if not ended_hand_ins:
        return
    person, store = current.person, current.store
    assignment_name = ended_hand_ins[0].assignment
    action = AuditContext("regrade", person.audit_account, "", current.course_key, assignment_name)
    ids = [hand_in.submission for hand_in in ended_hand_ins]
    events = [
        AuditEvent(changed_item="mark", student_label=one, submission=one, before="", after="graded again")
        for one in ids
    ]
    with store.group():
        store.audit.add_events(action, events, "decided", person.name)
        store.grading_queue.requeue_ended(*ended_hand_ins)
