"""Grade again what was handed in: at once, or tried first, so that the staff sees which marks would change."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from autograder.store.audit_log import AuditContext, AuditEvent
from autograder.store.hand_in_table import HandIn
from autograder.web.class_pages import render_class
from autograder.web.context import get_assignment, get_course_key, get_person, get_store
from autograder.web.hand_in_pages import get_hand_in
from autograder.web.permissions import Action, needs
from autograder.web.student_display_names import get_student_display_names

pages = Blueprint("regrade_pages", __name__)
ENDED = ("graded", "failed")


@pages.post("/hand-ins/<key>/regrade")
@needs(Action.GRADE)
def regrade(key: str) -> ResponseReturnValue:
    """Grade one hand-in again, as far as the assignment or the kit changed since, or the grader failed."""
    _queue_again([get_hand_in(key)])
    return redirect(url_for("hand_in_pages.show", key=key), 303)


@pages.post("/hand-ins/<key>/try-regrade")
@needs(Action.GRADE)
def try_one(key: str) -> ResponseReturnValue:
    """Try to grade one hand-in again."""
    hand_in = get_hand_in(key)
    if hand_in.state not in ENDED:
        return redirect(url_for("hand_in_pages.show", key=key), 303)
    return _begin(hand_in.assignment, [hand_in])


@pages.post("/class/<name>/try-regrade")
@needs(Action.GRADE)
def try_regrade_of_chosen(name: str) -> ResponseReturnValue:
    """Try to grade again what the chosen students handed in, or the whole class."""
    get_assignment(name)
    known = get_store().hand_ins.list_hand_ins(get_course_key(), name)
    logins = {
        get_student_display_names(name).unmask_login_or_empty(shown) for shown in request.form.getlist("chosen")
    }
    is_all = request.form.get("which") == "all"
    chosen = [one for one in known if one.state in ENDED and (is_all or logins & {*one.owner.split("+")})]
    if not chosen:
        return render_class(name, "Nothing is there to grade again: choose students with a result."), 422
    return _begin(name, chosen)


@pages.get("/regrades/<key>")
@needs(Action.GRADE)
def show(key: str) -> ResponseReturnValue:
    """Show which marks a regrade would change, lowered ones first."""
    trial = get_store().regrade_trials.find_trial(get_course_key(), key)
    if trial is None:
        abort(404)
    identities = get_student_display_names(trial.assignment)
    marks = [
        replace(one, lines=tuple(map(identities.mask_text, one.lines)))
        for one in get_store().regrade_trials.list_mark_changes(trial)
    ]
    changed = [one for one in marks if one.state == "tried" and one.lines]
    assignment = get_assignment(trial.assignment)
    return render_template(
        "regrade.html.j2",
        trial=trial,
        assignment=assignment,
        total=len(marks),
        waiting=sum(one.state == "waiting" for one in marks),
        lowered=sorted((one for one in changed if one.is_lowered), key=lambda one: one.difference),
        raised=sorted((one for one in changed if not one.is_lowered), key=lambda one: -one.difference),
        failed=[one for one in marks if one.state == "failed"],
        stay=sum(one.state == "tried" and not one.lines for one in marks),
        is_old=trial.version != assignment.version,
    )


@pages.post("/regrades/<key>/carry-out")
@needs(Action.GRADE)
def queue_trial_for_regrade(key: str) -> ResponseReturnValue:
    """Grade the hand-ins of a trial again so that it counts."""
    trials = get_store().regrade_trials
    trial = trials.find_trial(get_course_key(), key)
    if trial is None:
        abort(404)
    chosen = [one.hand_in for one in trials.list_mark_changes(trial)]
    if trials.record_carried_out_once(trial):
        _queue_again(chosen)
    return redirect(url_for("regrade_pages.show", key=key), 303)


def _begin(name: str, chosen: Sequence[HandIn]) -> ResponseReturnValue:
    version = get_assignment(name).version
    trial = get_store().regrade_trials.begin_trial(get_course_key(), name, version, chosen, get_person())
    return redirect(url_for("regrade_pages.show", key=trial.key), 303)


def _queue_again(chosen: Sequence[HandIn]) -> None:
    """Queue hand-ins of one assignment whose grading has ended, and note it in the audit log."""
    ended = [one for one in chosen if one.state in ENDED]
    if not ended:
        return
    person, store = get_person(), get_store()
    action = AuditContext(
        "regrade", f"web:{person.login}", "", get_course_key(), ended[0].assignment, uuid.uuid4().hex
    )
    events = [AuditEvent("mark", "", "", one.submission, one.submission, "", "graded again") for one in ended]
    store.audit.add_events(action, events, "decided", person.name)
    store.grading_queue.requeue_for_regrade(*ended)
