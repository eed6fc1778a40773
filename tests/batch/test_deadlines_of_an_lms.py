"""The deadlines of an LMS go in the place of those of grading.yml, where a teacher chose them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from autograder.batch.personalized_reports import apply_lms_deadlines_if_chosen
from autograder.course.deadline_rules import DeadlineRules
from autograder.store.connection import make_store_url
from autograder.web.store.accounts import Enrolment
from autograder.web.store.lti.platforms import LtiContext, LtiPlatform, LtiResourceLink
from autograder.web.store.server_store import ServerStore, open_or_create_store

BERLIN = ZoneInfo("Europe/Berlin")


def day(number: int) -> datetime:
    return datetime(2026, 11, number, 12, tzinfo=UTC)


RULES = DeadlineRules(day(10), extensions=(("ada", day(12)), ("bob", day(30))), default_zone=BERLIN)


@dataclass
class Linked:
    """A store that knows a link to the assignment."""

    store: ServerStore
    context: LtiContext
    link: LtiResourceLink
    teacher: Enrolment

    def choose(self) -> None:
        self.store.lti_deadlines.set_deadline_source("", "toy", "LMS", self.teacher)

    def say(self, moment: datetime | None, login: str = "") -> None:
        """Let the platform say a deadline, to everybody or to somebody."""
        person = None
        if login:
            account = self.store.accounts.upsert_enrolment("", login, "student").account
            found = self.store.lti_people.find(platform=self.context.platform, deployment="1", subject=login)
            person = found or self.store.lti_people.add(self.context.platform, "1", login, account)
        self.store.lti_deadlines.record_platform_deadline_unless_outranked(self.link, moment, "launch", person)

    def apply(self, rules: DeadlineRules = RULES) -> DeadlineRules:
        return apply_lms_deadlines_if_chosen(self.store, "", "toy", rules)


@pytest.fixture
def linked(tmp_path: Path) -> Iterator[Linked]:
    with open_or_create_store(make_store_url(tmp_path, f"sqlite:///{tmp_path / 'kept.sqlite'}")) as store:
        urls = ("https://lms.example/auth", "https://lms.example/token", "https://lms.example/keys")
        platform = store.lti_platforms.save_platform(
            LtiPlatform("lms", "https://lms.example", "client", *urls, ("1",))
        )
        context = store.lti_contexts.add_or_update_context(platform.id, "1", "2", "")
        store.lti_contexts.set_connected(context.id, is_connected=True)
        link = store.lti_links.add_or_update(context.id, "link", "toy")
        yield Linked(store, context, link, store.accounts.upsert_enrolment("", "tess", "instructor"))


def test_nothing_changes_until_somebody_chooses(linked: Linked) -> None:
    linked.say(day(20))
    assert linked.apply() is RULES


def test_extensions_stay_where_they_give_more_time_and_days_end_by_the_courses_clocks(linked: Linked) -> None:
    linked.choose()
    linked.say(day(20))
    found = linked.apply()
    assert (found.deadline, found.extensions) == (day(20), (("bob", day(30)),))
    assert found.deadline
    assert found.deadline.tzinfo is BERLIN


def test_an_earlier_deadline_of_the_lms_counts_too(linked: Linked) -> None:
    linked.choose()
    linked.say(day(5))
    assert linked.apply().deadline == day(5)


def test_a_course_without_a_deadline_has_the_lmss(linked: Linked) -> None:
    linked.choose()
    linked.say(day(5), "cy")
    assert linked.apply(DeadlineRules()).deadline == day(5)
    linked.say(day(6))
    found = linked.apply(DeadlineRules())
    assert (found.deadline, found.deadlines_of_students) == (day(6), (("cy", day(5)),))


def test_a_student_who_was_told_the_same_is_moved_with_everybody(linked: Linked) -> None:
    linked.choose()
    linked.say(day(20))
    linked.say(day(20), "cy")
    linked.say(day(25), "di")
    linked.say(day(22))
    assert linked.apply().deadlines_of_students == (("di", day(25)),)
    assert linked.apply().deadline == day(22)


def test_a_deadline_that_is_taken_back_there_is_none(linked: Linked) -> None:
    linked.choose()
    linked.say(day(20))
    linked.say(day(20), "cy")
    linked.say(None)
    assert linked.apply() is RULES


def test_a_course_that_is_no_longer_connected_says_nothing(linked: Linked) -> None:
    linked.choose()
    linked.say(day(20))
    linked.store.lti_contexts.set_connected(linked.context.id, is_connected=False)
    assert linked.apply() is RULES


def test_another_assignment_keeps_its_own(linked: Linked) -> None:
    linked.choose()
    linked.say(day(20))
    assert apply_lms_deadlines_if_chosen(linked.store, "", "other", RULES) is RULES
    assert apply_lms_deadlines_if_chosen(linked.store, "another course", "toy", RULES) is RULES


def test_saying_the_same_again_is_no_news(linked: Linked) -> None:
    for _ in range(3):
        linked.say(day(20))
    assert len(linked.store.audit.load_audit_rows("", "toy")) == 1
