"""``autograder invite``: add people to a course on the web, and make their personal links."""

from __future__ import annotations

from typing import get_args

import click

from autograder.batch import BatchLocation
from autograder.cli.graded_class import add_results_location_options
from autograder.cli.terminal import print_line
from autograder.store.web.accounts import Role
from autograder.web.people import EnrolmentDetails, enrol_with_sign_in_link, require_well_formed_logins, revoke_access
from autograder.web.settings import is_mail_address

ROLES: dict[str, Role] = {role: role for role in get_args(Role)}


@click.command()
@click.argument("logins", metavar="LOGIN...", nargs=-1, required=True)
@click.option("--role", type=click.Choice(list(ROLES)), default="student", help="What they are; student by default.")
@click.option("--name", "person_name", default="", help="Their name; for one person.")
@click.option("--team", default="", help="Students of the same team hand in together.")
@click.option("--email", default="", help="Where they get mail, if LOGIN is no e-mail address; for one person.")
@click.option("--days", type=click.IntRange(1, 365), default=14, help="How long the link works; 14 by default.")
@click.option("--url", default="http://127.0.0.1:8000", help="The server's address in the links, with its port.")
@click.option("--revoke", is_flag=True, help="End their links and sessions; what they handed in stays.")
@add_results_location_options
def command(  # noqa: PLR0913 - a parameter for each option
    logins: tuple[str, ...],
    role: str,
    person_name: str,
    team: str,
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
    if (person_name or email) and len(logins) > 1:
        raise click.UsageError("--name and --email apply to one person; invite several one by one")
    if email and not is_mail_address(email):
        raise click.UsageError("the value of --email is not an e-mail address")
    require_well_formed_logins(logins)  # of all, before anybody is invited
    with location.open_or_create_store() as opened_store:
        for login in logins:
            if revoke:
                person = revoke_access(opened_store, location.class_key_in_store, login)
                print_line(f"{person.login}: links and sessions ended")
            else:
                person, path = enrol_with_sign_in_link(
                    opened_store,
                    location.class_key_in_store,
                    EnrolmentDetails(login, ROLES[role], person_name, team),
                    valid_days=days,
                )
                if email:
                    opened_store.mail_settings.save_address(person.account, email)
                print_line(f"{person.login}, {person.role}: {url.rstrip('/')}{path}")
