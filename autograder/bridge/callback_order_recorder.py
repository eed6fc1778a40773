"""Record the order in which the student's code calls callables, without calling the test each time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class RecordingCallback:
    """A callable for the student's code; called, it appends ``name`` to the recorder's list."""

    called_names: list[Any]
    name: Any

    def __call__(self) -> None:
        """Append the name to the recorder's list."""
        self.called_names.append(self.name)


@dataclass(frozen=True, slots=True)
class CallbackOrderRecorder:
    """Records the order in which the student's code calls the recorder's callables, by their names."""

    called_names: list[Any] = field(default_factory=list)
    """The names of the callables that were called, in the order of the calls."""

    def make_callback(self, name: Any) -> RecordingCallback:
        """Return a callable for the student's code that records this name when it is called.

        ``StudentProxy.make_relays`` and ``StudentProxy.make_gradient_adders`` take it, too.
        """
        return RecordingCallback(self.called_names, name)
