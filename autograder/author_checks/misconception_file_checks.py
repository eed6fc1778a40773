"""Find every mistake in the files of misconceptions, entry by entry."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from autograder.course import Assignment
from autograder.course.misconceptions import load_misconception_catalogue, read_misconception_entries_and_faults
from autograder.course.python_parsing import get_syntax_error_line_and_message
from autograder.course.source_edits import explain_failed_edit
from autograder.course.yaml_entries import YamlEntry
from autograder.faults import CourseFault, format_did_you_mean_suffix, raise_course_faults_if_any


def require_valid_misconception_files(assignment: Assignment, concepts_also_allowed: Collection[str]) -> None:
    """Raise if an entry is malformed, names no concept of the assignment, or has edits that cannot be used.

    Args:
        assignment: the assignment.
        concepts_also_allowed: the concepts that hidden tests name. If ``grading.yml`` does not list one of them, that
            is no mistake, because the suite may be newer than the course.

    Raises:
        CourseFault: there is such an entry; all mistakes in all entries are reported together.
    """
    entries, faults = read_misconception_entries_and_faults(assignment)
    course_concepts = [concept.name for concept in assignment.concepts]
    source = assignment.solution_file.read_text(encoding="utf-8")
    solution_is_python = _find_syntax_error(source) is None
    for entry in entries:
        faults += _find_unknown_concepts(entry, course_concepts, concepts_also_allowed)
        faults += _find_misfits(entry, source, solution_is_python=solution_is_python)
    raise_course_faults_if_any(sorted(faults, key=_compute_sort_key))
    load_misconception_catalogue(assignment)


def _compute_sort_key(fault: CourseFault) -> tuple[str, int]:
    path, _, rest = fault.where.rpartition(".yml:")
    line = rest.partition(":")[0]
    return path, int(line) if line.isdigit() else 0


def _find_unknown_concepts(
    entry: YamlEntry, course_concepts: Collection[str], suite_concepts: Collection[str]
) -> Iterator[CourseFault]:
    for field in ("concepts", "may_affect"):
        for place, name in enumerate(entry.fields.get(field, ())):
            if name not in course_concepts and name not in suite_concepts:
                yield entry.make_fault_at(
                    f"unknown concept {name!r}{format_did_you_mean_suffix(name, course_concepts)}",
                    field,
                    str(place),
                    advice=f"choose from {', '.join(course_concepts)}, or add it to grading.yml",
                )


def _find_misfits(entry: YamlEntry, source: str, *, solution_is_python: bool) -> Iterator[CourseFault]:
    """Yield an error for each edit that does not fit; if all fit, one if the result is unchanged or no Python."""
    edited, do_edits_fit = source, "edits" in entry.fields
    for place, edit in enumerate(entry.fields.get("edits", ())):
        if edited.count(edit.old) == 1:
            edited = edited.replace(edit.old, edit.new)
            continue
        do_edits_fit = False
        problem, advice = explain_failed_edit(edit.old, edited, source)
        yield entry.make_fault_at(problem, "edits", str(place), advice=advice)
    if do_edits_fit and edited == source:
        yield entry.make_fault_at("the edits change nothing", "edits", advice="write what is wrong after `new`")
    elif do_edits_fit and solution_is_python and (error := _find_syntax_error(edited)):
        line, message = get_syntax_error_line_and_message(error)
        text = (edited.splitlines() or [""])[line - 1].strip()
        yield entry.make_fault_at(
            f"the edited solution is not valid Python: {message}: {text!r}",
            "edits",
            advice="look at brackets and indentation",
        )


def _find_syntax_error(source: str) -> SyntaxError | ValueError | None:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError) as error:
        return error
    return None
