"""Let instructors set what changes within a term; it counts in place of ``grading.yml``'s settings."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import yaml
from flask import render_template, request
from flask.typing import ResponseReturnValue

from autograder.course import Assignment, load_course
from autograder.course.deadline_rules import DeadlineRules, InvalidTime, parse_typed_time, require_time_zone
from autograder.decisions import EVERYONE, Decision, DecisionProvenance, apply_extension_decisions
from autograder.decisions.decision_sheet import check_and_normalize_decision
from autograder.faults import CallerFault, CourseFault, list_course_faults
from autograder.store.audit import AuditContext, AuditEvent
from autograder.store.tables import utc_now
from autograder.web.names import get_student_display_names
from autograder.web.request import Pages, Permission, current, see_other
from autograder.web.wording import describe_attempt_limits, format_moment

pages = Pages("term_setting_pages", __name__)
TITLES = {
    "timezone": "Time zone",
    "deadline": "Deadline",
    "attempts": "Attempts",
    "feedback.results": "Students see results",
    "inquiries": "Students ask about results",
}
"""The settings by their names in ``grading.yml``, with what people call them."""
RESULTS = {
    "visible": "as soon as they are graded",
    "after_due_date": "after the last deadline of the class",
    "after_published": "when they are published",
}
COUNTING = {"best": "the attempt with most points counts", "last": "the last attempt counts"}
Values = dict[str, Any]
"""Settings of an assignment as ``grading.yml`` would have them, by the names in ``TITLES``."""


@pages.on_get("/settings", Permission.CHANGE_SETTINGS)
def show_settings() -> ResponseReturnValue:
    """Show the settings of all assignments, and what was changed on the web as YAML."""
    in_file = _load_assignments_of_file()
    rows = [(one, _describe(_read_values(one)), set(one.settings_in_place)) for one in current.course.assignments]
    changed = {
        one.name: yaml_settings
        for one in current.course.assignments
        if one.name in in_file and (yaml_settings := _list_differences_from_file(one, in_file[one.name]))
    }
    text = yaml.safe_dump({"assignments": changed}, sort_keys=False, allow_unicode=True) if changed else ""
    return render_template("settings.html.j2", rows=rows, titles=TITLES, yaml=text)


@pages.on_get("/class/<assignment_name>/settings", Permission.CHANGE_SETTINGS)
def show_assignment_settings(assignment_name: str) -> ResponseReturnValue:
    """Show the form for the settings of one assignment."""
    return _render(current.assignment(assignment_name))


@pages.on_post("/class/<assignment_name>/settings", Permission.CHANGE_SETTINGS)
def change_settings(assignment_name: str) -> ResponseReturnValue:
    """Put the settings in the form in place of those of ``grading.yml``; equal ones are the file's again."""
    assignment = current.assignment(assignment_name)
    try:
        in_file = _require_in_file(assignment_name)
        wanted, given = _read_form(assignment, in_file), _read_values(in_file)
        _save(assignment, {name: value for name, value in wanted.items() if value != given[name]}, wanted)
    except CallerFault as fault:
        return _render(assignment, _say_what_is_wrong(fault)), 422
    return see_other("term_setting_pages.show_assignment_settings", assignment_name=assignment_name, saved="yes")


@pages.on_post("/class/<assignment_name>/settings/reset", Permission.CHANGE_SETTINGS)
def reset_setting(assignment_name: str) -> ResponseReturnValue:
    """Let one setting be what ``grading.yml`` says."""
    assignment, values = current.assignment(assignment_name), _read_values(current.assignment(assignment_name))
    kept = {name: values[name] for name in assignment.settings_in_place if name != request.form.get("setting")}
    try:
        _save(assignment, kept, kept)
    except CallerFault as fault:
        return _render(assignment, _say_what_is_wrong(fault)), 422
    return see_other("term_setting_pages.show_assignment_settings", assignment_name=assignment_name, saved="yes")


@pages.on_post("/class/<assignment_name>/settings/extend", Permission.EXTEND)
def extend_deadline(assignment_name: str) -> ResponseReturnValue:
    """Give students more time, all whom the form names or nobody."""
    assignment, person = current.assignment(assignment_name), current.person
    try:
        graded_class = current.results(assignment_name).graded_class_if_any
        if graded_class is None:
            raise CallerFault("the grader did not start yet", advice="try again in a moment")
        provenance = DecisionProvenance(person.name, person.audit_account)
        rules, until = graded_class.deadline_rules_before_decisions, _read("until_typed") or _read("until")
        checked = [
            check_and_normalize_decision(
                Decision("extend", who, "", until, _read("reason")), {}, rules, utc_now(), "the extension"
            )
            for who in _read_students(assignment_name)
        ]
        graded_class.save_and_number_decisions(
            [provenance.make_decision("extend", one.who, "", one.value, one.reason, "") for one in checked]
        )
    except CallerFault as fault:
        return _render(assignment, _say_what_is_wrong(fault)), 422
    return see_other("term_setting_pages.show_assignment_settings", assignment_name=assignment_name, saved="yes")


