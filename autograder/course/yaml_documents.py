"""Read YAML as typed data, with the line of every mistake."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, get_args, get_origin

import msgspec
import yaml

from autograder.faults import CourseFault, format_did_you_mean_suffix, make_file_fault, raise_course_faults_if_any

KeyPath = tuple[str, ...]
FAST: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader that uses libyaml, where it is installed: eight times as fast on a long file."""
BAD_VALUE = (ValueError, KeyError, OverflowError, TypeError)
"""What the loader raises for a value such as the date 2025-13-01."""


class _Loader(FAST):  # type: ignore[valid-type, misc]  # one of two classes
    """Adds to each error the line of the value that it is about."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except BAD_VALUE as error:
            if not hasattr(error, "line"):
                error.line = node.start_mark.line + 1  # type: ignore[union-attr]
            raise


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A YAML file: its data, and the line of each key path. Members of lists have the keys ``"0"``, ``"1"``, ..."""

    path: Path
    data: dict[str, Any]
    line_by_key: dict[KeyPath, int]
    changed_keys: frozenset[KeyPath] = frozenset()
    """Keys whose values do not stand in the file."""

    def with_assignment_settings(self, settings: Mapping[str, Mapping[str, Any]]) -> YamlDocument:
        """Return the document with other values for some settings of assignments; None is no value.

        Args:
            settings: by assignment, then by name; one within another has a dot, as in ``feedback.results``. What the
                file does not have as an assignment is left out.
        """
        data, changed_keys = copy.deepcopy(self.data), set()
        for assignment_name, values in settings.items():
            assignments = data.get("assignments")
            assignment = assignments.get(assignment_name) if isinstance(assignments, dict) else None
            if not isinstance(assignment, dict):
                continue
            for setting_name, value in values.items():
                section, (*outer_names, name) = assignment, setting_name.split(".")
                for outer_name in outer_names:
                    inner = section.get(outer_name)
                    section[outer_name] = section = inner if isinstance(inner, dict) else {}
                section[name] = value
                changed_keys.add(("assignments", assignment_name, *outer_names, name))
        return replace(self, data=data, changed_keys=frozenset(changed_keys))

    def make_fault_at(self, what: str, key: KeyPath, advice: str = "") -> CourseFault:
        """Return the error for one key: ``grading.yml:12: limits.cpu_seconds: ...``."""
        where = f"{self.path}:{self.get_line_of_nearest_key(key)}" + (f": {'.'.join(key)}" if key else "")
        if any(key[: len(changed)] == changed for changed in self.changed_keys):
            where = f"{self.path}, as set on the web: {'.'.join(key)}"
        return CourseFault(what, where=where, advice=advice)

    def get_line_of_nearest_key(self, key: KeyPath) -> int:
        """Return the line of a key, or of its nearest enclosing key that is in the file; 1 if there is none."""
        while key and key not in self.line_by_key:
            key = key[:-1]
        return self.line_by_key.get(key, 1)


