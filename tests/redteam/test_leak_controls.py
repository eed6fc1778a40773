"""Each search finds the canary where what hides it is missing."""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.redteam.attack import Attack, attacks
from tests.redteam.honest import WEAK, placed
from tests.redteam.naive import run_naively

LEAKS = attacks("leak")
NUMBER = "0.48151623421"
Run = Callable[[str, str, Path], str]


def in_plain_pytest(program: str, canary: str, folder: Path, times: int = 1) -> str:
    neighbour = folder.parent / "another" / "value.py"
    neighbour.parent.mkdir(exist_ok=True)
    neighbour.write_text(f"# {canary}")
    (folder.parent / "token").write_text(canary)
    text = placed(program, hidden=str(folder), parent=os.getpid(), neighbour=str(neighbour))
    return [run_naively(text, folder, canary=canary).told for _ in range(times)][-1]


def seen_twice(program: str, canary: str, folder: Path) -> str:
    return in_plain_pytest(program, canary, folder, 2)


def with_an_open_file(program: str, canary: str, folder: Path) -> str:
    (folder / "test_hidden.py").write_text(canary)
    with (folder / "test_hidden.py").open() as file:
        return alone(program, file.fileno())


def on_the_command_line(program: str, canary: str, folder: Path) -> str:
    return alone(program, arguments=[canary])


def sent_along(program: str, canary: str, folder: Path) -> str:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(canary.encode())
        return alone(program, theirs.fileno())


def told_how_it_ends(program: str, canary: str, folder: Path) -> str:
    """The canary if two numbers end the process in two ways: whoever is told the way is told the number."""
    command = [sys.executable, "-I", "-c"]
    ends = {
        subprocess.run([*command, f"{program}\nValue({number}) * Value(2.0)"], check=False, timeout=300).returncode
        for number in (NUMBER, "0.9")
    }
    return canary if len(ends) == 2 else ""


def alone(program: str, *descriptors: int, arguments: list[str] | None = None) -> str:
    """What a program prints when it is run by itself."""
    command = [sys.executable, "-I", "-c", program, *(arguments or [])]
    done = subprocess.run(command, check=False, capture_output=True, text=True, pass_fds=descriptors, timeout=300)
    return done.stdout


ALONE: dict[str, Run] = {
    "plain pytest": in_plain_pytest,
    "plain pytest, seen twice": seen_twice,
    "a grader that leaves a file open": with_an_open_file,
    "a grader that puts it on the command line": on_the_command_line,
    "a grader that sends the tests along": sent_along,
    "a grader that tells how a process ended": told_how_it_ends,
}


def test_plain_pytest_does_not_show_the_canary_by_itself(folder: Path) -> None:
    canary = f"canary-{secrets.token_hex(16)}"
    told = in_plain_pytest(WEAK, canary, folder)
    assert canary not in told
    assert NUMBER not in told


@pytest.mark.parametrize(
    "attack", [attack for attack in LEAKS if attack.control in ALONE], ids=lambda attack: attack.slug
)
def test_it_is_found_where_nothing_hides_it(folder: Path, attack: Attack) -> None:
    canary = f"canary-{secrets.token_hex(16)}"
    told = ALONE[attack.control](attack.program, canary, folder)
    assert re.search(f"{canary}|{re.escape(NUMBER)}", told)
