"""Remember what the tests of one submission find out about it, and report each look-up of such a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any


def get_finding_repr(findings: Mapping[str, Any], finding_name: str) -> str:
    """Return the ``repr`` of the finding with a name; an empty text if there is none."""
    return repr(findings[finding_name]) if finding_name in findings else ""


class RememberedFindings(MutableMapping[str, Any]):
    """The findings of one submission's tests about it, by name.

    A look-up is reported to ``on_lookup``, because the test's next requests depend on its result. Look-ups of
    findings of the running test itself are not reported.
    """

    def __init__(self, on_lookup: Callable[[str, str], None]) -> None:
        """Start with nothing remembered.

        Args:
            on_lookup: called with a name that was looked up, and the ``repr`` of its finding, or an empty text.
        """
        self.content: dict[str, Any] = {}
        self._own_names: set[str] = set()
        self._on_lookup = on_lookup

    def mark_all_as_from_earlier_tests(self) -> None:
        """Treat all findings so far as findings of other tests."""
        self._own_names.clear()

    def peek_repr(self, finding_name: str) -> str:
        """Return the ``repr`` of the finding with a name, or an empty text, without reporting a look-up."""
        return get_finding_repr(self.content, finding_name)

    def _look_up(self, name: str) -> None:
        if name not in self._own_names:
            self._on_lookup(name, self.peek_repr(name))

    def __getitem__(self, name: str) -> Any:
        self._look_up(name)
        return self.content[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._own_names.add(name)
        self.content[name] = value

    def __delitem__(self, name: str) -> None:
        self._own_names.add(name)
        del self.content[name]

    def __contains__(self, name: object) -> bool:
        self._look_up(str(name))
        return name in self.content

    def __iter__(self) -> Iterator[str]:
        return iter(self.content)

    def __len__(self) -> int:
        return len(self.content)
