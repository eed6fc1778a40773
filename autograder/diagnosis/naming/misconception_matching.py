"""Find the misconceptions whose wrong parts are all wrong in a submission in the same way; the functions are pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autograder.course.solution_styles import PLAIN
from autograder.diagnosis.naming.misconception_observations_file import Observed

WrongPartDigests = Mapping[str, str]
"""The digest of each wrong part, by the part's name."""
MOST_MATCHING = 6
"""Most misconceptions that match the same parts and are named together."""


@dataclass(frozen=True, slots=True)
class MatchingMisconceptions:
    """Misconceptions that match some of a submission's wrong parts."""

    parts: frozenset[str]
    names: tuple[str, ...]
    """The misconceptions' ids; more than one if they look the same."""


def format_wrong_part_digests(digests: WrongPartDigests) -> str:
    """Format digests as the text that is stored."""
    return ", ".join(f"{part} {digest}" for part, digest in digests.items())


def parse_wrong_part_digests(digests_text: str) -> dict[str, str]:
    """Parse the wrong parts and their digests from the stored text."""
    pairs = (one.rpartition(" ") for one in digests_text.split(", ") if one)
    return {part: digest for part, _, digest in pairs}


def match_misconceptions_greedily(
    wrong_part_digests: WrongPartDigests, observed_misconceptions: Mapping[str, Observed]
) -> tuple[MatchingMisconceptions, ...]:
    """Explain the wrong parts of a submission by few misconceptions, trying those with the most wrong parts first.

    Args:
        wrong_part_digests: the wrong parts of a submission.
        observed_misconceptions: the wrong parts of each misconception, in each style.

    Returns:
        The matches. All wrong parts of a matched misconception have the same digests as the submission's. No part is
        explained twice.
    """
    found: dict[frozenset[str], list[str]] = {}
    for name, styles in observed_misconceptions.items():
        for text in styles.values():
            digests = parse_wrong_part_digests(text)
            if digests and digests.items() <= wrong_part_digests.items():
                names = found.setdefault(frozenset(digests), [])
                if name not in names:
                    names.append(name)
    left, taken = set(wrong_part_digests), list[MatchingMisconceptions]()
    for parts in sorted(found, key=lambda parts: (-len(parts), *sorted(parts))):
        if parts <= left:
            taken.append(MatchingMisconceptions(parts, tuple(found[parts][:MOST_MATCHING])))
            left -= parts
    return tuple(taken)


def list_styles_plain_first(
    misconception_id: str, observed_misconceptions: Mapping[str, Observed]
) -> tuple[str, ...]:
    """Return the styles in which a misconception is worth trying, the plain one first."""
    return tuple(sorted(observed_misconceptions.get(misconception_id, {PLAIN: ""}), key=lambda style: style != PLAIN))
