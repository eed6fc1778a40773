"""Write one report in the form of each platform that runs the kit itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from itertools import groupby
from math import ceil, floor, isfinite
from typing import Any
from xml.etree.ElementTree import Element, indent, tostring

from autograder.faults import CallerFault
from autograder.grading.results import OUTCOMES_WITH_FULL_POINTS, Outcome
from autograder.platforms.common.export_files import encode_json_file, encode_json_line
from autograder.platforms.common.export_points import compute_fraction_of_full_marks, compute_points_to_export
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.reports.causes import redirect_hints_to_first_fix
from autograder.reports.html_report import render_report_as_html
from autograder.reports.markdown_report import render_report_as_markdown
from autograder.reports.report_model import ReportedConcept, ReportedTest, ScoreReport, filter_report_for_student
from autograder.reports.terminal_report import render_report_as_plain_text
from autograder.reports.unpassed_tests import UnpassedTestsOfConcept, iterate_concepts_to_fix, list_tests_of_concept
from autograder.reports.wording import format_final_points, format_points
from autograder.text import CUT_MARK, escape_for_display, replace_non_xml_characters

LONGEST_LINE = 2000
OUR_FAULT = "The grader failed here, not the submission: the test counts as passed."


@dataclass(frozen=True, slots=True)
class VisibleResult:
    """One test, or one concept whose tests are not shown."""

    id: str
    """Unique in a report, and the same in every report of the assignment."""
    concept: str
    outcome: Outcome
    message: str
    """The requirement, the outcome and a hint, one line each; empty if it passed."""
    seconds: float = 0.0

    @property
    def counts_as_passed(self) -> bool:
        """Return whether the test gives its points; a fault of the grader takes none away."""
        return self.outcome in OUTCOMES_WITH_FULL_POINTS


def _iterate_visible_tests_or_concepts(report: ScoreReport) -> Iterator[VisibleResult]:
    """Yield the tests of a whole report that students see at once; a concept without such tests is one case."""
    visible_report = redirect_hints_to_first_fix(filter_report_for_student(report, "handed in"))
    for concept in visible_report.concepts:
        tests = list_tests_of_concept(visible_report, concept)
        if not tests:
            yield _make_concept_case(concept, report)
        for test in tests:
            message = "" if test.outcome == "passed" else _format_message(test)
            yield VisibleResult(test.id, concept.name, test.outcome, message, report.timing.tests.get(test.id, 0.0))


def _format_lost_tests(lost: UnpassedTestsOfConcept) -> str:
    """Return a concept's lost tests as lines of plain text."""
    lines: list[str] = []
    for test in lost.tried:
        lines += [f"{test.outcome_symbol} {sentence}" for sentence in test.sentences]
        lines.append(f"    {test.happened}")
        if test.hint:
            lines.append(f"    try: {test.hint}")
    lines += [f"{test_line.outcome_symbol} {test_line.line}" for test_line in lost.untried]
    return "\n".join(escape_for_display(line, LONGEST_LINE) for line in lines)


def _make_concept_case(concept: ReportedConcept, report: ScoreReport) -> VisibleResult:
    if concept.score >= concept.max_score:
        return VisibleResult(concept.name, concept.name, "passed", "")
    points = f"{format_points(concept.score)} of {format_points(concept.max_score)} points"
    reason = escape_for_display(report.status.message or "Its tests are not shown.", LONGEST_LINE)
    return VisibleResult(concept.name, concept.name, "failed", f"{points}. {reason}")


def _format_message(test: ReportedTest) -> str:
    if test.outcome == "grader error":
        lines = [test.sentence, OUR_FAULT]
    else:
        lines = [test.sentence, f"{test.outcome}: {test.message}", f"try: {test.hint}" if test.hint else ""]
    return "\n".join(escape_for_display(line, LONGEST_LINE) for line in lines if line)


