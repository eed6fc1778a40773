"""Read YAML and remember the line of every key, so that a message can point at a mistake."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from autograder.faults import CourseFault, make_file_fault

KeyPath = tuple[str, ...]
FAST: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader that uses libyaml, where it is installed: eight times as fast on a long file."""


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A YAML file: its data, and the line of each key path. Members of lists have the keys ``"0"``, ``"1"``, ..."""

    path: Path
    data: dict[str, Any]
    line_by_key: dict[KeyPath, int]

    def make_fault_at(self, what: str, key: KeyPath, advice: str = "") -> CourseFault:
        """Return the error for one key: ``grading.yml:12: limits.cpu_seconds: ...``."""
        where = f"{self.path}:{self.get_line_of_nearest_key(key)}" + (f": {'.'.join(key)}" if key else "")
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
    with suppress(CourseFault, yaml.YAMLError, ValueError, KeyError, RecursionError, OverflowError, TypeError):
        return _parse_document(text, path, FAST)
    return _parse_document(text, path, yaml.SafeLoader)  # the Python loader's messages are the ones that are reported


def _parse_document(text: str, path: Path, loader_class: type[yaml.SafeLoader]) -> YamlDocument:
    lines: dict[KeyPath, int] = {}
    try:
        loader = loader_class(text)
        root = loader.get_single_node()
        if not isinstance(root, yaml.MappingNode):
            raise CourseFault("the file must be a mapping of keys to values", where=f"{path}:1")
        _LineNotes(path, lines, set()).note_lines(root, ())
        data = loader.construct_document(root)
    except yaml.YAMLError as error:
        raise _make_syntax_fault(error, text, path) from error
    except (ValueError, KeyError, RecursionError, OverflowError, TypeError) as error:
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        location = f"{path}:{_find_bad_line(text)}"
        raise CourseFault(f"cannot use a value: {reason}", location, "put the value in quotes") from error
    return YamlDocument(path, data, lines)


def _find_bad_line(text: str) -> int:
    """Return the line of the first value that cannot be constructed; 1 if no single value is to blame."""
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.ScalarEvent) and event.start_mark and event.end_mark:
                value = text[event.start_mark.index : event.end_mark.index]
                tag = f"{event.tag.replace('tag:yaml.org,2002:', '!!')} " if event.tag else ""
                try:
                    yaml.safe_load(value if value.startswith("!") else tag + value)
                except (ValueError, KeyError, yaml.YAMLError):
                    return event.start_mark.line + 1
    except (RecursionError, yaml.YAMLError):
        pass
    return 1


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
