"""Make the class of a demo: staff, and students with the course's example submissions as their hand-ins."""

from __future__ import annotations

from autograder.course import load_course
from autograder.store.web.account_tables import Role
from autograder.store.web.hand_in_model import NewHandIn
from autograder.web.course_server_settings import CourseServerSettings

STAFF: tuple[tuple[str, str, Role], ...] = (
    ("tess", "Tess Adler", "teaching assistant"),
    ("ines", "Ines Moreau", "instructor"),
    ("admin", "Alex Berg", "administrator"),
)
STUDENTS = (
    ("ada", "Ada Okafor", ""), ("bob", "Bob Larsen", ""),
    ("chen", "Chen Wei", "pair-1"), ("dana", "Dana Novák", "pair-1"),
    ("emre", "Emre Kaya", ""), ("fay", "Fay O’Brien", ""), ("gus", "Gus Papadakis", ""), ("hana", "Hana Suzuki", ""),
)  # fmt: skip
FIRST = "ada"
"""The login of a demo student without hand-ins, so that a visitor can try the first one."""


def ensure_demo_class(settings: CourseServerSettings) -> None:
    """Save the people of the demo, and hand in the examples of the first assignment unless anything was handed in.

    The people's names, roles and teams are replaced each time.

    Raises:
        CourseFault: the course does not hold together.
        CallerFault: the store cannot be opened.
    """
    course, key = load_course(settings.course), settings.location.class_key_in_store
    assignment = course.assignments[0]
    with settings.location.open_or_create_store() as store:
        for login, name, role in STAFF:
            store.accounts.upsert_enrolment(key, login, role, name)
        for login, name, team in STUDENTS:
            store.accounts.upsert_enrolment(key, login, "student", name, team)
        if store.hand_ins.list_hand_ins(key, assignment.name):
            return
        examples = sorted((course.folder / "examples" / "submissions").glob("*.py"))
        students = [login for login, _, _ in STUDENTS if login != FIRST]
        for login, path in zip(students, examples, strict=False):
            person = store.accounts.find_enrolment(key, login)
            assert person is not None
            members = [
                person,
                *(member for member in store.accounts.list_team_members(key, person) if member != person),
            ]
            store.hand_ins.add_hand_in_unless_duplicate(
                NewHandIn(
                    course=key,
                    assignment=assignment.name,
                    members=members,
                    file_name=path.name,
                    content=path.read_bytes(),
                )
            )