def read_yaml_document(path: Path) -> YamlDocument:
    """Read a YAML mapping.

    Raises:
        CourseFault: the file is missing, is not YAML, holds a key twice, or is not a mapping.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise make_file_fault(error, path, fault_class=CourseFault) from error
    except UnicodeDecodeError as error:
        raise CourseFault("this file is not UTF-8 text", where=str(path), advice="save it as UTF-8") from error
    lines: dict[KeyPath, int] = {}
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if not isinstance(root, yaml.MappingNode):
            raise CourseFault("the file must be a mapping of keys to values", where=f"{path}:1")
        _LineNotes(path, lines, set()).note_lines(root, ())
        data = loader.construct_document(root)
    except yaml.YAMLError as error:
        raise _make_syntax_fault(error, text, path) from error
    except (*BAD_VALUE, RecursionError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        location = f"{path}:{getattr(error, 'line', 1)}"
        raise CourseFault(f"cannot use a value: {reason}", location, "put the value in quotes") from error
    return YamlDocument(path, data, lines)


def _make_syntax_fault(error: yaml.YAMLError, text: str, path: Path) -> CourseFault:
    mark = getattr(error, "problem_mark", None)
    position = getattr(error, "position", None)
    line = mark.line + 1 if mark else text.count("\n", 0, position) + 1 if isinstance(position, int) else 1
    location = f"{path}:{line}"
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    return CourseFault(
        f"this line is not valid YAML: {str(problem).splitlines()[0][:200]}",
        where=location,
        advice="check indentation and colons",
    )


@dataclass(frozen=True, slots=True)
class _LineNotes:
    """Collects the line of each key in a file."""

    path: Path
    lines: dict[KeyPath, int]
    lists: set[int]
    """Ids of the lists already visited: a list that occurs in several places (``*alias``) is visited once."""

    def note_lines(self, node: yaml.Node, prefix: KeyPath) -> None:
        """Note the line of every key in a node.

        Raises:
            CourseFault: a mapping contains a key twice, or contains itself.
        """
        if isinstance(node, yaml.SequenceNode) and id(node) not in self.lists:
            self.lists.add(id(node))
            for place, member in enumerate(node.value):
                self.lines[(*prefix, str(place))] = member.start_mark.line + 1
                self.note_lines(member, (*prefix, str(place)))
        if isinstance(node, yaml.MappingNode):
            self._note_mapping(node, prefix)

    def _note_mapping(self, node: yaml.MappingNode, prefix: KeyPath) -> None:
        names: set[Hashable] = set()
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            name = str(key_node.value)
            if value_node is node:
                raise CourseFault(
                    f"the key {name!r} contains itself", f"{self.path}:{line}", "take the alias (*) out"
                )
            if name in names:
                raise CourseFault(f"duplicate key {name!r}", f"{self.path}:{line}: {name}", advice="keep one of them")
            names.add(name)
            self.lines[(*prefix, name)] = line
            self.note_lines(value_node, (*prefix, name))


T = TypeVar("T", bound=msgspec.Struct)
P = ParamSpec("P")
Read = TypeVar("Read")
Default = TypeVar("Default")


class PartReader:
    """Reads the parts of a YAML document one by one, so that the mistakes of all of them are told together.

    Attributes:
        document: the document.
        faults: the mistakes found so far, each once.
    """

    def __init__(self, document: YamlDocument) -> None:
        """Start without mistakes."""
        self.document = document
        self.faults: list[CourseFault] = []

    def read(
        self,
        default: Default,
        load: Callable[Concatenate[YamlDocument, P], Read],
        *arguments: P.args,
        **keywords: P.kwargs,
    ) -> Read | Default:
        """Return what ``load`` returns for the document; ``default`` if it finds a mistake, which is kept."""
        try:
            return load(self.document, *arguments, **keywords)
        except CourseFault as fault:
            if str(fault) not in map(str, self.faults):
                self.faults.append(fault)
            return default


def parse_section(document: YamlDocument, key: KeyPath, section_type: type[T], defaults: dict[str, Any]) -> T:
    """Convert one section to its type; settings that it leaves out come from ``defaults``.

    Raises:
        CourseFault: a setting is unknown or of the wrong kind; the message names its line.
    """
    settings = get_mapping(document, key)
    try:
        return msgspec.convert(defaults | settings, section_type)
    except msgspec.ValidationError as error:
        problem, parts = _describe_validation_error(error)
        if not parts:
            parts = tuple(word for word in re.findall(r"\w+", problem) if word in settings)
        name = parts[0] if parts else ""
        if len(parts) == 1 and " must be " in problem and name in settings:
            problem += f", not {settings[name]!r}"
        choices = (
            section_type.__struct_fields__ if problem.startswith("unknown key") else _list_choices(section_type, name)
        )
        if problem == f"unknown key {name!r}":
            problem += format_did_you_mean_suffix(name, choices)
        advice = f"choose from {', '.join(choices)}" if choices else ""
        raise document.make_fault_at(problem, (*key, name) if name else key, advice) from error


def _list_choices(section_type: type[msgspec.Struct], name: str) -> tuple[str, ...]:
    """Return the words that a setting accepts; empty if it is not a choice between words."""
    types = [field.type for field in msgspec.structs.fields(section_type) if field.name == name]
    return tuple(str(choice) for type_ in types for choice in _list_literals(type_))


def _list_literals(type_: Any) -> list[Any]:
    arguments = get_args(type_)
    return (
        [*arguments]
        if get_origin(type_) is Literal
        else [literal for argument in arguments for literal in _list_literals(argument)]
    )


def _describe_validation_error(error: msgspec.ValidationError) -> tuple[str, KeyPath]:
    """Translate msgspec's error into a sentence for a course's author.

    Returns:
        The sentence, and the path of the value that it is about.

    >>> _describe_validation_error(msgspec.ValidationError("Expected `str`, got `null` - at `$.edits[0].old`"))
    ("'old' of entry 1 of 'edits' must be a text", ('edits', '0', 'old'))
    """
    message, _, path = str(error).partition(" - at `")
    parts = tuple(field or index for index, field in re.findall(r"\[(\d+)\]|\.(\w+)", path))
    subject = " of ".join(f"entry {int(part) + 1}" if part.isdigit() else repr(part) for part in reversed(parts))
    location = f" in {subject}" if subject else ""
    if unknown_field := re.search(r"unknown field `([^`]*)`", message):
        return f"unknown key {unknown_field[1]!r}{location}", (*parts, unknown_field[1])
    if missing_field := re.search(r"missing required field `([^`]*)`", message):
        return f"the key {missing_field[1]!r} is missing{location}", parts
    return _translate_msgspec_message(message, f"a key of {subject}" if path.startswith("key`") else subject), parts


def _translate_msgspec_message(msgspec_message: str, subject: str) -> str:
    """Translate msgspec's message on one value into a sentence about it.

    >>> _translate_msgspec_message("Expected `float` <= 5.0", "'grace_minutes'")
    "'grace_minutes' must be at most 5"
    >>> _translate_msgspec_message("Invalid enum value 'often'", "'count'")
    "'count' cannot be 'often'"
    """
    kinds = {
        "float": "a number such as 1000 or 0.5",
        "int": "a whole number",
        "str": "a text",
        "bool": "true or false",
        "array": "a list",
        "object": "a mapping of keys to values",
    }
    bounds = {">": "more than ", ">=": "at least ", "<": "less than ", "<=": "at most ", "": ""}
    if re.fullmatch(r"Expected `(str|array)` of length >= 1", msgspec_message):
        return f"{subject} is empty"
    match = re.fullmatch(r"Expected `(\w+)(?: \| \w+)*`, got `\w+`", msgspec_message)
    if match and match[1] in kinds:
        return f"{subject} must be {kinds[match[1]]}"
    if match := re.fullmatch(r"Expected `array` of length (>=|<=|) ?(\d+)(?:, got \d+)?", msgspec_message):
        return f"{subject} must be a list of {bounds[match[1]]}{match[2]}"
    if match := re.fullmatch(r"Expected `\w+` ([<>]=?) (\S+)", msgspec_message):
        return f"{subject} must be {bounds[match[1]]}{float(match[2]):.15g}"
    if match := re.fullmatch(r"Invalid enum value (.+)", msgspec_message):
        return f"{subject} cannot be {match[1]}"
    if match := re.fullmatch(r"Expected `str` matching regex (.+)", msgspec_message):
        return f"{subject} must match the regular expression {match[1]}"
    message = msgspec_message[:1].lower() + msgspec_message[1:]
    return f"cannot use {subject}: {message}" if subject else message


def get_text_setting_or_default(document: YamlDocument, key: KeyPath, default: str) -> str:
    """Return the text at ``key``, or ``default`` if there is none; a number counts as text.

    Raises:
        CourseFault: the value is neither a text nor a number.
    """
    value = get_mapping(document, key[:-1]).get(key[-1])
    if value is None:
        return default
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise document.make_fault_at(f"{key[-1]!r} must be a text", key)
    return str(value)


def get_mapping(document: YamlDocument, key: KeyPath) -> dict[str, Any]:
    """Return the mapping at ``key``; empty if there is none.

    Raises:
        CourseFault: the value is not a mapping.
    """
    value: Any = document.data
    for part in key:
        value = {str(name): member for name, member in value.items()}.get(part) if isinstance(value, dict) else None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise document.make_fault_at(f"{key[-1]!r} must be a mapping of keys to values", key)
    return {str(k): v for k, v in value.items()}


def reject_unknown_settings(
    document: YamlDocument, settings: Iterable[Any], known_names: Sequence[str], key: KeyPath
) -> None:
    """Raise for the first setting that is not known.

    Raises:
        CourseFault: there is an unknown setting.
    """
    for fault in _iterate_unknown_settings(document, settings, known_names, key):
        raise fault


def _iterate_unknown_settings(
    document: YamlDocument, settings: Iterable[Any], known_names: Sequence[str], key: KeyPath
) -> Iterator[CourseFault]:
    for name in map(str, settings):
        if name not in known_names:
            yield document.make_fault_at(
                f"unknown key {name!r}{format_did_you_mean_suffix(name, known_names)}",
                (*key, name),
                f"choose from {', '.join(known_names)}",
            )


@dataclass(frozen=True, slots=True)
class YamlEntry:
    """One entry of a list that is as it should be."""

    document: YamlDocument
    key: KeyPath
    name: str
    """The entry's id; without one, its place in the list."""
    value: Any

    def make_fault_at(self, what: str, *within: str, advice: str = "") -> CourseFault:
        """Return the error for a place in the entry: ``misconceptions.yml:12: adds-in-place: ...``."""
        line = self.document.get_line_of_nearest_key((*self.key, *within))
        return CourseFault(what, f"{self.document.path}:{line}: {self.name}", advice)


