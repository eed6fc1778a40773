"""Every message of the package is one line with a form of its own: what is wrong, where, and what to do next.

What is wrong is a sentence with a subject, or one of the short forms that git and click use: "cannot read the file",
"unknown assignment 'x'". It can be understood without the place before it and the advice behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from autograder.faults import CallerFault, KitFault, make_file_fault
from tests.cli.messages_in_source import Message, collect_messages, find_classes_below
from tests.cli.texts_of_expressions import ANYTHING

NO_SUBJECTS = re.compile(
    r"""
    is|are|was|were|been?|has|have|had|does|do|did|must|may|might|can|could|should|would|will|shall|needs?|requires|
    says?|said|gives?|gave|names?|named|holds?|held|stands|takes|took|lies|lay|ends|ended|begins|began|lacks|contains|
    makes|made|goes|comes|came|gets|got|keeps|kept|knows|wants|waits|exists|belongs|answers|answered|asks|asked|shows|
    tells|told|leads|redirects|replaces|refuses|allows|expects|raises|defines|imports|sets|checks|reads|writes?|wrote|
    opens|finds|returns|lets?|fails|failed|calls|called|leaves?|handed|use|choose|add|put|
    its?|they|their|he|she|his|her|who|whose|nobody|that
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""First words that are no subject: verbs, and pronouns that refer to something outside the message."""
FORBIDDEN = re.compile(
    r"^cannot be\b|^not (?:a|an|the)\b|(?<!\bthere )\bis no (?!longer\b)|\bof nobody\b|\bcalled so\b|"
    r"\bthat (?:is|are) none\b|\bby no fault\b|\bsays? not\b|\bwhose is whose\b|\bwho is who\b|\bof theirs\b|"
    r"\bnot the submission's\b",
    re.IGNORECASE,
)
NO_ADVICE = re.compile(r"^(?:known|others|versions|is|are|it|its|they|the|a|an|what|that|there|this|has|have)\b")
"""Beginnings of what is no imperative clause; the question "did you mean" is allowed."""
NAMES = frozenset({"Canvas", "Dask", "Gradescope", "Moodle", "Otter", "Python", "Slurm", "VPL", "YAML"})
"""Words that begin with a capital anywhere."""
CURES = re.compile(
    r"\b(must be|cannot be|needs?|requires?|is made in one way|not a|a weight is|is lower-case|go down to|"
    r"two tests have)\b"
)
"""Sentences that say themselves what to do."""
OTHER_WORDS = re.compile(
    r"\b(pupil|learner|candidate|teacher|exam|please|oops|sorry|invalid|illegal)\b", re.IGNORECASE
)
"""There is one vocabulary: student, course, grader. And a message says what is wrong, not that something is."""
FULL_STOP = re.compile(r"(?:(?<!\.\.)\.|!)$")
"""Three full stops stand for something left out."""
MARKUP = re.compile(r"^[`'\"(]+")


def collect_staff_messages() -> list[Message]:
    """All but those for students, in whole sentences with capitals and full stops, as on pages of ``web``."""
    bases = ["UngradableSubmission", "BadArchive", "RefusedZipMember", "UnusablePath", "RefusedUpload"]
    for_students = find_classes_below(bases).union(bases, ["HandInRefused"])
    return [
        one
        for one in collect_messages()
        if one.maker not in for_students and not (one.maker == "RefusedLtiRequest" and one.place.startswith("web/"))
    ]


def format_messages(found: Iterator[Message] | list[Message]) -> list[str]:
    return [*map(str, found)]


def first_word(text: str) -> str:
    return re.split(r"[\s,;:]", MARKUP.sub("", text), maxsplit=1)[0]


def has_subject(text: str) -> bool:
    return not NO_SUBJECTS.fullmatch(first_word(text)) and not FORBIDDEN.search(text)


def begins_like_a_clause(text: str) -> bool:
    first = first_word(text)
    return not first[:1].isupper() or first.removesuffix("'s") in NAMES or first.isupper() or ANYTHING in first


def test_messages_are_found() -> None:
    makers = {one.maker for one in collect_messages()}
    assert len(collect_messages()) > 500
    assert {"CallerFault", "CourseFault", "KitFault", "RefusedAddress", "RefusedLtiRequest"} < makers
    assert {"make_fault_at", "UngradableSubmission", "UsageError", "fail", "BadParameter", "warn", "echo"} < makers


WITHOUT_SUBJECT = (
    "is no platform",
    "says not where to write",
    "needs packages that are not installed",
    "cannot be read: Permission denied",
    "3 submissions of nobody",
    "'x' is no concept",
    "no student is called so",
    "it changed while it was graded",
)
WITH_SUBJECT = (
    "the roster has no column 'login'",
    "this file is not a zip",
    "cannot read the roster: Permission denied",
    "unknown assignment 'x'",
    "no submission matches 'x'",
    "missing option --out",
    "the file is no longer there",
    "there is no Slurm on this machine",
)


@pytest.mark.parametrize("text", [*WITHOUT_SUBJECT, *WITH_SUBJECT])
def test_a_message_has_a_subject_or_not(text: str) -> None:
    assert has_subject(text) == (text in WITH_SUBJECT)


def test_a_message_can_be_understood_without_place_and_advice() -> None:
    assert not format_messages([one for one in collect_messages() if not has_subject(one.what)])


def test_advice_is_an_imperative_clause() -> None:
    assert not format_messages([one for one in collect_messages() if NO_ADVICE.search(one.advice)])


def test_a_message_is_one_line_without_a_full_stop() -> None:
    texts = [(one, text) for one in collect_staff_messages() for text in (one.what, one.advice)]
    assert not format_messages([one for one, text in texts if "\n" in text or FULL_STOP.search(text) or "  " in text])


def test_a_message_begins_in_lower_case() -> None:
    texts = [(one, text) for one in collect_staff_messages() for text in (one.what, one.advice)]
    assert not format_messages([one for one, text in texts if not begins_like_a_clause(text)])


def test_whoever_made_the_mistake_is_told_what_to_do() -> None:
    not_the_callers = find_classes_below(["KitFault"]) | {"KitFault", "RefusedLtiRequest"}
    faults = (find_classes_below(["Fault"]) | {"make_fault_at"}) - not_the_callers
    own = [one for one in collect_messages() if one.maker in faults and not one.has_advice]
    assert not format_messages([one for one in own if not CURES.search(one.what)])


def test_one_vocabulary_is_used() -> None:
    texts = [(one, text) for one in collect_messages() for text in (one.what, one.advice)]
    assert not format_messages([one for one, text in texts if OTHER_WORDS.search(text)])


@pytest.mark.parametrize(
    ("error", "action", "message"),
    [
        (FileNotFoundError(2, "No such file"), "read", "cannot read this file: No such file (name one that exists)"),
        (FileNotFoundError(2, "None"), "write", "cannot write this file: None (name a folder that exists)"),
        (OSError(36, "Too long"), "write", "cannot write this file: Too long (choose a shorter name)"),
        (
            PermissionError(13, "Permission denied"),
            "write",
            "cannot write this file: Permission denied (let this account write to it)",
        ),
        (
            OSError(28, "No space left on device"),
            "write to",
            "cannot write to this folder: No space left on device (make room on the disk)",
        ),
        (
            OSError(5, "Input/output error"),
            "remove",
            "cannot remove this file: Input/output error (look at the file and at its disk, then try again)",
        ),
    ],
)
def test_what_the_system_refuses_is_told_with_what_helps(error: OSError, action: str, message: str) -> None:
    fault = make_file_fault(error, "roster.csv", action=action)
    assert isinstance(fault, CallerFault)
    assert str(fault) == f"roster.csv: {message}"


def test_a_folder_that_cannot_be_read_is_called_a_folder(tmp_path: object) -> None:
    fault = make_file_fault(IsADirectoryError(21, "Is a directory"), tmp_path, fault_class=KitFault)
    assert str(fault) == f"{tmp_path}: cannot read this folder: Is a directory (name a file; this is a folder)"
