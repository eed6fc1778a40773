"""Let students ask about their results, and the staff answer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from flask import abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.faults import Fault
from autograder.reports.report_model import ReportedTest
from autograder.submissions.origin import TOGETHER
from autograder.web.account import list_offered_mail_kinds
from autograder.web.hand_ins import find_report_for_viewer, get_permitted_hand_in_or_404
from autograder.web.listing import cut_page, make_page_link, read_section_filter
from autograder.web.names import get_student_display_names, name_owner
from autograder.web.programs import load_shown_program
from autograder.web.request import STAFF, Pages, Permission, current, see_other
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.inquiries import InquiryEventKind, InquirySummary
from autograder.web.wording import format_moment

pages = Pages("inquiry_pages", __name__)
MOST_CHARACTERS = 5000
MOST_DIGITS = 9
"""Digits of an event's number that are read; Python refuses to make a number of some thousands."""
NOT_KEPT = "The server could not keep your text; perhaps its disk is full. Keep it, and send it again later."
MEANWHILE = "Somebody else wrote here in the meantime. Read their text above, then send yours."


@pages.on_get("/inquiries", Permission.SEE_INQUIRIES)
def show_inquiries() -> ResponseReturnValue:
    """List inquiries: the student's own, or for the staff those of the course, open ones first."""
    is_staff = current.person.role in STAFF
    rows = [
        (one, name_owner(one.assignment, one.owner) if is_staff else "", current.assignment(one.assignment))
        for one in _list_visible_inquiries()
    ]
    section = read_section_filter()
    link = make_page_link("inquiry_pages.show_inquiries", section=section.chosen)
    return render_template("inquiries.html.j2", page=cut_page(rows), link=link, section=section)


def _list_visible_inquiries() -> list[InquirySummary]:
    """Return those that the person may see, or of one section: open ones first, the oldest on top.

    What is asked under a pseudonym is in the list of no section.
    """
    found = current.store.inquiries.list_inquiries(current.course_key, current.account_unless_staff)
    section = read_section_filter()
    return [
        one
        for one in found
        if current.course.find_assignment(one.assignment)
        and section.shows(one.owner)
        and not (section.chosen and get_student_display_names(one.assignment).are_hidden)
    ]


@pages.on_get("/hand-ins/<hand_in_key>/ask", Permission.ASK)
def show_new_inquiry_form(hand_in_key: str) -> ResponseReturnValue:
    """Show the form to ask about a hand-in."""
    return _show_form(_get_ended_hand_in(hand_in_key))


@pages.on_post("/hand-ins/<hand_in_key>/ask", Permission.ASK)
def open_or_join_inquiry(hand_in_key: str) -> ResponseReturnValue:
    """Ask about a test of a hand-in, or about the whole result."""
    hand_in = _get_ended_hand_in(hand_in_key)
    test, text = request.form.get("test", ""), _text()
    if test and test not in {one.id for one in _list_tests(hand_in)}:
        abort(404)
    refused = _say_closed(hand_in.assignment) or _judge(text)
    if refused:
        return _show_form(hand_in, refused), 422
    try:
        inquiry = current.store.inquiries.open_or_join_inquiry(hand_in, test, current.person, text)
    except Fault as fault:  # the store may be readable although it cannot be written
        current.save_fault(str(fault))
        return _show_form(hand_in, NOT_KEPT), 503
    return see_other("inquiry_pages.show_inquiry", inquiry_key=inquiry.key)


@pages.on_get("/inquiries/<inquiry_key>", Permission.SEE_INQUIRIES)
def show_inquiry(inquiry_key: str) -> ResponseReturnValue:
    """Show one inquiry with its history; if a student opens it, record that they have read it."""
    return _show(_find(inquiry_key))


@pages.on_post("/inquiries/<inquiry_key>/ask", Permission.ASK)
def ask_follow_up_question(inquiry_key: str) -> ResponseReturnValue:
    """Ask further; this opens the inquiry again."""
    return _write(inquiry_key, "question")


@pages.on_post("/inquiries/<inquiry_key>/answer", Permission.ANSWER)
def answer_inquiry(inquiry_key: str) -> ResponseReturnValue:
    """Add the staff's answer to an inquiry."""
    return _write(inquiry_key, "answer")


@pages.on_post("/inquiries/<inquiry_key>/close", Permission.SEE_INQUIRIES)
def close_inquiry(inquiry_key: str) -> ResponseReturnValue:
    """Close an inquiry, with a last word or without."""
    return _write(inquiry_key, "closing")


