"""No known attack is forgotten: each is covered, or it is said why it does not apply."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.redteam.attack import NOBODY, all_attacks

README = Path(__file__).with_name("README.md")
ROOT = Path(__file__).resolve().parents[2]
INSIDE = ROOT / "autograder" / "bridge" / "inside"
MODULE_BY_NAME = {"_serve": "request_server", "_talk": "message_channel"}
"""What preludes of ``honest.py`` call the names of a module that runs in the student's process."""


def assigned_names(module: str) -> Iterator[str]:
    """Yield the names that a module of the student's process has, and the one that it is started with."""
    yield "CHANNEL"
    for node in ast.walk(ast.parse((INSIDE / f"{module}.py").read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()) | ast.alias(name=name):
                yield name


def rows() -> dict[int, str]:
    """What the README says of each number: the attacks and tests that cover it, or why it does not apply."""
    found = re.findall(r"^\| (\d+) \| .+ \| (.+) \|$", README.read_text(encoding="utf-8"), re.M)
    return {int(number): covered for number, covered in found}


def test_every_number_is_covered_or_does_not_apply() -> None:
    assert [*rows()] == [*range(1, 92)]


def test_the_readme_names_every_attack_in_the_rows_of_its_numbers() -> None:
    named = {number: {*re.findall(r"`(\w+/\w+)`", covered)} for number, covered in rows().items()}
    expected: dict[int, set[str]] = {number: set() for number in named}
    for attack in all_attacks():
        for number in attack.catalogue:
            expected[number].add(f"{attack.goal}/{attack.slug}")
    assert named == expected


def test_the_tests_that_are_named_exist() -> None:
    for path, function in {test for covered in rows().values() for test in re.findall(r"`(\S+)::(\w+)`", covered)}:
        assert re.search(rf"^def {function}\(", (ROOT / "tests" / path).read_text(encoding="utf-8"), re.M), function


def test_next_to_every_attack_has_a_control() -> None:
    without = [attack.slug for attack in all_attacks() if attack.control.startswith(NOBODY)]
    assert len(without) < len(all_attacks()) / 5, without


def test_what_an_attack_takes_of_the_insides_is_there() -> None:
    known = {name: {*assigned_names(module)} for name, module in MODULE_BY_NAME.items()}
    used = [
        (attack.slug, name, key)
        for attack in all_attacks()
        for name, _, key in re.findall(r"(_serve|_talk)\[(['\"])(\w+)\2\]", attack.program)
    ]
    assert used
    assert [(slug, key) for slug, name, key in used if key not in known[name]] == []
