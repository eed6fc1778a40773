"""Four people go their ways through a term in a real browser, by the keyboard alone, at a desk and on a telephone."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.batch.batch_location import BatchLocation
from autograder.platforms.gradescope.autograder_zip import make_kit_wheel_name_and_content
from autograder.web.settings import CourseServerSettings
from tests.browser import READERS, is_wider_than_its_window, list_serious_violations, press_tab_until
from tests.toy import HALF, RIGHT, write_toy
from tests.web.conftest import Site, command, make_site, wait_until
from tests.web.real_server import answers

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload, Page

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
ENGINE = "A scalar autograd engine"
PATIENCE = 3600.0
"""Seconds after which something hangs: before it answers, a demo grades for minutes of a quiet machine."""
LINK = re.compile(r"http://\S+/link/[\w-]{43}")
PICTURES = os.environ.get("KIT_PICTURES", "")
"""A folder for pictures of all pages on the way; none are taken when empty."""
UNFOLDED = ("Or paste your code", "Publish the results")
"""What opens in its page, and leads to no other."""
each_screen = pytest.mark.parametrize("screen", ["light", "phone"])


@dataclass
class Traveller:
    """Somebody with a browser, who looks at each page, and needs neither a mouse nor a wide screen."""

    page: Page
    name: str
    steps: int = field(default=0, init=False)

    def be(self, person: str) -> None:
        """Sign in by a click, as in a demo."""
        self.page.goto("/sign-in")
        self.press(person)
        self.page.get_by_role("button", name="Sign out").wait_for()

    def press(self, name: str) -> None:
        """Go to what is called so with Tab, and press Enter."""
        press_tab_until(self.page, name)
        with nothing() if name in UNFOLDED else self.page.expect_event("framenavigated"):
            self.page.keyboard.press("Enter")
        self.page.wait_for_load_state()

    def write(self, label: str, text: str) -> None:
        """Go to a field with Tab, and write."""
        press_tab_until(self.page, label)
        self.page.keyboard.insert_text(text)

    def tick(self, label: str) -> None:
        """Go to a box with Tab, and tick it."""
        press_tab_until(self.page, label)
        self.page.keyboard.press("Space")

    def take_file(self, label: str, chosen: FilePayload) -> None:
        """Go to the field for a file with Tab, open the window of the system, and choose one there."""
        press_tab_until(self.page, label)
        with self.page.expect_file_chooser() as chooser:
            self.page.keyboard.press("Space")
        chooser.value.set_files(chosen)

    def hand_in(self, program: str) -> None:
        """Paste a program, and wait until all is said about it."""
        self.press("Or paste your code")
        self.write("The whole file", program)
        self.press("Hand in")
        self.page.wait_for_url(re.compile("/hand-ins/"))
        self.look()
        wait_until(self.has_result, "the result", PATIENCE)
        if self.page.get_by_role("link", name="Show it").is_visible():
            self.press("Show it")

    def has_result(self) -> bool:
        """Whether the page is there, and waits for nothing more."""
        is_there = "document.readyState === 'complete' && !document.querySelector('#waiting[data-seconds]')"
        return self._sees(lambda: bool(self.page.evaluate(is_there)))

    def read(self, text: str) -> None:
        """Find a text on the page, or in a frame of it."""

        def is_shown() -> bool:
            return any(frame.get_by_text(text).first.is_visible() for frame in self.page.frames)

        wait_until(lambda: self._sees(is_shown), f"‘{text}’", PATIENCE)

    def reload_until(self, text: str) -> None:
        """Load the page again until a text is on it."""

        def is_shown() -> bool:
            self.page.reload()
            return text in self.page.inner_text("main")

        wait_until(is_shown, f"‘{text}’", PATIENCE)

    def _sees(self, look: Callable[[], bool]) -> bool:
        from playwright.sync_api import Error

        try:
            return look()
        except Error:  # the page loads itself again at this moment
            return False

    def look(self) -> None:
        """Take a picture of a page that has to be neither too wide nor hard to use."""
        self.steps += 1
        if PICTURES:
            self.page.screenshot(path=Path(PICTURES) / f"{self.name}-{self.steps:02}.png", full_page=True)
        found: list[str] = []

        def is_examined() -> bool:
            found[:] = list_serious_violations(self.page)
            found.extend(["wider than its window"] if is_wider_than_its_window(self.page) else [])
            return True

        wait_until(lambda: self._sees(is_examined), "a page that stays", PATIENCE)
        assert found == [], self.page.url


@contextmanager
def nothing() -> Iterator[None]:
    yield


def set_out(browser: Browser, site: Site, name: str, screen: str) -> Traveller:
    context = browser.new_context(base_url=site.settings.course_url, **READERS[screen])
    return Traveller(context.new_page(), f"{name}-{screen}")


@contextmanager
def serving(site: Site, **environment: str) -> Iterator[None]:
    """A server that runs until the end of the block."""
    with subprocess.Popen(
        command(site.settings), stderr=subprocess.DEVNULL, env={**os.environ, **environment}
    ) as server:
        try:
            wait_until(lambda: answers(site), "the server answers", PATIENCE)
            yield
        finally:
            server.terminate()
            assert server.wait(300) == 0


@pytest.fixture(scope="module")
def term(tmp_path_factory: pytest.TempPathFactory, free_port: int) -> Iterator[Site]:
    """The demo, in its sixth week."""
    place = BatchLocation(tmp_path_factory.mktemp("term") / "results")
    site = Site(CourseServerSettings(ROOT, place, port=free_port, demo=True))
    with serving(site):
        yield site


@each_screen
def test_a_student_gets_full_marks_with_the_third_attempt(browser: Browser, term: Site, screen: str) -> None:
    student = set_out(browser, term, "student", screen)
    student.be({"light": "Ada Okafor", "phone": "Hana Suzuki"}[screen])
    student.look()
    student.press(ENGINE)
    student.look()
    for program, sentence in (
        ("overwrites", "a second contribution replaces the first"),
        ("zero_grad_shallow", "zero_grad"),
        ("complete", "All of it holds"),
    ):
        student.hand_in((ROOT / "examples" / "submissions" / f"{program}.py").read_text(encoding="utf-8"))
        student.read(sentence)
        student.look()
        student.press(ENGINE)
    student.read("Attempt 3")
    student.look()
    student.press("Neural networks")
    student.read("100")
    student.look()


@each_screen
def test_an_assistant_answers_40_questions_of_an_evening(browser: Browser, term: Site, screen: str) -> None:
    assistant = set_out(browser, term, "assistant", screen)
    assistant.be("Tess Adler")
    assistant.press("Inquiries")
    assistant.look()
    found = re.search(r"Inquiries (\d+)", assistant.page.get_by_role("navigation").first.inner_text())
    assert found
    assistant.press("The whole result")
    for number in range(40):
        assistant.look()
        assistant.write("Answer", f"Look at the first test that fails, number {number + 1}.")
        assistant.press("Send the answer")
        assistant.read("Tess Adler answered")
        assistant.press("Next open inquiry")
    assistant.read(str(int(found[1]) - 40))
    assistant.press("Decide about")
    assistant.look()
    assistant.write("What the student reads", "Please come to the exercise class with this.")
    assistant.press("Send comment")
    assistant.read("Please come to the exercise class with this.")
    assistant.look()


ROSTER = """\
login,name,email,section
ada,Ada Lovelace,ada@example.com,Monday
li,李 小龙,li@example.com,Monday
noor,Noor Haddad,noor@example.com,Tuesday
"""
WORKSHEET = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed",\
"Last modified (grade)","Feedback comments"
"Participant 21","Ada Lovelace",ada@example.com,"Submitted for grading",,10.00,Yes,-,
"Participant 23","小龙 李",li@example.com,"Submitted for grading",,10.00,Yes,-,
"Participant 24","Noor Haddad",noor@example.com,"No submission",,10.00,Yes,-,
"""
GRADEBOOK = """\
Student,ID,SIS Login ID,Section,toy (7)
    Points Possible,,,,10.00
"Lovelace, Ada",11,ada,A,
"李, 小龙",12,li,A,
"Haddad, Noor",13,noor,B,
"""


