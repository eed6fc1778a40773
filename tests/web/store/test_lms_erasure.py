"""What came from an LMS is erased with a student or a term; the links to the LMS stay."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import URL

from autograder.batch.batch_location import BatchLocation
from autograder.web.store.lti.platforms import LtiPlatform
from autograder.web.store.lti.tables import MarkWithComment
from autograder.web.store.server_store import ServerStore, open_or_create_store
from tests.web.store.two_people import dump, erase

AT = "https://lms.example"
COLUMN = f"{AT}/1"


def save_lms(store: ServerStore) -> LtiPlatform:
    return store.lti_platforms.save_platform(
        LtiPlatform("lms", AT, "client", f"{AT}/auth", f"{AT}/token", f"{AT}/keys", ("1",))
    )


def test_who_comes_from_a_platform_is_erased_there_too(two_people_location: BatchLocation, url: URL) -> None:
    with open_or_create_store(url) as store:
        ada = store.accounts.find_enrolment("", "ada")
        assert ada is not None
        platform = save_lms(store)
        context = store.lti_contexts.add_or_update_context(platform.id, "1", "2", "")
        item = store.lti_links.add_or_update(context.id, "link", "toy", line_item_url=COLUMN)
        own = [
            store.accounts.upsert_enrolment("", *one)
            for one in (("lti-1", "student", "Augusta K."), ("lti-2", "student"))
        ]
        linked, _ = (
            store.lti_people.add(platform.id, "1", f"subject-{one.login}", one.account, ada.account) for one in own
        )
        store.lti_people.link_to_proposed_account(linked)
        store.mark_outbox.add_or_replace_mark(item.id, linked.id, COLUMN, MarkWithComment(1.0, 2.0, "ada did it"))
    left = erase(two_people_location, url, "ada")
    for text in ("ada", "Augusta", "lti-1"):
        assert text not in left
    assert "subject-lti-2" in left


def test_who_stays_in_another_course_leaves_nothing_of_the_lms_in_this_one(
    two_people_location: BatchLocation, url: URL
) -> None:
    with open_or_create_store(url) as store:
        ada = store.accounts.find_enrolment("", "ada")
        assert ada is not None
        store.accounts.upsert_enrolment("other", "ada", "student")
        platform = save_lms(store)
        person = store.lti_people.add(platform.id, "1", "subject-ada", ada.account)
        contexts = {}
        for course, comment in (("", "of this course"), ("other", "of the other course")):
            contexts[course] = context = store.lti_contexts.add_or_update_context(platform.id, "1", course, course)
            item = store.lti_links.add_or_update(context.id, "link", "toy", line_item_url=COLUMN)
            store.lti_members.set_current_members(context.id, {person.id: "student"})
            store.mark_outbox.add_or_replace_mark(item.id, person.id, COLUMN, MarkWithComment(1.0, 2.0, comment))
    left = erase(two_people_location, url, "ada")
    assert "of this course" not in left
    assert "of the other course" in left
    with open_or_create_store(url) as store:
        members = {
            course: store.lti_members.list_present_and_former_members(one.id) for course, one in contexts.items()
        }
    assert {course: len(present) for course, present in members.items()} == {"": 0, "other": 1}


def test_of_a_term_its_links_to_an_lms_stay_and_nothing_about_students(
    two_people_location: BatchLocation, url: URL
) -> None:
    with open_or_create_store(url) as store:
        platform = save_lms(store)
        context = store.lti_contexts.add_or_update_context(platform.id, "1", "2", "", title="Micrograd 101")
        store.lti_contexts.set_connected(context.id, is_connected=True)
        item = store.lti_links.add_or_update(context.id, "link", "toy", line_item_url=COLUMN)
        student = store.accounts.upsert_enrolment("", "mia", "student")
        instructor = store.accounts.upsert_enrolment("", "ines", "instructor")
        mia = store.lti_people.add(platform.id, "1", "mia", student.account)
        ines = store.lti_people.add(platform.id, "1", "ines", instructor.account)
        store.accounts.upsert_enrolment("other", "mia", "student")  # so that the account stays
        store.lti_members.set_current_members(context.id, {mia.id: "student", ines.id: "instructor"})
        store.mark_outbox.add_or_replace_mark(item.id, mia.id, COLUMN, MarkWithComment(1.0, 2.0, "well done"))
        moment = datetime(2025, 11, 21, 12, tzinfo=UTC)
        for person in (None, mia):
            store.lti_deadlines.record_platform_deadline_unless_outranked(item, moment, "launch", person)
        while claimed := store.grading_queue.try_claim_next_hand_in("", "w"):
            store.grading_queue.record_outcome(claimed)
        store.terms.erase_student_records("")
        assert [link.id for link in store.lti_links.list_in_connected_courses("")] == [item.id]
        assert [one.login for one in store.lti_deadlines.list_platform_deadlines("", "toy")] == [""]
        members = store.lti_members.list_present_and_former_members(context.id)
        assert [one.person for one in members] == [ines.id]
        assert store.mark_outbox.list_marks("") == []
        assert "well done" not in dump(store)
