"""Make the course of a demo: 300 invented students in the sixth week of a term, and the hand-ins of that term."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from autograder.batch import BatchConfig, run_batch
from autograder.batch.batch_location import HANDED_IN, BatchLocation
from autograder.batch.personalized_reports import iterate_entry_results
from autograder.course import Assignment, Course, load_course
from autograder.course.misconceptions import apply_misconceptions, load_misconception_catalogue
from autograder.decisions import DecisionProvenance
from autograder.files import make_output_folder, write_file_atomically
from autograder.sandbox import SandboxConfig
from autograder.store.results.result_model import PackedResult, make_grading_rules
from autograder.submissions import SubmissionEntry
from autograder.submissions.origin import TOGETHER
from autograder.web.hand_in_grader import AssignmentHandInGrader
from autograder.web.listing import fold_for_search
from autograder.web.people import make_shell_context
from autograder.web.settings import CourseServerSettings
from autograder.web.store.accounts import Enrolment
from autograder.web.store.hand_ins import HandIn, NewHandIn
from autograder.web.store.roll import MemberDetails
from autograder.web.store.server_store import ServerStore, open_server_store

COURSE_FOLDER = "demo-course"
STAFF = (
    MemberDetails("tess", "Tess Adler", "teaching assistant"),
    MemberDetails("omar", "Omar Haddad", "teaching assistant", section="Monday, Tuesday"),
    MemberDetails("ines", "Ines Moreau", "instructor"),
    MemberDetails("admin", "Alex Berg", "administrator"),
)
NEWCOMERS = ("ada", "hana")
"""The logins of students who have not handed in to the running assignment: a visitor can try the first one."""
TEAM = "pair-1"
FIRST_STUDENTS = (
    ("ada", "Ada Okafor"), ("bob", "Bob Larsen"), ("chen", "Chen Wei"), ("dana", "Dana Novák"),
    ("emre", "Emre Kaya"), ("fay", "Fay O’Brien"), ("gus", "Gus Papadakis"), ("hana", "Hana Suzuki"),
)  # fmt: skip
"""Those whom the page to sign in offers, beside the staff."""
GIVEN_NAMES = (
    "İlknur", "Zoë", "José", "Łukasz", "Søren", "Nguyễn", "Aoife", "Jean-Luc", "Maria del Carmen", "Siobhán",
    "伟", "さくら", "Олена", "محمد", "Priya", "Þóra", "Jan", "Noa", "Kwame", "X",
)  # fmt: skip
FAMILY_NAMES = (
    "Yılmaz", "O'Brien", "李", "Müller-Lüdenscheidt", "García Márquez", "Łoś", "Ørsted", "van der Berg", "D’Angelo",
    "Nguyễn", "Шевченко", "Kim", "Ng", "MacDonald", "Smith", "al-Khwārizmī", "Ångström", "Ó Súilleabháin",
)  # fmt: skip
SECTIONS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Online")
STUDENTS = 300
DAYS_TO_DEADLINES = (4, -24, -10, -3)
"""Of the first four assignments, from today: the first one runs, the results of the last one wait to be published."""
PROGRAMS = 4
"""How many wrong programs of each assignment there are, beside one that is no Python."""
SOLUTION_MARK = re.compile(r"^ *# (BEGIN|END) SOLUTION.*\n", re.MULTILINE)
QUESTIONS_FOR_EACH = 50
"""Of each assignment with visible results: some 40 are an assistant's evening."""
BEFORE = "an invented term of 300 students is made, once; that takes about a minute"
AFTER = (
    "it is the sixth week. Be Ada Okafor (a student who has not handed in yet), Tess Adler (assistant), Ines Moreau "
    "(instructor) or Alex Berg (administrator) by a click"
)
QUESTIONS = (
    "On my laptop this passes. What is different here?",
    "Why did I lose points for this? The handout does not mention it.",
    "I do not understand the hint. Which line do you mean?",
    "My partner has the same code and got more points!",
    "Ist das ein Fehler in den Tests? 我不明白。",
    "Could you look at the second attempt again, please? I only renamed a variable.",
)


def use_demo_course(settings: CourseServerSettings) -> CourseServerSettings:
    """Return how a demo is served: with the course that was made for it, if one was."""
    folder = settings.location.output_folder / COURSE_FOLDER
    return replace(settings, course=folder) if (folder / "grading.yml").is_file() else settings


