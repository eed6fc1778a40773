"""A process that does not read is told from one that is gone."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest

from autograder.sandbox import ChannelClosed, FrameChannel, frame_channel
from autograder.sandbox.frame_channel import ChannelBlocked

Ends = tuple[FrameChannel, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    ours, theirs = socket.socketpair()
    output, printing = os.pipe()
    channel = FrameChannel(ours, output, 1 << 20, 1 << 20)
    yield channel, theirs
    channel.close()
    theirs.close()
    os.close(printing)


def test_one_that_takes_nothing_blocks_the_channel(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    channel, _ = ends
    monkeypatch.setattr(frame_channel, "BLOCKED_SECONDS", 0.2)
    with pytest.raises(ChannelBlocked, match="does not read"):
        channel.send_packed_frames(bytes(8 << 20))


def test_whoever_waits_for_one_that_takes_nothing_may_give_up(ends: Ends) -> None:
    channel, _ = ends
    looks = iter(range(3))

    def look() -> None:
        if next(looks) == 2:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        channel.send_packed_frames(bytes(8 << 20), look)


def test_one_that_is_gone_closed_it(ends: Ends) -> None:
    channel, theirs = ends
    theirs.close()
    with pytest.raises(ChannelClosed) as closed:
        channel.send_packed_frames(bytes(8 << 20))
    assert not isinstance(closed.value, ChannelBlocked)
