"""Try the repair of one program on another one with the same code, whatever its comments and its layout.

Only texts travel that both programs have: a change is told by the lines that it replaces, and each program is graded
with it by itself. So nothing that one program says reaches the report of another.
"""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec import structs

from autograder.bridge import SubmissionProgram
from autograder.grading import Grader
from autograder.repair.candidate_runs import ChangedText, change_program, make_changed_submission
from autograder.repair.model import Edit, Repair
from autograder.repair.steps import make_baseline
from autograder.syntax_trees import try_parse_program

QUOTES_OR_COMMENT = frozenset("\"'#")


@dataclass(frozen=True, slots=True)
class SharedEdit:
    """An edit, told without the file and the place of its lines."""

    edit: Edit
    unit: int
    """Which unit of the program it changes, from 0."""
    occurrence: int
    """How many times the same lines stand above it."""


@dataclass(frozen=True, slots=True)
class SharedRepair:
    """A repair that can be tried on other programs with the same code."""

    repair: Repair
    edits: tuple[SharedEdit, ...]
    others: tuple[tuple[SharedEdit, ...], ...]


def hash_program(program: SubmissionProgram, outcomes: Mapping[str, str]) -> str:
    """Return the same text for programs that differ in comments, docstrings and layout alone, with the same outcomes.

    Args:
        program: the program.
        outcomes: what its tests came to, by their ids.
    """
    sources = [source for _, source in program.units]
    trees = try_parse_program(sources)
    code = [_dump_without_docstrings(source) if tree else source for tree, source in zip(trees, sources, strict=True)]
    parts = (*code, *map(repr, sorted(program.modules.items())), *map(repr, sorted(outcomes.items())))
    return hashlib.sha256(b"\0".join(part.encode("utf-8", "surrogatepass") for part in parts)).hexdigest()


def _dump_without_docstrings(source: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)  # one of its own, to be changed
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module) and (
            ast.get_docstring(node, clean=False) is not None
        ):
            del node.body[0]
    return ast.dump(tree)


def share_repair(repair: Repair, program: SubmissionProgram) -> SharedRepair:
    """Return the repair of a program in a form that fits others with the same code."""
    return SharedRepair(
        repair,
        tuple(_share_edits(repair.edits, program)),
        tuple(tuple(_share_edits(edits, program)) for edits in repair.others),
    )


def _share_edits(edits: Sequence[Edit], program: SubmissionProgram) -> Iterator[SharedEdit]:
    names = [name for name, _ in program.units]
    for edit in edits:
        unit = names.index(edit.file)
        starts = _list_occurrences(program.units[unit][1], edit.before)
        yield SharedEdit(edit, unit, starts.index(edit.line - 1))


def fit_shared_repair(
    grader: Grader, program: SubmissionProgram, outcomes: Mapping[str, str], shared: SharedRepair
) -> Repair | None:
    """Return the repair for a program with the same code, proven anew; None where it does not fit.

    Raises:
        KitFault: no process can be started.
    """
    alternatives: list[tuple[Edit, ...]] = []
    for edits in (shared.edits, *shared.others):
        fitting = _fit_edits(program, edits)
        if fitting is None or (fitting and not _is_proven(grader, program, outcomes, fitting, shared.repair)):
            return None
        alternatives.append(fitting)
    return structs.replace(shared.repair, edits=alternatives[0], others=tuple(alternatives[1:]))


def _fit_edits(program: SubmissionProgram, edits: Sequence[SharedEdit]) -> tuple[Edit, ...] | None:
    fitting: list[Edit] = []
    for shared in edits:
        edit, (name, source) = shared.edit, program.units[shared.unit]
        starts = _list_occurrences(source, edit.before)
        if shared.occurrence >= len(starts) or not _has_own_words(edit, source):
            return None
        line = starts[shared.occurrence] + 1
        fitting.append(structs.replace(edit, file=name, line=line, end_line=line + edit.end_line - edit.line))
    return tuple(fitting)


def _has_own_words(edit: Edit, source: str) -> bool:
    """Return whether no comment and no string comes with an edit that is another student's."""
    own = {*source.split("\n")}
    return edit.kind == "method" or not any(
        QUOTES_OR_COMMENT.intersection(line) for line in edit.after.split("\n") if line not in own
    )


def _list_occurrences(source: str, block: str) -> list[int]:
    """Return where lines stand in a text, counted from 0."""
    lines, wanted = source.split("\n"), block.split("\n")
    return [at for at in range(len(lines)) if lines[at : at + len(wanted)] == wanted]


def _is_proven(
    grader: Grader, program: SubmissionProgram, outcomes: Mapping[str, str], edits: Sequence[Edit], repair: Repair
) -> bool:
    """Return whether a program with edits, graded as a submission, mends what they mend elsewhere."""
    changed, units = program, [name for name, _ in program.units]
    for edit in sorted(edits, key=lambda one: one.line, reverse=True):
        unit = units.index(edit.file)
        lines = changed.units[unit][1].split("\n")
        lines[edit.line - 1 : edit.end_line] = edit.after.split("\n") if edit.after else []
        changed = change_program(changed, ChangedText(unit, "\n".join(lines)))
    graded = grader.grade_submission(make_changed_submission(changed, ChangedText(0, changed.units[0][1])))
    grader.suite_runner.end_process_kept_for_diagnosis()
    before = make_baseline(grader, program, outcomes)
    after = make_baseline(grader, changed, {result.spec.id: result.outcome for result in graded.test_results})
    mended = {test_id for edit in edits for test_id in edit.mends}
    return (
        not graded.fresh_look
        and before.passed <= after.passed
        and after.passed - before.passed == mended
        and repair.complete == (not after.to_mend)
    )
