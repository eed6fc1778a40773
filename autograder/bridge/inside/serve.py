"""Answers requests until the channel is closed.

Each request is ``[id, name, ...]``; each answer ``[id, "ok", value]`` or ``[id, "raised", {...}]``. See ``ahead`` for
``[0, "ahead", ...]``, which is not answered, and for the answer ``[id, "misjudged", null]``.

While a request is at work, this side may send ``[number, "call", function, [arguments]]``: a function of the trusted
process is called; requests may come before its ``[number, "return", value]``.
"""

import sys
from typing import Any

from autograder.bridge.inside import ahead, requests, values
from autograder.bridge.inside.inert import PackageMissing
from autograder.bridge.inside.loading import text_of
from autograder.bridge.inside.settable import put_back
from autograder.bridge.inside.talk import CHANNEL, receive, send
from autograder.bridge.inside.values import Unwind, decode, encode, forget


def raised(error: BaseException) -> dict[str, Any]:
    """What is told of an exception: see ``Raised`` on the other side."""
    kind = type(error)
    names = requests.loader.file_names() if requests.loader else set()
    unit, line, function = "", 0, ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in names:
            unit, line, function = code.co_filename, trace.tb_lineno, code.co_qualname
        trace = trace.tb_next
    builtin = next((base.__name__ for base in kind.__mro__ if base.__module__ == "builtins"), "Exception")
    return {
        "kind": kind.__name__[:100],
        "builtin": builtin,
        "message": text_of(error),
        "unit": unit,
        "line": line,
        "function": function[:100],
        "package": str(error).partition(" ")[0][:100] if kind is PackageMissing else "",
    }


def answer(message: Any) -> None:
    """Carry out one request and send its answer."""
    number, name, *arguments = message
    if name == "ahead":
        for one in arguments[0]:
            if one:
                ahead.carry_out(*one)
            else:
                forget()
                put_back()
        return
    if ahead.misjudged:
        send([number, "misjudged", None])
        return
    try:
        value = encode(requests.REQUESTS[name](*[decode(argument) for argument in arguments]))
    except Unwind:
        send([number, "unwound", None])
        return
    except MemoryError:
        _out_of_memory(number)
        return
    except BaseException as error:
        send([number, "raised", raised(error)])
        return
    send([number, "ok", value])


_reserve: Any = bytearray(4 << 20)
NO_MEMORY = {"kind": "MemoryError", "builtin": "MemoryError", "message": "", "unit": "", "line": 0, "function": ""}


def _out_of_memory(number: int) -> None:
    """Say so with memory that was kept for it: what the student's code filled may still be full."""
    global _reserve
    _reserve = None
    send([number, "raised", {**NO_MEMORY, "package": ""}])


def serve() -> None:
    """Answer until the channel is closed."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "autograder"]:
        del sys.modules[name]  # the student's imports find the student's files alone
    while True:
        answer(receive())


values.answer = answer
if CHANNEL >= 0:
    serve()