def read_list_file(path: Path, file_type: type[T], list_name: str, advice: str = "see docs/writing-tests.md") -> T:
    """Read a file of a list of entries; an empty one, if it is missing.

    Args:
        path: the file.
        file_type: its type; all of its fields have defaults.
        list_name: the name of the list.
        advice: what to do about a mistake outside of the list.

    Raises:
        CourseFault: the file is malformed; the first mistake of each entry at once.
    """
    if not path.is_file():
        return file_type()
    document = read_yaml_document(path)
    raise_course_faults_if_any(read_entries_and_faults(document, file_type, list_name)[1])
    try:
        return msgspec.convert(document.data, file_type)
    except msgspec.ValidationError as error:
        problem, places = _describe_validation_error(error)
        raise document.make_fault_at(problem, places, advice) from error


def read_entries_and_faults(
    document: YamlDocument, file_type: type[msgspec.Struct], list_name: str
) -> tuple[list[YamlEntry], list[CourseFault]]:
    """Return the entries of a file's list that are as they should be; and the first mistake of each other one.

    Args:
        document: the file.
        file_type: the type that it should have.
        list_name: the name of the list.
    """
    items = document.data.get(list_name, ())
    if not isinstance(items, list | tuple):
        problem = f"{list_name!r} must be a list"
        return [], [document.make_fault_at(problem, (list_name,), "begin each entry with a hyphen")]
    list_type = next(field.type for field in msgspec.structs.fields(file_type) if field.name == list_name)
    entry_type = get_args(list_type)[0]
    entries, faults = [], list[CourseFault]()
    for index, data in enumerate(items):
        name = str((data.get("id") if isinstance(data, dict) else "") or f"entry {index + 1}")
        entry = YamlEntry(document, (list_name, str(index)), name, data)
        try:
            entries.append(replace(entry, value=msgspec.convert(data, entry_type)))
        except msgspec.ValidationError as error:
            problem, places = _describe_validation_error(error)
            known = entry_type.__struct_fields__ if problem.startswith("unknown key") and len(places) == 1 else ()
            suffix = format_did_you_mean_suffix(places[0], known) if known else ""
            advice = f"choose from {', '.join(known)}" if known else "write it as the other entries have it"
            faults.append(entry.make_fault_at(problem + suffix, *places, advice=advice))
    return entries, [*faults, *_iterate_unknown_settings(document, document.data, file_type.__struct_fields__, ())]
