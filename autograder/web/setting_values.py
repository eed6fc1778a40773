"""Read the settings that a term changes from a course and from a form, and say them in words."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from autograder.course import Assignment
from autograder.course.deadline_rules import RATES, DeadlineRules, InvalidTime, parse_typed_time, require_time_zone
from autograder.faults import CallerFault
from autograder.text import format_count
from autograder.web.decision_forms import read_field
from autograder.web.wording import describe_attempt_limits

TITLES = {
    "timezone": "Time zone",
    "deadline": "Deadline",
    "late": "Late hand-ins",
    "attempts": "Attempts",
    "feedback.results": "Students see results",
    "feedback.hidden_tests": "Students see what each test says",
    "inquiries": "Students ask about results",
}
"""The settings by their names in ``grading.yml``, with what people call them."""
RESULTS = {
    "visible": "as soon as they are graded",
    "after_due_date": "after the last deadline of the class",
    "after_published": "when they are published",
}
TEST_TEXTS = {**RESULTS, "hidden": "never"}
RATE_TITLES = {"percent_per_day": "per day that has begun", "percent_per_hour": "per hour that has begun"}
COUNTING = {"best": "the attempt with most points counts", "last": "the last attempt counts"}
Values = dict[str, Any]
"""Settings as ``grading.yml`` would have them, by the names in ``TITLES``."""


def read_settings_form(in_file: Assignment) -> Values:
    """Return the settings in the form.

    Raises:
        CallerFault: a time cannot be read.
    """
    zone_name = _read("timezone") or name_zone(in_file.deadline_rules)
    try:
        zone = require_time_zone(zone_name) if zone_name else None
    except InvalidTime as error:
        raise CallerFault(str(error), advice=error.advice) from error
    who, until = _read("inquiries"), _read_moment("inquiries_until", zone)
    if who == "until" and not until:
        raise CallerFault("the last moment for questions is missing", advice="choose it, or choose at any time")
    return {
        "timezone": zone_name,
        "deadline": _read_moment("deadline", zone),
        "late": _read_late_policy(in_file),
        "attempts": {
            "count": _read("count"),
            "at_most": _read_number("at_most", None),
            "minutes_between": _read_number("minutes_between", 0),
        },
        "feedback.results": _read("results"),
        "feedback.hidden_tests": _read("hidden_tests"),
        "inquiries": until if who == "until" else who,
    }


def _read_late_policy(in_file: Assignment) -> Values:
    """Return what is taken off for lateness; a table is the one of ``grading.yml``.

    Raises:
        CallerFault: a rate has no number.
    """
    rate, percent = _read("late_rate"), _read_number("percent", None)
    if rate in RATE_TITLES and percent is None:
        raise CallerFault("what is taken off is missing", advice="write a number of percent, or choose nothing")
    rates = {name: {name: percent} for name in RATE_TITLES} | {"table": _write_late_policy(in_file.deadline_rules)}
    chosen = rates.get(rate, {"percent_per_day": None})
    return {
        **{name: value for name, value in chosen.items() if name in RATES},
        "grace_minutes": _read_number("grace_minutes", 0),
        "cap_percent": _read_number("cap_percent", 100),
        "latest_days": _read_number("latest_days", None),
    }


def _write_late_policy(rules: DeadlineRules) -> Values:
    """Return a late policy as ``grading.yml`` would have it, with the one rate that counts."""
    policy = rules.late_policy
    rate = next((name for name in RATES if getattr(policy, name) not in (None, ())), RATES[0])
    values = {name: getattr(policy, name) for name in (rate, "grace_minutes", "cap_percent", "latest_days")}
    return {name: _shorten(value) for name, value in msgspec.to_builtins(values).items()}


def _shorten(number: Any) -> Any:
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _read(field_name: str) -> str:
    return read_field(field_name).strip()[:2000]


def _read_number(field_name: str, default: int | None) -> object:
    """Return a number; what is none as it was typed, which loading the course then refuses."""
    text = _read(field_name)
    try:
        number = float(text) if text else default
    except ValueError:
        return text
    return _shorten(number)


def _read_moment(field_name: str, zone: ZoneInfo | None) -> str | None:
    """Return the moment that was typed, or else chosen, as ``grading.yml`` would have it."""
    typed = _read(f"{field_name}_typed") or _read(field_name)
    try:
        return write_moment(parse_typed_time(typed, zone or UTC, is_end=True), zone) if typed else None
    except InvalidTime as error:
        raise CallerFault(str(error), advice=error.advice) from error


def read_values(assignment: Assignment) -> Values:
    """Return the settings of an assignment, as ``grading.yml`` would have them."""
    rules, inquiries = assignment.deadline_rules, assignment.inquiries
    zone = rules.default_zone
    return {
        "timezone": name_zone(rules),
        "deadline": write_moment(rules.deadline, zone) if rules.deadline else None,
        "late": _write_late_policy(rules),
        "attempts": {
            "count": rules.which_attempt_counts,
            "at_most": rules.most_attempts,
            "minutes_between": _shorten(rules.minutes_between),
        },
        "feedback.results": assignment.feedback.results,
        "feedback.hidden_tests": assignment.feedback.hidden_tests,
        "inquiries": write_moment(inquiries, zone) if isinstance(inquiries, datetime) else inquiries,
    }


def write_moment(moment: datetime, zone: tzinfo | None) -> str:
    """Return a moment as ``grading.yml`` would have it."""
    local = moment.astimezone(zone or UTC)
    return f"{local:%Y-%m-%d %H:%M}{f':{local:%S}' if local.second else ''}{'' if zone else ' UTC'}"


def name_zone(rules: DeadlineRules) -> str:
    """Return the time zone of an assignment; empty if it has none."""
    return rules.default_zone.key if isinstance(rules.default_zone, ZoneInfo) else ""


def describe_values(values: Values) -> dict[str, str]:
    """Return the settings in words."""
    attempts, inquiries = values["attempts"], values["inquiries"]
    limits = DeadlineRules(most_attempts=attempts["at_most"], minutes_between=attempts["minutes_between"])
    said = describe_attempt_limits(limits).removesuffix(".")
    return {
        "timezone": values["timezone"] or "none, so UTC",
        "deadline": values["deadline"] or "none",
        "attempts": COUNTING[attempts["count"]] + (f"; {said[0].lower()}{said[1:]}" if said else ""),
        "late": _describe_late_policy(**values["late"]),
        "feedback.results": RESULTS[values["feedback.results"]],
        "feedback.hidden_tests": TEST_TEXTS[values["feedback.hidden_tests"]],
        "inquiries": {"open": "at any time", "closed": "never"}.get(inquiries, f"until {inquiries}"),
    }


def _describe_late_policy(
    *, grace_minutes: float, cap_percent: float, latest_days: int | None, **rates: float | list[Any] | None
) -> str:
    """Return a late policy in words.

    >>> _describe_late_policy(grace_minutes=15, cap_percent=50, latest_days=7, percent_per_day=10)
    '10 % off per day that has begun, 50 % at most, no points after 7 days; 15 minutes of grace'
    """
    ((rate, value),) = rates.items()
    if value is None:
        said = "nothing off"
    else:
        said = "by a table" if rate == "table" else f"{value:g} % off {RATE_TITLES[rate]}"
        said += f", {cap_percent:g} % at most" if cap_percent < 100 else ""
    said += f", no points after {format_count(latest_days, 'day')}" if latest_days is not None else ""
    return said + (f"; {grace_minutes:g} minutes of grace" if grace_minutes else "")
