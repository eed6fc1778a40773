"""Record the order in which the student's code calls callables, without calling the test each time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class CallRecordingCallable:
    """A callable for the student's code; called, it appends ``name`` to the recorder's list."""

    called_names: list[Any]
    name: Any

    def __call__(self) -> None:
        """Append the name to the recorder's list."""
        self.called_names.append(self.name)


@dataclass(frozen=True, slots=True)
class CallbackOrderRecorder:
    """Records the order in which the student's code calls the recorder's callables, by their names."""

    noted: list[Any] = field(default_factory=list)

    def note(self, name: Any) -> CallRecordingCallable:
        """Return a callable that records this name, for ``StudentProxy.relays`` and ``StudentProxy.shares``."""
        return CallRecordingCallable(self.noted, name)
