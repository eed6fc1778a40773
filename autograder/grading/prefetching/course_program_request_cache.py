"""Cache between runs the requests that tests make to the reference solution and to other right programs.

As long as nothing changes, these programs give the same answers again.

There are two files for each assignment, kit version, Python and tier. They lie in the cache folder of the user who
grades, for that user alone. One is for the reference, the other for requests to right programs that are written
differently. If a file cannot be written, nothing is kept, and the tests are run on the reference at every start.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from autograder.bridge.request_transcript import Exchange, FindingLookupAnswer
from autograder.file_cache import get_cache_file_path, write_cache_file_and_prune
from autograder.grading.prefetching.known_request_paths import RequestTreeNode
from autograder.grading.prefetching.known_requests_and_verdicts import KnownRequestsAndVerdicts
from autograder.grading.suite.suite_runner import SuiteRunner
from autograder.kit_version import get_kit_version_with_code_digest

CALIBRATION, OTHER_STYLES = ".calibration", ".ways"
UNUSABLE = (OSError, RuntimeError, msgspec.MsgspecError)
"""Exceptions for a file that is missing, malformed or not writable, or if the user's home folder is unknown
(``RuntimeError``)."""
FindingValue = bool | int | float | str | None


class CachedRequestPathDelta(msgspec.Struct, frozen=True, array_like=True):
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
    branches: tuple[CachedRequestPathDelta, ...]
    findings: dict[str, FindingValue] | None
    """What the test found out about the first program, for other tests; None if nothing is known of that."""


def try_add_cached_requests(
    runner: SuiteRunner, suffix: str, known_requests_and_verdicts: KnownRequestsAndVerdicts, *further_digests: str
) -> bool:
    """Add the kept requests, verdicts and findings to the known ones; return False if nothing was kept.

    Args:
        runner: runs the suite.
        suffix: the suffix of the file.
        known_requests_and_verdicts: what is known.
        *further_digests: digests of what the paths depend on besides the kit, the assignment, Python and the tier.
    """
    try:
        file = get_suite_cache_path(runner, suffix, *further_digests)
        cached_tests = msgspec.msgpack.decode(file.read_bytes(), type=tuple[CachedRequestPathsOfTest, ...])
    except UNUSABLE:
        return False
    request_paths = known_requests_and_verdicts.request_paths
    for cached_test in cached_tests:
        if cached_test.findings is not None:
            request_paths.findings_by_test[cached_test.test] = cached_test.findings
        path: list[tuple[bytes, bytes]] = []
        for branch in cached_test.branches:
            path[branch.shared_request_count :] = branch.remaining_exchanges
            exchanges: list[Exchange] = [(request, FindingLookupAnswer(key)) for request, key in path]
            request_paths.add_path(cached_test.test, exchanges, ends_test=branch.ends_test)
            if branch.findings_if_passed is not None:
                known_requests_and_verdicts.verdict_cache.store_pass_if_small(
                    cached_test.test, exchanges, branch.findings_if_passed
                )
    return True


def try_save_known_requests(
    runner: SuiteRunner, suffix: str, known_requests_and_verdicts: KnownRequestsAndVerdicts, *further_digests: str
) -> None:
    """Save the known requests, verdicts and findings; on an error, keep nothing. See ``try_add_cached_requests``."""
    with suppress(*UNUSABLE):
        request_paths = known_requests_and_verdicts.request_paths
        cached_tests = [
            msgspec.convert(
                (
                    test,
                    tuple(iterate_request_path_deltas(known_requests_and_verdicts, test)),
                    request_paths.findings_by_test.get(test),
                ),
                CachedRequestPathsOfTest,
            )
            for test in request_paths.root_by_test
        ]
        write_cache_file_and_prune(
            get_suite_cache_path(runner, suffix, *further_digests), msgspec.msgpack.encode(cached_tests)
        )


def iterate_request_path_deltas(
    known_requests_and_verdicts: KnownRequestsAndVerdicts, pytest_id: str
) -> Iterator[CachedRequestPathDelta]:
    """Yield the known request paths of a test, each without the part that it shares with the previous one."""
    path: list[tuple[bytes, bytes]] = []
    for shared_count, remaining_exchanges, ends_test in _iterate_paths(
        known_requests_and_verdicts.request_paths.root_by_test[pytest_id]
    ):
        path[shared_count:] = remaining_exchanges
        verdict = known_requests_and_verdicts.verdict_cache.find_by_requests_and_answers(pytest_id, path)
        yield msgspec.convert(
            (shared_count, remaining_exchanges, ends_test, verdict.findings if verdict else None),
            CachedRequestPathDelta,
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

    See ``try_add_cached_requests``.

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
