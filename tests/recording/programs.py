"""Gather the programs that a recording grades: right ones, known mistakes in their styles, examples, attacks."""

from __future__ import annotations

import hashlib
import shutil
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.redteam.attack import attacks
from tests.redteam.honest import PRELUDES

ROOT = Path(__file__).parents[2]
MISTAKES = 390
"""How many are drawn."""
UNSTEADY = {"the_answer_is_looked_for_in_the_frames"}
"""Attacks that answer with what they find in the process, which differs from run to run."""
WHOLE, TENTH = 1.0, 0.1

Programs = dict[str, str | Path]
"""What is handed in, by name: a text, or a file or folder that is copied."""


def gather_programs(assignment: str, extra: Iterable[Path], share: float) -> Programs:
    """Return the programs of an assignment, always the same ones.

    Args:
        assignment: its name.
        extra: folders with further programs, a file or folder each.
        share: how much of each kind is drawn, such as ``TENTH``.
    """
    solutions = ROOT / "solutions" / assignment
    mistakes = {path.name: len(list_mistakes(path)) for path in (ROOT / "solutions").iterdir()}
    kinds: list[Programs] = [
        {"solution": solutions / "value.py"},
        list_files("right", solutions / "wheats"),
        list_files("typical", solutions / "typical"),
        draw(apply_mistakes(solutions), MISTAKES * mistakes[assignment] / sum(mistakes.values())),
    ]
    if assignment == "autograd-engine":
        kinds += [list_files("example", ROOT / "examples" / "submissions"), list_plain_attacks()]
    drawn = [draw(kind, len(kind) * share) for kind in kinds]
    return dict(ChainMap(*drawn, *(list_files(one.name, one) for one in extra)))


def list_files(kind: str, folder: Path) -> Programs:
    """Return the programs that lie in a folder, or none if there is no such folder."""
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return {f"{kind}-{one.stem}": one for one in found if not one.name.startswith((".", "_"))}


def list_plain_attacks() -> Programs:
    """Return the attacks that know nothing of the channel: what comes of the others, a race often decides."""
    plain = [one for one in attacks("forge") if not any(prelude in one.program for prelude in PRELUDES.values())]
    return {f"attack-{one.slug}": one.program for one in plain if one.slug not in UNSTEADY}


def draw(programs: Programs, count: float) -> Programs:
    """Return so many programs, at least one: a program more or less in the course hardly changes the choice."""
    ranked = sorted(programs, key=lambda name: hashlib.sha256(name.encode()).digest())
    chosen = {*ranked[: max(1, round(count))]}
    return {name: work for name, work in programs.items() if name in chosen}


def write_programs(programs: Programs, folder: Path) -> None:
    """Write programs as a class hands them in."""
    folder.mkdir(parents=True)
    for name, work in programs.items():
        if isinstance(work, str):
            (folder / f"{name}.py").write_text(work, encoding="utf-8")
        elif work.is_dir():
            shutil.copytree(work, folder / name)
        else:
            shutil.copy(work, folder / f"{name}{work.suffix}")


def apply_mistakes(solutions: Path) -> Programs:
    """Return the solution with each mistake of the catalogue, in one of the styles that it fits."""
    solution = (solutions / "value.py").read_text(encoding="utf-8")
    plain: dict[str, Any] = {"id": "plain", "edits": []}
    styles = [plain, *read_entries(solutions.glob("styles.yml"), "styles")]
    made: Programs = {}
    for mistake in list_mistakes(solutions):
        edited = {style["id"]: apply_edits(solution, [*style["edits"], *mistake["edits"]]) for style in styles}
        fitting: Programs = {
            f"mistake-{mistake['id']}-{style}": text for style, text in edited.items() if text is not None
        }
        made |= draw(fitting, 1) if fitting else {}
    return made


def list_mistakes(solutions: Path) -> list[Mapping[str, Any]]:
    """Return the mistakes of an assignment whose behaviour is the same in each run."""
    files = (*solutions.glob("misconceptions.yml"), *sorted(solutions.glob("misconceptions/*.yml")))
    return [one for one in read_entries(files, "misconceptions") if not one.get("nondeterministic")]


def read_entries(files: Iterable[Path], key: str) -> Iterator[Mapping[str, Any]]:
    """Yield the entries of YAML files; the package's own reader is what a recording is to outlive."""
    for file in files:
        yield from yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader).get(key, ())


def apply_edits(source: str, edits: Iterable[Mapping[str, str]]) -> str | None:
    """Return a source with edits; None where one does not fit."""
    for edit in edits:
        if source.count(edit["old"]) != 1:
            return None
        source = source.replace(edit["old"], edit["new"])
    return source
