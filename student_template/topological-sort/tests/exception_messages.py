"""Says in plain words what your code raised: on which line, and what to try."""

import json
import linecache
import re
import traceback
from pathlib import Path
from types import FunctionType

from load_error_messages import HERE, describe_stop, find_last_own_line, get_file_or_cell_name

HINTS = json.loads((HERE / "hints.json").read_text(encoding="utf-8"))  # pairs: a pattern of messages, and what to try
LONGEST_CODE = 60
STORED_CALL = re.compile(r"\s*(\w+(?:\.\w+)*)\.(\w+)\s*=\s*\2\(\)\s*(?:#.*)?")


def explain_exception(error, own_modules):
    """Return what was raised, with your line; what to try; and the line of the test, where no line is yours."""
    message = " ".join(str(error).split())
    stop, hint = describe_stop(error)
    said = stop[:1].upper() + stop[1:] if stop else f"{type(error).__name__}: {message[:300]}"
    place = find_last_own_line(error)
    where = f" ({get_file_or_cell_name(place[0])}, line {place[1]})" if place else ""
    if message == "'NoneType' object is not callable":
        hint = explain_stored_call(own_modules)
    hint = hint or next((hint for pattern, hint in HINTS if re.fullmatch(pattern, message, re.ASCII)), "")
    told = f"{said.removesuffix(': ').removesuffix('.')}{where}."
    return told, hint, "" if place else _find_test_line(error)


def explain_stored_call(own_modules):
    """Say on which line of yours what a function gives is stored, where the function is meant; empty if on none."""
    files = {file for module in own_modules for file in _list_code_files(module)}
    for file in sorted(files):
        for number, line in enumerate(linecache.getlines(file), start=1):
            if found := STORED_CALL.fullmatch(line.rstrip("\n")):
                stored = f"{found[1]}.{found[2]} = {found[2]}"
                return (
                    f"Look at {get_file_or_cell_name(file)}, line {number}: `{stored}()` calls the function right "
                    f"away and keeps what it gives, None. Store the function itself: `{stored}`."
                )
    return ""


def _list_code_files(module):
    """Return where the functions of a module, and the methods of its classes, are written: files or cells."""
    own = (module.__name__, "__main__")
    things = [thing for thing in list(vars(module).values()) if getattr(thing, "__module__", "") in own]
    methods = [method for thing in things if isinstance(thing, type) for method in list(vars(thing).values())]
    return {thing.__code__.co_filename for thing in things + methods if isinstance(thing, FunctionType)}


def _find_test_line(error):
    """Return the line of a test that was at work."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        file = Path(frame.f_code.co_filename)
        if file.parent == HERE and file.name.startswith("test_"):
            code = linecache.getline(str(file), line).strip()
            shown = code if len(code) <= LONGEST_CODE else f"{code[:LONGEST_CODE]} ..."
            return f"It happened in tests/{file.name}, line {line}: `{shown}`"
    return ""
