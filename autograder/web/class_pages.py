"""The staff's pages on a class: everybody, one student, the audit log."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.decisions import EVERYONE
from autograder.decisions.decision_text import describe_decision
from autograder.store.hand_in_table import HandIn
from autograder.web.class_results import ClassResults
from autograder.web.class_table import SHOWN, SORTS, choose_rows, make_class_rows
from autograder.web.context import get_assignment, get_course_key, get_store
from autograder.web.permissions import Action, needs
from autograder.web.shown_to_students import list_shown_parts, list_withheld_parts

pages = Blueprint("class_pages", __name__)


@pages.get("/class/<name>")
@needs(Action.SEE_CLASS)
def show_class(name: str) -> ResponseReturnValue:
    """Show the class as a table."""
    return render_class(name)


@pages.get("/class/<name>/students/<login>")
@needs(Action.SEE_CLASS)
def show_student(name: str, login: str) -> ResponseReturnValue:
    """Show a student: attempts, decisions, and the forms to decide."""
    return render_student(name, login)


@pages.get("/class/<name>/log")
@needs(Action.AUDIT)
def show_log(name: str) -> ResponseReturnValue:
    """Show everything that changed or sent a mark, the last first."""
    assignment = get_assignment(name)
    events = get_store().audit.load_events(get_course_key(), name)
    return render_template("log.html.j2", assignment=assignment, events=events[::-1])


def render_class(name: str, refused: str = "") -> str:
    """Return the page of a class.

    Args:
        name: the assignment.
        refused: why something was not decided.
    """
    store, course, assignment = get_store(), get_course_key(), get_assignment(name)
    students = [one for one in store.accounts.list_enrolments(course) if one.role == "student"]
    hand_ins = store.hand_ins.list_hand_ins(course, name)
    results = ClassResults(store, course, assignment)
    rows = make_class_rows(results, students, hand_ins)
    words, shown = request.args.get("words", "")[:200], request.args.get("shown", "")
    sort, descending = request.args.get("sort", "name"), request.args.get("order") == "down"
    return render_template(
        "class.html.j2",
        assignment=assignment,
        tests=sorted({test.id for one in results.entries.values() for test in one.report.tests}),
        decided=[(one.id, describe_decision(one)) for one in results.decisions if one.who == EVERYONE],
        refused=refused,
        rows=choose_rows(rows, words, shown, sort, descending),
        total=len(rows),
        words=words,
        shown=shown if shown in SHOWN else "",
        choices=SHOWN,
        sort=sort if sort in SORTS else "name",
        descending=descending,
        published_at=results.published_at,
        shown_now=list_shown_parts(assignment.feedback, results.stage),
        shown_then=list_shown_parts(assignment.feedback, "published"),
        withheld=list_withheld_parts(assignment.feedback, results.stage),
        waiting=sum(one.state in ("queued", "grading") for one in hand_ins),
    )


def render_student(name: str, login: str, refused: str = "") -> str:
    """Return the page of a student.

    Args:
        name: the assignment.
        login: the student.
        refused: why something was not decided.
    """
    store, course, assignment = get_store(), get_course_key(), get_assignment(name)
    student = store.accounts.find_enrolment(course, login)
    if student is None or student.role != "student":
        abort(404)
    results = ClassResults(store, course, assignment)
    attempts: list[HandIn] = store.hand_ins.list_hand_ins(course, name, student.account)[::-1]
    reports = {one.key: report for one in attempts if (report := results.find_report(one))}
    about = {login, *(one.submission for one in attempts)}
    members = store.accounts.find_members(course, student)
    return render_template(
        "student.html.j2",
        assignment=assignment,
        student=student,
        team=[one for one in members if one.login != login],
        attempts=attempts,
        reports=reports,
        problems={one.key: one.problem for one in attempts if one.problem},
        deadline=results.find_deadline(one.login for one in members),
        tests=sorted({test.id for report in reports.values() for test in report.tests}),
        decided=[
            (one.id if one.who in about else 0, describe_decision(one))
            for one in results.decisions
            if one.who in about or one.who == EVERYONE
        ],
        refused=refused,
    )
