"""Say in words what pages and mails show: moments, sizes, attempts, and what students see of results."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo

from markupsafe import Markup, escape

from autograder.course.deadline_rules import DeadlineRules, format_time_for_people
from autograder.course.model import FeedbackSettings, Visibility
from autograder.lateness import AttemptAllowance, CountingReason, Lateness
from autograder.lateness.counted_submissions import format_counting_sentence
from autograder.lateness.late_penalty import format_cost_of_handing_in_now, format_duration_in_two_units
from autograder.reports.report_model import FIRST_STAGE, Stage, is_visible_at
from autograder.reports.wording import add_full_stop, format_points, split_code_spans
from autograder.text import choose_by_count, escape_for_display, format_count
from autograder.web.store.hand_ins import HandIn, QueuePlace, State

MOST_CHARACTERS = 10_000
WORD_AT_START = re.compile(r"[a-z]+[ ,]")
STATES = {
    "queued": "waiting to be graded",
    "grading": "being graded",
    "graded": "graded",
    "failed": "not graded: the grader failed, the staff has been told, and nothing is lost",
}


def format_moment(moment: datetime | None, zone: tzinfo | None = None) -> str:
    """Return a moment for people, to the second, in a time zone or in its own."""
    if moment is None:
        return ""
    return format_time_for_people(moment.replace(microsecond=0).astimezone(zone or moment.tzinfo or UTC))


def describe_queue_place(state: State, place: QueuePlace) -> str:
    """Return what somebody reads whose hand-in waits.

    >>> describe_queue_place("queued", QueuePlace(7, timedelta(minutes=3)))
    'Waiting to be graded, 7 before you: about 3 minutes.'
    >>> describe_queue_place("queued", QueuePlace(0, timedelta(seconds=5)))
    'Next to be graded: about 1 minute.'
    """
    if state == "grading":
        return "Being graded now."
    minutes = max(1, math.ceil(place.wait / timedelta(minutes=1))) if place.wait else 0
    wait = f": about {format_count(minutes, 'minute')}" if minutes else ""
    return f"Waiting to be graded, {place.before} before you{wait}." if place.before else f"Next to be graded{wait}."


def _format_size(byte_count: int) -> str:
    """Return a number of bytes for people, with one decimal at most.

    >>> _format_size(100 * 2**20), _format_size(1536)
    ('100 MB', '1.5 kB')
    """
    for unit, size in (("GB", 2**30), ("MB", 2**20), ("kB", 2**10)):
        if byte_count >= size:
            return f"{f'{byte_count / size:.1f}'.removesuffix('.0')} {unit}"
    return f"{byte_count} bytes"


def _escape_unprintable_in_each_line(text: str) -> str:
    r"""Return what a person wrote, each line cut, with visible escapes for characters that are not printable.

    Tabs stay, because people paste code. HTML is not escaped here.

    >>> _escape_unprintable_in_each_line("if x:\n\treturn \x1b")
    'if x:\n\treturn \\x1b'
    """
    return "\n".join(
        "\t".join(escape_for_display(part, MOST_CHARACTERS) for part in line[: MOST_CHARACTERS + 1].split("\t"))
        for line in text.splitlines()
    )


def _mark_code_spans(course_text: str, max_length: int = 300) -> Markup:
    """Return a text by the course or the kit as HTML, cut, with what stands between backticks as code.

    >>> _mark_code_spans("In `a < b`, both count.")
    Markup('In <code>a &lt; b</code>, both count.')
    """
    return Markup().join(
        Markup("<code>{}</code>").format(part) if is_code else escape(part)
        for part, is_code in split_code_spans(escape_for_display(course_text, max_length))
    )


def _format_message_as_sentence(text: str) -> str:
    """Return a message with a capital and a full stop; a place that it begins with, such as a URL, stays as it is.

    >>> _format_message_as_sentence("the launch is too old"), _format_message_as_sentence("table.csv: it is empty")
    ('The launch is too old.', 'table.csv: it is empty.')
    """
    return add_full_stop(text[:1].upper() + text[1:] if WORD_AT_START.match(text) else text)


FILTERS = {
    "moment": format_moment,
    "duration": lambda one: format_duration_in_two_units(max(1, round(one.total_seconds()))),
    "size": _format_size,
    "state": lambda state: STATES.get(state, state),
    "points": format_points,
    "text": escape_for_display,
    "sentence": _format_message_as_sentence,
    "prose": _escape_unprintable_in_each_line,
    "with_code": _mark_code_spans,
    "count_of": format_count,
}
"""The filters that templates may use."""


def describe_attempt_limits(deadline_rules: DeadlineRules) -> str:
    """Return what an assignment says of attempts; empty where it sets no limit.

    >>> describe_attempt_limits(DeadlineRules(most_attempts=5, minutes_between=10))
    'At most 5 attempts, at least 10 minutes apart.'
    """
    count = deadline_rules.minutes_between
    minutes = f"at least {count:g} {choose_by_count(count, 'minute', 'minutes')} apart"
    if deadline_rules.most_attempts is None:
        return f"Attempts lie {minutes}." if deadline_rules.minutes_between else ""
    return (
        f"At most {_count(deadline_rules.most_attempts)}{', ' + minutes if deadline_rules.minutes_between else ''}."
    )


def describe_attempt_allowance(allowance: AttemptAllowance, deadline_rules: DeadlineRules) -> str:
    """Return how many attempts a student has left; empty where nothing limits them."""
    if allowance.left == 0:
        return _exhausted(deadline_rules)
    said = []
    if allowance.reopened:
        said.append("The staff gave you another attempt.")
    if allowance.left is not None:
        said.append(f"{_count(allowance.left).capitalize()} left.")
    if allowance.wait_until:
        said.append(f"You can hand in again at {_moment(allowance.wait_until, deadline_rules)}.")
    return " ".join(said)


def describe_byte_quota_refusal(kept_bytes: int, student_mb: int) -> str:
    """Return what a student reads whose hand-ins would have too many bytes together."""
    return (
        f"The server keeps {student_mb} MB of your hand-ins, and has {kept_bytes / 2**20:.0f} MB of them. Hand in "
        "your own code alone, and clear the outputs of a notebook first. If that is refused too, ask the staff for "
        "more room (--student-mb). This cost you no attempt."
    )


def describe_late_cost(lateness: Lateness | None, deadline_rules: DeadlineRules) -> str:
    """Return what handing in now costs; empty up to the deadline, and where there is none."""
    if lateness is None:
        return ""
    return format_cost_of_handing_in_now(
        lateness.deadline,
        lateness.seconds_late,
        grace_minutes=deadline_rules.late_policy.grace_minutes,
        is_late=lateness.is_late,
        percent_off=lateness.percent_off,
        reason=lateness.reason,
    )


def list_counting_sentences(
    hand_ins: Iterable[HandIn], counting: Mapping[str, tuple[CountingReason, ...]]
) -> list[str]:
    """Return a sentence for each attempt that counts: one, unless the student's team changed.

    Args:
        hand_ins: all hand-ins of a student.
        counting: see ``EffectiveClassResults.find_counting_reasons``.
    """
    return [format_counting_sentence(one.attempt, counting[one.key]) for one in hand_ins if one.key in counting]


def describe_attempt_refusal(allowance: AttemptAllowance, deadline_rules: DeadlineRules) -> str:
    """Return why an attempt was not taken."""
    if allowance.left == 0 or allowance.wait_until is None:
        return _exhausted(deadline_rules)
    when = _moment(allowance.wait_until, deadline_rules)
    return f"Your last attempt is too fresh: hand in again at {when}. This one cost you no attempt."


def _exhausted(deadline_rules: DeadlineRules) -> str:
    count = _count(deadline_rules.most_attempts or 0)
    return f"You have used {count}, and there is no other. Ask the staff if you need one."


def _count(number: int) -> str:
    return choose_by_count(number, "one attempt", f"{number} attempts")


def _moment(moment: datetime, deadline_rules: DeadlineRules) -> str:
    return format_moment(moment, deadline_rules.default_zone or UTC)


WAITS: dict[Stage, str] = {
    "due": "until the last deadline of the class, extensions included",
    "published": "until the staff publishes it",
}


def list_visible_parts(feedback: FeedbackSettings, stage: Stage) -> list[str]:
    """Return the parts of a result that students see at a stage; none if the result itself is not shown."""
    if not is_visible_at(feedback.results, stage):
        return []
    return ["points and comments", *(name for name, one in _parts(feedback) if is_visible_at(one, stage))]


def list_withheld_parts(feedback: FeedbackSettings, stage: Stage) -> list[tuple[str, str]]:
    """Return what students do not see yet, each with what it waits for; what they never see is left out."""
    parts: list[tuple[str, Visibility]] = [*_parts(feedback)]
    if not is_visible_at(feedback.results, stage):
        parts = [("the result", feedback.results)]
    return [
        (name, WAITS[start])
        for name, visibility in parts
        if (start := FIRST_STAGE[visibility]) and not is_visible_at(visibility, stage)
    ]


def list_withheld_sentences(feedback: FeedbackSettings, stage: Stage) -> list[str]:
    """Return for each part that students do not see yet a sentence that says so, without capital and full stop."""
    return [
        f"{name} is not {'published' if waits == WAITS['published'] else 'shown'} yet: it waits {waits}"
        for name, waits in list_withheld_parts(feedback, stage)
    ]


def _parts(feedback: FeedbackSettings) -> Iterator[tuple[str, Visibility]]:
    yield "what each test says", feedback.hidden_tests
    yield "the mistake behind failed tests", feedback.diagnosis
