"""Cache between runs the requests that tests make to the reference solution and to other right programs.

As long as nothing changes, these programs give the same answers again.

There are three files for each assignment, kit version, Python and tier. They lie in the cache folder of the user who
grades, for that user alone. One is for the reference. The others are for requests to right programs that are
written differently, one by tests and one by a diagnosis. If a file cannot be written, nothing is kept, and the tests
are run on the reference at every start.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from autograder.bridge.request_transcript import Exchange, FindingLookupAnswer, RequestTranscript
from autograder.file_cache import get_cache_file_path, write_cache_file_and_prune
from autograder.grading.prefetching.known_request_paths import RequestTreeNode
from autograder.grading.prefetching.prefetching_runner import KnownRequestsAndVerdicts
from autograder.grading.suite.runnable_test import RawTestRun
from autograder.grading.suite.suite_runner import SuiteRunner
from autograder.kit_version import get_kit_version_with_code_digest

CALIBRATION, OTHER_STYLES, PART_PATHS = ".calibration", ".ways", ".parts"
UNUSABLE = (OSError, RuntimeError, msgspec.MsgspecError)
"""Exceptions for a file that is missing, malformed or not writable, or if the user's home folder is unknown
(``RuntimeError``)."""
PASSED = RawTestRun(None, (0.0, 0.0, 0.0))
FindingValue = bool | int | float | str | None


class CachedReferenceTestExchanges(msgspec.Struct, frozen=True, array_like=True):
    """The requests that one test sent to the reference solution, which passed it, and the answers."""

    test: str
    exchanges: tuple[tuple[bytes, bytes], ...]
    """The requests, and the answers as the test sees them."""
    ends_test: bool
    """Whether these are all requests of the test."""
    findings: dict[str, FindingValue]
    """What the test found out about the reference for other tests."""


class CachedRequestPathSuffix(msgspec.Struct, frozen=True, array_like=True):
    """One request path of a test, without the part that it shares with the previous path."""

    shared_request_count: int
    """The number of requests at its start that are the same as in the previous path."""
    remaining_exchanges: tuple[tuple[bytes, bytes], ...]
    """The requests after that, and the answers as a test sees them."""
    ends_test: bool
    """Whether the test ended with them."""
    findings_if_passed: dict[str, FindingValue] | None
    """What the test found out for other tests; None if it did not pass, or if this is unknown."""


class CachedRequestPathsOfTest(msgspec.Struct, frozen=True, array_like=True):
    """The requests that one test makes to engines that are written in different ways."""

    test: str
    branches: tuple[CachedRequestPathSuffix, ...]


def try_restore_reference_behavior(runner: SuiteRunner) -> bool:
    """Load what was kept of the reference; return False if nothing was, so that the reference must be tested."""
    known = runner.known_requests_and_verdicts
    if known is None or not runner.assignment.solution_file.is_file():
        return False
    try:
        kept = msgspec.msgpack.decode(
            get_suite_cache_path(runner, CALIBRATION).read_bytes(),
            type=tuple[CachedReferenceTestExchanges, ...],
        )
    except UNUSABLE:
        return False
    for one in kept:
        exchanged: list[Exchange] = [(request, FindingLookupAnswer(key)) for request, key in one.exchanges]
        known.request_paths.add_path(one.test, exchanged, ends_test=one.ends_test)
        known.request_paths.findings_by_test[one.test] = one.findings
        if one.ends_test:
            known.verdict_cache.store_if_cacheable(
                one.test, RequestTranscript(exchanges=exchanged), PASSED, one.findings
            )
    return True


def save_reference_behavior_if_possible(runner: SuiteRunner) -> None:
    """Save the requests, answers and findings of the reference, which passed all tests; on an error, keep nothing."""
    known = runner.known_requests_and_verdicts
    if known is None:
        return
    with suppress(*UNUSABLE):
        asked = [
            _make_cached_requests(test, step, known.request_paths.findings_by_test[test])
            for test, step in known.request_paths.root_by_test.items()
        ]
        write_cache_file_and_prune(get_suite_cache_path(runner, CALIBRATION), msgspec.msgpack.encode(asked))


@dataclass(frozen=True, slots=True)
class RequestCacheFile:
    """A cache file with the requests of tests to the course's own programs, and the verdicts on their answers."""

    file: Path

    def try_load_into(self, known_requests_and_verdicts: KnownRequestsAndVerdicts) -> bool:
        """Add the kept requests and verdicts to the known ones; return False if nothing was kept."""
        try:
            kept = msgspec.msgpack.decode(self.file.read_bytes(), type=tuple[CachedRequestPathsOfTest, ...])
        except UNUSABLE:
            return False
        for one in kept:
            way: list[tuple[bytes, bytes]] = []
            for branch in one.branches:
                way[branch.shared_request_count :] = branch.remaining_exchanges
                exchanged: list[Exchange] = [(request, FindingLookupAnswer(key)) for request, key in way]
                known_requests_and_verdicts.request_paths.add_path(one.test, exchanged, ends_test=branch.ends_test)
                if branch.findings_if_passed is not None:
                    known_requests_and_verdicts.verdict_cache.store_if_cacheable(
                        one.test, RequestTranscript(exchanges=exchanged), PASSED, branch.findings_if_passed
                    )
        return True

    def try_save(self, known_requests_and_verdicts: KnownRequestsAndVerdicts) -> None:
        """Save the known requests and verdicts; on a write error, keep nothing."""
        with suppress(*UNUSABLE):
            branches = [
                CachedRequestPathsOfTest(
                    test, tuple(iterate_request_path_suffixes(known_requests_and_verdicts, test))
                )
                for test in known_requests_and_verdicts.request_paths.root_by_test
            ]
            write_cache_file_and_prune(self.file, msgspec.msgpack.encode(branches))


