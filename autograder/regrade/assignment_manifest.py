"""Describe everything in an assignment's version that verdicts depend on, to compare it with the next version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from autograder.course import Assignment
from autograder.course.misconceptions import list_misconception_files
from autograder.diagnosis.naming.misconception_observations_file import read_observations_if_current
from autograder.faults import CourseFault, translate_file_errors
from autograder.grading import HiddenTestSpec
from autograder.grading.suite.hidden_suite import HiddenSuiteSession
from autograder.regrade.hidden_test_digests import HiddenTestFingerprint, digest_suite


class AssignmentManifest(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a result may depend on, each as a digest or as the value itself."""

    tests: dict[str, HiddenTestFingerprint]
    shared: str
    """Digest of ``conftest.py`` and all other parts of the hidden suite that tests share."""
    solution: str
    template: str
    conventions: str
    hints: tuple[tuple[str, str], ...] = ()
    """What to try after messages of the interpreter."""
    defines: tuple[str, ...]
    packages: tuple[str, ...]
    looked_for: tuple[str, ...]
    """The names that tests need."""
    limits: dict[str, float]
    observed_values: bool
    mistakes: str
    """The known mistakes and what they look like."""
    concepts: list[tuple[str, float, bool]]
    """Name, points, and whether it is a bonus. They decide no verdict, but are needed to read stored results."""


@dataclass(frozen=True, slots=True)
class ManifestWithTests:
    """The manifest of an assignment as it lies on the disk now, with its tests."""

    manifest: AssignmentManifest
    test_specs: tuple[HiddenTestSpec, ...]
    pytest_id_by_test_id: dict[str, str]
    """pytest's name for each test, by its id."""


def collect_manifest_with_tests(assignment: Assignment) -> ManifestWithTests:
    """Collect the hidden suite, and describe the assignment; no test is run.

    Raises:
        CourseFault: the suite cannot be used.
    """
    with HiddenSuiteSession(assignment) as suite:
        specs, location_by_spec_id = suite.test_specs, suite.location_by_spec_id
    tests, shared_digest = digest_suite(assignment.hidden_suite_folder, location_by_spec_id)
    template_files = (assignment.template_folder / name for name in ("value.py", "value.ipynb"))
    manifest = AssignmentManifest(
        tests=tests,
        shared=shared_digest,
        solution=_compute_digest([assignment.solution_file]),
        template=_compute_digest(template_files),
        conventions=hashlib.sha256(msgspec.json.encode(assignment.conventions)).hexdigest()[:16],
        hints=assignment.own_hints,
        defines=assignment.defines,
        packages=tuple(sorted(assignment.packages)),
        looked_for=tuple(sorted({name.rpartition(".")[2] for spec in specs for name in spec.required_names})),
        limits=msgspec.to_builtins(assignment.limits),
        observed_values=assignment.feedback.observed_values,
        mistakes=_digest_misconceptions(assignment),
        concepts=[(concept.name, concept.points, concept.bonus) for concept in assignment.concepts],
    )
    return ManifestWithTests(
        manifest, specs, {name: location.pytest_id for name, location in location_by_spec_id.items()}
    )


def serialize_manifest(manifest: AssignmentManifest) -> str:
    """Return a manifest as text for the store."""
    return msgspec.json.encode(manifest).decode()


def try_parse_manifest(manifest_json: str) -> AssignmentManifest | None:
    """Return the stored manifest; None if there is none, or if this version of the kit cannot read it."""
    try:
        return msgspec.json.decode(manifest_json, type=AssignmentManifest) if manifest_json else None
    except msgspec.MsgspecError:
        return None


def _digest_misconceptions(assignment: Assignment) -> str:
    try:
        observations = read_observations_if_current(assignment)
    except CourseFault:
        observations = None
    if observations is None:
        return ""
    content = msgspec.json.encode(observations, order="sorted").decode()
    return _compute_digest(list_misconception_files(assignment), content)


def _compute_digest(paths: Iterable[Path], *texts: str) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with translate_file_errors(path, fault_class=CourseFault):
            content = path.read_bytes() if path.is_file() else b""
        digest.update(f"{path.name}:{len(content)}:".encode() + content)
    for text in texts:
        digest.update(f"{len(text)}:{text}".encode())
    return digest.hexdigest()[:16]
