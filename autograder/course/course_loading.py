"""Load a typed course from ``grading.yml``."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from autograder.course.assignment_version import hash_assignment
from autograder.course.deadline_rules_loader import DUE_KEYS, load_deadline_rules
from autograder.course.model import (
    WALL_PER_CPU,
    AcceptedGradientConventions,
    Assignment,
    Concept,
    Course,
    FeedbackSettings,
    IsolationSettings,
    Limits,
    OutputFileAccess,
    StudentMailSettings,
)
from autograder.course.slurm_settings import SlurmSettings
from autograder.course.yaml_documents import KeyPath, YamlDocument, read_yaml_document
from autograder.course.yaml_section_parsing import (
    get_mapping_or_empty,
    get_text_setting_or_default,
    parse_section,
    reject_unknown_settings,
)
from autograder.faults import CallerFault, CourseFault, raise_course_faults_if_any

COURSE_FILE_NAME = "grading.yml"
ANONYMOUS = "anonymous_grading"
TOP_KEYS = (
    "course",
    "limits",
    "isolation",
    "feedback",
    "files",
    "cluster",
    "assignments",
    ANONYMOUS,
    "mail",
    *DUE_KEYS,
)
ASSIGNMENT_KEYS = ("title", "defines", "concepts", "bonus", "conventions", "limits", "feedback", ANONYMOUS, *DUE_KEYS)


def require_nearest_course_file(start_folder: Path) -> Path:
    """Return the path of the ``grading.yml`` in this folder, or in the nearest folder above it.

    Raises:
        CallerFault: there is no such file.
    """
    for folder in (start_folder, *start_folder.parents):
        if (folder / COURSE_FILE_NAME).is_file():
            return folder / COURSE_FILE_NAME
    raise CallerFault(
        f"no {COURSE_FILE_NAME} in {start_folder} or in any folder above it",
        advice="make a course with: autograder init my-course; or name yours with --course FOLDER",
    )


def load_course(course_file_or_folder: Path) -> Course:
    """Read and check a ``grading.yml``.

    Args:
        course_file_or_folder: the file, or the folder that holds it.

    Raises:
        CourseFault: a setting is missing, unknown or of the wrong kind; the message names the line and the key.
            Several mistakes are raised together as ``CourseFaults``.
    """
    path = course_file_or_folder / COURSE_FILE_NAME if course_file_or_folder.is_dir() else course_file_or_folder
    document = read_yaml_document(path)
    try:
        return _load_document(document, path)
    except CourseFault as first_fault:
        fault_by_text = {
            str(fault): fault for fault in (first_fault, *_find_other_faults(document, path.resolve().parent))
        }
        raise_course_faults_if_any([*fault_by_text.values()])
        raise


def _load_document(document: YamlDocument, path: Path) -> Course:
    reject_unknown_settings(document, document.data, TOP_KEYS, ())
    limits = _load_limits(document, ("limits",), {})
    isolation = _load_isolation(document)
    feedback = parse_section(document, ("feedback",), FeedbackSettings, {})
    names = get_mapping_or_empty(document, ("assignments",))
    if not names:
        raise document.make_fault_at("a course needs at least one assignment", ("assignments",))
    assignments = tuple(
        _load_assignment(document, name, path.resolve().parent, limits, isolation, feedback) for name in names
    )
    reject_unknown_settings(document, get_mapping_or_empty(document, ("cluster",)), ("slurm",), ("cluster",))
    slurm = (
        parse_section(document, ("cluster", "slurm"), SlurmSettings, {})
        if get_mapping_or_empty(document, ("cluster", "slurm"))
        else None
    )
    title = get_text_setting_or_default(document, ("course",), "")
    files = parse_section(document, ("files",), OutputFileAccess, {})
    return Course(
        title=title,
        folder=path.resolve().parent,
        assignments=assignments,
        slurm_settings=slurm,
        staff_file_settings=files,
        mail=parse_section(document, ("mail",), StudentMailSettings, {}),
    )


def _find_other_faults(document: YamlDocument, root: Path) -> Iterator[CourseFault]:
    """Yield a fault for each part of a course's file that cannot be used; each part is read by itself."""
    limits: Limits | None = None  # an assignment's limits are read only if the course's, their defaults, are usable
    with suppress(CourseFault):
        limits = _load_limits(document, ("limits",), {})
    loaders: list[Callable[[], object]] = [
        lambda: reject_unknown_settings(document, document.data, TOP_KEYS, ()),
        lambda: _load_limits(document, ("limits",), {}),
        lambda: _load_isolation(document),
        lambda: parse_section(document, ("feedback",), FeedbackSettings, {}),
        lambda: parse_section(document, ("files",), OutputFileAccess, {}),
        lambda: parse_section(document, ("mail",), StudentMailSettings, {}),
    ]
    with suppress(CourseFault):
        for name in get_mapping_or_empty(document, ("assignments",)):
            key = ("assignments", str(name))
            loaders += [
                partial(_load_concepts, document, (*key, "concepts"), bonus=False),
                partial(_load_concepts, document, (*key, "bonus"), bonus=True),
                partial(parse_section, document, (*key, "feedback"), FeedbackSettings, {}),
                partial(parse_section, document, (*key, "conventions"), AcceptedGradientConventions, {}),
                partial(load_deadline_rules, document, key),
                partial(_is_anonymous, document, key),
            ]
            if limits is not None:
                settings = limits, IsolationSettings(), FeedbackSettings()
                loaders += [
                    partial(_load_limits, document, (*key, "limits"), msgspec.to_builtins(limits)),
                    partial(_load_assignment, document, str(name), root, *settings),
                ]
    for load in loaders:
        try:
            load()
        except CourseFault as fault:
            yield fault


