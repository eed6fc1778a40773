"""Convert parts of a YAML file to typed data; an error names the line and the key."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

from autograder.course.yaml_documents import KeyPath, YamlDocument

T = TypeVar("T", bound=msgspec.Struct)


def parse_section(document: YamlDocument, key: KeyPath, section_type: type[T], defaults: dict[str, Any]) -> T:
    """Convert one section to its type; settings that it leaves out come from ``defaults``.

    Raises:
        CourseFault: a setting is unknown or of the wrong kind; the message names its line.
    """
    given = get_mapping_or_empty(document, key)
    try:
        return msgspec.convert(defaults | given, section_type)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        field = re.match(r"\.(\w+)(?:\[(\d+)\])?", path)
        unknown = re.search(r"unknown field `([^`]*)`", what)
        first = what.partition(" ")[0]
        name = unknown[1] if unknown else field[1] if field else first if first in given else ""
        if unknown:
            what, advice = "is not a setting", f"known here: {', '.join(section_type.__struct_fields__)}"
        else:
            what, advice = translate_msgspec_message(what), f"it stands at {given.get(name)!r}"
            what = f"entry {int(field[2]) + 1}: {what}" if field and field[2] else what
        raise document.make_fault_at(what, (*key, name) if name else key, advice) from error


def translate_msgspec_message(msgspec_message: str) -> str:
    """Translate msgspec's message into words for a course's author.

    >>> translate_msgspec_message("Expected `str`, got `null`")
    'must be a text'
    """
    kinds = {
        "float": "a number such as 1000 or 0.5",
        "int": "a whole number",
        "str": "a text",
        "bool": "true or false",
        "array": "a list",
        "object": "a mapping of keys to values",
    }
    if re.fullmatch(r"Expected `(str|array)` of length >= 1", msgspec_message):
        return "is empty"
    wrong = re.fullmatch(r"Expected `(\w+)(?: \| \w+)*`, got `\w+`", msgspec_message)
    if wrong and wrong[1] in kinds:
        return f"must be {kinds[wrong[1]]}"
    return msgspec_message[:1].lower() + msgspec_message[1:]


def get_text_setting_or_default(document: YamlDocument, key: KeyPath, default: str) -> str:
    """Return the text at ``key``, or ``default`` if there is none; a number counts as text.

    Raises:
        CourseFault: the value is neither a text nor a number.
    """
    value: Any = document.data
    for part in key:
        value = value.get(part)
    if value is None:
        return default
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise document.make_fault_at("must be a text", key)
    return str(value)


def get_mapping_or_empty(document: YamlDocument, key: KeyPath) -> dict[str, Any]:
    """Return the mapping at ``key``; empty if there is none.

    Raises:
        CourseFault: the value is not a mapping.
    """
    value: Any = document.data
    for part in key:
        value = value.get(part) if isinstance(value, dict) else None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise document.make_fault_at("must be a mapping of keys to values", key)
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
                "is not a setting", (*key, str(name)), f"known here: {', '.join(known_names)}"
            )
