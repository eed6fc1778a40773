"""``autograder invite``: add people to a course on the web, and make their personal links."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from autograder.batch import BatchLocation
from autograder.cli.graded_class import add_results_location_options
from autograder.cli.terminal import print_line
from autograder.faults import CallerFault, translate_file_errors
from autograder.roster.row_fields import LOGIN_COLUMNS
from autograder.web.people import LOGIN, enrol_with_sign_in_link, require_well_formed_logins, revoke_access
from autograder.web.roster_import import plan_roster
from autograder.web.settings import is_mail_address
from autograder.web.store.accounts import Role
from autograder.web.store.roll import MemberDetails
from autograder.web.store.server_store import open_server_store

ROLES: dict[str, Role] = {role: role for role in get_args(Role)}


@click.command()
@click.argument("logins", metavar="LOGIN...", nargs=-1)
@click.option(
    "--file", "file", type=click.Path(path_type=Path), help="A file with one login a line, or a roster with a header."
)
@click.option("--role", type=click.Choice(list(ROLES)), default="student", help="What they are; student by default.")
@click.option("--name", "person_name", default="", help="Their name; for one person.")
@click.option("--team", default="", help="Students of the same team hand in together.")
@click.option("--section", default="", help="The part of the course; an assistant then sees its students alone.")
@click.option("--email", default="", help="Where they get mail, if LOGIN is no e-mail address; for one person.")
@click.option("--days", type=click.IntRange(1, 365), default=14, help="How long the link works; 14 by default.")
@click.option("--url", default="http://127.0.0.1:8000", help="The server's address in the links, with its port.")
@click.option("--revoke", is_flag=True, help="End their links and sessions; what they handed in stays.")
@add_results_location_options
def command(  # noqa: PLR0913 - a parameter for each option
    logins: tuple[str, ...],
    file: Path | None,
    role: str,
    person_name: str,
    team: str,
    section: str,
    email: str,
    days: int,
    url: str,
    revoke: bool,
    location: BatchLocation,
) -> None:
    """Invite people to the course that `autograder serve` serves: print a personal link for each LOGIN.

    A link signs in once, in one browser, within the days it works. A new link for the same LOGIN ends the old one.
    Only its digest is kept: send it now, or make a new one.
    """
    roster = _read_file(file) if file else b""
    if roster and _is_list_of_logins(roster):
        logins, roster = (*logins, *roster.decode("utf-8-sig").split()), b""
    if not logins and not roster:
        raise click.UsageError("no LOGIN and no --file was given")
    if roster and (revoke or role != "student" or team or section):
        raise click.UsageError("a roster has columns for role, team and section; use options with a list of logins")
    if (person_name or email) and len(logins) > 1:
        raise click.UsageError("--name and --email apply to one person; invite several one by one")
    if email and not is_mail_address(email):
        raise click.UsageError("the value of --email is not an e-mail address")
    require_well_formed_logins(logins)  # of all, before anybody is invited
    with open_server_store(location) as opened_store:
        course = location.class_key_in_store
        people = [MemberDetails(login, person_name, ROLES[role], team, section, email) for login in logins]
        if roster:
            plan = plan_roster(roster, str(file), opened_store.roll.list_members(course))
            if plan.refused:
                raise CallerFault(plan.refused[0], str(file), "correct this row; nobody was invited")
            people += [change.after for change in plan.changes]
            people += [member.details for member in plan.unchanged]
        for details in people:
            login = details.login
            if revoke:
                person = revoke_access(opened_store, course, login)
                print_line(f"{person.login}: links and sessions ended")
            else:
                member, path = enrol_with_sign_in_link(opened_store, course, details, valid_days=days)
                print_line(f"{member.login}, {member.role}: {url.rstrip('/')}{path}")


def _read_file(path: Path) -> bytes:
    with translate_file_errors(path, advice="name a file with logins, or a roster"):
        content = path.read_bytes()
    if not content.strip():
        raise CallerFault("the file is empty", str(path), "write one login a line")
    return content


def _is_list_of_logins(content: bytes) -> bool:
    """Return whether a file has one login a line and nothing else; a first line ``login`` is a header."""
    try:
        lines = [line.strip() for line in content.decode("utf-8-sig").splitlines() if line.strip()]
    except UnicodeDecodeError:
        return False
    return lines[0].lower() not in LOGIN_COLUMNS and all(LOGIN.fullmatch(line.lower()) for line in lines)
