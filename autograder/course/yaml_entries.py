"""Read lists of entries, such as misconceptions, field by field, to find every mistake in each, with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo

from autograder.course.yaml_documents import KeyPath, YamlDocument
from autograder.course.yaml_sections import translate_msgspec_message
from autograder.faults import CourseFault, format_did_you_mean_suffix

ORDINALS = ("first", "second", "third")
"""Names of the three hints of an entry, for errors."""
HINTS = "hints"


@dataclass(frozen=True, slots=True)
class YamlEntryWithUsableFields:
    """One entry of a list, with those of its fields that can be used."""

    document: YamlDocument
    key: KeyPath
    name: str
    """The entry's id; without one, its place in the list."""
    fields: Mapping[str, Any]
    """The fields of the right type, by name."""

    def make_fault_at(self, what: str, *within: str, advice: str = "") -> CourseFault:
        """Return the error for a place in the entry: ``misconceptions.yml:12: adds-in-place: ...``."""
        line = self.document.get_line_of_nearest_key((*self.key, *within))
        return CourseFault(what, f"{self.document.path}:{line}: {self.name}", advice)


def read_entries_and_faults(
    document: YamlDocument, list_name: str, entry_type: type[Struct]
) -> tuple[list[YamlEntryWithUsableFields], list[CourseFault]]:
    """Read one list of a file.

    Args:
        document: the file.
        list_name: the name of the list.
        entry_type: the type that each entry should have.

    Returns:
        The entries, each with the fields that can be used; and every mistake in them.
    """
    listed = document.data.get(list_name, ())
    if not isinstance(listed, list | tuple):
        return [], [document.make_fault_at("must be a list", (list_name,), "begin each entry with a hyphen")]
    entries, faults = [], list[CourseFault]()
    for place, data in enumerate(listed):
        entry = YamlEntryWithUsableFields(document, (list_name, str(place)), f"entry {place + 1}", {})
        if not isinstance(data, dict):
            faults.append(entry.make_fault_at("must be a mapping of keys to values"))
            continue
        if isinstance(data.get("id"), str) and data["id"]:
            entry = YamlEntryWithUsableFields(document, entry.key, data["id"], {})
        fields, wrong = _read_fields(entry, data, entry_type)
        entries.append(YamlEntryWithUsableFields(document, entry.key, entry.name, fields))
        faults += wrong
    return entries, faults


def _read_fields(
    entry: YamlEntryWithUsableFields, data: Mapping[str, Any], kind: type[Struct]
) -> tuple[dict[str, Any], list[CourseFault]]:
    known = {field.name: field for field in msgspec.structs.fields(kind)}
    faults = [_describe_unknown(entry, str(name), [*known]) for name in data if name not in known]
    fields = dict[str, Any]()
    for name, field in known.items():
        if name not in data:
            faults += _describe_missing(entry, field)
            continue
        wrong = [*_find_missing_hints(entry, data[name])] if name == HINTS else []
        if not wrong:
            try:
                fields[name] = msgspec.convert(data[name], field.type)
            except msgspec.ValidationError as error:
                wrong.append(_describe_invalid(entry, name, str(error)))
        faults += wrong
    return fields, faults


def _describe_unknown(entry: YamlEntryWithUsableFields, name: str, known: list[str], *within: str) -> CourseFault:
    return entry.make_fault_at(
        f"{name!r} is not known here{format_did_you_mean_suffix(name, known)}",
        *within,
        name,
        advice=f"known: {', '.join(known)}",
    )


def _describe_missing(entry: YamlEntryWithUsableFields, field: FieldInfo) -> list[CourseFault]:
    return [entry.make_fault_at(f"has no {field.name!r}", advice="write it")] if field.required else []


def _find_missing_hints(entry: YamlEntryWithUsableFields, hints: Any) -> Iterator[CourseFault]:
    """Yield an error for each of the three hints that is missing or empty, and one if there are more than three."""
    if not isinstance(hints, list):
        yield entry.make_fault_at("'hints' must be a list of three", HINTS, advice="begin each with a hyphen")
        return
    for place, ordinal in enumerate(ORDINALS):
        if place >= len(hints) or hints[place] is None or not str(hints[place]).strip():
            yield entry.make_fault_at(f"has no {ordinal} hint", HINTS, str(place), advice=f"write the {ordinal} hint")
    if len(hints) > len(ORDINALS):
        yield entry.make_fault_at(
            f"has {len(hints)} hints", HINTS, advice="keep three: from a question to what to change"
        )


def _describe_invalid(entry: YamlEntryWithUsableFields, name: str, error: str) -> CourseFault:
    """Translate msgspec's message on one field into words for a course's author."""
    what, _, path = error.partition(" - at `$")
    within = (name, *re.findall(r"\[(\d+)\]|\.(\w+)", path))
    places = tuple(part if isinstance(part, str) else part[0] or part[1] for part in within)
    told = " of ".join(part if not part.isdigit() else f"number {int(part) + 1}" for part in reversed(places))
    if unknown := re.search(r"unknown field `([^`]*)`", what):
        return entry.make_fault_at(
            f"{unknown[1]!r} is not known in {told}", *places, advice="take it out, or correct it"
        )
    if missing := re.search(r"missing required field `([^`]*)`", what):
        return entry.make_fault_at(f"{told} has no {missing[1]!r}", *places, advice="write it")
    wrong = f"{told} {translate_msgspec_message(what)}"
    return entry.make_fault_at(wrong, *places, advice="write it as the other entries have it")
