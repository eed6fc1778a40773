"""Define and read deadlines, late policies and attempt rules, and the times that people write."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise, product
from typing import Annotated, Literal, get_args
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta, Struct

from autograder.course.yaml_documents import (
    KeyPath,
    YamlDocument,
    get_mapping,
    get_text_setting_or_default,
    parse_section,
)
from autograder.text import normalize_student_name_keeping_case

Percent = Annotated[float, Meta(ge=0, le=100)]
Days = Annotated[int, Meta(gt=0, le=3650)]
Attempts = Literal["best", "last"]
"""The submission of a student that counts: the one with the best score, or the last one."""
RATES = ("percent_per_day", "percent_per_hour", "table")
"""The settings that say what being late costs; a late policy has at most one of them."""


class LatePolicyStep(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A row of a late policy's table: ``percent`` is taken off up to the given lateness."""

    up_to_hours: Annotated[int, Meta(gt=0, le=87_600)] | None = None
    up_to_days: Days | None = None
    percent: Percent

    def __post_init__(self) -> None:
        if (self.up_to_hours is None) == (self.up_to_days is None):
            raise ValueError("a step must have either up_to_hours or up_to_days")

    @property
    def max_hours_late(self) -> int:
        """Return the lateness in hours at which this step ends; the steps of a table are ordered by it."""
        return self.up_to_hours or 24 * (self.up_to_days or 0)


