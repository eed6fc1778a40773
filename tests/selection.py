"""In which order test files are begun, and which tests ``make quick`` tries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def order_nodes(nodes: Sequence[str]) -> dict[str, tuple[int, str]]:
    """Return sort keys of tests: files of few tests, which are long, come first, and each file stays together."""
    many = Counter(map(file_of, nodes))
    return {node: (many[file_of(node)], file_of(node)) for node in nodes}


def choose_first_of_each_file(nodes: Sequence[str]) -> set[str]:
    """Return what ``make quick`` tries: where a file begins, it says the plainest that it has to say."""
    first: dict[str, str] = {}
    for node in nodes:
        first.setdefault(file_of(node), node)
    return {*first.values()}


def file_of(node: str) -> str:
    """The file of a test's id."""
    return node.partition("::")[0]
