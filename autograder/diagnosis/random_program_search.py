"""Let Hypothesis try larger random programs, always the same ones, and shrink the first that fails."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Collection
from typing import Any

import msgspec

from autograder.diagnosis.caches import LruCache
from autograder.diagnosis.course_program_run_cache import CourseProgramRunCache, hash_run_inputs
from autograder.diagnosis.program_family import DiagnosisProgramFamily

MOST_EXAMPLES = 200
"""How many programs Hypothesis tries before it gives up; programs tried while shrinking are not counted."""
MOST_REMEMBERED = 8
"""How many families' programs are remembered; a family has some hundred of them."""


class StopProgramSearch(BaseException):
    """Raised by the predicate to end the search at once. It is no ``Exception``, so Hypothesis does not catch it."""


def find_program_with_hypothesis(program_family: DiagnosisProgramFamily, predicate: Callable[[Any], bool]) -> Any:
    """Return the simplest program that Hypothesis finds for which ``predicate`` is true; None if there is none.

    Raises:
        StopProgramSearch: the predicate raised it.
    """
    from hypothesis import HealthCheck, Phase, find, settings
    from hypothesis.errors import HypothesisException

    quiet = settings(
        max_examples=MOST_EXAMPLES,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    with contextlib.suppress(HypothesisException):
        return find(program_family.make_hypothesis_strategy(), predicate, settings=quiet, random=random.Random(0))
    return None


def list_hypothesis_programs(program_family: DiagnosisProgramFamily) -> list[Any]:
    """Return all programs that Hypothesis tries if none fails, in order."""
    programs: dict[Any, None] = {}

    def note(program: Any) -> bool:
        programs.setdefault(program)
        return False

    find_program_with_hypothesis(program_family, note)
    return [*programs]


class GeneratedProgramCache:
    """Remembers the programs that Hypothesis tries, because generating them takes longer than running them."""

    def __init__(self, run_cache: CourseProgramRunCache) -> None:
        """Remember nothing yet.

        Args:
            run_cache: keeps the programs between runs of the kit, if they can be encoded without loss.
        """
        self._kept_runs = run_cache
        self._by_key: LruCache[bytes, list[Any]] = LruCache(MOST_REMEMBERED)

    def get_or_generate(
        self, program_family: DiagnosisProgramFamily, implemented_names: Collection[str]
    ) -> list[Any]:
        """Return the programs of a family.

        Args:
            program_family: the family.
            implemented_names: the names that a submission implements. Families for the same names make the same
                programs.
        """
        import hypothesis

        key = hash_run_inputs("generated programs", hypothesis.__version__, further_texts=sorted(implemented_names))
        programs = self._by_key.get(key)
        if programs is None:
            programs = self._load_or_generate(key, program_family)
            self._by_key.store(key, programs)
        return programs

    def _load_or_generate(self, key: bytes, program_family: DiagnosisProgramFamily) -> list[Any]:
        kind: Any = list[type(next(program_family.enumerate_small_programs(), None))]  # type: ignore[misc]
        kept: list[Any] | None = self._kept_runs.get_or_none(key, kind)
        if kept is not None:
            return kept
        programs = list_hypothesis_programs(program_family)
        if _survive_encoding(programs, kind):
            self._kept_runs.store_if_absent(key, programs)
        return programs


def _survive_encoding(programs: list[Any], kind: Any) -> bool:
    """Return whether decoding the encoded programs gives the same programs, with the same ``repr``."""
    try:
        return repr(msgspec.msgpack.decode(msgspec.msgpack.encode(programs), type=kind)) == repr(programs)
    except (msgspec.MsgspecError, TypeError, OverflowError, NameError):
        return False
