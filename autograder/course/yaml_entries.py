"""Read lists of entries, such as misconceptions, field by field, to find every mistake in each, with its line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import Struct

from autograder.course.yaml_documents import KeyPath, YamlDocument
from autograder.course.yaml_section_parsing import describe_validation_error
from autograder.faults import CourseFault, format_did_you_mean_suffix

ORDINALS = ("first", "second", "third")
"""Names of the three hints of an entry, for errors."""
HINTS = "hints"


@dataclass(frozen=True, slots=True)
class YamlEntry:
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
) -> tuple[list[YamlEntry], list[CourseFault]]:
    """Read one list of a file.

    Args:
        document: the file.
        list_name: the name of the list.
        entry_type: the type that each entry should have.

    Returns:
        The entries, each with the fields that can be used; and every mistake in them.
    """
    items = document.data.get(list_name, ())
    if not isinstance(items, list | tuple):
        return [], [
            document.make_fault_at(f"{list_name!r} must be a list", (list_name,), "begin each entry with a hyphen")
        ]
    entries, faults = [], list[CourseFault]()
    for index, data in enumerate(items):
        entry = YamlEntry(document, (list_name, str(index)), f"entry {index + 1}", {})
        if not isinstance(data, dict):
            faults.append(entry.make_fault_at("an entry must be a mapping of keys to values"))
            continue
        if isinstance(data.get("id"), str) and data["id"]:
            entry = YamlEntry(document, entry.key, data["id"], {})
        fields, field_faults = _read_fields(entry, data, entry_type)
        entries.append(YamlEntry(document, entry.key, entry.name, fields))
        faults += field_faults
    return entries, faults


def _read_fields(
    entry: YamlEntry, data: Mapping[str, Any], kind: type[Struct]
) -> tuple[dict[str, Any], list[CourseFault]]:
    field_by_name = {field.name: field for field in msgspec.structs.fields(kind)}
    faults = [_describe_unknown(entry, str(name), [*field_by_name]) for name in data if name not in field_by_name]
    fields = dict[str, Any]()
    for name, field in field_by_name.items():
        if name not in data:
            if field.required:
                faults.append(entry.make_fault_at(f"the key {name!r} is missing", advice="write it"))
            continue
        field_faults = [*_find_missing_hints(entry, data[name])] if name == HINTS else []
        if not field_faults:
            try:
                fields[name] = msgspec.convert(data[name], field.type)
            except msgspec.ValidationError as error:
                field_faults.append(_describe_invalid(entry, name, error))
        faults += field_faults
    return fields, faults


def _describe_unknown(entry: YamlEntry, name: str, known_keys: list[str], *within: str) -> CourseFault:
    return entry.make_fault_at(
        f"unknown key {name!r}{format_did_you_mean_suffix(name, known_keys)}",
        *within,
        name,
        advice=f"choose from {', '.join(known_keys)}",
    )


def _find_missing_hints(entry: YamlEntry, hints: Any) -> Iterator[CourseFault]:
    """Yield an error for each of the three hints that is missing or empty, and one if there are more than three."""
    if not isinstance(hints, list):
        yield entry.make_fault_at("'hints' must be a list of three", HINTS, advice="begin each with a hyphen")
        return
    for place, ordinal in enumerate(ORDINALS):
        if place >= len(hints) or hints[place] is None or not str(hints[place]).strip():
            yield entry.make_fault_at(f"the {ordinal} hint is missing", HINTS, str(place), advice="write it")
    if len(hints) > len(ORDINALS):
        yield entry.make_fault_at(
            f"'hints' must be a list of three, not {len(hints)}",
            HINTS,
            advice="keep three: from a question to what to change",
        )


def _describe_invalid(entry: YamlEntry, name: str, error: msgspec.ValidationError) -> CourseFault:
    """Translate msgspec's error on one field into words for a course's author."""
    problem, places = describe_validation_error(error, within=(name,))
    if problem.startswith("unknown key"):
        advice = "take it out, or correct it"
    elif problem.startswith("the key"):
        advice = "write it"
    else:
        advice = "write it as the other entries have it"
    return entry.make_fault_at(problem, *places, advice=advice)


def make_validation_fault(document: YamlDocument, error: msgspec.ValidationError, advice: str) -> CourseFault:
    """Return the fault of a file that msgspec does not accept although its entries are usable one by one."""
    problem, places = describe_validation_error(error)
    return document.make_fault_at(problem, places, advice)
