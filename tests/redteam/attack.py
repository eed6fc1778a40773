"""An attack is a file: a docstring that says what it is, and a program."""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from autograder.course.model import TierName
from autograder.sandbox.tiers import TIERS
from tests.redteam.honest import PRELUDES, WEAK

Goal = Literal["forge", "leak", "stall", "channel"]
GOALS: tuple[Goal, ...] = get_args(Goal)
FOLDER = Path(__file__).with_name("attacks")
KEYS = {"catalogue", "needs", "falls for it", "verdict", "tiers", "promise"}
NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Attack:
    """One hostile program, and what is to come of it."""

    slug: str
    sentence: str
    goal: Goal
    catalogue: tuple[int, ...]
    """Its numbers in the catalogue; none for one of our own."""
    control: str
    """Who falls for it; see the README."""
    verdict: str
    """``no gain``, ``nothing found``, ``nothing arrives``, or for a stall what a test says: ``timeout cpu``."""
    program: str
    """What is handed in: the weak engine, what the attack needs, the attack."""
    tiers: tuple[TierName, ...] = TIERS
    """Where it must be stopped; tier ``process`` stops accidents alone."""
    promise: str = ""
    """Where a tier may promise less on some machines, the word that must be in force (see ``promises``)."""


@functools.cache
def attacks(goal: Goal) -> tuple[Attack, ...]:
    """All attacks with one goal, by name."""
    return tuple(read_attack(path) for path in sorted((FOLDER / goal).glob("*.py")))


def all_attacks() -> tuple[Attack, ...]:
    """All attacks."""
    return tuple(attack for goal in GOALS for attack in attacks(goal))


def read_attack(path: Path) -> Attack:
    """One attack from its file."""
    source = path.read_text(encoding="utf-8")
    doc = ast.get_docstring(ast.parse(source)) or ""
    sentence, _, rest = doc.partition("\n\n")
    said = _said(rest, path)
    needs = _words(said.get("needs", ""))
    parts = [source] if "no engine" in needs else [WEAK, *(PRELUDES[name] for name in needs), source]
    return Attack(
        slug=path.stem,
        sentence=" ".join(sentence.split()),
        goal=cast("Goal", path.parent.name),
        catalogue=tuple(int(number) for number in _words(said["catalogue"]) if number != "none"),
        control=said["falls for it"],
        verdict=said["verdict"],
        program="\n".join(parts),
        tiers=cast("tuple[TierName, ...]", _words(said.get("tiers", "")) or TIERS),
        promise=said.get("promise", ""),
    )


def named(slug: str, among: Collection[Attack]) -> Attack:
    """The attack of this name."""
    return next(attack for attack in among if attack.slug == slug)


def _said(text: str, path: Path) -> dict[str, str]:
    """The keys of a docstring; a line that is indented goes on with the one above."""
    said: dict[str, str] = {}
    for line in text.replace("\n    ", " ").splitlines():
        key, colon, value = line.partition(": ")
        if key in KEYS and colon:
            said[key] = value.strip()
    missing = {"catalogue", "falls for it", "verdict"} - said.keys()
    if missing:
        raise ValueError(f"{path}: its docstring does not say {', '.join(sorted(missing))}")
    return said


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())
