"""Name a person as an LTI platform names them, in a launch and in a list of members alike."""

from __future__ import annotations

import msgspec

MOST_NAME_CHARACTERS = 200


class LtiProfile(msgspec.Struct, frozen=True, kw_only=True):
    """The names and the e-mail address of a person; a platform may send any of them or none."""

    name: str | None = None
    given_name: str | None = None
    family_name: str | None = None
    email: str | None = None

    @property
    def full_name_or_empty(self) -> str:
        """Return the full name on the platform; empty if the platform does not give it."""
        joined_name = " ".join(filter(None, (self.given_name, self.family_name)))
        return " ".join((self.name or joined_name).split())[:MOST_NAME_CHARACTERS]


def normalize_identifiers(*identifiers: str | None) -> list[str]:
    """Return the identifiers that are set, without blanks around them and in lower case."""
    return [identifier.strip().lower() for identifier in identifiers if identifier and identifier.strip()]