@each_screen
def test_an_instructor_goes_from_an_empty_server_to_grades_in_moodle_and_canvas(
    browser: Browser, tmp_path: Path, free_port: int, screen: str
) -> None:
    write_toy(tmp_path / "course", "    deadline: 2099-01-01 12:00\n    feedback: {results: after_published}\n")
    site = make_site(tmp_path, port=free_port)
    link = site.invite("ines")
    with serving(site):
        ines = set_out(browser, site, "instructor", screen)
        page = ines.page
        page.goto(link)
        ines.press("Sign in here")
        ines.press("People")
        ines.press("Bring in a roster")
        ines.take_file("The file", file("roster.csv", ROSTER))
        ines.press("Look at it")
        ines.tick("Invite the new people")
        ines.look()
        ines.press("Add 3")
        links = LINK.findall(page.inner_text("main"))
        ines.look()
        students = [set_out(browser, site, f"invited-{number}", "phone") for number in range(3)]
        for student, personal_link, program in zip(students, links, (RIGHT, HALF, ""), strict=True):
            student.page.goto(personal_link)
            student.press("Sign in here")
            if program:
                student.press("toy")
                student.hand_in(program)
                student.read("not published yet")
        page.goto("/")
        ines.press("toy")
        ines.look()
        ines.press("Publish the results")
        ines.look()
        ines.press("Publish now")
        ines.read("Published")
        students[0].page.reload()
        students[0].read("All of it holds")
        students[0].look()
        moodle = export(ines, "Moodle", file("worksheet.csv", WORKSHEET))
        canvas = export(ines, "Canvas", file("gradebook.csv", GRADEBOOK))
    assert re.search(r'"?Ada Lovelace"?,ada@example.com,.*?,"?10', moodle)
    assert re.search(r'"Lovelace, Ada",11,ada,A,10', canvas)
    assert re.search(r'"?李, 小龙"?,12,li,A,\d', canvas)


