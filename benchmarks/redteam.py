"""The same attacks on three graders: this kit, plain pytest with pytest-json-report, and otter-grader.

    python benchmarks/redteam.py --otter-python /path/to/venv/bin/python

The attacks are those of ``tests/redteam``. Otter is run as its documentation says, ``otter run`` on a script with an
``autograder.zip`` made by ``otter generate``; without ``--otter-python`` its line says "skipped". Only the kit shuts
anything in: run it in a machine that can be thrown away.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from autograder.course import load_course  # noqa: E402
from autograder.grading import Grader  # noqa: E402
from autograder.sandbox import choose_strongest_sandbox  # noqa: E402
from tests.redteam.attack import GOALS, Attack, Goal, attacks  # noqa: E402
from tests.redteam.courses import A_FEW, STALL_LIMITS, hand_in, part_of, total  # noqa: E402
from tests.redteam.honest import WEAK, placed  # noqa: E402
from tests.redteam.naive import CANARY, SUITE, run_naively  # noqa: E402
from tests.redteam.processes import adopt_orphans, below  # noqa: E402

NUMBER = "0.48151623421"
SLACK = 1.0
OTTER_SECONDS = 15.0
"""An honest engine takes three to five."""


@dataclass(slots=True)
class Tally:
    """The attacks that succeeded against one grader, of how many."""

    won: dict[Goal, list[str]] = field(default_factory=lambda: {goal: [] for goal in GOALS})
    tried: dict[Goal, int] = field(default_factory=lambda: dict.fromkeys(GOALS, 0))

    def count(self, attack: Attack, succeeded: bool) -> None:
        """Note one."""
        self.tried[attack.goal] += 1
        if succeeded:
            self.won[attack.goal].append(attack.slug)

    def row(self, grader: str) -> str:
        """Return a line of the table."""
        return f"| {grader} | " + " | ".join(f"{len(self.won[g])} of {self.tried[g]}" for g in GOALS) + " |"


Try = Callable[[Attack, Path], bool]


def tally(one: Try, chosen: Iterable[Attack], workers: int) -> Tally:
    """Try every attack, each in a folder of its own."""
    found = Tally()

    def run(attack: Attack) -> tuple[Attack, bool]:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            (Path(folder) / "work").mkdir()
            return attack, one(attack, Path(folder) / "work")

    with ThreadPoolExecutor(workers) as pool:
        for attack, succeeded in pool.map(run, chosen):
            found.count(attack, succeeded)
            print(".", end="", file=sys.stderr, flush=True)
    return found


def in_place(attack: Attack, folder: Path, canary: str) -> str:
    """Return the program of an attack that was told where to look, beside somebody else's work."""
    neighbour = folder.parent / "another" / "value.py"
    neighbour.parent.mkdir(exist_ok=True)
    neighbour.write_text(f"# {canary}")
    return placed(attack.program, hidden=str(folder), parent=os.getpid(), neighbour=str(neighbour))


def by_the_kit(chosen: list[Attack]) -> Tally:
    """Grade with this kit, in the strongest tier of this machine."""
    engine = next(one for one in load_course(ROOT).assignments if one.name == "autograd-engine")
    canary = f"canary-{secrets.token_hex(16)}"
    with tempfile.TemporaryDirectory() as root:
        part = part_of(engine, Path(root), STALL_LIMITS, f"{A_FEW}\nSECRET = {canary!r}\n")
        longest = part.limits.submission_seconds + part.limits.import_seconds + SLACK
        with Grader(part, choose_strongest_sandbox("restricted")) as grader:
            weak = total(hand_in(grader, WEAK, Path(root)))

            def one(attack: Attack, folder: Path) -> bool:
                started = time.monotonic()
                try:
                    graded = hand_in(grader, in_place(attack, folder, canary), folder)
                except Exception:
                    return True
                if attack.goal == "stall":
                    return time.monotonic() - started > longest
                return canary in str(graded) if attack.goal == "leak" else total(graded) > weak

            return tally(one, chosen, 1)


