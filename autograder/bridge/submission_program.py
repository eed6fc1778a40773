"""Describe the program that is sent to a student's process, and the result of loading it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import msgspec

NAME = re.compile(r"[A-Za-z_]\w*")
MODULE = re.compile(r"[A-Za-z_][\w.]*")
NOT_PRELOADED = ("antigravity", "idlelib", "import", "test", "this", "tkinter", "turtle", "turtledemo", "value")
MOST_IMPORTS = 100
"""How many modules are loaded ahead of a program; honest ones import ten."""


class LoadProblem(msgspec.Struct, frozen=True):
    """A problem that occurred while a submission was loaded."""

    kind: str
    """``broken`` (it does not compile), ``failed``, ``timed out``, or ``stopped`` (it ended the process). The
    last is never taken from the process itself."""
    unit: int
    statement: int
    line: int
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What a submission defines, once its code has run."""

    kind_by_name: dict[str, str] = field(default_factory=dict)
    """For each name asked for, its kind: ``class``, ``function`` or another; empty if it is not defined."""
    attributes_by_class: dict[str, frozenset[str]] = field(default_factory=dict)
    """For each class asked for, the attributes that it or its instances have."""
    missing_packages: tuple[str, ...] = ()
    """Packages that were imported and are not installed."""
    problems: tuple[LoadProblem, ...] = ()


class ReportedLoadResult(msgspec.Struct):
    """A process's answer to the request to load a program."""

    defined: dict[str, str]
    features: dict[str, list[str]]
    missing: list[str]
    problems: list[LoadProblem]
    late: list[tuple[int, int]]
    hangs: bool = False
    """Whether an instance of a class could not be made or inspected in time; later processes need not try."""
    seconds: float = math.inf
    """CPU seconds of loading, without imports, as the process reports them."""

    @property
    def is_loaded_without_problems(self) -> bool:
        """Return whether the whole program ran, and no package was missing."""
        return not (self.problems or self.late or self.missing or self.hangs)


@dataclass(frozen=True, slots=True)
class SubmissionProgram:
    """The program that is sent to a student's process."""

    units: tuple[tuple[str, str], ...]
    """Name and source of each piece, in order."""
    defines: tuple[str, ...]
    modules: dict[str, str] = field(default_factory=dict)
    possible_attributes: tuple[str, ...] = ()
    """Names that an object may have without showing them: asked for where a class has ``__getattr__``."""
    skipped_statements: frozenset[tuple[int, int]] = frozenset()
    """Statements that are left out, as (unit, position): they hang or end the process."""
    also_named: tuple[str, ...] = ()
    """Names besides ``defines`` that tests ask for: those of given code."""
    makes_instances: bool = True
    """Whether an instance of each class is made during loading, to see its attributes."""

    def map_traceback_names_to_sources(self) -> dict[str, str]:
        """Return the text of each piece, by its name in tracebacks."""
        return {**dict(self.units), **{f"{name}.py": source for name, source in self.modules.items()}}

    def count_characters(self) -> int:
        """Return the number of characters in all sources together."""
        return sum(map(len, self.map_traceback_names_to_sources().values()))

    def list_imports(self) -> list[str]:
        """Return the names of modules that import statements may ask for, as far as each fits on a line.

        The student's own files are not among them, nor what opens a window or prints when it is imported.
        """
        names: dict[str, None] = {}
        for source in self.map_traceback_names_to_sources().values():
            for line in source.splitlines():
                words = line.replace(",", " ").replace(";", " ").replace("(", " ").split()
                if "import" in words:
                    names.update(dict.fromkeys(word for word in words if MODULE.fullmatch(word)))
        return [name for name in names if name.partition(".")[0] not in {*self.modules, *NOT_PRELOADED}][
            :MOST_IMPORTS
        ]

    def collect_identifiers_in_text(self) -> frozenset[str]:
        """Return all names that occur in the sources."""
        sources = (*(source for _, source in self.units), *self.modules.values())
        return frozenset(name for source in sources for name in NAME.findall(source))