def file(name: str, text: str) -> FilePayload:
    return {"name": name, "mimeType": "text/csv", "buffer": text.encode()}


def export(instructor: Traveller, platform: str, gradebook: FilePayload) -> str:
    """What a platform's file says after an export."""
    page = instructor.page
    page.goto("/")
    instructor.press("toy")
    instructor.press("Export to a platform")
    instructor.press(platform)
    instructor.take_file("Its gradebook", gradebook)
    instructor.press("Show what it changes")
    instructor.read("Nothing was written yet")
    instructor.look()
    press_tab_until(page, "Download")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    content = download.value.path().read_bytes()
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            content = archive.read(next(name for name in archive.namelist() if name.endswith(".csv")))
    return content.decode("utf-8-sig")


@each_screen
def test_an_administrator_upgrades_and_goes_back_to_the_copy(
    browser: Browser, root: Path, tmp_path: Path, free_port: int, screen: str
) -> None:
    site = make_site(root, port=free_port)
    results, copy = site.settings.location.output_folder, tmp_path / "copy"
    alex = set_out(browser, site, "administrator", screen)
    before = count_hand_ins(site)
    with serving(site):
        alex.page.goto(site.invite("root"))
        alex.press("Sign in here")
        alex.press("Health")
        alex.look()
    shutil.copytree(results, copy)  # with the server stopped, as docs/server.md says
    newer = install_newer_kit(tmp_path)
    with serving(site, PYTHONPATH=str(newer), PYTHONSAFEPATH="1"):
        alex.page.reload()
        alex.read("kit 9.0.0")
        alex.look()
        assert site.browser("bob").hand_in("def double(x):\n    return 2 * x\n").status_code == 303
        wait_until(lambda: all(one.state == "graded" for one in site.hand_ins()), "graded by the newer kit", PATIENCE)
        assert count_hand_ins(site) == before + 1
    shutil.rmtree(results)
    shutil.copytree(copy, results)
    with serving(site):
        alex.reload_until("All is well")  # the worker starts a little later than the pages
        assert "kit 9.0.0" not in alex.page.inner_text("main")
        assert count_hand_ins(site) == before


def count_hand_ins(site: Site) -> int:
    return len(site.hand_ins())


def install_newer_kit(folder: Path) -> Path:
    """Install the kit's wheel, of a later version, into a folder."""
    name, content = make_kit_wheel_name_and_content()
    wheel = folder / name
    wheel.write_bytes(content)
    words = ["--quiet", "--no-deps", "--no-index", "--target", folder / "newer", wheel]
    subprocess.run([sys.executable, "-m", "pip", "install", *map(str, words)], check=True)
    version = folder / "newer" / "autograder" / "__init__.py"
    text = version.read_text(encoding="utf-8")
    version.write_text(re.sub('__version__ = ".*"', '__version__ = "9.0.0"', text), encoding="utf-8")
    return folder / "newer"
