"""Tell the kit how to find out what is wrong with a sort: graphs of plain nodes, and experiments on both functions.

``docs/new-assignment.md`` says what such a module is for; ``AssignmentDiagnosis`` lists what it provides.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograder.diagnosis import AssignmentDiagnosis, DiagnosablePart, DiagnosisContext

from .sort_probes import probe_backward_order, probe_build_topo
from .sort_programs import SortProgramFamily


def make_programs(context: DiagnosisContext) -> SortProgramFamily:
    """Return graphs for the functions that a submission has."""
    return SortProgramFamily(context.implemented_names)


def list_sort_parts(context: DiagnosisContext) -> tuple[DiagnosablePart, ...]:
    """Return the functions that a submission has; ``build_topo`` comes first, since the other is made of it."""
    return tuple(_list_parts(context.implemented_names))


def _list_parts(names: frozenset[str]) -> Iterator[DiagnosablePart]:
    if "build_topo" in names:
        yield DiagnosablePart("build_topo", "`build_topo`", ("build_topo",), probe_build_topo)
    if "backward_order" in names:
        yield DiagnosablePart(
            "backward_order", "`backward_order`", ("backward_order",), probe_backward_order, ("build_topo",)
        )


diagnosis = AssignmentDiagnosis(
    make_programs=make_programs, list_parts=list_sort_parts, style_dependent_parts=frozenset()
)
