"""Keep the deadlines that a class's marks follow, as they were the last time: another one changes marks."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec

from autograder.course.deadline_rules import Attempts, DeadlineRules, LatePolicy
from autograder.course.time_parsing import InvalidTime, require_time_zone


class _StoredMoment(msgspec.Struct, frozen=True, array_like=True):
    moment: datetime
    zone: str
    """Whose clocks say where a day ends; empty where a distance from UTC was written."""


class _StoredDeadlineRules(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What decides marks of ``DeadlineRules``."""

    deadline: _StoredMoment | None = None
    late_policy: LatePolicy = LatePolicy()
    extensions: tuple[tuple[str, _StoredMoment], ...] = ()
    which_attempt_counts: Attempts = "best"


def serialize_deadline_rules(rules: DeadlineRules) -> str:
    """Return what decides marks of rules, in JSON; the same text for the same rules."""
    stored = _StoredDeadlineRules(
        deadline=_store_moment(rules.deadline) if rules.deadline else None,
        late_policy=rules.late_policy,
        extensions=tuple((name, _store_moment(moment)) for name, moment in sorted(rules.extensions)),
        which_attempt_counts=rules.which_attempt_counts,
    )
    return msgspec.json.encode(stored).decode()


def try_parse_deadline_rules(rules_json: str) -> DeadlineRules | None:
    """Return rules that were kept; None if there are none, or if this version of the kit cannot read them."""
    try:
        stored = msgspec.json.decode(rules_json, type=_StoredDeadlineRules) if rules_json else None
    except msgspec.MsgspecError:
        return None
    if stored is None:
        return None
    return DeadlineRules(
        deadline=_restore_moment(stored.deadline) if stored.deadline else None,
        late_policy=stored.late_policy,
        extensions=tuple((name, _restore_moment(moment)) for name, moment in stored.extensions),
        which_attempt_counts=stored.which_attempt_counts,
    )


def describe_deadline_rules(rules: DeadlineRules) -> str:
    """Return rules in a line that names no student.

    >>> describe_deadline_rules(DeadlineRules(late_policy=LatePolicy(percent_per_day=50)))
    'no deadline; late: {"percent_per_day":50.0}; extensions: 0; attempts: best'
    """
    due = f"due {rules.deadline.isoformat()}" if rules.deadline else "no deadline"
    usual = msgspec.to_builtins(LatePolicy())
    policy = {name: said for name, said in msgspec.to_builtins(rules.late_policy).items() if said != usual[name]}
    late = msgspec.json.encode(policy).decode()
    return f"{due}; late: {late}; extensions: {len(rules.extensions)}; attempts: {rules.which_attempt_counts}"


def _store_moment(moment: datetime) -> _StoredMoment:
    return _StoredMoment(moment, moment.tzinfo.key if isinstance(moment.tzinfo, ZoneInfo) else "")


def _restore_moment(stored: _StoredMoment) -> datetime:
    try:
        return stored.moment.astimezone(require_time_zone(stored.zone)) if stored.zone else stored.moment
    except InvalidTime:  # another machine knew the zone
        return stored.moment