def _format_lost_tests_by_concept(visible_report: ScoreReport) -> dict[str, str]:
    return {lost.concept.name: _format_lost_tests(lost) for lost in iterate_concepts_to_fix(visible_report)}


def _format_report_as_xhtml(visible_report: ScoreReport) -> str:
    """Return a report as HTML that is also well-formed XML with one root: points, and the rest as on a terminal.

    Args:
        visible_report: a report that is already cut to what the student may see.
    """
    root = Element("div")
    _add_element(root, "p").text = replace_non_xml_characters(format_final_points(visible_report))
    _add_element(root, "pre").text = replace_non_xml_characters(render_report_as_plain_text(visible_report))
    return tostring(root, encoding="unicode", short_empty_elements=False)


# Autolab: an autograder prints scores on the last line, and its formatted feedback on the line before.
#
# Format: https://docs.autolabproject.com/lab/#writing-autograders.

PROBLEM = "autograded"
RESERVED = ("_presentation", "stages")


def encode_autolab_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``: the report as text, then the tests by concept, then the score of one problem."""
    points = compute_points_to_export(report, options)
    problem = options.settings.get("problem", "") or PROBLEM
    visible_report = filter_report_for_student(report, "handed in")
    text = "".join(f" {line}\n" for line in render_report_as_plain_text(visible_report).split("\n"))
    scores_line = {"scores": {problem: points}, "scoreboard": [points]}
    return {"stdout": text.encode() + encode_json_line(_make_feedback_stages(report)) + encode_json_line(scores_line)}


def _make_feedback_stages(report: ScoreReport) -> dict[str, Any]:
    stages: dict[str, dict[str, Any]] = {}
    for case in _iterate_visible_tests_or_concepts(report):
        name = f"{case.concept}:" if case.concept in RESERVED else case.concept
        hint = {"hint": case.message} if case.message else {}
        stages.setdefault(name, {})[case.id] = {"passed": case.counts_as_passed, **hint}
    return {"_presentation": "semantic", "stages": list(stages), **stages}


autolab = Platform(
    "autolab",
    "Autolab",
    report_writer=encode_autolab_files,
    settings={"problem": f"the problem, as it is called there; {PROBLEM} if nothing is said"},
)


# Classroom 50: ``result.json``, which takes only whole numbers and no further keys, and the body of the release.
#
# Format: https://github.com/foundation50/classroom50/wiki/Advanced-Autograding.

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


def encode_classroom50_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
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


classroom50 = Platform(
    "classroom50",
    "Classroom 50",
    report_writer=encode_classroom50_files,
    settings=dict.fromkeys((*KEY_BY_SETTING, "USERNAME"), "its workflow sets it"),
)


# CodeGrade's AutoTest: a line of JSON for each test, and a last line with the share of full marks as a fraction.
#
# CodeGrade describes its AutoTest at https://help.codegrade.com. What is written here was compared with the output of
# its own reporter: https://pypi.org/project/cg-pytest-reporter.

STATUS: dict[Outcome, str] = {"passed": "success", "grader error": "skipped"}
"""``failure`` for all others. A test with a grader error is shown as skipped; the last line counts its points."""


def encode_codegrade_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``, to be piped to ``cg truncate``, or to standard error where there is no ``cg``."""
    share = Fraction(compute_fraction_of_full_marks(report, options)).limit_denominator(1_000_000)
    lines: list[dict[str, Any]] = []
    for case in _iterate_visible_tests_or_concepts(report):
        reason = {"reason": case.message} if case.message else {}
        test = {"name": case.id, "status": STATUS.get(case.outcome, "failure"), **reason}
        concept = {"id": case.concept, "name": case.concept, "testCases": [test]}
        lines.append({"tag": "unit-test", "results": [concept]})
    lines.append({"tag": "points", "points": f"{share.numerator}/{share.denominator}"})
    return {"stdout": b"".join(map(encode_json_line, lines))}


codegrade = Platform("codegrade", "CodeGrade", report_writer=encode_codegrade_files)


