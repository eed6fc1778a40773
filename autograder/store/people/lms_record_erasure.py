"""Delete what a store keeps of students in an LMS's courses: marks, personal deadlines and memberships.

The links of a course to its LMSs stay, because they hold nothing about students and the next term needs them.
"""

from __future__ import annotations

from sqlalchemy import and_, delete, select

from autograder.store.lti.lti_mark_table_definitions import marks
from autograder.store.lti.lti_table_definitions import contexts, deadlines, line_items, memberships, people
from autograder.store.row_removal import delete_rows_cascading
from autograder.store.session import StoreSession
from autograder.store.web.web_table_definitions import enrolments


def delete_lms_records_of_students(session: StoreSession, encoded_course: str) -> None:
    """Delete a course's LMS records except memberships of its staff, also of students who are in another course.

    Args:
        session: the open transaction.
        encoded_course: the name of the course here, by ``encode_text``.
    """
    context_query = select(contexts.c.id).where(contexts.c.course == encoded_course)
    link_query = select(line_items.c.id).where(line_items.c.context.in_(context_query))
    delete_rows_cascading(session, marks, marks.c.line_item.in_(link_query))
    is_personal = and_(deadlines.c.line_item.in_(link_query), deadlines.c.person.is_not(None))
    session.execute(delete(deadlines).where(is_personal))
    staff_query = select(people.c.id).join(enrolments, enrolments.c.account == people.c.account)
    staff_query = staff_query.where(enrolments.c.course == encoded_course)
    is_student = and_(memberships.c.context.in_(context_query), memberships.c.person.not_in(staff_query))
    session.execute(delete(memberships).where(is_student))


def delete_lms_records_of_account(session: StoreSession, encoded_course: str, account_id: int) -> None:
    """Delete a course's LMS records of one account, which stays in another course.

    Args:
        session: the open transaction.
        encoded_course: the name of the course here, by ``encode_text``.
        account_id: the account here.
    """
    context_query = select(contexts.c.id).where(contexts.c.course == encoded_course)
    link_query = select(line_items.c.id).where(line_items.c.context.in_(context_query))
    person_query = select(people.c.id).where(people.c.account == account_id)
    delete_rows_cascading(session, marks, and_(marks.c.line_item.in_(link_query), marks.c.person.in_(person_query)))
    is_own = and_(deadlines.c.line_item.in_(link_query), deadlines.c.person.in_(person_query))
    session.execute(delete(deadlines).where(is_own))
    is_member = and_(memberships.c.context.in_(context_query), memberships.c.person.in_(person_query))
    session.execute(delete(memberships).where(is_member))