def by_plain_pytest(chosen: list[Attack]) -> Tally:
    """Hidden tests that import the submission."""
    with tempfile.TemporaryDirectory() as folder:
        honest = run_naively(WEAK, Path(folder))

    def one(attack: Attack, folder: Path) -> bool:
        canary = f"canary-{secrets.token_hex(16)}"
        done = run_naively(in_place(attack, folder, canary), folder, canary=canary)
        if attack.goal == "stall":
            return done.stalled
        return canary in done.told or NUMBER in done.told if attack.goal == "leak" else bool(done.gains_over(honest))

    return tally(one, chosen, 2)


class Otter:
    """Otter, with the same tests as plain pytest."""

    def __init__(self, python: Path) -> None:
        """Check that it is there."""
        self._program = python.with_name("otter")
        self._env = {"PATH": f"{python.parent}:{os.environ['PATH']}", "HOME": "/tmp"}

    def run(self, program: str, folder: Path, canary: str) -> tuple[float | None, str]:
        """Return the score, None without one in time; and all that was told."""
        self._write_tests(folder / "tests", canary)
        (folder / "value.py").write_text(program, encoding="utf-8", errors="surrogatepass")
        (folder / "out").mkdir()
        self._command(folder, "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment")
        told = self._command(folder, "run", "-a", "autograder.zip", "-o", "out", "value.py")
        results = folder / "out" / "results.json"
        if not results.is_file():
            return None, told
        text = results.read_text(errors="replace")
        with contextlib.suppress(ValueError, KeyError, TypeError):
            return sum(float(test.get("score", 0)) for test in json.loads(text)["tests"]), told + text
        return None, told + text

    def _command(self, folder: Path, *arguments: str) -> str:
        output = folder / f"{arguments[0]}.txt"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [self._program, *arguments],
                cwd=folder,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(OTTER_SECONDS)
            for pid in (*below(process.pid), process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()
        return output.read_bytes()[: 4 << 20].decode(errors="replace")

    @staticmethod
    def _write_tests(folder: Path, canary: str) -> None:
        """Write a test file for each function of the naive suite."""
        folder.mkdir()
        constants = f"import math\nSECRET = {canary!r}\nNUMBER = {NUMBER}\n"
        for node in ast.parse(SUITE.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                node.args.args.append(ast.arg("Value"))
                (folder / f"{node.name}.py").write_text(
                    f"from otter.test_files import test_case\n{constants}OK_FORMAT = False\nname = {node.name!r}\n"
                    f"points = 1\n\n@test_case()\n{ast.unparse(node)}\n"
                )


def by_otter(chosen: list[Attack], python: Path) -> Tally:
    """``otter run``."""
    otter = Otter(python)
    with tempfile.TemporaryDirectory() as folder:
        honest, _ = otter.run(WEAK, Path(folder), CANARY)
    if honest is None:
        raise SystemExit(f"otter does not run: {python}")

    def one(attack: Attack, folder: Path) -> bool:
        canary = f"canary-{secrets.token_hex(16)}"
        score, told = otter.run(in_place(attack, folder, canary), folder, canary)
        if attack.goal == "stall":
            return score is None
        return canary in told or NUMBER in told if attack.goal == "leak" else score is not None and score > honest

    return tally(one, chosen, 3)


def main() -> None:
    """Try all and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--otter-python", type=Path, help="the interpreter of an environment with otter-grader[grading]"
    )
    parser.add_argument("--every", type=int, default=1, help="every n-th attack only")
    parser.add_argument("--list", action="store_true", help="name the attacks that succeeded")
    options = parser.parse_args()
    adopt_orphans()
    chosen = [attack for goal in GOALS for attack in attacks(goal)[:: options.every]]
    rows: dict[str, Tally | None] = {"this kit": by_the_kit(chosen), "plain pytest": by_plain_pytest(chosen)}
    rows["otter-grader"] = by_otter(chosen, options.otter_python) if options.otter_python else None
    print("| grader | forge: gained marks | leak: found the canary | stall: verdict late or none |")
    print("| --- | ---: | ---: | ---: |")
    for grader, found in rows.items():
        print(found.row(grader) if found else f"| {grader} | skipped | skipped | skipped |")
    if options.list:
        for grader, found in rows.items():
            for goal in GOALS if found else ():
                assert found is not None
                print(f"\n{grader}, {goal}: {', '.join(found.won[goal])}")


if __name__ == "__main__":
    main()