class LatePolicy(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The cost of being late, in percent of the points.

    It costs nothing, unless one of the settings in ``RATES`` is given or ``latest_days`` is exceeded.
    """

    grace_minutes: Annotated[float, Meta(ge=0, le=10_080)] = 0.0
    """How many minutes late a submission may be at no cost."""
    percent_per_day: Percent | None = None
    """Taken off for each day that has begun; the first day begins at the deadline."""
    percent_per_hour: Percent | None = None
    """Taken off for each hour that has begun; the first hour begins at the deadline."""
    table: tuple[LatePolicyStep, ...] = ()
    """Of the steps that have not ended, the one that ends first applies; after the last step, no points are left."""
    cap_percent: Percent = 100.0
    """The most that is taken off."""
    latest_days: Days | None = None
    """A submission that is more days late than this gets no points, whatever the cap."""

    def __post_init__(self) -> None:
        rates = [name for name in RATES if getattr(self, name) not in (None, ())]
        if len(rates) > 1:
            raise ValueError(f"{rates[1]} does not go together with {rates[0]}; keep one of them")
        steps = sorted(self.table, key=lambda step: step.max_hours_late)
        for step, next_step in pairwise(steps):
            if step.max_hours_late == next_step.max_hours_late:
                raise ValueError(f"the table has two steps that end after {step.max_hours_late} hours")
            if step.percent > next_step.percent:
                raise ValueError(
                    f"the table takes off {next_step.percent:g} percent up to {next_step.max_hours_late} hours, "
                    "and more before that"
                )


class AttemptRules(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The attempt of a student that counts, and how many there may be.

    In ``grading.yml``, a single word such as ``attempts: last`` sets ``count`` alone.
    """

    count: Attempts = "best"
    at_most: Annotated[int, Meta(gt=0, le=100_000)] | None = None
    """How many attempts may be handed in on the web; any number when None."""
    minutes_between: Annotated[float, Meta(ge=0, le=10_080)] = 0.0
    """How many minutes have to pass between two attempts on the web."""


@dataclass(frozen=True, slots=True)
class DeadlineRules:
    """When an assignment is due, for whom, and which submission counts."""

    deadline: datetime | None = None
    """The deadline, in the time zone in which days are counted; None when nothing can be late."""
    late_policy: LatePolicy = field(default_factory=LatePolicy)
    extensions: tuple[tuple[str, datetime], ...] = ()
    """Students and their own deadlines."""
    deadlines_of_students: tuple[tuple[str, datetime], ...] = ()
    """Students to whom an LMS gives a deadline other than ``deadline``, earlier or later, with that deadline."""
    which_attempt_counts: Attempts = "best"
    most_attempts: int | None = None
    """See ``AttemptRules.at_most``."""
    minutes_between: float = 0.0
    """See ``AttemptRules.minutes_between``."""
    default_zone: tzinfo | None = None
    """The time zone of submission times that name none."""

    def find_deadline_before_extensions(self, names_of_each_student: Iterable[tuple[str, ...]]) -> datetime | None:
        """Return the deadline of a group submission before extensions: the latest deadline of any member.

        Args:
            names_of_each_student: for each member, all names that certainly identify them.
        """
        deadline_by_name = dict(self.deadlines_of_students)
        deadlines = [
            next((deadline_by_name[name] for name in names if name in deadline_by_name), self.deadline)
            for names in names_of_each_student
        ]
        return max((deadline for deadline in deadlines if deadline), key=datetime.timestamp, default=self.deadline)


class InvalidTime(ValueError):
    """A value that is not a usable time. The message says why, and ``advice`` says what to do."""

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(reason)
        self.advice = advice


def require_time_zone(zone_name: str) -> ZoneInfo:
    """Return the time zone of this name.

    Raises:
        InvalidTime: there is no such time zone.
    """
    try:
        return ZoneInfo(zone_name)
    except (KeyError, ValueError, OSError) as error:
        raise InvalidTime(
            f"unknown time zone {zone_name!r}", "write one such as Europe/Berlin or America/New_York"
        ) from error


def parse_time(written: object, default_zone: tzinfo | None, *, latest_if_ambiguous: bool = False) -> datetime:
    """Parse a time, to the second.

    Args:
        written: ISO 8601 with a time of day, ``UTC`` for its zone as well, or the ``datetime`` that YAML makes of it.
        default_zone: the time zone of a time that names none; a time that names one is converted to this zone.
        latest_if_ambiguous: when clocks are put back and show a time twice, whether to return the later moment.

    Raises:
        InvalidTime: ``written`` is not a date and time, has no time zone, or is a time that clocks skip.

    >>> parse_time("2025-11-21 23:59", ZoneInfo("Europe/Berlin")).isoformat()
    '2025-11-21T23:59:00+01:00'
    >>> parse_time("2025-11-21T23:59Z", ZoneInfo("Europe/Berlin")).isoformat()
    '2025-11-22T00:59:00+01:00'
    """
    if isinstance(written, str):
        text = written = written.strip()
        for parse in (date.fromisoformat, datetime.fromisoformat):
            with suppress(ValueError):
                written = parse(text.replace(" UTC", "+00:00"))
                break
    if not isinstance(written, datetime):
        is_date = isinstance(written, date)
        problem = f"the date {written} has no time of day" if is_date else f"{written!r} is not a date and time"
        raise InvalidTime(problem, "write it as 2025-11-21 23:59")
    moment = written.replace(microsecond=0)
    if not 1970 <= moment.year < 9000:
        raise InvalidTime(f"the year {moment.year} is out of range", "write the year in four digits")
    if moment.tzinfo is not None:
        return moment.astimezone(default_zone) if default_zone else moment
    if default_zone is None:
        raise InvalidTime(
            f"the time {moment:%Y-%m-%d %H:%M} has no time zone",
            "name one: `timezone: Europe/Berlin`, or write 2025-11-21T23:59+01:00",
        )
    local = moment.replace(tzinfo=default_zone, fold=int(latest_if_ambiguous))
    if local.astimezone(UTC).astimezone(default_zone).replace(tzinfo=None) != moment:
        raise InvalidTime(
            f"the time {moment:%Y-%m-%d %H:%M} does not exist: clocks in {default_zone} are put forward then",
            "write another time",
        )
    return local


_WEEKDAYS_AND_WORDS = re.compile(r"\b(?:(?:mon|tue|wed|thu|fri|sat|sun)(?:[a-z]{0,3}day)?|at|on|the|of)\b|,", re.I)
_TYPED_DATES = ("%Y-%m-%d", "%d.%m.%Y", "%d %b %Y", "%d %B %Y", "%b %d %Y", "%B %d %Y")
_TYPED_TIMES = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M%p", "%I %p", "%I%p")


def parse_typed_time(typed: str, default_zone: tzinfo | None, *, is_end: bool = False) -> datetime:
    """Parse a time as people type it into a form, or as a browser's picker gives it.

    Dates with slashes are refused: half the world means another day by them.

    Args:
        typed: the text.
        default_zone: the zone of a time that names none.
        is_end: whether something ends then, so that a date alone means its last minute.

    Raises:
        InvalidTime: it is no time, or a date without a time of day.

    >>> berlin = ZoneInfo("Europe/Berlin")
    >>> parse_typed_time("Friday, 4th Dec 2026, 11:59 pm", berlin) == parse_typed_time("4.12.2026 23:59", berlin)
    True
    >>> parse_typed_time("4 Dec 2026", berlin, is_end=True).isoformat()
    '2026-12-04T23:59:00+01:00'
    """
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", _WEEKDAYS_AND_WORDS.sub(" ", typed), flags=re.I)
    text = " ".join("Sep" if word.lower() in ("sept", "sept.") else word.removesuffix(".") for word in plain.split())
    written: datetime | str = typed
    for formats in product(_TYPED_DATES, _TYPED_TIMES):
        for order in (formats, reversed(formats)):
            with suppress(ValueError):
                written = datetime.strptime(text, " ".join(order))
    for date_format in _TYPED_DATES if is_end else ():
        with suppress(ValueError):
            written = datetime.strptime(text, date_format).replace(hour=23, minute=59)
    return parse_time(written, default_zone, latest_if_ambiguous=True)


def add_calendar_days(moment: datetime, days: int) -> datetime:
    """Return the moment with the same local time so many days later; the later one if clocks show that time twice.

    >>> before_clock_change = datetime(2026, 3, 28, 23, 59, tzinfo=ZoneInfo("Europe/Berlin"))
    >>> add_calendar_days(before_clock_change, 1).isoformat()
    '2026-03-29T23:59:00+02:00'
    """
    local_moment = moment + timedelta(days=days)
    later_moment = max(local_moment.replace(fold=0).astimezone(UTC), local_moment.replace(fold=1).astimezone(UTC))
    return later_moment.astimezone(moment.tzinfo)


def format_time_for_people(moment: datetime) -> str:
    """Format a moment for people: ``2025-11-21 23:59 CET``.

    >>> format_time_for_people(datetime(2025, 11, 21, 23, 59, tzinfo=ZoneInfo("Europe/Berlin")))
    '2025-11-21 23:59 CET'
    """
    return f"{moment:%Y-%m-%d %H:%M}{f':{moment:%S}' if moment.second else ''} {moment:%Z}"


DUE_KEYS = ("timezone", "deadline", "late", "extensions", "attempts")
MOST_DAYS = 3650


def load_deadline_rules(document: YamlDocument, assignment_key: KeyPath) -> DeadlineRules:
    """Read an assignment's deadline, extensions, late policy and attempt rules.

    Args:
        assignment_key: the key of the assignment. Settings that it leaves out come from the course.

    Raises:
        CourseFault: a time or time zone is malformed, or settings do not fit together; the message has line and key.
    """
    zone = load_time_zone(document, assignment_key)
    deadline_key = find_setting_key(document, assignment_key, "deadline")
    deadline = read_time_setting(document, deadline_key, zone) if deadline_key else None
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


def load_time_zone(document: YamlDocument, assignment_key: KeyPath) -> tzinfo | None:
    """Return the time zone of an assignment or its course; None if neither names one.

    Raises:
        CourseFault: there is no such time zone.
    """
    zone_key = find_setting_key(document, assignment_key, "timezone")
    try:
        return require_time_zone(get_text_setting_or_default(document, zone_key, "")) if zone_key else None
    except InvalidTime as error:
        raise document.make_fault_at(str(error), zone_key or (), error.advice) from error


def find_setting_key(document: YamlDocument, key: KeyPath, name: str) -> KeyPath | None:
    """Return the key of a setting that an assignment may take from the course; None if it is in neither."""
    places = ((*key, name), (name,))
    return next((one for one in places if get_mapping(document, one[:-1]).get(name) is not None), None)


def read_time_setting(document: YamlDocument, place: KeyPath, zone: tzinfo | None) -> datetime:
    """Return the moment that a setting names.

    Raises:
        CourseFault: it names none.
    """
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
                f"YAML reads a student's name as {name}", place, "put names that look like numbers or dates in quotes"
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
    moment = read_time_setting(document, key, zone)
    if moment.astimezone(UTC) < deadline.astimezone(UTC):
        raise document.make_fault_at(
            f"the extension ends before the deadline, which is {format_time_for_people(deadline)}",
            key,
            "write a later time, since an extension gives more time",
        )
    return moment
