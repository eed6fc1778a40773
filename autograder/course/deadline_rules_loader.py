"""Read deadlines, late policy and extensions from ``grading.yml``; an assignment's settings override the course's."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import get_args

import msgspec

from autograder.course.deadline_rules import (
    RATES,
    AttemptRules,
    Attempts,
    DeadlineRules,
    LatePolicy,
)
from autograder.course.time_format import (
    InvalidTime,
    add_calendar_days,
    format_time_for_people,
    parse_time,
    require_time_zone,
)
from autograder.course.yaml_documents import KeyPath, YamlDocument
from autograder.course.yaml_section_parsing import get_mapping, get_text_setting_or_default, parse_section
from autograder.student_name_comparison import normalize_student_name_keeping_case

DUE_KEYS = ("timezone", "deadline", "late", "extensions", "attempts")
MOST_DAYS = 3650


def load_deadline_rules(document: YamlDocument, assignment_key: KeyPath) -> DeadlineRules:
    """Read an assignment's deadline, extensions, late policy and attempt rules.

    Args:
        document: the ``grading.yml``.
        assignment_key: the key of the assignment. Settings that it leaves out come from the course.

    Raises:
        CourseFault: a time or time zone is malformed, or settings do not fit together; the message has line and key.
    """
    zone = _load_zone(document, assignment_key)
    deadline = _load_deadline(document, assignment_key, zone)
    if deadline is None and get_mapping(document, (*assignment_key, "late")):
        raise document.make_fault_at(
            "the late policy needs a deadline", (*assignment_key, "late"), "write `deadline:` beside it"
        )
    extensions: dict[str, datetime] = {}
    for level in ((), assignment_key):
        extensions |= _load_extensions(document, (*level, "extensions"), deadline, zone, own=level == assignment_key)
    attempts = _load_attempt_rules(document, assignment_key)
    return DeadlineRules(
        deadline=deadline,
        late_policy=_load_late_policy(document, assignment_key),
        extensions=tuple(sorted(extensions.items())),
        which_attempt_counts=attempts.count,
        most_attempts=attempts.at_most,
        minutes_between=attempts.minutes_between,
        default_zone=zone,
    )


def _find_setting_key(document: YamlDocument, key: KeyPath, name: str) -> KeyPath | None:
    """Return the key of a setting that an assignment may take from the course; None if it is in neither."""
    for place in ((*key, name), (name,)):
        if get_mapping(document, place[:-1]).get(name) is not None:
            return place
    return None


def _load_zone(document: YamlDocument, key: KeyPath) -> tzinfo | None:
    place = _find_setting_key(document, key, "timezone")
    try:
        return require_time_zone(get_text_setting_or_default(document, place, "")) if place else None
    except InvalidTime as error:
        raise document.make_fault_at(str(error), place or (), error.advice) from error


def _load_deadline(document: YamlDocument, key: KeyPath, zone: tzinfo | None) -> datetime | None:
    place = _find_setting_key(document, key, "deadline")
    return _read_time(document, place, zone) if place else None


def _read_time(document: YamlDocument, place: KeyPath, zone: tzinfo | None) -> datetime:
    try:
        return parse_time(get_mapping(document, place[:-1])[place[-1]], zone, latest_if_ambiguous=True)
    except InvalidTime as error:
        raise document.make_fault_at(str(error), place, error.advice) from error


def _load_late_policy(document: YamlDocument, key: KeyPath) -> LatePolicy:
    """Return an assignment's late policy: its settings override the course's.

    If the assignment has one of the settings in ``RATES``, it replaces whichever of them the course has.
    """
    defaults = msgspec.to_builtins(parse_section(document, ("late",), LatePolicy, {}))
    settings = get_mapping(document, (*key, "late"))
    if any(rate in settings for rate in RATES):
        defaults = {name: value for name, value in defaults.items() if name not in RATES}
    return parse_section(document, (*key, "late"), LatePolicy, defaults)


def _load_attempt_rules(document: YamlDocument, key: KeyPath) -> AttemptRules:
    """Read which attempt counts and how many there may be; an assignment's settings override the course's.

    The setting is either one word, such as ``last``, or a mapping.
    """
    rules = AttemptRules()
    for level in ((), key):
        place = (*level, "attempts")
        setting = get_mapping(document, level).get("attempts")
        if isinstance(setting, dict):
            rules = parse_section(document, place, AttemptRules, msgspec.to_builtins(rules))
        elif setting in get_args(Attempts):
            rules = msgspec.structs.replace(rules, count=setting)
        elif setting is not None:
            raise document.make_fault_at(
                f"'attempts' must be {' or '.join(get_args(Attempts))}, not {setting!r}",
                place,
                "choose one, or say more: {count: best, at_most: 5, minutes_between: 10}",
            )
    return rules


def _load_extensions(
    document: YamlDocument, place: KeyPath, deadline: datetime | None, zone: tzinfo | None, *, own: bool
) -> dict[str, datetime]:
    """Return students' extended deadlines from one ``extensions`` mapping: the course's, or an assignment's own."""
    deadline_by_student: dict[str, datetime] = {}
    for name, setting in get_mapping(document, place).items():
        entry_key = (*place, name)
        if entry_key not in document.line_by_key:
            raise document.make_fault_at(
                f"YAML reads a student's name as {name}",
                place,
                "put names that look like numbers or dates in quotes",
            )
        if deadline is None:
            if own:
                raise document.make_fault_at(
                    "an extension needs a deadline", entry_key, "write `deadline:` for the assignment"
                )
            continue
        student = normalize_student_name_keeping_case(name)
        if student in deadline_by_student:
            raise document.make_fault_at(f"the student {student!r} has two extensions", entry_key, "keep one of them")
        deadline_by_student[student] = _read_extension(document, entry_key, setting, deadline, zone)
    return deadline_by_student


def _read_extension(
    document: YamlDocument, key: KeyPath, setting: object, deadline: datetime, zone: tzinfo | None
) -> datetime:
    if isinstance(setting, bool | float | None):
        raise document.make_fault_at(f"an extension must be whole days or a new deadline, not {setting!r}", key)
    if isinstance(setting, int):
        if not 0 < setting <= MOST_DAYS:
            raise document.make_fault_at(f"an extension must be from 1 to {MOST_DAYS} days, not {setting}", key)
        return add_calendar_days(deadline, setting)
    moment = _read_time(document, key, zone)
    if moment.astimezone(UTC) < deadline.astimezone(UTC):
        raise document.make_fault_at(
            f"the extension ends before the deadline, which is {format_time_for_people(deadline)}",
            key,
            "write a later time, since an extension gives more time",
        )
    return moment