def _write(inquiry_key: str, kind: InquiryEventKind) -> ResponseReturnValue:
    inquiry, text = _find(inquiry_key), _text()
    refused = _judge(text) if text or kind != "closing" else ""
    if kind == "question":
        refused = _say_closed(inquiry.assignment) or refused
    seen = request.form.get("seen", "")[:MOST_DIGITS]
    seen_inquiry = replace(inquiry, last_event=int(seen) if seen.isdecimal() else 0)
    try:
        if not refused and not current.store.inquiries.add_entry_unless_outdated(
            current.course_key,
            seen_inquiry,
            current.person,
            kind,
            text,
            with_mail_to_students=current.person.role in STAFF and "answer" in list_offered_mail_kinds(),
        ):
            refused = MEANWHILE
    except Fault as fault:
        current.save_fault(str(fault))
        return _show(inquiry, NOT_KEPT, text), 503
    if refused:
        return _show(_find(inquiry_key), refused, text), 422
    return see_other(
        "inquiry_pages.show_inquiry", inquiry_key=inquiry_key, section=read_section_filter().chosen or None
    )


def _show(inquiry: InquirySummary, refused: str = "", text: str = "") -> str:
    person, store = current.person, current.store
    if person.role not in STAFF:
        with suppress(Fault):  # shown all the same; stays unread if the store cannot be written
            store.inquiries.record_read_by_student(inquiry, person.account)
    hand_in = get_permitted_hand_in_or_404(inquiry.hand_in_key)
    identities = get_student_display_names(inquiry.assignment)
    visible = _list_visible_inquiries() if person.role in STAFF else []
    report, assignment = find_report_for_viewer(hand_in), current.assignment(hand_in.assignment)
    return render_template(
        "inquiry.html.j2",
        section=read_section_filter().chosen or None,
        next_open=next((one.key for one in visible if one.state == "open" and one.key != inquiry.key), ""),
        inquiry=identities.mask_inquiry(inquiry),
        owner=name_owner(inquiry.assignment, inquiry.owner) if person.role in STAFF else "",
        hand_in=identities.mask_hand_in(hand_in),
        assignment=assignment,
        shown=load_shown_program(store, hand_in, report, assignment, identities) if person.role in STAFF else None,
        test=next((one for one in (report.tests if report else ()) if one.id == inquiry.test), None),
        events=[identities.mask_inquiry_event(one) for one in store.inquiries.load_events(inquiry)],
        students={identities.mask_login(one) for one in hand_in.owner.split(TOGETHER)},
        refused=refused,
        closed="" if person.role in STAFF else _say_closed(inquiry.assignment),
        text=text,
    )


def _show_form(hand_in: HandIn, refused: str = "") -> str:
    tests = _list_tests(hand_in)
    return render_template(
        "ask.html.j2",
        hand_in=hand_in,
        assignment=current.assignment(hand_in.assignment),
        tests=tests,
        asked_test=next((one for one in tests if one.id == request.values.get("test")), None),
        refused=refused,
        closed=_say_closed(hand_in.assignment),
        text=_text(),
    )


def _say_closed(assignment_name: str) -> str:
    """Return why students cannot ask now; empty if they can."""
    assignment = current.assignment(assignment_name)
    if assignment.takes_inquiries_at(current.arrival_time):
        return ""
    end, zone = assignment.inquiries, assignment.deadline_rules.default_zone
    until = f" any more: the last moment was {format_moment(end, zone)}" if isinstance(end, datetime) else " now"
    return f"The staff takes no questions about this assignment{until}."


def _find(inquiry_key: str) -> InquirySummary:
    """Return an inquiry; end the request with 404 if there is none that the person may see."""
    account = current.account_unless_staff
    inquiry = current.store.inquiries.find_inquiry(current.course_key, inquiry_key, account)
    return inquiry if inquiry and current.may_see_owner(inquiry.owner) else abort(404)


def _get_ended_hand_in(hand_in_key: str) -> HandIn:
    """Return a hand-in that failed or has a visible result; end the request with 404 for any other."""
    hand_in = get_permitted_hand_in_or_404(hand_in_key)
    if hand_in.state != "failed" and find_report_for_viewer(hand_in) is None:
        abort(404)
    return hand_in


def _list_tests(hand_in: HandIn) -> list[ReportedTest]:
    """Return the tests that the person who asks may see."""
    report = find_report_for_viewer(hand_in)
    return report.tests if report else []


def _text() -> str:
    return request.form.get("text", "").strip().replace("\r\n", "\n")


def _judge(text: str) -> str:
    """Return why a text cannot be sent; empty if it can."""
    if not text:
        return "The text is empty."
    if len(text) > MOST_CHARACTERS:
        return f"The text has {len(text):,} characters, and may have {MOST_CHARACTERS:,}: shorten it."
    return ""
