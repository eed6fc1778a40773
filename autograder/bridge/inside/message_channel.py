"""Exchange frames of JSON, on the student's side of the channel; what is asked may come in ``marshal``'s format.

``json`` alone would cost a third of the time that the process takes to start, so its C half is used directly.
"""

import marshal
import os
from time import monotonic
from typing import Any

CHANNEL: int = globals().get("CHANNEL", -1)  # set by whoever runs this


class _Context:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = None
    memo: dict[str, str] = {}  # noqa: RUF012


try:
    import _json

    c: Any = _json
    _scan = c.make_scanner(_Context())
    _chunks = c.make_encoder(None, None, c.encode_basestring_ascii, None, ":", ",", False, False, False)

    def loads(text: str) -> Any:
        """Return JSON text as data."""
        return _scan(text, 0)[0]

    def dumps(data: Any) -> str:
        """Return data as JSON text."""
        return "".join(_chunks(data, 0))

except (ImportError, AttributeError, TypeError):
    import json

    def loads(text: str) -> Any:
        """Return JSON text as data."""
        return json.loads(text)

    def dumps(data: Any) -> str:
        """Return data as JSON text."""
        return json.dumps(data, separators=(",", ":"))


_buffer = b""
MARSHALLED = b"\0"  # see ``process_messages``


def receive_message_or_exit() -> Any:
    """Return the next message, mostly with one system call; send held messages before waiting for it."""
    global _buffer
    while len(_buffer) < 4 or len(_buffer) < 4 + int.from_bytes(_buffer[:4], "big"):
        _send_held()
        chunk = os.read(CHANNEL, 1 << 20 if len(_buffer) > 1 << 16 else 1 << 16)
        if not chunk:
            os._exit(0)
        _buffer += chunk
    end = 4 + int.from_bytes(_buffer[:4], "big")
    frame = _buffer[4:end]
    _buffer = _buffer[end:]
    if frame[:1] == MARSHALLED:
        return [int.from_bytes(frame[1:9], "big"), "ask", marshal.loads(frame[9:])]
    return loads(frame.decode())


called_callback_numbers: list[int] = []
MOST_QUEUED_CALLS = 1000  # numbers in one message


def queue_callback_call(callback_number: int) -> None:
    """Report with the next message that a recording callback was called; report at once if there are many."""
    called_callback_numbers.append(callback_number)
    if len(called_callback_numbers) >= MOST_QUEUED_CALLS:
        _send_held()
        _write_all(_pack_callback_calls())


def pop_called_callback_numbers() -> list[int]:
    """Return the numbers of called callbacks that were not reported yet, and clear them."""
    numbers = called_callback_numbers[:]
    called_callback_numbers.clear()
    return numbers


HOLD_SECONDS = 0.002
HOLD_BYTES = 1 << 15

_held_frames: list[bytes] = []
_held_bytes = 0
_sent_at = 0.0
_is_sending = False


def send_message_at_once(message: Any) -> None:
    """Send held messages and called callbacks, then one message."""
    _send_held()
    data = _pack_message(message)
    _write_all(_pack_callback_calls() + data if called_callback_numbers else data)


def queue_message(message: Any) -> None:
    """Send a message, or hold it until this side waits for the next one: each sending wakes the other side.

    What is held is little, and for milliseconds: a process that ends takes it along.
    """
    global _held_bytes
    data = _pack_message(message)
    if called_callback_numbers:
        data = _pack_callback_calls() + data
    _held_frames.append(data)
    _held_bytes += len(data)
    if _held_bytes > HOLD_BYTES or monotonic() - _sent_at > HOLD_SECONDS:
        _send_held()


def _send_held() -> None:
    """Send what is held, unless a signal came while that was being done."""
    global _held_bytes, _sent_at, _is_sending
    if not _held_frames or _is_sending:
        return
    _is_sending = True
    data = b"".join(_held_frames)
    _held_frames.clear()
    _held_bytes, _sent_at = 0, monotonic()
    _write_all(data)
    _is_sending = False


def _pack_callback_calls() -> bytes:
    data = _pack_message([0, "called", called_callback_numbers])
    called_callback_numbers.clear()
    return data


def _pack_message(message: Any) -> bytes:
    data = dumps(message).encode()
    return len(data).to_bytes(4, "big") + data


def _write_all(data: bytes) -> None:
    while data:
        data = data[os.write(CHANNEL, data) :]
