"""An Otter plugin that lets this kit decide the marks: name it in ``otter_config.json``, see docs/platforms/otter.md.

Otter unpickles what a submission's kernel and its log hold, so a program that Otter runs can take it over. So Otter
gets nothing of the student's: this plugin takes the submission away before anything is run, and the kit grades it
in its sandbox.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from otter.plugins import AbstractOtterPlugin
from otter.test_files import GradingResults
from otter.test_files.abstract_test import TestCase, TestCaseResult
from otter.test_files.exception_test import ExceptionTestFile

from autograder.faults import CallerFault, KitFault
from autograder.platforms.common.export_points import compute_counted_points
from autograder.platforms.otter.results_writers import DIGITS, format_submission_notices
from autograder.reports import ScoreReport, read_report_json
from autograder.reports.report_model import ReportedConcept, ReportedTest

OTTER_CASES = ("tests", "__init__.py")
"""Files that Otter puts beside the submission."""
SECONDS = 900
PASSED, FAILED = "✅ Test case passed", "❌ Test case failed"
"""The texts of Otter's own tests."""


class IsolatedMarks(AbstractOtterPlugin):  # type: ignore[misc]
    """Replaces Otter's results by those of an isolated run. Settings: ``course``, ``assignment`` and ``bonus``."""

    report: ScoreReport | None = None

    def before_grading(self, config: Any) -> None:
        """Take the submission away and grade it; Otter finds an empty notebook in its place.

        Raises:
            CallerFault: the plugin's settings name no course or no assignment.
            KitFault: the grader failed; the submission is not the cause.
        """
        settings = self.plugin_config or {}
        course, assignment = settings.get("course"), settings.get("assignment")
        if not (course and assignment):
            raise CallerFault("the plugin has no setting course or assignment", "otter_config.json", "add both to it")
        notebook = Path(self.submission_path)
        with TemporaryDirectory(prefix="otter-") as folder:
            submission_folder = Path(folder) / notebook.stem
            _move_submission(notebook.parent, submission_folder)
            self.report = _grade_submission(
                submission_folder, str(course), str(assignment), Path(folder) / "report.json"
            )
        empty_source = nbformat.writes(nbformat.v4.new_notebook()) if notebook.suffix == ".ipynb" else ""
        notebook.write_text(empty_source, encoding="utf-8")
        config.grade_from_log = False

    def after_grading(self, results: GradingResults) -> None:
        """Replace Otter's results by one question for each concept."""
        if self.report is None or results.catastrophic_error is not None:
            raise KitFault("Otter gave no results to replace", advice="run it again")
        results.clear_results()
        bonus_share = _compute_counted_share_of_earned_bonus(self.report, str(self.plugin_config.get("bonus", "")))
        for concept in self.report.concepts:
            results.results[concept.name] = _make_graded_concept_test_file(concept, self.report, bonus_share)
        results.set_output(format_submission_notices(self.report))


class GradedConceptTestFile(ExceptionTestFile):  # type: ignore[misc]
    """A concept as Otter's test file that was run; full marks are full marks to the last digit.

    Otter adds up the points of tests as floats, and ``otter assign`` refuses a solution that is short of that sum.
    """

    def __init__(self, concept_name: str, cases: list[TestCaseResult], score: float, possible_points: float) -> None:
        """Make the file of a test that is over.

        Args:
            concept_name: of the concept.
            cases: what came of its tests.
            score: the points that count.
            possible_points: the points of all its tests; none for a bonus.
        """
        super().__init__(concept_name, "", [case.test_case for case in cases], all_or_nothing=False)
        self.test_case_results = cases
        self.update_score(round(score, DIGITS))
        self._possible_points = round(possible_points, DIGITS)

    @property
    def possible(self) -> float:
        """Return the points possible, as ``grading.yml`` states them."""
        return self._possible_points


def _compute_counted_share_of_earned_bonus(report: ScoreReport, bonus_rule: str) -> float:
    """Return the share of the bonus that counts: Otter adds up questions and knows no full marks."""
    earned = report.final.bonus
    return (compute_counted_points(report, bonus_rule) - report.final.score) / earned if earned else 0.0


def _make_graded_concept_test_file(
    concept: ReportedConcept, report: ScoreReport, bonus_share: float
) -> GradedConceptTestFile:
    """Return a concept as Otter's test file that was run; a bonus adds nothing to the points possible."""
    tests = [test for test in report.tests if test.concept == concept.name]
    cases = [_make_case(test, concept) for test in tests] or [_make_ungraded_case(concept, report)]
    if concept.bonus:
        return GradedConceptTestFile(concept.name, cases, concept.score * bonus_share, 0.0)
    return GradedConceptTestFile(concept.name, cases, concept.score, concept.max_score)


def _make_case(test: ReportedTest, concept: ReportedConcept) -> TestCaseResult:
    points = 0.0 if concept.bonus else test.max_score
    case = TestCase(test.sentence, "", test.visibility != "visible", points, None, None)
    if test.outcome == "passed":
        return TestCaseResult(test_case=case, message=PASSED, passed=True)
    message_parts = (FAILED, test.message or test.outcome, test.hint)
    return TestCaseResult(test_case=case, message="\n".join(filter(None, message_parts)), passed=False)


def _make_ungraded_case(concept: ReportedConcept, report: ScoreReport) -> TestCaseResult:
    """Return a stand-in for the tests of a submission that could not be graded."""
    case = TestCase(concept.name, "", False, 0.0 if concept.bonus else concept.max_score, None, None)
    return TestCaseResult(test_case=case, message=report.status.message, passed=False)


def _move_submission(source: Path, target: Path) -> None:
    target.mkdir()
    for path in sorted(source.iterdir()):
        if path.name not in OTTER_CASES:
            shutil.move(path, target / path.name)


def _grade_submission(submission: Path, course: str, assignment: str, report_path: Path) -> ScoreReport:
    command = [sys.executable, "-P", "-m", "autograder", "grade", assignment, str(submission), "--course", course]
    command += ["--no-explain", "--report", str(report_path)]
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=course, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KitFault(f"the submission could not be graded: {error}") from error
    if process.returncode != 0 or not report_path.is_file():
        raise KitFault(f"the submission could not be graded: {process.stderr.strip()[-1000:]}")
    return read_report_json(report_path)