# Moodle's CodeRunner: a combinator template grader prints one JSON object and nothing else.
#
# Format: https://trampgeek.github.io/moodle-qtype_coderunner/, the section on template graders.

HEADS = ["iscorrect", "Concept", "Points", "iscorrect"]
FORMATS = ["%s", "%s"]
"""One for each column but ``iscorrect``: text, never HTML."""


def encode_coderunner_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``: the share of full marks, a row for each concept (none if nothing ran), then the report."""
    visible_report = filter_report_for_student(report, "handed in")
    score = compute_fraction_of_full_marks(report, options)
    result: dict[str, object] = {"fraction": score, "epiloguehtml": _format_report_as_xhtml(visible_report)}
    if not visible_report.status.message:
        rows = [_make_row(concept.name, concept.score, concept.max_score) for concept in visible_report.concepts]
        result |= {"testresults": [HEADS, *rows], "columnformats": FORMATS, "showdifferences": False}
    return {"stdout": encode_json_line(result)}


def _make_row(name: str, score: float, max_score: float) -> list[str | int]:
    is_correct = int(score >= max_score)
    return [is_correct, escape_for_display(name), f"{format_points(score)} of {format_points(max_score)}", is_correct]


coderunner = Platform("coderunner", "CodeRunner (Moodle)", report_writer=encode_coderunner_files)


# Coursera: the two files of a custom grader, for ``/shared``.
#
# Format: https://github.com/coursera/programming-assignments-demo/tree/master/custom-graders.


def encode_coursera_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``feedback.json`` with the share of full marks, and ``htmlFeedback.html`` with the student's page."""
    visible_report = filter_report_for_student(report, "handed in")
    feedback = {
        "fractionalScore": compute_fraction_of_full_marks(report, options),
        "feedback": f"{format_final_points(visible_report)}. The page below says what to try.",
        "feedbackType": "HTML",
    }
    return {
        "feedback.json": encode_json_line(feedback),
        "htmlFeedback.html": render_report_as_html(visible_report).encode(),
    }


coursera = Platform("coursera", "Coursera", report_writer=encode_coursera_files)


# Write ``results.json`` of an external grader for PrairieLearn.
#
# PrairieLearn's page adds up the points of the list of tests. So the list has a line for each concept, with the bonus
# beyond full marks, and a line for what lateness takes off: the sum is what counts.
#
# Format: https://docs.prairielearn.com/externalGrading/.

LONGEST, LONGEST_EACH = 25_000, 2_500
"""Most characters in all and per text, each up to 12 bytes in JSON: the whole file must stay below 1 MB."""