def ensure_demo_term(
    settings: CourseServerSettings, choose_sandbox: Callable[[Assignment], SandboxConfig], say: Callable[[str], None]
) -> None:
    """Fill a course that has no people with a term: its few different programs are graded, their reports copied.

    A course with people stays as it is, and so does its folder in any case.

    Args:
        settings: the demo.
        choose_sandbox: says where an assignment is graded.
        say: gets what happens, for the terminal.

    Raises:
        CourseFault: the course does not hold together.
        CallerFault: the store cannot be opened.
        KitFault: the machine fails.
    """
    with open_server_store(settings.location) as store:
        if store.accounts.list_enrolments(settings.location.class_key_in_store):
            return
        say(BEFORE)
        folder, now = settings.location.output_folder / COURSE_FOLDER, datetime.now().astimezone()
        _write_course(load_course(settings.course), folder, now)
        assignments = [(assignment, choose_sandbox(assignment)) for assignment in load_course(folder).assignments]
        graded = [_grade_programs(assignment, sandbox) for assignment, sandbox in assignments]
        with store.group():
            term = _Term(store, settings.location, now)
            term.add_people()
            for (assignment, sandbox), programs in zip(assignments, graded, strict=True):
                term.add_class(assignment, sandbox, programs)
    say(AFTER)


def _write_course(course: Course, folder: Path, now: datetime) -> None:
    """Write a course with the files of another one, and deadlines around today."""
    settings: dict[str, Any] = yaml.safe_load((course.folder / "grading.yml").read_text(encoding="utf-8"))
    today = now.astimezone(ZoneInfo(settings.setdefault("timezone", "Europe/Berlin"))).replace(hour=23, minute=59)
    settings.setdefault("late", {"percent_per_day": 10, "grace_minutes": 15, "cap_percent": 50, "latest_days": 7})
    for days, assignment in zip(DAYS_TO_DEADLINES, settings["assignments"].values(), strict=False):
        assignment["deadline"] = f"{today + timedelta(days=days):%Y-%m-%d %H:%M}"
        if days < 0:
            assignment["feedback"] = {**assignment.get("feedback", {}), "results": "after_published"}
    make_output_folder(folder)
    for name in ("assignments", "solutions", "student_template"):
        if (course.folder / name).is_dir() and not (folder / name).exists():
            (folder / name).symlink_to((course.folder / name).resolve())
    text = yaml.safe_dump(settings, allow_unicode=True, sort_keys=False)
    write_file_atomically(folder / "grading.yml", text.encode())


def _list_students() -> Iterator[MemberDetails]:
    """Yield all students, the same ones every time."""
    names = [f"{given} {family}" for given, family in product(GIVEN_NAMES, FAMILY_NAMES)]
    Random(6).shuffle(names)
    logins = dict(FIRST_STUDENTS)
    for number, name in enumerate(names[: STUDENTS - len(logins)], len(logins) + 1):
        letters = [letter for letter in fold_for_search(name.split()[-1]) if letter.isascii() and letter.isalnum()]
        logins[f"{''.join(letters)[:8] or 'u'}{number:03}"] = name
    for number, (login, name) in enumerate(logins.items()):
        team = TEAM if login in ("chen", "dana") else ""
        section = SECTIONS[number % len(SECTIONS)]
        yield MemberDetails(login, name, team=team, section=section, address=f"{login}@uni.example")


