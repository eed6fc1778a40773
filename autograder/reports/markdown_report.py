"""Render a score report as Markdown that GitHub, Gradescope and CommonMark read alike."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograder.diagnosis import NO_DIAGNOSIS
from autograder.reports.causes import DisplayedCause, list_causes, list_repairs_of_named_causes
from autograder.reports.report_model import ScoreReport
from autograder.reports.unpassed_tests import (
    UnpassedTestsOfConcept,
    iterate_unexplained_tests_by_concept,
    list_concepts_without_shown_failure,
)
from autograder.reports.wording import (
    PROGRAM_HEADING,
    format_concept_name,
    format_final_points,
    format_full_marks_line,
    format_lateness_line,
    format_mistakes_heading,
    format_points,
    format_proof_phrase,
    format_provisional_notice,
    iterate_decision_lines_for_student,
    list_notes_beyond_status,
    split_code_spans,
)
from autograder.text import replace_unprintable_characters

WITH_BACKSLASH = frozenset(r"\`*_{}[]()#+-.!:|^~=")
"""Characters with a meaning in Markdown that a backslash escapes, also in Redcarpet."""
AS_NUMBER = frozenset("<>&$")
"""Characters that may begin HTML or a formula; they are written as numeric references, which are always text."""
BACKTICKS = re.compile("`+")
MOST_SENTENCES = 3


def render_report_as_markdown(report: ScoreReport, *, include_tests: bool = True) -> str:
    """Return a report as compact Markdown: points, what went wrong, which tests did not pass.

    Args:
        report: the part that the student is to see, from ``filter_report_for_student``.
        include_tests: whether to say which tests did not pass; False for a platform that lists the tests itself.
    """
    parts = [*_iterate_head_paragraphs(report), _format_table(report)]
    parts += iterate_diagnosis_paragraphs(report, include_tests=include_tests)
    for unpassed_tests in iterate_unexplained_tests_by_concept(report) if include_tests else ():
        parts += _iterate_concept_paragraphs(unpassed_tests)
    if include_tests and (names := list_concepts_without_shown_failure(report)):
        parts.append(f"Not shown here: the tests that did not pass in {escape_markdown(', '.join(names))}.")
    kit = f"Autograd Exercise Kit {report.kit_version}, isolation: {report.isolation.tier}"
    return "\n\n".join([*parts, escape_markdown(kit)]) + "\n"


def escape_markdown(text: str) -> str:
    r"""Return text as literal Markdown on one line, safe as HTML, too; what cannot be printed becomes U+FFFD.

    >>> escape_markdown("# <b>a_b</b>")
    '\\# &#60;b&#62;a\\_b&#60;/b&#62;'
    """
    text = replace_unprintable_characters(text, kept="\t\n")
    inner = range(len(text) - len(text.lstrip()), len(text.rstrip()))
    return "".join(_escape_character(character, is_inside=index in inner) for index, character in enumerate(text))


def format_code_block(text: str, *, language: str = "text") -> str:
    """Return lines of text as a code block, even if they contain backticks.

    >>> print(format_code_block("a ``` b"))
    ````text
    a ``` b
    ````
    """
    longest_run = max((len(run) for run in BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest_run + 1)
    printable_text = replace_unprintable_characters(text, kept="\t\n")
    return f"{fence}{language}\n{printable_text}\n{fence}"


def render_course_text_as_markdown(text: str) -> str:
    r"""Return a text by the course as Markdown: parts between backticks are code, the rest is literal.

    >>> render_course_text_as_markdown("`a + b` gives a*b")
    '`a + b` gives a\\*b'
    """
    return "".join(
        f"`{part}`" if is_code else escape_markdown(part).replace("&#32;", " ")
        for part, is_code in split_code_spans(text)
    )


def _escape_character(character: str, *, is_inside: bool) -> str:
    if character in WITH_BACKSLASH:
        return f"\\{character}"
    is_plain = character.isprintable() and not (character.isspace() and not is_inside)
    return character if is_plain and character not in AS_NUMBER else f"&#{ord(character)};"


def _iterate_head_paragraphs(report: ScoreReport) -> Iterator[str]:
    lateness = report.lateness
    yield f"### {escape_markdown(report.assignment.name)}: {escape_markdown(report.submission.id)}"
    yield f"**{format_final_points(report)}**"
    if all_holds := format_full_marks_line(report):
        yield f"**{escape_markdown(all_holds)}**"
    if notice := format_provisional_notice(report):
        yield escape_markdown(notice)
    if lateness and lateness.seconds_late:
        yield escape_markdown(format_lateness_line(report, lateness))
    for line in iterate_decision_lines_for_student(report):
        yield escape_markdown(line)
    if report.status.message:
        yield f"**It could not be graded.** {escape_markdown(report.status.message)}"
    if notes := list_notes_beyond_status(report):
        yield "\n".join(f"* {escape_markdown(note)}" for note in notes)


def _format_table(report: ScoreReport) -> str:
    rows = [
        f"| {escape_markdown(format_concept_name(concept))} | {format_points(concept.score)} of "
        f"{format_points(concept.max_score)} |"
        for concept in report.concepts
    ]
    return "\n".join(["| concept | points |", "| :-- | --: |", *rows])


def iterate_diagnosis_paragraphs(report: ScoreReport, *, include_tests: bool = True) -> Iterator[str]:
    """Yield the mistake behind the failed tests, paragraph by paragraph; nothing if there is none.

    Args:
        report: the report that holds the diagnosis.
        include_tests: whether to name the tests that a mistake explains, and not only to count them.
    """
    diagnosis, causes = report.diagnosis, list_causes(report)
    if diagnosis.verdict == "none" and not causes:
        return
    if diagnosis.reason == NO_DIAGNOSIS and not causes:
        yield escape_markdown(NO_DIAGNOSIS)
        return
    if causes:
        yield f"#### {format_mistakes_heading(len(causes)).capitalize()}"
        for cause in causes:
            yield from _iterate_cause_paragraphs(cause, include_tests=include_tests)
        if diagnosis.evidence:
            yield escape_markdown(f"{format_proof_phrase(diagnosis.evidence).capitalize()}.")
        for cause in list_repairs_of_named_causes(report):
            yield from _iterate_cause_paragraphs(cause, include_tests=include_tests)
    else:
        yield "#### What went wrong"
    if diagnosis.counterexample:
        heading = escape_markdown(PROGRAM_HEADING.capitalize())
        yield f"{heading}:\n\n{format_code_block(diagnosis.counterexample.text)}"
    if diagnosis.verdict == "unknown" and not causes:
        yield f"It has no name yet: {escape_markdown(diagnosis.reason)}"


def _iterate_cause_paragraphs(cause: DisplayedCause, *, include_tests: bool) -> Iterator[str]:
    for prefix, suspect in cause.suspects_with_prefix:
        hints = "\n".join(
            f"{rung}. {render_course_text_as_markdown(hint)}" for rung, hint in enumerate(suspect.ladder, start=1)
        )
        concepts = escape_markdown(", ".join(cause.concepts))
        suffix = f" ({concepts})" if concepts else ""
        title = f"**{prefix.capitalize()}{render_course_text_as_markdown(suspect.title)}**{suffix}"
        yield f"{title}  \n{render_course_text_as_markdown(suspect.whole_explanation)}" + (
            f"\n\n{hints}" if hints else ""
        )
    for diff in cause.diffs:
        block = format_code_block("\n".join(f"{line.sign} {line.text}" for line in diff.lines), language="diff")
        yield f"{escape_markdown(diff.file)}, line {diff.line}:\n\n{block}"
    if cause.tests and not include_tests:
        yield f"It {cause.explained_tests_phrase}."
    elif cause.tests:
        first_sentence, *other_sentences = cause.list_test_sentences(MOST_SENTENCES)
        outcome = escape_markdown(cause.first_failure_text)
        lines = [f"* ✗ {render_course_text_as_markdown(first_sentence)}  \n  {outcome}"]
        lines += [f"* ✗ {render_course_text_as_markdown(sentence)}" for sentence in other_sentences]
        yield "\n".join([f"It {cause.explained_tests_phrase}:\n", *lines])


def _iterate_concept_paragraphs(unpassed_tests: UnpassedTestsOfConcept) -> Iterator[str]:
    if unpassed_tests.above:
        yield f"**{escape_markdown(unpassed_tests.above)}**"
    yield f"#### {escape_markdown(format_concept_name(unpassed_tests.concept))}"
    lines = []
    for tried in unpassed_tests.tried:
        lines += [f"* {tried.outcome_symbol} {render_course_text_as_markdown(one)}" for one in tried.sentences]
        hint = f"  \n  Try: {render_course_text_as_markdown(tried.hint)}" if tried.hint else ""
        lines[-1] += f"  \n  {escape_markdown(tried.happened)}{hint}"
    for group in unpassed_tests.untried:
        text = render_course_text_as_markdown(group.line) if group.is_own else escape_markdown(group.line)
        lines.append(f"* {group.outcome_symbol} {text}")
    yield "\n".join(lines)
