"""The people of a small class, and the repository's examples as what they handed in."""

from __future__ import annotations

from autograder.course import load_course
from autograder.web.demo_term import FIRST_STUDENTS, STAFF, TEAM
from autograder.web.people import make_shell_context
from autograder.web.settings import CourseServerSettings
from autograder.web.store.hand_ins import NewHandIn
from autograder.web.store.roll import MemberDetails
from autograder.web.store.server_store import open_server_store


def add_small_class(settings: CourseServerSettings) -> None:
    """Add the staff and eight students; all of these but Ada hand in an example, Chen and Dana together."""
    course, key = load_course(settings.course), settings.location.class_key_in_store
    examples = sorted((course.folder / "examples" / "submissions").glob("*.py"))
    pair = {"chen": TEAM, "dana": TEAM}
    students = [MemberDetails(login, name, team=pair.get(login, "")) for login, name in FIRST_STUDENTS]
    with open_server_store(settings.location) as store:
        for member in (*STAFF, *students):
            store.roll.save_member(make_shell_context(key), "somebody", member, None)
        for (login, _), path in zip(FIRST_STUDENTS[1:], examples, strict=False):
            person = store.accounts.find_enrolment(key, login)
            assert person is not None
            others = [one for one in store.accounts.list_team_members(key, person) if one != person]
            new = NewHandIn(
                course=key,
                assignment=course.assignments[0].name,
                members=[person, *others],
                file_name=path.name,
                content=path.read_bytes(),
            )
            store.hand_ins.add_hand_in_unless_duplicate(new)
