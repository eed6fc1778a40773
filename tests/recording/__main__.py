"""Record what users of the kit see, or compare two recordings: ``python -m tests.recording --help``."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.cli.commands import AUTOGRADER, clean_environment
from tests.platforms.forged import AROUND
from tests.recording.comparison import compare_recordings, read_folder, steady_report
from tests.recording.programs import ROOT, TENTH, WHOLE, Programs, draw, gather_programs, list_files, write_programs
from tests.recording.typed_commands import (
    Shell,
    record_class_exports,
    record_help,
    record_report_exports,
    record_term,
)
from tests.recording.website import record_website

EXAMPLES = list_files("example", ROOT / "examples" / "submissions")
SHOWN = {WHOLE: 23, TENTH: 6}
"""Of how many programs, beside all examples, the page, Markdown and text are recorded."""
EXPORTED = ("example-overwrites", "example-complete", "example-syntax_error", "example-endless_loop")
REPAIRED = ("example-overwrites", "example-forgot_reversed", "example-no_seed")


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 where all is equal or recorded, 1 where recordings differ."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.recording", description="What users see, before and after."
    )
    actions = parser.add_subparsers(dest="action", required=True)
    record = actions.add_parser("record", help="record what users see of this commit into a new folder")
    record.add_argument("out", type=Path)
    record.add_argument("--quick", action="store_true", help="a tenth of the programs")
    record.add_argument("--only", nargs="+", choices=AREAS, default=[*AREAS], help="these areas alone")
    record.add_argument("--programs", nargs="+", metavar="ASSIGNMENT=FOLDER", default=[], help="further programs")
    compare = actions.add_parser("compare", help="list what differs; exit with 1 if anything does")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    chosen = parser.parse_args(arguments)
    if chosen.action == "compare":
        for folder in (chosen.before, chosen.after):
            if not any(folder.glob("*.json")):
                parser.error(f"{folder} holds no recording")
        differences = compare_recordings(chosen.before, chosen.after)
        print("\n\n".join(differences) or "equal")
        return 1 if differences else 0
    record_all(chosen.out, chosen.only, chosen.programs, TENTH if chosen.quick else WHOLE)
    return 0


class Recorder:
    """Records areas, one after the other, in a folder that is thrown away."""

    def __init__(self, place: Path, extra: Sequence[str], share: float) -> None:
        self.place, self.share = place, share
        self.extra = [one.split("=", 1) for one in extra]
        fixed = {"TZ": "UTC", "COLUMNS": "120", "USER": "kim", "LOGNAME": "kim"}
        self.environment = {**clean_environment(), **fixed, "XDG_CACHE_HOME": str(place / "cache")}

    def shell(self, name: str) -> Shell:
        """Return a shell in a folder of its own."""
        (self.place / name).mkdir(exist_ok=True)
        return Shell(self.place / name, self.environment)

    def grade(self, assignment: str) -> Path:
        """Grade the programs of an assignment unless that was done, and return where the results are."""
        out = self.place / f"results-{assignment}"
        if not out.exists():
            folders = [Path(folder) for name, folder in self.extra if name == assignment]
            folder = self.place / "classes" / assignment
            words = f"batch {assignment} {folder} --out {out} --course {ROOT} --allow-unsafe --progress-every 60"
            write_programs(gather_programs(assignment, folders, self.share), folder)
            subprocess.run([AUTOGRADER, *words.split()], env=self.environment, check=True, stdout=subprocess.DEVNULL)
        return out

    def reports(self) -> dict[str, Path]:
        """Return the report of every program, the programs of all assignments together."""
        assignments = yaml.safe_load((ROOT / "grading.yml").read_text(encoding="utf-8"))["assignments"]
        found = ((name, path) for name in assignments for path in sorted((self.grade(name) / "reports").glob("*")))
        return {f"{name}/{path.stem}": path for name, path in found}

    def programs(self) -> dict[str, Any]:
        """Record the report of every program."""
        return {name: steady_report(json.loads(path.read_bytes())) for name, path in self.reports().items()}

    def shown(self) -> dict[str, dict[str, str]]:
        """Record the page, the Markdown and the text on a terminal of some programs."""
        reports = self.reports()
        others: Programs = {name: path for name, path in reports.items() if path.stem not in EXAMPLES}
        chosen = [*(reports.keys() - others.keys()), *draw(others, SHOWN[self.share])]
        return {name: self.show(reports[name]) for name in chosen}

    def show(self, report: Path) -> dict[str, str]:
        """Return how the report of one program is shown."""
        out, name, shell = report.parents[1], report.stem, self.shell("shown")
        version = json.loads(report.read_bytes())["assignment"]["version"]
        course = ("--course", ROOT)
        text = shell.run("show", name, "--out", out, "--version", version, *course)
        shell.run("show", name, "--out", out, "--page", "page.html", *course)
        settings = [word for key, value in AROUND.items() for word in ("--set", f"{key}={value}")]
        shell.run("export", "classroom50", "--report", report, "--out", ".", *settings)
        files = read_folder(shell.folder, self.place)
        return {"text": text, "page": files["page.html"], "markdown": files["release-body.md"]}

    def repairs(self) -> dict[str, Any]:
        """Record what staff is told of single submissions, with the change that makes each right."""
        shell, course = self.shell("repairs"), ("--course", ROOT, "--allow-unsafe")
        write_programs({name: EXAMPLES[name] for name in REPAIRED}, shell.folder / "class")
        return {
            f"{command} {name}": shell.run(*command.split(), "autograd-engine", f"class/{name}.py", *course)
            for name in REPAIRED
            for command in ("grade", "repair --diff")
        }

    def exports(self) -> dict[str, Any]:
        """Record what platforms take: of a class, and of single reports."""
        shell = self.shell("report-exports")
        write_programs({name: EXAMPLES[name] for name in EXPORTED}, shell.folder / "class")
        shell.run("batch", "autograd-engine", "class", "--out", "out", "--course", ROOT, "--allow-unsafe")
        reports = {name: shell.folder / "out" / "reports" / f"{name}.json" for name in EXPORTED}
        return {**record_class_exports(self.shell("class-exports")), **record_report_exports(shell, reports)}

    def web(self) -> dict[str, Any]:
        """Record every page of the demo."""
        return record_website(self.place, self.environment)

    def help(self) -> dict[str, Any]:
        """Record the help of every command."""
        return record_help()

    def term(self) -> dict[str, Any]:
        """Record a term that the staff types, with its audit log."""
        return record_term(self.shell("term"))


AREAS = {one.__name__: one for one in (
    Recorder.help, Recorder.term, Recorder.web, Recorder.programs, Recorder.shown, Recorder.repairs, Recorder.exports
)}  # fmt: skip


def record_all(out: Path, areas: Sequence[str], extra: Sequence[str], share: float) -> None:
    """Write a file for each area."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="kit-recording-") as place:
        recorder = Recorder(Path(place), extra, share)
        for area in areas:
            start = time.monotonic()
            items = AREAS[area](recorder)
            text = json.dumps(items, indent=1, ensure_ascii=False, sort_keys=True)
            (out / f"{area}.json").write_text(text + "\n", encoding="utf-8")
            print(f"{area}: {len(items)} items in {time.monotonic() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.exit(main())