def encode_prairielearn_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``results.json`` for ``/grade/results``; a submission that could not be graded costs no attempt."""
    visible_report = filter_report_for_student(report, "handed in")
    score = compute_fraction_of_full_marks(report, options)
    if visible_report.status.message:
        problem = escape_for_display(visible_report.status.message, 1000)
        return {"results.json": encode_json_file({"gradable": False, "format_errors": [problem]})}
    results = {
        "gradable": True,
        "score": score,
        "message": format_final_points(visible_report),
        "output": shorten_text(render_report_as_plain_text(visible_report), LONGEST),
        "tests": list(_iterate_test_rows(visible_report, with_bonus=options.settings.get("bonus") != "none")),
    }
    return {"results.json": encode_json_file(results)}


def _iterate_test_rows(visible_report: ScoreReport, *, with_bonus: bool) -> Iterator[dict[str, Any]]:
    lost_tests_by_concept = _format_lost_tests_by_concept(visible_report)
    for concept in visible_report.concepts:
        if concept.bonus and not with_bonus:
            continue
        yield {
            "name": concept.name + (" (bonus)" if concept.bonus else ""),
            "points": round(concept.score, 6),
            "max_points": 0 if concept.bonus else round(concept.max_score, 6),
            "output": shorten_text(lost_tests_by_concept.get(concept.name, ""), LONGEST_EACH),
        }
    if visible_report.lateness and visible_report.lateness.percent_off:
        penalty = visible_report.score - visible_report.final.score
        if with_bonus:
            penalty += visible_report.bonus.score - visible_report.final.bonus
        message = escape_for_display(visible_report.lateness.message, 1000)
        yield {"name": "lateness", "points": -round(penalty, 6), "max_points": 0, "output": message}


prairielearn = Platform("prairielearn", "PrairieLearn", report_writer=encode_prairielearn_files)


def shorten_text(text: str, max_length: int) -> str:
    """Shorten a text to at most so many characters; a text that is cut ends in a mark.

    >>> shorten_text("traceback", 6), shorten_text("short", 6)
    ('trace…', 'short')
    """
    return text if len(text) <= max_length else text[: max_length - len(CUT_MARK)] + CUT_MARK


# Write Submitty's ``results.json`` of an autograder, or what a custom validator prints.
#
# Format: https://submitty.org/instructor/autograding/specification.


def encode_submitty_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``results.json`` with a test case for each concept, or ``stdout`` of a validator.

    Raises:
        CallerFault: ``form`` is neither.
    """
    if options.get_choice_setting("form", "results", "validator") == "validator":
        return {"stdout": encode_json_line(_make_validator_output(report, options))}
    return {"results.json": encode_json_file(_make_results(report, options))}


def _make_results(report: ScoreReport, options: ExportOptions) -> dict[str, Any]:
    visible_report = filter_report_for_student(report, "handed in")
    total = compute_points_to_export(report, options)
    failure_by_concept = _format_lost_tests_by_concept(visible_report)
    problem = escape_for_display(visible_report.status.message, 1000)
    return {
        "automatic_grading_total": total,
        "nonhidden_automatic_grading_total": total,
        "testcases": [
            {
                "points_awarded": round(concept.score, 6),
                "test_name": escape_for_display(concept.name),
                **_make_checks(problem or failure_by_concept.get(concept.name, "")),
            }
            for concept in visible_report.concepts
        ],
    }


def _make_checks(failure: str) -> dict[str, Any]:
    messages = [{"message": line, "type": "failure"} for line in failure.split("\n")]
    return {"autochecks": [{"description": "What did not pass", "messages": messages}]} if failure else {}


def _make_validator_output(report: ScoreReport, options: ExportOptions) -> dict[str, Any]:
    score = compute_fraction_of_full_marks(report, options)
    return {
        "score": score,
        "message": render_report_as_plain_text(filter_report_for_student(report, "handed in")),
        "status": "success" if score >= 1 else "failure",
    }


submitty = Platform(
    "submitty",
    "Submitty",
    report_writer=encode_submitty_files,
    settings={"form": "results (default): results.json; validator: what a custom validator prints"},
)


# Write what ``vpl_execution`` prints for Moodle's Virtual Programming Lab.
#
# The last line that begins with ``Grade :=>>`` counts, and a comment ends at a line ``--|>`` even if it is indented.
# So every line of the report has a ``>`` before it, which shows it as it is, and the grade comes last.
#
# Format: https://vpl.dis.ulpgc.es, and for the exact rules the source:
# https://github.com/jcrodriguez-dis/moodle-mod_vpl.


