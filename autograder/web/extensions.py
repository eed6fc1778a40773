"""Give students more time, several or everybody at once, and show who has it."""

from __future__ import annotations

from flask import render_template, request
from flask.typing import ResponseReturnValue

from autograder.decisions import EVERYONE
from autograder.faults import CallerFault
from autograder.web.decision_forms import carry_out, read_field, save_decisions
from autograder.web.listing import SectionFilter, read_section_filter
from autograder.web.names import get_student_display_names, name_owner
from autograder.web.request import Pages, Permission, current, see_other
from autograder.web.setting_values import name_zone
from autograder.web.wording import format_moment

pages = Pages("extension_pages", __name__)


@pages.on_get("/class/<assignment_name>/extensions", Permission.EXTEND)
def show_extensions(assignment_name: str) -> ResponseReturnValue:
    """Show who has more time, and the form to give more."""
    return _render(assignment_name)


@pages.on_post("/class/<assignment_name>/extensions", Permission.EXTEND)
def extend_deadline(assignment_name: str) -> ResponseReturnValue:
    """Give students more time, all whom the form names or nobody."""
    return carry_out(
        lambda graded_class: save_decisions(graded_class, "extend", _read_students(assignment_name)),
        assignment_name,
        lambda refusal: _render(assignment_name, refusal),
        lambda: see_other("extension_pages.show_extensions", assignment_name=assignment_name, saved="yes"),
    )


def _read_students(assignment_name: str) -> list[str]:
    """Return the logins that the form names, or ``EVERYONE``.

    Raises:
        CallerFault: it names nobody, or somebody who is no student of the course.
    """
    written = [one.strip() for one in read_field("students").split(",") if one.strip()]
    if not written:
        raise CallerFault("no student is named", advice="write logins with commas, or everybody")
    if [one.lower() for one in written] == ["everybody"]:
        return [EVERYONE]
    names = get_student_display_names(assignment_name)
    logins = [names.unmask_login(one if names.are_hidden else one.lower()) for one in written]
    for login, as_written in zip(logins, written, strict=True):
        if login not in current.student_by_login:
            raise CallerFault(f"no student here has the login '{as_written[:80]}'", advice="look under People")
    return [*dict.fromkeys(logins)]


def _list_extensions(assignment_name: str, section: SectionFilter) -> list[tuple[str, str, str, str]]:
    """Return who has more time, as the staff may see them: name, login of a student, until when, and by whom."""
    names, results = get_student_display_names(assignment_name), current.results(assignment_name)
    given = {one.who: one for one in results.decisions_in_force if one.kind == "extend"}
    rules, everyone = results.effective_deadline_rules, given.get(EVERYONE)
    rows = [("everybody", "", everyone.value, everyone.author)] if everyone else []
    for who, moment in rules.extensions:
        if section.shows(who) and (who in given or not names.are_hidden):
            author = given[who].author if who in given else "grading.yml"
            login = names.mask_login(who) if who in current.student_by_login else ""
            rows.append((name_owner(assignment_name, who), login, format_moment(moment, rules.default_zone), author))
    return rows


def _render(assignment_name: str, refusal: str = "") -> str:
    results = current.results(assignment_name)
    rules, section = results.effective_deadline_rules, read_section_filter(assignment_name)
    return render_template(
        "extensions.html.j2",
        assignment=results.assignment,
        section=section,
        extensions=_list_extensions(assignment_name, section),
        has_deadline=rules.deadline is not None,
        zone=name_zone(rules) or "UTC",
        is_anonymous=get_student_display_names(assignment_name).are_hidden,
        typed=request.form if refusal else {},
        refused=refusal,
    )
