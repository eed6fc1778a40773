"""``autograder export --upload`` and ``--check``: use a platform's own service."""

from __future__ import annotations

import sys

from autograder.batch.place import Place
from autograder.cli.changes import show_changes
from autograder.cli.common import EXIT_FAILED, console
from autograder.cli.progress import bar
from autograder.platforms import Export, Given, Platform
from autograder.platforms.calls import checked, sent
from autograder.platforms.decisions import ALL
from autograder.platforms.journal import StoredSending, action_of, check_names
from autograder.platforms.results import Gathered
from autograder.text import clean


def send(platform: Platform, place: Place, gathered: Gathered, given: Given, dry_run: bool) -> None:
    """Send a class, note every answer in its store, and fail if anything was refused."""
    if given.overwrite - {ALL}:  # a name that is nobody's must be told before anything is sent
        check_names(_sent(platform, place, gathered, given, dry_run=True), given.overwrite)
    made = _sent(platform, place, gathered, given, dry_run)
    show_changes(made, gathered, everybody=True)
    if dry_run:
        console().print("nothing was sent: this was a dry run")
    for sentence in made.failed:
        console(stderr=True).print(f"not taken: {clean(sentence, 500)}", style="red")
    if made.failed:
        sys.exit(EXIT_FAILED)


def show_check(platform: Platform, given: Given) -> None:
    """Try the way in, and print what was found."""
    for line in checked(platform, given):
        console().print(clean(line, 300))
    console().print("nothing was sent: this was a check")


def _sent(platform: Platform, place: Place, gathered: Gathered, given: Given, dry_run: bool) -> Export:
    action = action_of("upload", place, platform, gathered.results.assignment)
    with bar("sending") as progress, place.reopened(dry=dry_run) as store:
        return sent(platform, gathered.results, given, dry_run, StoredSending(store.audit, action, progress))
