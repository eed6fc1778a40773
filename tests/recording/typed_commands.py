"""Type the commands of a term: a class is graded, decided about, regraded, exported; and every platform's class."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from autograder.cli.main import main
from tests.cli.commands import run
from tests.platforms import class_tables, report_parsers
from tests.platforms.classes import AWKWARD
from tests.platforms.packed_downloads import NAMES, PACKINGS, Student, packed
from tests.recording.comparison import TIMINGS, read_folder, steady
from tests.toy import HALF, RIGHT, SYNTAX, write_toy

WRONG = "def double(x):\n    print('<b>')\n    return undefined\n"
HANDED_IN = (RIGHT, HALF, SYNTAX, WRONG)
TIMES = """submission,student,handed_in
ann,ann@u,2025-11-20T11:00+01:00
ben,ben@u,2025-11-21T11:00+01:00
cem,cem@u,2025-11-22T11:00+01:00
dot,dot@u,2025-11-20T10:00+01:00
"""
RULES = "    deadline: 2025-11-20T12:00:00+01:00\n    late: {percent_per_day: 10}\n"
TERM = (
    "batch toy class --out out --submission-times times.csv --allow-unsafe",
    "batch toy class --out out --allow-unsafe",
    "decide list",
    "decide log",
    "show ann --out out",
    "report toy --out out --pages",
    "decide override ben --score 7 --reason appeal",
    "decide override cem --score 2.5 --concept doubling --reason oral",
    "decide comment ann --text <b>Good.</b>",
    "decide points dot --points 1 --for style --reason neat",
    "decide extend ben@u --days 2 --reason ill",
    "decide extend --all --hours 1 --reason outage",
    "decide exempt --all --test doubling.double-3 --reason unclear",
    "decide exempt --all --test doubling.no-such-test --reason unclear",
    "decide reopen dot --reason ill",
    "decide override benn --score 7 --reason typo",
    "decide list",
    "decide list --csv decisions.csv",
    "decide read decisions.csv",
    "decide undo 1 --reason slip",
    "decide read decisions.csv",
    "decide list --undone",
    "show ben --out out",
    "overview --out out",
    "similar --out out",
    "export nbgrader --batch out --out marks",
    "export otter --batch out --out otter",
    "export nbgrader --batch out --out marks",
    "regrade toy --out out --dry-run --explain --allow-unsafe",
    "regrade toy --out out --explain --allow-unsafe",
    "decide log",
    "archive term.zip --out out",
    "batch toy class --out out --workers 0",
    "batch tow class --out out",
    "grade toy class/missing.py",
    "init made",
    "new hw9 --course made",
)
"""What the staff types; the suite is changed before the first ``regrade``."""
DECIDED = {line for line in TERM if re.match("decide (?!list|log)", line)}


@dataclass(frozen=True)
class Shell:
    """Runs commands in one folder and one environment."""

    folder: Path
    environment: Mapping[str, str]

    def run(self, *arguments: str | Path) -> str:
        """Return what a command prints and how it ends."""
        done = run(*arguments, cwd=self.folder, environment=self.environment)
        printed = f"{done.stdout}{done.stderr}ended with {done.returncode}"
        return TIMINGS.sub("SECONDS", steady(printed, self.folder))


def record_term(shell: Shell) -> dict[str, object]:
    """Return what each command of a term prints, and the files that are there at its end."""
    write_toy(shell.folder, RULES)
    hand_in_class(shell.folder / "class", ("ann", "ben", "cem", "dot"))
    (shell.folder / "times.csv").write_text(TIMES, encoding="utf-8")
    printed = {}
    for number, line in enumerate(TERM, 1):
        if line.startswith("regrade"):
            change_suite(shell.folder)
        more = "--out out --by Kim" if line in DECIDED else "--out out" if line.startswith("decide") else ""
        printed[f"{number:02} {line}"] = shell.run(*line.split(), *more.split())
    results, made = (read_folder(shell.folder / name, shell.folder) for name in ("out", "made"))
    shown = {name: text for name, text in results.items() if not name.startswith(("raw/", "results.sqlite"))}
    new = {f"made/{name}": text for name, text in made.items() if "/hw9/" in name or "/" not in name}
    return {"commands": printed, "files": shown | new}


def hand_in_class(folder: Path, names: Sequence[str]) -> None:
    """Write a program for each student."""
    folder.mkdir()
    for number, name in enumerate(names):
        (folder / f"{name}.py").write_text(HANDED_IN[number % len(HANDED_IN)], encoding="utf-8")


def change_suite(course: Path) -> None:
    """Ask for other numbers: who knew the old ones by heart loses points."""
    suite = course / "assignments" / "toy" / "hidden" / "test_double.py"
    suite.write_text(suite.read_text(encoding="utf-8").replace("[3, 5]", "[4, 5]"), encoding="utf-8")


class Handed(Student):
    """A student who handed in a program."""

    @property
    def content(self) -> str:
        return f"{HANDED_IN[self.number % len(HANDED_IN)]}# by {self.number}\n"


STUDENTS = [Handed(number, name, ("value.py",)) for number, name in enumerate((*NAMES[:3], *AWKWARD[:4]))]


def record_class_exports(shell: Shell) -> dict[str, dict[str, object]]:
    """Return what is read of each platform's download, and written for each platform that takes a class."""
    write_toy(shell.folder, "    title: HW1\n")
    recorded: dict[str, dict[str, object]] = {}
    for packing, (layout, _, _) in PACKINGS.items():
        name = packing.replace(" ", "-")
        packed(shell.folder / "downloads" / name, layout, STUDENTS)
        printed = shell.run("batch", "toy", f"downloads/{name}", "--out", name, "--allow-unsafe")
        gradebook = read_folder(shell.folder / name, shell.folder).get("gradebook.csv", "")
        recorded[f"read {packing}"] = {"printed": printed, "gradebook": gradebook}
    for platform, sample in class_tables.SAMPLES.items():
        recorded[f"class {platform}"] = export_class(shell, platform, sample)
    return recorded