def make_suite_cache_file(runner: SuiteRunner, suffix: str, *further_digests: str) -> RequestCacheFile:
    """Return the file that keeps what is known of a suite between runs; it is not read yet, and need not exist.

    Args:
        runner: runs the suite.
        suffix: the suffix of the file.
        *further_digests: digests of what the paths depend on besides the kit, the assignment, Python and the tier.
    """
    return RequestCacheFile(get_suite_cache_path(runner, suffix, *further_digests))


def _make_cached_requests(test: str, first: RequestTreeNode, found: object) -> CachedReferenceTestExchanges:
    ((_, exchanged, ended),) = _iterate_paths(first)
    return msgspec.convert((test, exchanged, ended, found), CachedReferenceTestExchanges)


def iterate_request_path_suffixes(
    known_requests_and_verdicts: KnownRequestsAndVerdicts, pytest_id: str
) -> Iterator[CachedRequestPathSuffix]:
    """Yield the known request paths of a test, each without the part that it shares with the previous one."""
    way: list[tuple[bytes, bytes]] = []
    for shared, rest, ended in _iterate_paths(known_requests_and_verdicts.request_paths.root_by_test[pytest_id]):
        way[shared:] = rest
        verdict = known_requests_and_verdicts.verdict_cache.find_by_requests_and_answers(pytest_id, way)
        passed = verdict is not None and verdict.outcome.exception is None
        yield msgspec.convert(
            (shared, rest, ended, verdict.findings if verdict and passed else None), CachedRequestPathSuffix
        )


def _iterate_paths(first: RequestTreeNode) -> Iterator[tuple[int, tuple[tuple[bytes, bytes], ...], bool]]:
    """Yield every path; if a path's last request has no known answer, that answer is empty.

    An item holds the number of requests shared with the previous path, the rest, and whether the path ends the test.
    """
    way: list[tuple[bytes, bytes]] = []
    shared = 0
    ahead: list[tuple[int, RequestTreeNode, bytes]] = [
        (0, first, key) for key in [*first.next_by_answer][::-1] or [b""]
    ]
    while ahead:
        depth, step, key = ahead.pop()
        shared = min(shared, depth)
        way[depth:] = [(step.request, key)]
        after = step.next_by_answer.get(key)
        if after is None:
            yield shared, tuple(way[shared:]), key in step.next_by_answer
            shared = len(way)
        else:
            ahead += [(depth + 1, after, answer) for answer in [*after.next_by_answer][::-1] or [b""]]


def get_suite_cache_path(runner: SuiteRunner, suffix: str, *further_digests: str) -> Path:
    """Return the file of the cache folder for a suite, the kit, Python and the tier.

    See ``make_suite_cache_file``.

    Raises:
        RuntimeError: the user's home folder is unknown.
    """
    assignment = runner.assignment
    everything = (
        get_kit_version_with_code_digest(),
        assignment.version,
        sys.version,
        runner.process_pool.tier,
        *further_digests,
    )
    digest = hashlib.sha256("\0".join(everything).encode()).hexdigest()[:16]
    return get_cache_file_path(f"{assignment.name}-{digest}{suffix}")
