"""Group the findings of a submission's parts that get one name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from autograder.diagnosis.call_programs.definition_from_operations import DIFFERS, RAISES
from autograder.diagnosis.naming.general_mistake_texts import ALSO
from autograder.diagnosis.part_experiment_log import ENDLESS, STOP_FINDINGS, ExperimentFinding
from autograder.english_wording import join_with_and

SAY_OF_NO_REASON = (DIFFERS, RAISES)
"""Findings that name no reason, so that one may follow from another, and operations need not share a reason."""
ONE_SIDE = {"its left operand": "left", "its right operand": "right"}


def group_parts_by_merged_finding(
    part_names_and_findings: Iterable[tuple[str, ExperimentFinding]], merged_findings: Mapping[str, Sequence[str]]
) -> list[tuple[tuple[str, ...], ExperimentFinding]]:
    """Merge findings that get the same name into one, which quotes the operations of all of them.

    Args:
        part_names_and_findings: the findings, each after the name of its part.
        merged_findings: see ``AssignmentDiagnosis``.

    Returns:
        The parts and the merged finding of each group, in the order in which the groups first occur.
    """
    groups: dict[tuple[str, ...], list[tuple[str, ExperimentFinding]]] = {}
    for part, finding in part_names_and_findings:
        same = merged_findings.get(finding.finding_id if finding.finding_id != ENDLESS else f"{part} {ENDLESS}", ())
        first = next((key for key in groups if key[0] in same), None)
        if first is not None:
            groups[first].append((part, finding))
            continue
        groups.setdefault(_make_group_key(finding), []).append((part, finding))
    return [
        (tuple(dict.fromkeys(part for part, _ in group)), _joined([finding for _, finding in group]))
        for group in groups.values()
    ]


def _make_group_key(finding: ExperimentFinding) -> tuple[str, ...]:
    """Return a key that is equal for findings that get one name."""
    quoted = finding.quoted_values
    if finding.finding_id in SAY_OF_NO_REASON:
        return (DIFFERS,)
    if finding.finding_id in STOP_FINDINGS.values():
        return finding.finding_id, quoted.get("what", "")
    if "op" in quoted:
        return finding.finding_id, quoted.get("phrase", ""), ONE_SIDE.get(quoted.get("side", ""), "")
    return (finding.finding_id,)


def _joined(findings: Sequence[ExperimentFinding]) -> ExperimentFinding:
    first = findings[0]
    operations = [*dict.fromkeys(one.quoted_values["op"] for one in findings if "op" in one.quoted_values)]
    if len(operations) < 2:
        return first
    if first.finding_id in SAY_OF_NO_REASON:
        return ExperimentFinding(first.finding_id, first.quoted_values | {ALSO: join_with_and(operations[1:])})
    return ExperimentFinding(
        first.finding_id, first.quoted_values | {"op": f"{operations[0]} (and {', '.join(operations[1:])})"}
    )
