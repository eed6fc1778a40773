"""Programs that look for hidden tests, answers and other students' work: nothing of it is in any report."""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import pytest

from autograder.bridge.connection import CRASH_SIGNALS
from autograder.course import Assignment
from autograder.grading import Grader
from autograder.reports import make_score_report
from autograder.sandbox import SandboxConfig
from tests.redteam.attack import Attack, attacks, named
from tests.redteam.courses import A_PART, hand_in, part_of
from tests.redteam.honest import PUBLISH, WEAK, placed

LEAKS = attacks("leak")
NUMBER = "0.48151623421"
DIGITS = NUMBER.partition(".")[2][:8]
"""As many as fit into any number that a process may send."""
EXIT_CODE, SIGNAL, NUMERAL = re.compile(r"exit code (\d+)"), re.compile(r"SIG[A-Z]\w*"), re.compile(r"\d+")

SECRET_TEST = """
import pytest

SECRET = "{canary}"
NUMBER = {number}
pytestmark = [pytest.mark.concept("tanh"), pytest.mark.needs("__init__")]


@pytest.mark.subject("__mul__")
def test_a_secret_number(Value):
    \"\"\"A product with a number that nobody knows.\"\"\"
    assert (Value(NUMBER) * Value(2.0)).data == 2 * NUMBER, "the product is wrong"


@pytest.mark.subject("tanh")
def test_a_secret_text(Value):
    \"\"\"A number of which the test keeps something to itself.\"\"\"
    expected = SECRET
    assert Value(0.0).tanh().data == 0 and expected, "it is not zero"
"""


@dataclass(frozen=True, slots=True)
class Planted:
    """A grader in which a canary sits wherever one might look."""

    grader: Grader
    canary: str
    neighbour: Path
    tier: str

    def told_of(self, program: str, folder: Path) -> tuple[str, str]:
        """All that is written of a program: its report, and pytest's own record."""
        hidden = str(self.grader.assignment.hidden_suite_folder)
        text = placed(program, hidden=hidden, parent=os.getpid(), neighbour=str(self.neighbour))
        graded = hand_in(self.grader, text, folder)
        report = make_score_report(graded, self.grader.assignment)
        return msgspec.json.encode(report).decode(), json.dumps(graded.pytest_record)


@pytest.fixture(scope="module")
def planted(
    engine: Assignment, each_tier: SandboxConfig, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Planted]:
    root = tmp_path_factory.mktemp("course")
    canary = f"canary-{secrets.token_hex(16)}"
    part = part_of(engine, root, more=f"{A_PART}\nSECRET = {canary!r}\n")
    (part.hidden_suite_folder / "test_9_secret.py").write_text(SECRET_TEST.format(canary=canary, number=NUMBER))
    class_ = tmp_path_factory.mktemp("class")
    class_.chmod(0o755)
    (class_ / "neighbour.py").write_text(f"{WEAK}\n# {canary}\n")
    here = tmp_path_factory.mktemp("here")
    (here / "notes.txt").write_text(canary)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_TOKEN", canary)
        patch.setattr(sys, "argv", [*sys.argv, canary])
        patch.chdir(here)
        with Grader(part, each_tier) as opened:
            yield Planted(opened, canary, class_ / "neighbour.py", each_tier.tier)


def test_what_a_program_publishes_would_be_seen(planted: Planted, folder: Path) -> None:
    report, raw = planted.told_of(f"{WEAK}{PUBLISH}\npublish({planted.canary!r})", folder)
    assert planted.canary in report
    assert planted.canary in raw


@pytest.mark.parametrize("attack", LEAKS, ids=lambda attack: attack.slug)
def test_nothing_is_found_in_report_record_or_output(
    planted: Planted, folder: Path, capfd: pytest.CaptureFixture[str], attack: Attack
) -> None:
    assert attack.verdict == "nothing found"
    if planted.tier not in attack.tiers:
        pytest.skip(f"tier {planted.tier} does not promise this")
    report, raw = planted.told_of(attack.program, folder)
    assert planted.canary not in report
    assert planted.canary not in raw
    # In whatever digits; the staff's own record may show what a hidden test uses.
    assert DIGITS not in unicodedata.normalize("NFKC", repr(json.loads(report)))
    assert {*EXIT_CODE.findall(report)} <= {"0", "1", *NUMERAL.findall(attack.program)}
    assert {*SIGNAL.findall(report)} <= {*CRASH_SIGNALS, "SIGKILL"}
    assert capfd.readouterr() == ("", "")


def test_an_exit_code_that_a_program_computes_is_not_told_where_students_see_no_values(
    engine: Assignment, sandbox: SandboxConfig, tmp_path: Path, folder: Path
) -> None:
    part = part_of(engine, tmp_path)
    part = replace(part, feedback=msgspec.structs.replace(part.feedback, observed_values=False))
    with Grader(part, sandbox) as grader:
        graded = hand_in(grader, named("the_inputs_are_exit_codes", LEAKS).program, folder)
    report = msgspec.json.encode(make_score_report(graded, part)).decode()
    assert "it ended its process (with another exit code than 0 or 1) instead of returning" in report
    assert EXIT_CODE.findall(report) == []


@pytest.mark.redteam
def test_a_note_on_loading_that_a_process_makes_up_is_not_shown(tier_grader: Grader, folder: Path) -> None:
    for slug in ("it_says_that_loading_was_stopped", "the_inputs_are_lines_of_loading"):
        (note,) = hand_in(tier_grader, named(slug, LEAKS).program, folder).notes
        assert "hello" not in note
        assert ", line " not in note.partition("`")[0].replace(", line 3", "")
    for slug in ("a_hundred_notes_on_loading", "names_that_nobody_asked_for"):
        assert hand_in(tier_grader, named(slug, LEAKS).program, folder).notes == ()


def test_a_process_that_is_started_later_adds_no_note_on_loading(tier_grader: Grader, folder: Path) -> None:
    lines = [f"if chosen == {number}: raise ValueError(chosen)" for number in range(100)]
    ends = "def _end(self): os._exit(1)\nValue.backward = Value.tanh = _end"
    chosen = "import os, time\nchosen = time.time_ns() // 1000 % 100"
    graded = hand_in(tier_grader, "\n".join([WEAK, chosen, ends, *lines]), folder)
    assert graded.process_count > 3
    (note,) = graded.notes
    assert "more after it" not in note