def encode_vpl_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``: one comment, and the grade within the range that VPL tells.

    Raises:
        CallerFault: a setting should be a number and is not.
    """
    visible_report = filter_report_for_student(report, "handed in")
    lines = [
        "<|--",
        f"-{format_final_points(visible_report)}",
        *(f">{line}" for line in render_report_as_plain_text(visible_report).split("\n")),
        "--|>",
        f"Grade :=>> {_compute_grade(report, options):.5f}".rstrip("0").rstrip("."),
    ]
    return {"stdout": "\n".join(lines).encode() + b"\n"}


def _compute_grade(report: ScoreReport, options: ExportOptions) -> float:
    """Return the points, in the range of the activity if that is known."""
    lowest, highest = _read_number_setting(options, "VPL_GRADEMIN"), _read_number_setting(options, "VPL_GRADEMAX")
    if options.max_points is not None or highest is None:
        return compute_points_to_export(report, options)
    lowest = lowest or 0.0
    return lowest + compute_fraction_of_full_marks(report, options) * (highest - lowest)


def _read_number_setting(options: ExportOptions, key: str) -> float | None:
    text = options.settings.get(key, "")
    try:
        value = float(text) if text else None
    except ValueError:
        value = float("nan")
    if value is not None and not isfinite(value):
        raise CallerFault(f"{key}={text} is not a number", advice="run it inside vpl_execution, where VPL sets it")
    return value


vpl = Platform(
    "vpl",
    "Virtual Programming Lab (Moodle)",
    report_writer=encode_vpl_files,
    settings={"VPL_GRADEMIN": "the lowest grade; VPL sets it", "VPL_GRADEMAX": "the highest grade; VPL sets it"},
)


# Write the reply of an xqueue grader for Open edX; its message is well-formed XML with one root.
#
# Format: https://github.com/openedx/xqueue.


def encode_xqueue_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``stdout``: the reply on one line; ``correct`` means full marks and nothing less."""
    score = compute_fraction_of_full_marks(report, options)
    reply = {
        "correct": score >= 1,
        "score": score,
        "msg": _format_report_as_xhtml(filter_report_for_student(report, "handed in")),
    }
    return {"stdout": encode_json_line(reply)}


xqueue = Platform("xqueue", "Open edX (xqueue)", report_writer=encode_xqueue_files)


# JUnit's XML, which Artemis, GitLab, Jenkins and CodeGrade read: a suite for each concept, a case for each test.
#
# Some of them give marks for cases, and Artemis leaves out skipped ones. So a test in which the grader itself failed
# passes here, and its output says so.
#
# Format: https://github.com/testmoapp/junitxml, which describes what most tools write and read; there is no standard.

ERRORS: tuple[Outcome, ...] = ("error", "timeout", "crashed")
"""Outcomes in which the code itself broke off; all others without points are failures."""


def encode_junit_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``junit.xml``; it holds no points, so no setting changes it."""
    cases = list(_iterate_visible_tests_or_concepts(report))
    root = _add_element(None, "testsuites", name=report.assignment.name, **_make_count_attributes(cases))
    for concept, group in groupby(cases, key=lambda case: case.concept):
        concept_cases = list(group)
        suite = _add_element(root, "testsuite", name=concept, **_make_count_attributes(concept_cases), skipped="0")
        for case in concept_cases:
            element = _add_element(suite, "testcase", name=case.id, classname=concept, time=f"{case.seconds:.3f}")
            message = replace_non_xml_characters(case.message)
            if not case.counts_as_passed:
                tag = "error" if case.outcome in ERRORS else "failure"
                _add_element(element, tag, type=case.outcome, message=message).text = message
            elif message:
                _add_element(element, "system-out").text = message
    indent(root, " ")
    return {"junit.xml": tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"}


def _add_element(parent: Element | None, tag: str, **attributes: str) -> Element:
    element = Element(tag, {name: replace_non_xml_characters(value) for name, value in attributes.items()})
    if parent is not None:
        parent.append(element)
    return element


def _make_count_attributes(cases: list[VisibleResult]) -> dict[str, str]:
    failed_cases = [case for case in cases if not case.counts_as_passed]
    error_count = sum(case.outcome in ERRORS for case in failed_cases)
    return {
        "tests": str(len(cases)),
        "failures": str(len(failed_cases) - error_count),
        "errors": str(error_count),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }


junit = Platform("junit", "JUnit XML (Artemis, GitLab, Jenkins, CodeGrade)", report_writer=encode_junit_files)