def export_class(shell: Shell, platform: str, sample: class_tables.ClassSample) -> dict[str, object]:
    """Return what ``export`` prints and writes for a class; twice, as teachers do."""
    arguments = ["--batch", sample.packing.replace(" ", "-"), "--out", f"to-{platform}", "--max-score", "20"]
    if sample.table:
        (shell.folder / f"{platform}.csv").write_bytes(sample.table(STUDENTS))
        arguments += ["--gradebook", f"{platform}.csv"]
    if sample.roster_row:
        rows = [{"submission": one.login, **sample.roster_row(one)} for one in STUDENTS]
        with (shell.folder / "roster.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([[*rows[0]], *(one.values() for one in rows)])
        arguments += ["--roster", "roster.csv"]
    printed = [shell.run("export", platform, *arguments, *more) for more in (["--dry-run"], [], [])]
    return {"printed": printed, "files": read_folder(shell.folder / f"to-{platform}", shell.folder)}


def record_report_exports(shell: Shell, reports: Mapping[str, Path]) -> dict[str, dict[str, object]]:
    """Return what each platform is given of each report, in each form that it may have."""
    recorded: dict[str, dict[str, object]] = {}
    for platform, samples in report_parsers.SAMPLES.items():
        for sample in samples:
            settings = [word for key, value in sample.settings.items() for word in ("--set", f"{key}={value}")]
            for name, report in reports.items():
                out = f"{platform}-{sample.settings.get('form', '')}-{name}"
                printed = shell.run("export", platform, "--report", report, "--out", out, *settings)
                recorded[out] = {"printed": printed, "files": read_folder(shell.folder / out, shell.folder)}
    return recorded


def record_help(
    command: click.Command = main, name: str = "autograder", above: click.Context | None = None
) -> dict[str, str]:
    """Return the help of a command and of those below it, by their full names."""
    context = click.Context(command, info_name=name, parent=above, terminal_width=100)
    found = {context.command_path: command.get_help(context)}
    if isinstance(command, click.Group):
        for one in command.list_commands(context):
            below = command.get_command(context, one)
            assert below
            found |= record_help(below, one, context)
    return found
