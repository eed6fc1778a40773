"""Choose which hints of failed tests are open, so that none contradicts another and none gives the answer away.

A test's own hint says what to look at if the test fails although the plain test of the same names passes. Where that
one fails too, only its hint is shown, and the others point there.

A cause has its own series of hints, from a question to the necessary change, so the hints of the tests that it
explains are not shown. Without a cause, only the first failing concept shows its hints: later failures may follow
from it.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from autograder.grading.hidden_test_model import OUTCOMES_WITH_FULL_POINTS, HiddenTestResult
from autograder.reports.named_causes import list_causes, map_test_ids_to_causes
from autograder.reports.report_model import ScoreReport
from autograder.reports.report_visibility import filter_report_for_student, get_first_visible_stage
from autograder.reports.report_wording import add_full_stop

UNTRIED_OUTCOMES = ("blocked", "not attempted")
TRIED_AND_LOST = ("failed", "error", "timeout", "crashed")


def map_failed_tests_to_plainer_ones(results: Sequence[HiddenTestResult]) -> dict[str, HiddenTestResult]:
    """Return, by its id, for each failed test the plain one of its concept that failed before it, if there is one.

    The plain test of some names is the first of the concept that is about them. A test that raised something else, or
    was stopped otherwise, does not follow.

    Args:
        results: the results of a submission's tests, in the order of the suite.
    """
    plain_by_concept: dict[str, dict[frozenset[str], HiddenTestResult]] = {}
    found: dict[str, HiddenTestResult] = {}
    for result in results:
        spec = result.spec
        plain_by_names = plain_by_concept.setdefault(spec.concept, {})
        if result.outcome in TRIED_AND_LOST:
            needed = {*spec.required_names, *spec.tested_names}
            plainer = [one for names, one in plain_by_names.items() if names <= needed and _may_follow(result, one)]
            if plainer:
                found[spec.id] = found.get(plainer[0].spec.id, plainer[0])
        plain_by_names.setdefault(frozenset(spec.tested_names), result)
    return found


def _may_follow(result: HiddenTestResult, plain: HiddenTestResult) -> bool:
    is_alike = result.outcome == "failed" or result.message == plain.message
    return plain.outcome in TRIED_AND_LOST and is_alike


def find_concept_to_fix_first(report: ScoreReport) -> str:
    """Return the first failing concept, to be fixed before later ones; empty if the hints of all concepts are shown.

    Concepts depend on each other in the order of ``grading.yml``, and a bonus depends on all of them.
    """
    if list_causes(report) or report.status.message:
        return ""
    failed_concepts = {
        test.concept for test in report.tests if test.outcome not in (*OUTCOMES_WITH_FULL_POINTS, *UNTRIED_OUTCOMES)
    }
    return next(
        (concept.name for concept in report.concepts if concept.name in failed_concepts and not concept.bonus), ""
    )


def redirect_hints_to_first_fix(report: ScoreReport) -> ScoreReport:
    """Return the report for a list of single tests: a withheld hint is replaced by a note on what to fix first.

    Args:
        report: the whole report, or the part that a student sees.
    """
    visible_report = filter_report_for_student(
        report, get_first_visible_stage([test.visibility for test in report.tests])
    )
    causes = map_test_ids_to_causes(visible_report)
    first_concept = find_concept_to_fix_first(visible_report)
    tests = []
    for test in report.tests:
        hint = test.hint
        if cause := causes.get(test.id):
            hint = f"Fix this first: {add_full_stop(cause.joined_titles)} {cause.first_hint}".rstrip()
        elif hint and first_concept and test.concept != first_concept:
            hint = f"Fix {first_concept} first: this may follow from it."
        tests.append(structs.replace(test, hint=hint))
    return structs.replace(report, tests=tests)