def _load_assignment(
    document: YamlDocument,
    name: str,
    root: Path,
    limits: Limits,
    isolation: IsolationSettings,
    feedback: FeedbackSettings,
) -> Assignment:
    key = ("assignments", name)
    data = get_mapping_or_empty(document, key)
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise document.make_fault_at(
            f"the assignment's name {name!r} is malformed", key, "use lower-case letters, digits and hyphens"
        )
    reject_unknown_settings(document, data, ASSIGNMENT_KEYS, key)
    folder = root / "assignments" / name
    if not (folder / "hidden").is_dir():
        raise document.make_fault_at(
            f"the hidden suite is missing: {folder / 'hidden'} is not a folder",
            key,
            "make it, or correct the assignment's name",
        )
    concepts = _load_concepts(document, (*key, "concepts"), bonus=False)
    if not concepts:
        raise document.make_fault_at("an assignment needs at least one concept with points", (*key, "concepts"))
    concepts += _load_concepts(document, (*key, "bonus"), bonus=True)
    own_bonus = get_mapping_or_empty(document, (*key, "bonus"))
    for bonus_name in own_bonus.keys() & get_mapping_or_empty(document, (*key, "concepts")).keys():
        raise document.make_fault_at(
            f"the bonus {bonus_name!r} is a concept already", (*key, "bonus", bonus_name), "give it another name"
        )
    own_limits = _load_limits(document, (*key, "limits"), msgspec.to_builtins(limits))
    own_feedback = parse_section(document, (*key, "feedback"), FeedbackSettings, msgspec.to_builtins(feedback))
    conventions = parse_section(document, (*key, "conventions"), AcceptedGradientConventions, {})
    defines = data.get("defines")
    if not (isinstance(defines, list) and defines and all(map(_is_name, defines))):
        raise document.make_fault_at(
            "'defines' must list the names that a submission defines",
            (*key, "defines"),
            "write a list, for example [Value]",
        )
    report_settings = msgspec.to_builtins(own_feedback)
    del report_settings["results"]  # this setting decides when a report is shown, not what it contains
    settings: dict[str, Any] = {
        "concepts": [(concept.name, concept.points, concept.bonus) for concept in concepts],
        "conventions": msgspec.to_builtins(conventions),
        "defines": defines,
        "feedback": report_settings,
        "limits": msgspec.to_builtins(own_limits),
    }
    if isolation.packages:
        settings["packages"] = sorted(isolation.packages)
    return Assignment(
        name=name,
        title=get_text_setting_or_default(document, (*key, "title"), name),
        course_folder=root,
        defines=tuple(defines),
        concepts=concepts,
        conventions=conventions,
        limits=own_limits,
        feedback=own_feedback,
        weakest_tier=isolation.weakest_tier,
        packages=isolation.packages,
        version=hash_assignment(settings, root, name),
        deadline_rules=load_deadline_rules(document, key),
        anonymous_grading=_is_anonymous(document, key),
    )


def _is_anonymous(document: YamlDocument, key: KeyPath) -> bool:
    """Return whether an assignment is graded anonymously; without a setting of its own, the course's applies."""
    for level in (key, ()):
        setting = get_mapping_or_empty(document, level).get(ANONYMOUS)
        if setting is not None and not isinstance(setting, bool):
            raise document.make_fault_at(f"{ANONYMOUS!r} must be true or false, not {setting!r}", (*level, ANONYMOUS))
        if setting is not None:
            return setting
    return False


def _load_isolation(document: YamlDocument) -> IsolationSettings:
    if get_mapping_or_empty(document, ("isolation",)).get("weakest_tier") == "process":
        raise document.make_fault_at(
            "tier process stops accidents only, and no course can settle for it",
            ("isolation", "weakest_tier"),
            "name namespaces or restricted; for submissions that you trust, there is `--allow-unsafe`",
        )
    return parse_section(document, ("isolation",), IsolationSettings, {})


def _load_concepts(document: YamlDocument, key: KeyPath, *, bonus: bool) -> tuple[Concept, ...]:
    concepts = []
    for name, points in get_mapping_or_empty(document, key).items():
        if isinstance(points, bool) or not isinstance(points, int | float) or not 0 < points < 1e6:
            raise document.make_fault_at(
                f"the points for {str(name)!r} must be a number above 0, not {points!r}", (*key, str(name))
            )
        if round(points * 100) != points * 100:
            raise document.make_fault_at(
                f"the points for {str(name)!r} must be a multiple of 0.01, not {points!r}", (*key, str(name))
            )
        concepts.append(Concept(str(name), float(points), bonus))
    return tuple(concepts)


def _load_limits(document: YamlDocument, key: KeyPath, defaults: dict[str, Any]) -> Limits:
    limits = parse_section(document, key, Limits, defaults)
    if limits.wall_seconds * (1 + 1e-9) < WALL_PER_CPU * limits.cpu_seconds:
        section = get_mapping_or_empty(document, key)
        name = "wall_seconds" if "wall_seconds" in section else "cpu_seconds"
        raise document.make_fault_at(
            f"wall_seconds ({limits.wall_seconds:g}) must be at least {WALL_PER_CPU} times cpu_seconds "
            f"({limits.cpu_seconds:g})",
            (*key, name),
            "raise wall_seconds, so that a busy machine costs no marks",
        )
    return limits


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.isidentifier() and not keyword.iskeyword(value)
