"""Keep what the hidden tests see of each misconception in a generated file, and find what a submission looks like.

A misconception is put into the reference solution, in each style of ``styles.yml``, and graded. Of every test that it
loses, a digest of what the test saw is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from autograder.course import Assignment
from autograder.course.misconceptions import list_misconception_files
from autograder.course.solution_styles import PLAIN
from autograder.diagnosis.diagnosis_module_loading import list_diagnosis_module_files
from autograder.faults import CourseFault, make_file_fault, translate_file_errors
from autograder.files_without_tool_caches import list_files_without_tool_caches
from autograder.grading import HiddenTestResult
from autograder.grading.suite.hidden_test_reruns import LOST_OUTCOMES

LostTests = dict[str, str]
"""A digest of what each lost test saw, by the test's id."""
Observed = dict[str, LostTests]
"""What is lost with a misconception, by the style's id; a style that is missing loses what the plain one does."""
UNTRIED = ("blocked", "not attempted", "grader error")
"""Outcomes that say nothing of a mistake."""
DIGITS = 8


class _ObservationsFile(msgspec.Struct, frozen=True):
    state: str
    tests: list[str]
    misconceptions: dict[str, dict[str, str]]
    """For each style, the lost tests by their place in ``tests``: ``0 1f2e3d4c, 7 0a1b2c3d``."""


def digest_lost_tests(results: Iterable[HiddenTestResult]) -> LostTests:
    """Return what the lost tests saw, without tests beyond the contract."""
    return {
        result.spec.id: hashlib.sha256(f"{result.outcome}\n{result.observed_behavior}".encode()).hexdigest()[:DIGITS]
        for result in results
        if result.outcome in LOST_OUTCOMES and not result.spec.asks_beyond_contract
    }


def list_matching_misconceptions(
    results: Sequence[HiddenTestResult], observed: Mapping[str, Observed], styles: Sequence[str] = (PLAIN,)
) -> list[tuple[str, str]]:
    """Return the misconceptions that lose the same tests as a submission in the same way, each with its style.

    Only tests that the submission attempted count, so that one without the bonus matches as well.

    Args:
        results: the submission's tests.
        observed: what is lost with each misconception.
        styles: the styles to try; the matches in the first come first.
    """
    lost = digest_lost_tests(results)
    attempted = {result.spec.id for result in results if result.outcome not in UNTRIED}
    return [
        (name, style)
        for style in styles
        for name, by_style in observed.items()
        if lost
        and lost
        == {test: digest for test, digest in by_style.get(style, by_style[PLAIN]).items() if test in attempted}
    ]


def get_observations_file_path(assignment: Assignment) -> Path:
    """Return the path of an assignment's file of observations."""
    return assignment.solution_file.parent / "observations.json"


def hash_observation_inputs(assignment: Assignment) -> str:
    """Hash everything that names depend on: tests, conventions, solution, misconceptions, styles and diagnosis."""
    digest = hashlib.sha256(msgspec.json.encode(assignment.conventions))
    data = (*list_misconception_files(assignment), assignment.solution_file.parent / "styles.yml")
    hidden = list_files_without_tool_caches(assignment.hidden_suite_folder)
    for path in (*hidden, *list_diagnosis_module_files(assignment), assignment.solution_file, *data):
        with translate_file_errors(path, fault_class=CourseFault):
            content = path.read_bytes() if path.is_file() else b""
        digest.update(f"\0{path.name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def read_observations_if_current(assignment: Assignment) -> dict[str, Observed] | None:
    """Return the stored observations of each misconception; None if there are none, or if they are out of date.

    Raises:
        CourseFault: the file cannot be read.
    """
    if not list_misconception_files(assignment):
        return {}
    kept = _read(assignment)
    if kept is None or kept.state != hash_observation_inputs(assignment):
        return None
    return {
        name: {style: _parse_lost_tests(text, kept.tests) for style, text in by_style.items()}
        for name, by_style in kept.misconceptions.items()
    }


def get_usable_observations_hash(assignment: Assignment) -> str:
    """Return the current hash of what observations depend on; empty if there are no usable observations."""
    try:
        is_usable = read_observations_if_current(assignment) is not None
        return hash_observation_inputs(assignment) if is_usable else ""
    except CourseFault:
        return ""


def encode_observations_file(assignment: Assignment, observed_misconceptions: Mapping[str, Observed]) -> bytes:
    """Return the content of the file of observations; see ``Observed``."""
    tests = sorted({test for styles in observed_misconceptions.values() for lost in styles.values() for test in lost})
    places = {test: place for place, test in enumerate(tests)}
    misconceptions = {
        name: {
            style: ", ".join(f"{places[test]} {digest}" for test, digest in sorted(lost.items()))
            for style, lost in sorted(without_repeated_styles(by_style).items())
        }
        for name, by_style in sorted(observed_misconceptions.items())
    }
    kept = _ObservationsFile(hash_observation_inputs(assignment), tests, misconceptions)
    return msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"


def without_repeated_styles(observed: Observed) -> Observed:
    """Return the same without the styles that lose what the plain one does."""
    return {style: lost for style, lost in observed.items() if style == PLAIN or lost != observed[PLAIN]}


def _parse_lost_tests(text: str, tests: Sequence[str]) -> LostTests:
    pairs = (entry.split(" ") for entry in text.split(", ") if entry)
    return {tests[int(place)]: digest for place, digest in pairs}


def _read(assignment: Assignment) -> _ObservationsFile | None:
    path = get_observations_file_path(assignment)
    try:
        return msgspec.json.decode(path.read_bytes(), type=_ObservationsFile)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise make_file_fault(error, path, fault_class=CourseFault) from error
    except msgspec.MsgspecError as error:
        advice = f"make it anew with `autograder check {assignment.name} --update`"
        raise CourseFault(f"the observations are malformed: {error}", where=str(path), advice=advice) from error