def _list_programs(assignment: Assignment) -> list[bytes]:
    """Return what students hand in to an assignment: the right program first, then wrong ones."""
    right = assignment.solution_file.read_text(encoding="utf-8")
    misconceptions = load_misconception_catalogue(assignment).misconceptions
    chosen = misconceptions[:: max(1, len(misconceptions) // PROGRAMS)][:PROGRAMS]
    wrong = [apply_misconceptions(right, misconception) for misconception in chosen]
    programs = (right, *wrong, f"{right}\nprint('done'\n")
    return [SOLUTION_MARK.sub("", program).encode() for program in programs]


@dataclass(frozen=True, slots=True)
class _GradedProgram:
    content: bytes
    result: PackedResult


def _grade_programs(assignment: Assignment, sandbox: SandboxConfig) -> list[_GradedProgram]:
    """Grade what students hand in to an assignment, as a batch does."""
    with TemporaryDirectory() as scratch:
        location, entries = BatchLocation(Path(scratch) / "results"), []
        for number, content in enumerate(_list_programs(assignment)):
            path = Path(scratch) / str(number) / assignment.solution_file.name
            path.parent.mkdir()
            path.write_bytes(content)
            entries.append(SubmissionEntry(str(number), path))
        run_batch(BatchConfig(assignment, sandbox, location), entries)
        with location.open_existing_store() as store:
            stored = [found for _, found, _ in iterate_entry_results(store, location.get_stored_class(store))]
            return [
                _GradedProgram(entry.path.read_bytes(), store.results.load_packed_result(found))
                for entry, found in zip(entries, stored, strict=True)
                if found
            ]


@dataclass
class _Term:
    """Fills the store of a demo."""

    store: ServerStore
    location: BatchLocation
    now: datetime

    @cached_property
    def _people(self) -> dict[str, Enrolment]:
        return {person.login: person for person in self.store.accounts.list_enrolments(self._key)}

    @cached_property
    def _key(self) -> str:
        return self.location.class_key_in_store

    def add_people(self) -> None:
        """Add everybody."""
        context = make_shell_context(self._key)
        for member in (*STAFF, *_list_students()):
            self.store.roll.save_member(context, context.account, member, None)

    def add_class(self, assignment: Assignment, sandbox: SandboxConfig, programs: Sequence[_GradedProgram]) -> None:
        """Add what the class handed in to an assignment, what it asked, and what the staff decided."""
        folder = self.location.output_folder / HANDED_IN / assignment.name
        rules = make_grading_rules(assignment, sandbox.tier)
        stored_class = self.store.classes.update_or_create_class(self._key, folder, rules)
        grader = AssignmentHandInGrader(
            self.store, self.location, stored_class, assignment, sandbox, "demo", 1, threading.Event()
        )
        days_left = ((assignment.deadline_rules.deadline or self.now) - self.now).days
        chance = Random(assignment.name)
        handed_in = self._add_hand_ins(grader, programs, chance)
        if days_left < -7:
            self.store.publications.set_results_published(
                self._key, assignment.name, self._people["ines"], is_published=True
            )
        if days_left < -7 or days_left >= 0:  # students see their results
            right = hashlib.sha256(programs[0].content).hexdigest()
            for hand_in in [one for one in handed_in if one.sha256 != right][:QUESTIONS_FOR_EACH]:
                self._ask(hand_in, chance.choice(QUESTIONS), is_answered=days_left < -14)
        tess = DecisionProvenance("Tess Adler", "tess")
        first, second, third, *_ = chance.sample(handed_in, 3)
        decisions = [tess.make_decision("extend", first.owner, value="3 days", reason="ill")]
        if days_left < 0:
            decisions += [
                tess.make_decision("override", second.submission, value="5", reason="shown in the exercise class"),
                tess.make_decision("comment", third.submission, value="Good names. Next time, start earlier."),
            ]
        self.store.decisions.add_decisions(stored_class, self._key, decisions, {})

    def _add_hand_ins(
        self, grader: AssignmentHandInGrader, programs: Sequence[_GradedProgram], chance: Random
    ) -> list[HandIn]:
        """Add all attempts, and return the last one of each student: some late, some right, some never."""
        deadline = grader.assignment.deadline_rules.deadline or self.now
        is_running, last_attempts = deadline >= self.now, []
        for person in self._people.values():
            is_away = chance.random() > (0.55 if is_running else 0.96) or (is_running and person.login in NEWCOMERS)
            if person.role != "student" or is_away or person.login == "dana":  # Chen hands in for both
                continue
            wrong = chance.sample(programs[1:], min(chance.choice((1, 1, 1, 2, 2, 3)), len(programs) - 1))
            moment = min(deadline, self.now) - timedelta(hours=chance.expovariate(1 / 20))
            if not is_running and chance.random() < 0.08:
                moment = deadline + timedelta(hours=chance.uniform(0.3, 60))
            attempts = [*wrong[:-1], programs[0] if chance.random() < 0.55 else wrong[-1]]
            for number, program in enumerate(attempts, 1 - len(attempts)):
                last = self._hand_in(grader, person, program, moment + number * timedelta(hours=5))
            last_attempts.append(last)
        return last_attempts

    def _hand_in(
        self, grader: AssignmentHandInGrader, person: Enrolment, program: _GradedProgram, moment: datetime
    ) -> HandIn:
        """Add a hand-in with its result, as the worker does."""
        hand_in = self.store.hand_ins.add_hand_in_unless_duplicate(
            NewHandIn(
                course=self._key,
                assignment=grader.assignment.name,
                members=self.store.accounts.list_team_members(self._key, person),
                file_name=grader.assignment.solution_file.name,
                content=program.content,
                handed_in=moment,
            )
        )
        grader.add_result_from_elsewhere(hand_in, program.result)
        return hand_in

    def _ask(self, hand_in: HandIn, question: str, *, is_answered: bool) -> None:
        student = self._people[hand_in.owner.split(TOGETHER)[0]]
        inquiry = self.store.inquiries.open_or_join_inquiry(hand_in, "", student, question)
        if is_answered:
            self.store.inquiries.add_entry_unless_outdated(
                self._key, inquiry, self._people["tess"], "answer", "Look at the smallest program that differs."
            )
