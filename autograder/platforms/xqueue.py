"""Write the reply of an xqueue grader for Open edX; its message is well-formed XML with one root."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.platforms.cases import seen_at_once
from autograder.platforms.model import Given, Platform
from autograder.platforms.plain import fragment_of, one_line
from autograder.platforms.points import fraction
from autograder.reports import ScoreReport


def write(report: ScoreReport, given: Given) -> Mapping[str, bytes]:
    """Make ``stdout``: the reply on one line; ``correct`` means full marks and nothing less."""
    score = fraction(report, given)
    reply = {"correct": score >= 1, "score": score, "msg": fragment_of(seen_at_once(report))}
    return {"stdout": one_line(reply)}


platform = Platform("xqueue", "Open edX (xqueue)", report_writer=write)
