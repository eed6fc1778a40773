"""Tell the kit how to find out what is wrong with a sort: graphs of plain nodes.

``docs/new-assignment.md`` says what such a module is for; ``AssignmentDiagnosis`` lists what it provides.
"""

from __future__ import annotations

from autograder.diagnosis import AssignmentDiagnosis, DiagnosisContext

from .sort_programs import SortProgramFamily


def make_programs(context: DiagnosisContext) -> SortProgramFamily:
    """Return graphs for the functions that a submission has."""
    return SortProgramFamily(context.implemented_names)


diagnosis = AssignmentDiagnosis(make_programs=make_programs)
