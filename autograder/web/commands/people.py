"""``autograder people``: bring in a roster; export or erase everything that is kept of one student."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from autograder.batch import BatchLocation
from autograder.cli.graded_class import add_results_location_options, open_submission_paths, warn_about_missing_files
from autograder.cli.options import CourseOption, course_option
from autograder.cli.terminal import print_line
from autograder.faults import CallerFault, translate_file_errors
from autograder.files import is_standard_output, is_written_through, write_file_atomically
from autograder.store.connection import try_vacuum_store
from autograder.text import choose_by_count, escape_for_display, format_count
from autograder.web.people import mail_invitation, make_personal_link, make_shell_context
from autograder.web.retention.archive import pack_person_export
from autograder.web.retention.erasure import (
    PersonErasurePlan,
    carry_out_erasure,
    find_person_or_raise,
    plan_person_erasure,
)
from autograder.web.roster_import import (
    RosterPlan,
    apply_changes,
    describe_difference,
    describe_plan,
    plan_roster,
)
from autograder.web.settings import is_mail_address
from autograder.web.store.server_store import open_server_store

NOT_VACUUMED = (
    "error: another program held the database, whose free pages may still hold old text "
    "(stop `autograder serve`, then run `autograder people compact`)"
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Bring in a roster; export or erase everything that is kept of one student."""


@command.command("import")
@click.argument("roster", type=click.Path(path_type=Path))
@click.option("--apply", "is_applied", is_flag=True, help="Do it; without this, only say what would be done.")
@click.option("--invite", is_flag=True, help="Make a personal link for each new person, and print it.")
@click.option("--mail", is_flag=True, help="Have the server mail the links where it can, and print the others.")
@click.option("--days", type=click.IntRange(1, 365), default=14, help="How long printed links work; 14 by default.")
@click.option("--url", default="http://127.0.0.1:8000", help="The server's address in the links, with its port.")
@add_results_location_options
def import_roster(  # noqa: PLR0913 - a parameter for each option
    roster: Path, is_applied: bool, invite: bool, mail: bool, days: int, url: str, location: BatchLocation
) -> None:
    """Add and change the people of a course on the web by ROSTER, which `batch --roster` reads, too.

    Columns may be login, name, email, section, team and role; one that is not there changes nothing. Whoever is not
    in the roster stays as they are. Without --apply, nothing is changed.
    """
    with translate_file_errors(roster, advice="name a CSV file"):
        content = roster.read_bytes()
    course = location.class_key_in_store
    with open_server_store(location) as opened_store:
        plan = plan_roster(content, str(roster), opened_store.roll.list_members(course))
        for line in _iterate_roster_plan_lines(plan):
            print_line(line)
        if not is_applied:
            print_line(f"{describe_plan(plan)}; nothing was changed (--apply does it)")
            return
        context = make_shell_context(course)
        with opened_store.group():
            apply_changes(opened_store, context, context.account, plan.changes)
            links = []
            for one in plan.added if invite or mail else ():
                member = opened_store.roll.find_member(course, one.after.login)
                if mail and member and is_mail_address(member.mail_address):
                    mail_invitation(opened_store, context, context.account, member)
                    print_line(f"{member.login}, {member.role}: mailed to {member.mail_address}")
                else:
                    links.append(make_personal_link(opened_store, context, context.account, one.after.login, days))
    for member, path in links:
        print_line(f"{member.login}, {member.role}: {url.rstrip('/')}{path}")
    print_line(f"{describe_plan(plan)}: done")


def _iterate_roster_plan_lines(plan: RosterPlan) -> Iterator[str]:
    """Yield what a roster does, a line for each person."""
    for change in plan.added:
        after = change.after
        parts = (after.login, after.role, after.name, after.section, after.team, after.address)
        yield f"new: {', '.join(escape_for_display(part, 80) for part in parts if part)}"
    for change in plan.changed:
        differences = "; ".join(describe_difference(*difference) for difference in change.differences)
        yield f"changed: {change.after.login}: {differences}"
    for line in plan.refused:
        yield f"left out: {line}"
    if plan.missing:
        yield f"not in the roster, and stays: {', '.join(member.login for member in plan.missing)}"


