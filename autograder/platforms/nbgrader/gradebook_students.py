"""Read names and addresses of students from nbgrader's gradebook, a database beside ``submitted``."""

from __future__ import annotations

import sqlite3
from contextlib import closing
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
    database_uri = f"file:{quote(str(download.root.absolute() / DATABASE))}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(database_uri, uri=True)) as database:
            rows = database.execute(QUERY).fetchall()
    except sqlite3.Error:
        return {}
    return {
        student_id: Person(student_id, ", ".join(filter(None, (last_name, first_name))), email or "", student_id)
        for student_id, first_name, last_name, email in rows
    }
