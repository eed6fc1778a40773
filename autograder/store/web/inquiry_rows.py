"""Query inquiries with the hand-ins that they are about, and up to where they were read."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Integer, bindparam, exists, func, select

from autograder.store.column_encoding import SurrogateText
from autograder.store.web.web_table_definitions import (
    hand_in_members,
    hand_ins,
    inquiries,
    inquiry_entries,
    inquiry_readers,
)


@cache
def make_inquiry_query(*, is_of_reader: bool) -> Any:
    """Return the query for the inquiries of the course ``of``, with their last events, and unread by ``reader``.

    The query is built once and cached: every page runs it, and building takes longer than running.

    Args:
        is_of_reader: whether only those about hand-ins of the account ``reader`` are wanted.
    """
    reader = bindparam("reader", type_=Integer)
    last_event = (
        select(func.max(inquiry_entries.c.id)).where(inquiry_entries.c.inquiry == inquiries.c.id).scalar_subquery()
    )
    last_answer = (
        select(func.max(inquiry_entries.c.id))
        .where(inquiry_entries.c.inquiry == inquiries.c.id, inquiry_entries.c.kind != "question")
        .scalar_subquery()
    )
    last_read = (
        select(inquiry_readers.c.last_read)
        .where(inquiry_readers.c.inquiry == inquiries.c.id, inquiry_readers.c.account == reader)
        .scalar_subquery()
    )
    unread = func.coalesce(last_answer, 0) > func.coalesce(last_read, 0)
    query = select(
        *(inquiries.c[name] for name in ("id", "key", "test", "state", "changed_at")),
        *(hand_ins.c[name] for name in ("assignment", "owner", "attempt", "submission")),
        hand_ins.c.key.label("hand_in_key"),
        func.coalesce(last_event, 0).label("last_event"),
        unread.label("unread"),
    )
    query = query.join(hand_ins, hand_ins.c.id == inquiries.c.hand_in)
    query = query.where(hand_ins.c.course == bindparam("of", type_=SurrogateText))
    if not is_of_reader:
        return query
    is_shared = exists().where(hand_in_members.c.hand_in == hand_ins.c.id, hand_in_members.c.account == reader)
    return query.where(is_shared)
