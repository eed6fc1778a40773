"""Accept former keys of misconceptions, and tell authors of the present ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograder.course.yaml_documents import YamlDocument

NEW_KEYS = {"chance": "nondeterministic", "may_touch": "may_affect"}
"""The name of each renamed key of a misconception, by its former name."""
LIST_NAME = "misconceptions"


def rename_former_keys(document: YamlDocument) -> YamlDocument:
    """Return a file of misconceptions with the present keys in place of former ones, each at its line.

    An entry that has a key under both names keeps the former one, which its reader then reports as unknown.
    """
    entries = document.data.get(LIST_NAME)
    if not isinstance(entries, list):
        return document
    lines = dict(document.line_by_key)
    for path, line in document.line_by_key.items():
        if path[:1] == (LIST_NAME,) and len(path) > 2 and path[2] in NEW_KEYS:
            lines.setdefault((*path[:2], NEW_KEYS[path[2]], *path[3:]), line)
    return replace(
        document,
        data={**document.data, LIST_NAME: [_rename_entry(entry) for entry in entries]},
        line_by_key=lines,
    )


def _rename_entry(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    return {
        NEW_KEYS[key] if key in NEW_KEYS and NEW_KEYS[key] not in entry else key: value
        for key, value in entry.items()
    }


def describe_former_keys(document: YamlDocument) -> str:
    """Return a sentence on the former keys that a file of misconceptions uses; empty if it uses none."""
    lines: dict[str, int] = {}
    for path, line in document.line_by_key.items():
        if path[:1] == (LIST_NAME,) and len(path) == 3 and path[2] in NEW_KEYS:
            lines[path[2]] = min(line, lines.get(path[2], line))
    if not lines:
        return ""
    changes = ", ".join(f"the key `{key}` is now called `{NEW_KEYS[key]}`" for key in lines)
    return f"{document.path}:{min(lines.values())}: {changes}; former names keep working."
