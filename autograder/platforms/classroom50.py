"""Classroom 50: ``result.json``, which takes only whole numbers and no further keys, and the body of the release.

Format: https://github.com/foundation50/classroom50/wiki/Advanced-Autograding.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from math import ceil, floor

from autograder.faults import CallerFault
from autograder.platforms.common.export_points import compute_points_to_export
from autograder.platforms.common.json_encoding import encode_json_file
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.reports import ScoreReport
from autograder.reports.markdown_report import render_report_as_markdown
from autograder.reports.report_visibility import filter_report_for_student

KEY_BY_SETTING = {
    "CLASSROOM": "classroom",
    "ASSIGNMENT": "assignment",
    "ASSIGNMENT_TYPE": "assignment_type",
    "OWNER": "owner",
    "SUBMISSION_TAG": "submission",
    "COMMIT_URL": "commit",
    "RELEASE_URL": "release",
    "REVIEW_URL": "review",
}
"""What its workflow sets, with the key in ``result.json``; ``USERNAME`` stands in for ``OWNER``."""


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``result.json`` and ``release-body.md``.

    Raises:
        CallerFault: something that the workflow sets is missing, or the tag is not that of a submission.
    """
    environment = _read_environment(options.settings)
    visible_report = filter_report_for_student(report, "handed in")
    full_marks = options.max_points if options.max_points is not None else report.final.max_score
    graded_at = datetime.fromisoformat(report.timing.graded_at).astimezone(UTC)
    result = {
        "schema": "classroom50/result/v1",
        **{key: environment[setting] for setting, key in KEY_BY_SETTING.items()},
        "datetime": graded_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        **_round_points(compute_points_to_export(report, options), full_marks),
        "tests": [
            {
                "test-name": concept.name,
                "passed": concept.score >= concept.max_score,
                **_round_points(concept.score, concept.max_score),
            }
            for concept in visible_report.concepts
        ],
    }
    return {
        "result.json": encode_json_file(result),
        "release-body.md": render_report_as_markdown(visible_report).encode(),
    }


def _round_points(score: float, full_marks: float) -> dict[str, int]:
    """Round points to the nearest whole number, and full marks up; only full marks become full marks."""
    max_score = ceil(full_marks)
    return {
        "score": max_score if score >= full_marks else max(0, min(floor(score + 0.5), max_score - 1)),
        "max-score": max_score,
    }


def _read_environment(settings: Mapping[str, str]) -> dict[str, str]:
    environment = {key: settings.get(key, "") for key in KEY_BY_SETTING}
    environment["OWNER"] = environment["OWNER"] or settings.get("USERNAME", "")
    missing = [key for key, value in environment.items() if not value]
    if missing:
        raise CallerFault(
            f"missing settings: {', '.join(missing)}", "classroom50", "run it in the workflow, or say --set KEY=VALUE"
        )
    if not environment["SUBMISSION_TAG"].startswith("submit/"):
        location = f"SUBMISSION_TAG={environment['SUBMISSION_TAG']}"
        raise CallerFault(
            "the tag does not begin with submit/", location, "push a tag as the template's workflow does"
        )
    return environment


platform = Platform(
    "classroom50",
    "Classroom 50",
    report_writer=encode_report_files,
    settings=dict.fromkeys((*KEY_BY_SETTING, "USERNAME"), "its workflow sets it"),
)
