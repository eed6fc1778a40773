"""Let instructors set what changes within a term; it counts in place of ``grading.yml``'s settings."""

from __future__ import annotations

from collections.abc import Mapping

import yaml
from flask import render_template, request
from flask.typing import ResponseReturnValue

from autograder.course import Assignment, load_course
from autograder.decisions import apply_extension_decisions
from autograder.faults import CallerFault, CourseFault, list_course_faults
from autograder.store.audit import AuditContext, AuditEvent
from autograder.web.names import get_student_display_names
from autograder.web.request import Pages, Permission, current, see_other
from autograder.web.setting_values import (
    COUNTING,
    RATE_TITLES,
    RESULTS,
    TEST_TEXTS,
    TITLES,
    Values,
    describe_values,
    name_zone,
    read_settings_form,
    read_values,
    write_moment,
)

pages = Pages("term_setting_pages", __name__)


@pages.on_get("/settings", Permission.CHANGE_SETTINGS)
def show_settings() -> ResponseReturnValue:
    """Show the settings of all assignments, and what was changed on the web as YAML."""
    in_file = _load_assignments_of_file()
    rows = [
        (one, describe_values(read_values(one)), set(one.settings_in_place)) for one in current.course.assignments
    ]
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
    """Put the settings in the form in place of those of ``grading.yml``; equal ones are the file's again.

    What is changed for every assignment is all that the form changes but the deadline.
    """
    assignment = current.assignment(assignment_name)
    try:
        now, in_file = read_values(assignment), _load_assignments_of_file()
        wanted = {assignment_name: read_settings_form(_find_in_file(in_file, assignment_name))}
        if request.form.get("for") == "all":
            changed = {name: value for name, value in wanted[assignment_name].items() if value != now[name]}
            changed.pop("deadline", None)
            others = [one for one in current.course.assignments if one.name != assignment_name]
            wanted |= {one.name: read_values(one) | changed for one in others}
        given = {name: read_values(_find_in_file(in_file, name)) for name in wanted}
        _save(
            {
                name: {key: value for key, value in values.items() if value != given[name][key]}
                for name, values in wanted.items()
            }
        )
    except CallerFault as fault:
        return _render(assignment, _say_what_is_wrong(fault)), 422
    return see_other("term_setting_pages.show_assignment_settings", assignment_name=assignment_name, saved="yes")


@pages.on_post("/class/<assignment_name>/settings/reset", Permission.CHANGE_SETTINGS)
def reset_setting(assignment_name: str) -> ResponseReturnValue:
    """Let one setting be what ``grading.yml`` says."""
    assignment, values = current.assignment(assignment_name), read_values(current.assignment(assignment_name))
    kept = {name: values[name] for name in assignment.settings_in_place if name != request.form.get("setting")}
    try:
        _save({assignment_name: kept})
    except CallerFault as fault:
        return _render(assignment, _say_what_is_wrong(fault)), 422
    return see_other("term_setting_pages.show_assignment_settings", assignment_name=assignment_name, saved="yes")


def _save(changes: dict[str, Values]) -> None:
    """Save what counts in place of ``grading.yml`` from now on, by assignment: for all of them or for none.

    Raises:
        CourseFault: the file does not allow it.
        CallerFault: something else would count.
    """
    store, person = current.store, current.person
    after = load_course(current.settings.course, store.settings.map_changes(current.course_key) | changes)
    with store.group():
        for assignment in current.course.assignments:
            if assignment.name in changes and (new := after.find_assignment(assignment.name)):
                in_place = changes[assignment.name]
                events = _list_audit_events(assignment, new, in_place)
                context = AuditContext("settings", person.audit_account, "", current.course_key, assignment.name)
                store.settings.replace_changes(context, person.name, in_place, events)
    current.forget_course()


def _list_audit_events(before: Assignment, after: Assignment, changes: Values) -> list[AuditEvent]:
    """Return what changes for an assignment, from what to what.

    Raises:
        CallerFault: something else than ``changes`` would count.
    """
    old, new = read_values(before), read_values(after)
    for name, value in changes.items():
        if new[name] != value:
            advice = "change it in grading.yml"
            raise CallerFault(f"{TITLES[name].lower()} cannot be left out, as the whole course has one", "", advice)
    old_words, new_words = describe_values(old), describe_values(new)
    return [
        AuditEvent(
            changed_item=name.rpartition(".")[2],
            student_label="everyone",
            before=old_words[name],
            after=new_words[name],
            reason="as grading.yml says" if name not in changes else "",
        )
        for name in TITLES
        if new[name] != old[name] or (name in changes) != (name in before.settings_in_place)
    ]


def _load_assignments_of_file() -> dict[str, Assignment]:
    """Return the assignments as ``grading.yml`` alone has them; empty if it cannot be loaded now."""
    try:
        return {one.name: one for one in load_course(current.settings.course).assignments}
    except CourseFault:  # the last valid course is served, and the page on health says so
        return {}


def _find_in_file(in_file: Mapping[str, Assignment], assignment_name: str) -> Assignment:
    if assignment_name in in_file:
        return in_file[assignment_name]
    raise CallerFault(f"grading.yml cannot be read, or lacks '{assignment_name}'", advice="mend it, and try again")


def _list_differences_from_file(assignment: Assignment, in_file: Assignment) -> Values:
    """Return what ``grading.yml`` lacks of an assignment: changed settings, and extensions that people gave."""
    values, given = read_values(assignment), read_values(in_file)
    results = current.results(assignment.name)
    rules = apply_extension_decisions(assignment.deadline_rules, results.decisions_in_force)
    zone = rules.default_zone
    values["deadline"] = write_moment(rules.deadline, zone) if rules.deadline else None
    differing: Values = {}
    for name, value in values.items():
        section, _, inner = name.partition(".")
        if value != given[name]:
            differing[section] = differing.get(section, {}) | {inner: value} if inner else value
    known = dict(in_file.deadline_rules.extensions)
    extensions = {who: write_moment(one, zone) for who, one in rules.extensions if known.get(who) != one}
    if extensions and not get_student_display_names(assignment.name).are_hidden:
        differing["extensions"] = extensions
    return differing


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
        values=read_values(assignment),
        in_file=describe_values(read_values(in_file)) if in_file else {},
        changed=set(assignment.settings_in_place),
        titles=TITLES,
        zone=name_zone(rules) or "UTC",
        counting=COUNTING,
        results=RESULTS,
        test_texts=TEST_TEXTS,
        rates=RATE_TITLES,
        has_other_assignments=len(current.course.assignments) > 1,
        typed=typed,
        is_lms_deadline_in_force=results.is_lms_deadline_in_force,
        published_at=results.published_times[None],
        refused=refusal,
        is_saved=request.args.get("saved") == "yes",
    )
