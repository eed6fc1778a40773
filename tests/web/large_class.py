"""Fill a store with a class of many students, whose results are those of a few that were graded."""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime, timedelta

from sqlalchemy import insert, select

from autograder.store.tables import members, results
from autograder.web.store.server_store import ServerStore
from autograder.web.store.tables import accounts, enrolments, hand_in_members, hand_ins
from tests.web.conftest import Site

NAMES = ("Ada Okafor", "İlknur Yılmaz", "Søren Ørsted", "Łukasz Łoś", "Zoë O’Brien", "Chen Wei", "José García")


def add_students(site: Site, count: int, first: int = 0) -> None:
    """Add students from ``s0000``, or from another number, on, each with an attempt that has Ada's or Bob's result.

    Every seventh is called Yılmaz, every tenth handed in nothing, and they are in sections of a hundred.
    """
    site.in_store(lambda store: _add_students(store, range(first, first + count)))


def _add_students(store: ServerStore, numbers: range) -> None:
    session = store.accounts._session
    of_two = members.c.name.in_(["ada-2", "bob-1"])
    templates = [row._mapping for row in session.fetch_all(select(members).where(of_two).order_by(members.c.name))]
    now = datetime.now(UTC)
    with session.transaction():
        for number in numbers:
            login = f"s{number:04d}"
            account = session.insert_row(accounts, login=login, name=f"{NAMES[number % len(NAMES)]} {number}")
            section = f"Section {number // 100 + 1}"
            values = {"account": account, "course": "", "role": "student", "team": "", "section": section}
            session.execute(insert(enrolments).values(**values))
            if number % 10 == 9:
                continue
            entry = templates[number % 2]
            identity, handed_in = hashlib.sha256(login.encode()).hexdigest(), now - timedelta(minutes=number)
            result = session.fetch_all(select(results).where(results.c.identity == entry["identity"]))[0]._mapping
            copied = {column: value for column, value in result.items() if column not in ("id", "identity")}
            result_id = session.insert_row(results, **copied, identity=identity)
            session.execute(
                insert(members).values(
                    batch=entry["batch"], name=f"{login}-1", position=100 + number, path=f"/x/{login}-1", problem="",
                    identity=identity, sha256=identity, student=login, handed_in=handed_in.isoformat(),
                    students=((login,),), last_result=result_id,
                )
            )  # fmt: skip
            hand_in = session.insert_row(
                hand_ins, key=secrets.token_urlsafe(18), course="", assignment="toy", owner=login, attempt=1,
                submission=f"{login}-1", account=account, file_name="value.py", size=1, sha256=identity,
                handed_in=handed_in, state="graded", content=b"x", is_behind=False, turn=0,
            )  # fmt: skip
            session.execute(insert(hand_in_members).values(hand_in=hand_in, account=account))
