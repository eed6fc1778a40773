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
from autograder.grading.prefetching.caching_test_runner import KnownRequestsAndVerdicts
from autograder.grading.prefetching.known_request_paths import RequestTreeNode
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
    known_requests = runner.known_requests_and_verdicts
    if known_requests is None or not runner.assignment.solution_file.is_file():
        return False
    try:
        cached_tests = msgspec.msgpack.decode(
            get_suite_cache_path(runner, CALIBRATION).read_bytes(),
            type=tuple[CachedReferenceTestExchanges, ...],
        )
    except UNUSABLE:
        return False
    for cached_test in cached_tests:
        exchanges: list[Exchange] = [(request, FindingLookupAnswer(key)) for request, key in cached_test.exchanges]
        known_requests.request_paths.add_path(cached_test.test, exchanges, ends_test=cached_test.ends_test)
        known_requests.request_paths.findings_by_test[cached_test.test] = cached_test.findings
        if cached_test.ends_test:
            known_requests.verdict_cache.store_if_cacheable(
                cached_test.test, RequestTranscript(exchanges=exchanges), PASSED, cached_test.findings
            )
    return True


def save_reference_behavior_if_possible(runner: SuiteRunner) -> None:
    """Save the requests, answers and findings of the reference, which passed all tests; on an error, keep nothing."""
    known_requests = runner.known_requests_and_verdicts
    if known_requests is None:
        return
    with suppress(*UNUSABLE):
        cached_requests = [
            _make_cached_requests(test, step, known_requests.request_paths.findings_by_test[test])
            for test, step in known_requests.request_paths.root_by_test.items()
        ]
        write_cache_file_and_prune(get_suite_cache_path(runner, CALIBRATION), msgspec.msgpack.encode(cached_requests))


@dataclass(frozen=True, slots=True)
class RequestCacheFile:
    """A cache file with the requests of tests to the course's own programs, and the verdicts on their answers."""

    file: Path

    def try_load_into(self, known_requests_and_verdicts: KnownRequestsAndVerdicts) -> bool:
        """Add the kept requests and verdicts to the known ones; return False if nothing was kept."""
        try:
            cached_tests = msgspec.msgpack.decode(self.file.read_bytes(), type=tuple[CachedRequestPathsOfTest, ...])
        except UNUSABLE:
            return False
        for cached_test in cached_tests:
            path: list[tuple[bytes, bytes]] = []
            for branch in cached_test.branches:
                path[branch.shared_request_count :] = branch.remaining_exchanges
                exchanges: list[Exchange] = [(request, FindingLookupAnswer(key)) for request, key in path]
                known_requests_and_verdicts.request_paths.add_path(
                    cached_test.test, exchanges, ends_test=branch.ends_test
                )
                if branch.findings_if_passed is not None:
                    known_requests_and_verdicts.verdict_cache.store_if_cacheable(
                        cached_test.test, RequestTranscript(exchanges=exchanges), PASSED, branch.findings_if_passed
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


def _make_cached_requests(test: str, root: RequestTreeNode, findings: object) -> CachedReferenceTestExchanges:
    ((_, exchanges, ends_test),) = _iterate_paths(root)
    return msgspec.convert((test, exchanges, ends_test, findings), CachedReferenceTestExchanges)


def iterate_request_path_suffixes(
    known_requests_and_verdicts: KnownRequestsAndVerdicts, pytest_id: str
) -> Iterator[CachedRequestPathSuffix]:
    """Yield the known request paths of a test, each without the part that it shares with the previous one."""
    path: list[tuple[bytes, bytes]] = []
    for shared_count, remaining_exchanges, ends_test in _iterate_paths(
        known_requests_and_verdicts.request_paths.root_by_test[pytest_id]
    ):
        path[shared_count:] = remaining_exchanges
        verdict = known_requests_and_verdicts.verdict_cache.find_by_requests_and_answers(pytest_id, path)
        has_passed = verdict is not None and verdict.outcome.exception is None
        yield msgspec.convert(
            (shared_count, remaining_exchanges, ends_test, verdict.findings if verdict and has_passed else None),
            CachedRequestPathSuffix,
        )


def _iterate_paths(root: RequestTreeNode) -> Iterator[tuple[int, tuple[tuple[bytes, bytes], ...], bool]]:
    """Yield every path; if a path's last request has no known answer, that answer is empty.

    An item holds the number of requests shared with the previous path, the rest, and whether the path ends the test.
    """
    path: list[tuple[bytes, bytes]] = []
    shared_count = 0
    stack: list[tuple[int, RequestTreeNode, bytes]] = [
        (0, root, key) for key in [*root.next_by_answer][::-1] or [b""]
    ]
    while stack:
        depth, node, key = stack.pop()
        shared_count = min(shared_count, depth)
        path[depth:] = [(node.request, key)]
        next_node = node.next_by_answer.get(key)
        if next_node is None:
            yield shared_count, tuple(path[shared_count:]), key in node.next_by_answer
            shared_count = len(path)
        else:
            stack += [(depth + 1, next_node, answer) for answer in [*next_node.next_by_answer][::-1] or [b""]]


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