def _read_students(assignment_name: str) -> list[str]:
    """Return the logins that the form names, or ``EVERYONE``.

    Raises:
        CallerFault: it names nobody, or somebody who is no student of the course.
    """
    written = [one.strip() for one in _read("students").split(",") if one.strip()]
    if not written:
        raise CallerFault("no student is named", advice="write logins with commas, or everybody")
    if [one.lower() for one in written] == ["everybody"]:
        return [EVERYONE]
    names = get_student_display_names(assignment_name)
    logins = [names.unmask_login(one if names.are_hidden else one.lower()) for one in written]
    known = {one.login for one in current.store.accounts.list_students(current.course_key)}
    for login, as_written in zip(logins, written, strict=True):
        if login not in known:
            raise CallerFault(f"no student here has the login '{as_written[:80]}'", advice="look under People")
    return [*dict.fromkeys(logins)]


def _save(assignment: Assignment, changes: Values, wanted: Values) -> None:
    """Save what counts in place of ``grading.yml``.

    Args:
        assignment: the assignment as it is now.
        changes: what differs from the file from now on.
        wanted: what has to count then.

    Raises:
        CourseFault: the file does not allow it.
        CallerFault: something else would count.
    """
    store, person = current.store, current.person
    settings = {**store.settings.map_changes(current.course_key), assignment.name: changes}
    after = load_course(current.settings.course, settings).find_assignment(assignment.name)
    assert after is not None
    old, new = _read_values(assignment), _read_values(after)
    for name, value in wanted.items():
        if new[name] != value:
            advice = "change it in grading.yml"
            raise CallerFault(f"{TITLES[name].lower()} cannot be left out, as the whole course has one", "", advice)
    old_words, new_words = _describe(old), _describe(new)
    context = AuditContext("settings", person.audit_account, "", current.course_key, assignment.name)
    events = [
        AuditEvent(
            changed_item=name.rpartition(".")[2],
            student_label="everyone",
            before=old_words[name],
            after=new_words[name],
            reason="as grading.yml says" if name not in changes else "",
        )
        for name in TITLES
        if new[name] != old[name] or (name in changes) != (name in assignment.settings_in_place)
    ]
    store.settings.replace_changes(context, person.name, changes, events)
    current.forget_course()


def _read_form(assignment: Assignment, in_file: Assignment) -> Values:
    """Return the settings in the form.

    Raises:
        CallerFault: a time cannot be read.
    """
    zone_name = _read("timezone") or _name_zone(in_file.deadline_rules)
    try:
        zone = require_time_zone(zone_name) if zone_name else None
    except InvalidTime as error:
        raise CallerFault(str(error), advice=error.advice) from error
    who, until = _read("inquiries"), _read_moment("inquiries_until", zone)
    if who == "until" and not until:
        raise CallerFault("the last moment for questions is missing", advice="choose it, or choose at any time")
    return {
        "timezone": zone_name,
        "deadline": _read_moment("deadline", zone),
        "attempts": {
            "count": _read("count"),
            "at_most": _read_number("at_most", None),
            "minutes_between": _read_number("minutes_between", 0),
        },
        "feedback.results": _read("results"),
        "inquiries": until if who == "until" else who,
    }


def _read(field_name: str) -> str:
    return request.form.get(field_name, "").strip()[:2000]


def _read_number(field_name: str, default: int | None) -> object:
    """Return a number; what is none as it was typed, which loading the course then refuses."""
    text = _read(field_name)
    try:
        number = float(text) if text else default
    except ValueError:
        return text
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _read_moment(field_name: str, zone: ZoneInfo | None) -> str | None:
    """Return the moment that was typed, or else chosen, as ``grading.yml`` would have it."""
    typed = _read(f"{field_name}_typed") or _read(field_name)
    try:
        return _write_moment(parse_typed_time(typed, zone or UTC), zone) if typed else None
    except InvalidTime as error:
        raise CallerFault(str(error), advice=error.advice) from error


def _read_values(assignment: Assignment) -> Values:
    """Return the settings of an assignment, as ``grading.yml`` would have them."""
    rules, inquiries = assignment.deadline_rules, assignment.inquiries
    zone = rules.default_zone
    return {
        "timezone": _name_zone(rules),
        "deadline": _write_moment(rules.deadline, zone) if rules.deadline else None,
        "attempts": {
            "count": rules.which_attempt_counts,
            "at_most": rules.most_attempts,
            "minutes_between": rules.minutes_between if rules.minutes_between % 1 else int(rules.minutes_between),
        },
        "feedback.results": assignment.feedback.results,
        "inquiries": _write_moment(inquiries, zone) if isinstance(inquiries, datetime) else inquiries,
    }


