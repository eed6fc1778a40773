"""Read the names that Moodle gives to the files and folders of a download."""

from __future__ import annotations

import re
from dataclasses import dataclass

PATTERN = re.compile(
    r"(?!_assignsubmission_)(?P<name>.*?)(?:_(?P<number>\d+))?_assignsubmission_(?P<plugin>[a-z]+)(?:_(?P<rest>.*))?",
    re.S,
)
"""``Ada Lovelace_2_assignsubmission_file``; up to Moodle 4.0 with a ``_`` behind it; without folders the file's name
follows. Moodle makes every ``_`` of a name a space, so the first number is the participant's. Only the team of those
who are in no team has none."""


@dataclass(frozen=True, slots=True)
class MoodlePath:
    """The student and path that one file of a download belongs to."""

    owner_name: str
    """The student's, the team's, or the word for a participant where names are hidden."""
    participant_number: str
    """The participant's or the team's; empty for the team of those who are in none."""
    plugin: str
    """``file`` or ``onlinetext``, or what a site has added."""
    inner_path: str
    """Within the submission."""

    @property
    def owner_key(self) -> tuple[str, str]:
        """Return whose file it is: files with the same owner belong to one submission."""
        return self.owner_name, self.participant_number


def try_parse_moodle_path(path: str) -> MoodlePath | None:
    """Return where a path of a download belongs; None if Moodle does not name it so.

    Only the first part of the path decides: all that is in a student's folder is the student's.

    >>> try_parse_moodle_path("Ada Lovelace_42_assignsubmission_file_/value.py")
    MoodlePath(owner_name='Ada Lovelace', participant_number='42', plugin='file', inner_path='value.py')
    """
    folder, _, path_in_folder = path.partition("/")
    match = PATTERN.fullmatch(folder)
    if match is None:
        return None
    inner_path = "/".join(part for part in (match["rest"], path_in_folder) if part)
    return MoodlePath(match["name"], match["number"] or "", match["plugin"], inner_path)
