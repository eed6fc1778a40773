"""Read names and addresses of students from nbgrader's gradebook, a database beside ``submitted``."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from autograder.platforms.common.download import Download
from autograder.submissions.origin import Person

DATABASE = "gradebook.db"
QUERY = "SELECT id, first_name, last_name, email FROM student"


def read_nbgrader_persons_by_id(download: Download) -> dict[str, Person]:
    """Return the students that nbgrader knows, by id; none if there is no database, or it is not nbgrader's.

    Its table ``student`` has had these columns since nbgrader 0.5. Nothing is ever written to the database.
    """
    if DATABASE not in download.file_paths or DATABASE in download.spoilt:
        return {}
    try:
        rows = query_nbgrader_database(download.root / DATABASE, QUERY, is_immutable=True)
    except sqlite3.Error:
        return {}
    return {
        student_id: Person(student_id, ", ".join(filter(None, (last_name, first_name))), email or "", student_id)
        for student_id, first_name, last_name, email in rows
    }


def query_nbgrader_database(
    database: Path, query: str, *parameters: str, is_immutable: bool = False
) -> list[tuple[Any, ...]]:
    """Return the rows that a query finds; nothing is ever written, not even a journal if the file is immutable.

    Raises:
        sqlite3.Error: this is no readable database of nbgrader's.
    """
    uri = f"file:{quote(str(database.absolute()))}?mode=ro{'&immutable=1' if is_immutable else ''}"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        return connection.execute(query, parameters).fetchall()