def _write_moment(moment: datetime, zone: tzinfo | None) -> str:
    local = moment.astimezone(zone or UTC)
    return f"{local:%Y-%m-%d %H:%M}{f':{local:%S}' if local.second else ''}{'' if zone else ' UTC'}"


def _name_zone(rules: DeadlineRules) -> str:
    return rules.default_zone.key if isinstance(rules.default_zone, ZoneInfo) else ""


def _describe(values: Values) -> dict[str, str]:
    """Return the settings in words."""
    attempts, inquiries = values["attempts"], values["inquiries"]
    limits = DeadlineRules(most_attempts=attempts["at_most"], minutes_between=attempts["minutes_between"])
    said = describe_attempt_limits(limits).removesuffix(".")
    return {
        "timezone": values["timezone"] or "none, so UTC",
        "deadline": values["deadline"] or "none",
        "attempts": COUNTING[attempts["count"]] + (f"; {said[0].lower()}{said[1:]}" if said else ""),
        "feedback.results": RESULTS[values["feedback.results"]],
        "inquiries": {"open": "at any time", "closed": "never"}.get(inquiries, f"until {inquiries}"),
    }


def _load_assignments_of_file() -> dict[str, Assignment]:
    """Return the assignments as ``grading.yml`` alone has them; empty if it cannot be loaded now."""
    try:
        return {one.name: one for one in load_course(current.settings.course).assignments}
    except CourseFault:  # the last valid course is served, and the page on health says so
        return {}


def _require_in_file(assignment_name: str) -> Assignment:
    course = load_course(current.settings.course)
    if assignment := course.find_assignment(assignment_name):
        return assignment
    raise CallerFault("grading.yml does not have this assignment any more", advice="load the page again")


def _list_differences_from_file(assignment: Assignment, in_file: Assignment) -> Values:
    """Return what ``grading.yml`` lacks of an assignment: changed settings, and extensions that people gave."""
    values, given = _read_values(assignment), _read_values(in_file)
    results = current.results(assignment.name)
    rules = apply_extension_decisions(assignment.deadline_rules, results.decisions_in_force)
    zone = rules.default_zone
    values["deadline"] = _write_moment(rules.deadline, zone) if rules.deadline else None
    differing: Values = {}
    for name, value in values.items():
        section, _, inner = name.partition(".")
        if value != given[name]:
            differing[section] = {inner: value} if inner else value
    known = dict(in_file.deadline_rules.extensions)
    extensions = {who: _write_moment(one, zone) for who, one in rules.extensions if known.get(who) != one}
    if extensions and not get_student_display_names(assignment.name).are_hidden:
        differing["extensions"] = extensions
    return differing


def _list_extensions(assignment: Assignment) -> list[tuple[str, str, str]]:
    """Return who has more time, as the staff may see them: their name, until when, and by whom."""
    names, results = get_student_display_names(assignment.name), current.results(assignment.name)
    given = {one.who: one for one in results.decisions_in_force if one.kind == "extend"}
    rules, everyone = results.effective_deadline_rules, given.get(EVERYONE)
    rows = [("everybody", everyone.value, everyone.author)] if everyone else []
    for who, moment in rules.extensions:
        if who in given or not names.are_hidden:
            author = given[who].author if who in given else "grading.yml"
            rows.append((names.mask_login(who), format_moment(moment, rules.default_zone), author))
    return rows


def _say_what_is_wrong(fault: CallerFault) -> str:
    """Return what is wrong with a form, without the line of ``grading.yml`` that it is not about."""
    faults = list_course_faults(fault) if isinstance(fault, CourseFault) else (fault,)
    return "; ".join(str(CallerFault(one.what, advice=one.advice)) for one in faults)


def _render(assignment: Assignment, refusal: str = "") -> str:
    rules, results = assignment.deadline_rules, current.results(assignment.name)
    in_file = _load_assignments_of_file().get(assignment.name)
    typed: Mapping[str, str] = request.form if refusal else {}
    return render_template(
        "assignment_settings.html.j2",
        assignment=assignment,
        values=_read_values(assignment),
        in_file=_describe(_read_values(in_file)) if in_file else {},
        changed=set(assignment.settings_in_place),
        titles=TITLES,
        zone=_name_zone(rules) or "UTC",
        counting=COUNTING,
        results=RESULTS,
        typed=typed,
        extensions=_list_extensions(assignment),
        students=[one.login for one in current.store.accounts.list_students(current.course_key)],
        is_anonymous=get_student_display_names(assignment.name).are_hidden,
        is_lms_deadline_in_force=results.is_lms_deadline_in_force,
        published_at=results.published_at,
        refused=refusal,
        is_saved=request.args.get("saved") == "yes",
    )
