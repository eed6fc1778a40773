"""Save the deadline rules that a class's marks follow, without students' names, to compare later rules with."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import msgspec

from autograder.course.deadline_rules import (
    Attempts,
    DeadlineRules,
    InvalidTime,
    LatePolicy,
    format_time_for_people,
    require_time_zone,
)
from autograder.text import normalize_student_name_keeping_case


class StoredMoment(msgspec.Struct, frozen=True, array_like=True):
    """A moment with its time zone, which decides where a day ends."""

    moment: datetime
    """The moment in UTC, or with the UTC offset that was written."""
    zone: str
    """The time zone's name, or that offset."""


class StoredDeadlineRules(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The part of ``DeadlineRules`` that decides marks, as it is kept."""

    deadline: StoredMoment | None = None
    late_policy: LatePolicy = LatePolicy()
    extensions: tuple[tuple[str, StoredMoment], ...] = ()
    """Digests of students' names, with their personal deadlines."""
    which_attempt_counts: Attempts = "best"
    timezone: str = ""
    """The name of ``default_zone``."""

    def restore(self, student_names: Iterable[str]) -> DeadlineRules:
        """Return the rules, with the extensions of the students who are named."""
        moments = dict(self.extensions)
        extensions = {name: moments[digest] for name in student_names if (digest := _compute_digest(name)) in moments}
        return DeadlineRules(
            deadline=_restore_moment(self.deadline) if self.deadline else None,
            late_policy=self.late_policy,
            extensions=tuple((name, _restore_moment(moment)) for name, moment in sorted(extensions.items())),
            which_attempt_counts=self.which_attempt_counts,
            default_zone=_find_zone(self.timezone),
        )

    def without_extensions_of(self, student_names: Iterable[str]) -> StoredDeadlineRules:
        """Return the rules without the extensions of the students who are named."""
        digests = {_compute_digest(normalize_student_name_keeping_case(name)) for name in student_names}
        extensions = tuple((digest, moment) for digest, moment in self.extensions if digest not in digests)
        return msgspec.structs.replace(self, extensions=extensions)


def make_stored_deadline_rules(rules: DeadlineRules) -> StoredDeadlineRules:
    """Return what is kept of rules."""
    return StoredDeadlineRules(
        deadline=_store_moment(rules.deadline) if rules.deadline else None,
        late_policy=rules.late_policy,
        extensions=tuple(sorted((_compute_digest(name), _store_moment(moment)) for name, moment in rules.extensions)),
        which_attempt_counts=rules.which_attempt_counts,
        timezone=rules.default_zone.key if isinstance(rules.default_zone, ZoneInfo) else "",
    )


def serialize_deadline_rules(stored_rules: StoredDeadlineRules) -> str:
    """Return rules as text for the store."""
    return msgspec.json.encode(stored_rules).decode()


def try_parse_deadline_rules(rules_json: str) -> StoredDeadlineRules | None:
    """Return rules that were kept; None if there are none, or if this version of the kit cannot read them."""
    try:
        return msgspec.json.decode(rules_json, type=StoredDeadlineRules) if rules_json else None
    except msgspec.MsgspecError:
        return None


def iterate_rule_differences(before: StoredDeadlineRules, now: StoredDeadlineRules) -> Iterator[tuple[str, str, str]]:
    """Yield what differs, as it was and as it is; no student is named.

    >>> daily = StoredDeadlineRules(late_policy=LatePolicy(percent_per_day=50))
    >>> [*iterate_rule_differences(StoredDeadlineRules(), daily)]
    [('late', '{}', '{"percent_per_day":50}')]
    """
    if before.deadline != now.deadline:
        yield "deadline", _format_moment(before.deadline), _format_moment(now.deadline)
    elif before.timezone != now.timezone:  # the zone of an LMS's deadlines if ``grading.yml`` has no deadline
        yield "timezone", before.timezone, now.timezone
    if before.late_policy != now.late_policy:
        yield "late", _format_policy(before.late_policy), _format_policy(now.late_policy)
    old, new = dict(before.extensions), dict(now.extensions)
    if old != new:
        moved_count = sum(old[digest] != new[digest] for digest in old.keys() & new.keys())
        change = f"{len(new.keys() - old.keys())} added, {moved_count} moved, {len(old.keys() - new.keys())} removed"
        yield "extensions", str(len(old)), f"{len(new)} ({change})"
    if before.which_attempt_counts != now.which_attempt_counts:
        yield "attempts", before.which_attempt_counts, now.which_attempt_counts


def _compute_digest(student_name: str) -> str:
    return hashlib.sha256(student_name.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _find_zone(name: str) -> tzinfo | None:
    try:
        return require_time_zone(name) if name else None
    except InvalidTime:  # this machine does not know the zone
        return None


def _store_moment(moment: datetime) -> StoredMoment:
    # An ambiguous local time (at the end of summer time) compares unequal to the same moment in another zone, so
    # moments with a named zone are stored in UTC.
    has_fixed_zone = not isinstance(moment.tzinfo, ZoneInfo)
    return StoredMoment(moment if has_fixed_zone else moment.astimezone(UTC), str(moment.tzinfo))


def _restore_moment(stored_moment: StoredMoment) -> datetime:
    zone = _find_zone(stored_moment.zone)
    return stored_moment.moment.astimezone(zone) if zone else stored_moment.moment


def _format_moment(stored_moment: StoredMoment | None) -> str:
    return format_time_for_people(_restore_moment(stored_moment)) if stored_moment else ""


def _format_policy(policy: LatePolicy) -> str:
    defaults = msgspec.to_builtins(LatePolicy())
    changes = {name: value for name, value in msgspec.to_builtins(policy).items() if value != defaults[name]}
    return msgspec.json.encode(changes).decode()
