"""A hidden suite without pytest's running of it, for graders that bring their own: every test is a plain function.

Fixtures are called anew for each test, as pytest does; markers are looked up on the test and on its module.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest

from autograder.bridge.student import LocalStudentProxy
from autograder.course.model import AcceptedGradientConventions
from benchmarks.peers.peer import Job

Fixtures = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True, slots=True)
class WrappedTest:
    """One hidden test.

    Attributes:
        name: the function's.
        suite: the name of its file.
        sentence: the first line of its docstring.
        weight: its share of the points; 1 unless it says otherwise.
    """

    name: str
    suite: str
    sentence: str
    weight: float
    function: Callable[..., None]
    fixtures: Fixtures
    markers: tuple[pytest.Mark, ...]

    def run(self, student: LocalStudentProxy, conventions: AcceptedGradientConventions) -> None:
        """Run it.

        Args:
            student: the submission; keep it for all tests of one.
            conventions: the answers that the course accepts.

        Raises:
            Exception: whatever the test raises.
        """
        nearest = self.get_closest_marker("subject")
        subject = nearest.args if nearest else ()
        made = {
            "student": student,
            "conventions": conventions,
            "subject": subject,
            "blocked_by": _blocked_by,
            "request": self,
        }
        self.function(**{name: self._made(name, made) for name in inspect.signature(self.function).parameters})

    @property
    def concept(self) -> str:
        """The concept that its marker names."""
        marker = self.get_closest_marker("concept")
        return str(marker.args[0]) if marker else ""

    @property
    def node(self) -> WrappedTest:
        """What ``request.node`` is."""
        return self

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        """See ``pytest.Item``."""
        return next((marker for marker in self.markers if marker.name == name), None)

    def _made(self, name: str, made: dict[str, Any]) -> Any:
        if name not in made:
            needs = inspect.signature(self.fixtures[name]).parameters
            made[name] = self.fixtures[name](**{need: self._made(need, made) for need in needs})
        return made[name]


def _blocked_by(name: str) -> NoReturn:
    """Do what ``blocked_by`` does: a test whose prerequisite does not work earns nothing, as if it had failed."""
    raise AssertionError(f"{name} does not work yet")


def wrapped_tests(hidden: Path) -> list[WrappedTest]:
    """Return the tests of a hidden suite, in the order of the files.

    Raises:
        NotImplementedError: a test is parametrized.
    """
    if str(hidden) not in sys.path:
        sys.path.insert(0, str(hidden))  # its files import helper modules beside them
    shared = _fixtures(_imported(hidden / "conftest.py")) if (hidden / "conftest.py").is_file() else {}
    return [test for path in sorted(hidden.glob("test_*.py")) for test in _tests(_imported(path), shared)]


def counted_suites(job: Job) -> frozenset[str]:
    """Return the names of the hidden files whose tests count in the shares."""
    bonus = {concept.name for concept in job.assignment.concepts if concept.bonus}
    tests = wrapped_tests(job.assignment.hidden_suite_folder)
    return frozenset(test.suite for test in tests if job.with_bonus or test.concept not in bonus)


def _tests(module: ModuleType, shared: Fixtures) -> Iterator[WrappedTest]:
    fixtures = {**shared, **_fixtures(module)}
    for name, function in vars(module).items():
        if not name.startswith("test_") or not inspect.isfunction(function):
            continue
        marks = (*reversed(getattr(function, "pytestmark", ())), *_marks(getattr(module, "pytestmark", ())))
        found = {mark.name: mark for mark in reversed(marks)}
        if "parametrize" in found:
            raise NotImplementedError(f"{module.__name__}.{name} is parametrized")
        weight = float(found["weight"].args[0]) if "weight" in found else 1.0
        sentence = (inspect.getdoc(function) or name).splitlines()[0]
        yield WrappedTest(name, module.__name__, sentence, weight, function, fixtures, marks)


def _marks(declared: Any) -> tuple[pytest.Mark, ...]:
    """Return what ``pytestmark`` of a module holds: one decorator, or several."""
    several = declared if isinstance(declared, list | tuple) else [declared]
    return tuple(one.mark for one in several)


def _fixtures(module: ModuleType) -> Fixtures:
    """Functions that were decorated with ``pytest.fixture``, without the decorator."""
    kind = type(pytest.fixture(lambda: None))
    return {name: inspect.unwrap(one) for name, one in vars(module).items() if isinstance(one, kind)}


def _imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    with warnings.catch_warnings():  # where pytest runs, it does not know the suite's marks
        warnings.simplefilter("ignore", pytest.PytestUnknownMarkWarning)
        spec.loader.exec_module(module)
    return module