@command.command("export")
@click.argument("login")
@click.option("--to", type=click.Path(path_type=Path), help="The zip to write; LOGIN.zip by default.")
@click.option(
    "--with-hidden-tests", is_flag=True, help="Whole reports and pytest's records, for the staff and not the student."
)
@add_results_location_options
@course_option
def export_person(
    login: str, to: Path | None, with_hidden_tests: bool, location: BatchLocation, course: CourseOption
) -> None:
    """Write a zip with everything that is kept of LOGIN: account, files, results, decisions, inquiries, audit rows.

    Reports in it are those that students may see once results are published.
    """
    loaded_course = course.load(location=location)
    with open_server_store(location, must_exist=True, dry_run=True) as opened_store:
        person = find_person_or_raise(opened_store, location, login)
        content, missing = pack_person_export(
            opened_store, location, person, loaded_course, open_submission_paths, is_for_staff=with_hidden_tests
        )
    path = to or Path(f"{person.login.replace('/', '_')}.zip")
    if path.exists() and not is_written_through(path):
        raise CallerFault("this file exists already", str(path), "name another file with --to, or remove it")
    write_file_atomically(path, content)
    number = sum(len(person.list_submissions(of_team=of_team)) for of_team in (False, True))
    print_line(f"wrote {path}: {format_count(number, 'submission')}", to_stderr=is_standard_output(path))
    warn_about_missing_files(missing, "export", to_stderr=is_standard_output(path))


@command.command("erase")
@click.argument("login")
@click.option("--dry-run", is_flag=True, help="Say what would go, and erase nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@add_results_location_options
def erase_person(login: str, dry_run: bool, yes: bool, location: BatchLocation) -> None:
    """Erase LOGIN: account, files, results, decisions, inquiries, reports and rows of the gradebook.

    What a team handed in stays for the others, without the name; so does the audit log. There is no way back: take an
    export first if one is wanted.
    """
    with open_server_store(location, must_exist=True, dry_run=dry_run) as opened_store:
        plan = plan_person_erasure(opened_store, location, login)
        for line in _iterate_erasure_plan_lines(plan):
            print_line(line)
        if dry_run:
            print_line("nothing was erased")
            return
        if not yes:
            click.confirm(f"Erase all of this for good: {escape_for_display(plan.person.login)}?", abort=True)
        naming_paths = carry_out_erasure(opened_store, location, plan)
    is_vacuumed = try_vacuum_store(location.store_url)
    print_line(
        f"erased {escape_for_display(plan.person.login)}; the audit log calls them {plan.name_replacer.pseudonym}"
    )
    if plan.team_files.own or plan.files.views or plan.team_files.gradebooks:
        print_line("write again what others need: `autograder report`, `overview`, `similar`")
    if not is_vacuumed:
        click.echo(NOT_VACUUMED, err=True)
    for path in naming_paths:
        click.echo(
            f"error: {escape_for_display(str(path))}: this file still names the erased person "
            "(look at it, and remove it)",
            err=True,
        )
    if naming_paths or not is_vacuumed:
        sys.exit(1)


@command.command("compact")
@add_results_location_options
def compact_database_after_erasure(location: BatchLocation) -> None:
    """Overwrite what the database still holds of erased rows; `erase` does it, unless a program is in its way."""
    with open_server_store(location, must_exist=True, dry_run=True):
        pass  # says what is wrong with it
    if not try_vacuum_store(location.store_url):
        raise CallerFault(
            "another program holds the database", location.store_url.render_as_string(), "stop `autograder serve`"
        )
    print_line("the database holds nothing of what was erased")


def _iterate_erasure_plan_lines(plan: PersonErasurePlan) -> Iterator[str]:
    """Yield what an erasure does, a line each."""
    person = plan.person
    name = person.account.name if person.account else ""
    yield escape_for_display(f"{person.login}, {name}" if name and name != person.login else person.login)
    if person.account and person.other_courses:
        yield f"  stays: the account, which other courses of this store have: {', '.join(person.other_courses)}"
    elif person.account:
        yield "  goes: the account, its links and sessions"
    solo_count = len(person.list_submissions(of_team=False))
    yield f"  goes: {format_count(solo_count, 'submission')} with files and results"
    inquiries = f"{plan.inquiry_count} {choose_by_count(plan.inquiry_count, 'inquiry', 'inquiries')}"
    yield f"  goes: {format_count(plan.decision_count, 'decision')}, {inquiries}"
    for path in (*plan.files.own, *plan.files.views):
        yield f"  goes: {escape_for_display(str(path))}"
    for path in plan.files.gradebooks:
        yield f"  goes: rows in {path}"
    for submission in sorted(person.team_submission_names):
        yield f"  stays for the others of the team, without this name: {escape_for_display(submission)}"
    for path in plan.team_files.own:
        yield f"  goes, and can be written again without this name: {escape_for_display(str(path))}"
    for path in plan.untouched:
        yield f"  not touched, since it lies outside the results: {escape_for_display(str(path))}"
    yield f"  stays without the name: {format_count(plan.audit_count, 'row')} of the audit log"
