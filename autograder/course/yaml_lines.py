"""YAML in which every key remembers its line, so that a mistake can be pointed at."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from autograder.faults import CourseFault

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file: its data, and the line of each key path."""

    path: Path
    data: dict[str, Any]
    lines: dict[Key, int]

    def fault(self, what: str, key: Key, advice: str = "") -> CourseFault:
        """The error for one key: ``grading.yml:12: limits.cpu_seconds: ...``."""
        known = key
        while known and known not in self.lines:
            known = known[:-1]
        line = self.lines.get(known, 1)
        place = f"{self.path}:{line}" + (f": {'.'.join(key)}" if key else "")
        return CourseFault(what, where=place, advice=advice)


def read_yaml(path: Path) -> Document:
    """Read a YAML mapping.

    Raises:
        CourseFault: the file is missing, is not YAML, holds a key twice, or is not a mapping.
    """
    try:
        text = path.read_text(encoding="utf-8")
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
    except OSError as error:
        raise CourseFault(f"cannot be read: {error.strerror}", where=str(path)) from error
    except UnicodeDecodeError as error:
        raise CourseFault("is not UTF-8 text", where=str(path), advice="save it as UTF-8") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        problem = getattr(error, "problem", None) or str(error)
        raise CourseFault(f"is not YAML: {problem}", where=where, advice="check indentation and colons") from error
    if not isinstance(root, yaml.MappingNode):
        raise CourseFault("must be a mapping of keys to values", where=f"{path}:1")
    lines: dict[Key, int] = {}
    _note_lines(root, (), lines, path)
    try:
        data = loader.construct_document(root)
    except yaml.YAMLError as error:
        raise CourseFault(f"is not YAML that can be used: {error}", where=str(path)) from error
    return Document(path, data, lines)


def _note_lines(node: yaml.Node, prefix: Key, lines: dict[Key, int], path: Path) -> None:
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[Hashable] = set()
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        name = str(key_node.value)
        if name in seen:
            raise CourseFault("stands here twice", where=f"{path}:{line}: {name}", advice="keep one of them")
        seen.add(name)
        lines[(*prefix, name)] = line
        _note_lines(value_node, (*prefix, name), lines, path)
