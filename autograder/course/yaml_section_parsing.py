"""Convert parts of a YAML file to typed data; an error names the line and the key."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, get_args, get_origin

import msgspec

from autograder.course.yaml_documents import KeyPath, YamlDocument
from autograder.faults import CourseFault, format_did_you_mean_suffix

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
        problem, parts = describe_validation_error(error)
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


def describe_validation_error(error: msgspec.ValidationError, within: KeyPath = ()) -> tuple[str, KeyPath]:
    """Translate msgspec's error into a sentence for a course's author.

    Args:
        error: the error.
        within: the path of the converted value, from the nearest part that its author knows by name.

    Returns:
        The sentence, and the path of the value that it is about.

    >>> describe_validation_error(msgspec.ValidationError("Expected `str`, got `null` - at `$.edits[0].old`"))
    ("'old' of entry 1 of 'edits' must be a text", ('edits', '0', 'old'))
    """
    message, _, path = str(error).partition(" - at `")
    parts = (*within, *(field or index for index, field in re.findall(r"\[(\d+)\]|\.(\w+)", path)))
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
    document: YamlDocument, settings: dict[str, Any], known_names: tuple[str, ...], key: KeyPath
) -> None:
    """Raise for the first setting that is not known.

    Raises:
        CourseFault: there is an unknown setting.
    """
    for name in settings:
        if name not in known_names:
            raise document.make_fault_at(
                f"unknown key {str(name)!r}{format_did_you_mean_suffix(str(name), known_names)}",
                (*key, str(name)),
                f"choose from {', '.join(known_names)}",
            )
