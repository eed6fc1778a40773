"""Say how a student's process prepares for the next test."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.bridge.process_messages import encode_message
from autograder.sandbox.frame_channel import pack_frame


@dataclass(frozen=True, slots=True)
class NextTestSetup:
    """How the process prepares for a test, besides dropping what the last test held."""

    reverses_set_order: bool = False
    """Whether sets have the opposite order in the test."""
    reloads_code: bool = False
    """Whether the submission's code is run again before the test. Its names then stand for new objects."""
    address_space_limit_bytes: int = 0
    """The limit of the address space that the process sets itself; 0 for the assignment's limit."""
    replaced_unit: tuple[int, str] | None = None
    """The number of a unit, and the text that is run in its place from this test on; None to change nothing."""

    def pack_message(self) -> bytes:
        """Return the message that begins the test, packed as a frame."""
        content = [
            self.reverses_set_order,
            self.reloads_code,
            self.address_space_limit_bytes,
            list(self.replaced_unit or ()),
        ]
        return pack_frame(encode_message([0, "forget", content]))
