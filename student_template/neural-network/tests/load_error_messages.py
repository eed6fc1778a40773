"""Says in plain words why your code cannot be loaded: which line it is, and what to do."""

import ast
import re
import sys
import traceback
from pathlib import Path

from slips import explain_common_syntax_error, find_misspelling

HERE = Path(__file__).resolve().parent
CANNOT_IMPORT = re.compile(r"cannot import name '(\w+)' from ")


def in_notebook():
    """Return whether the tests look at what a notebook defines, and not at value.py."""
    value = sys.modules.get("value")
    return value is not None and not getattr(value, "__file__", None)


def find_last_own_line(error):
    """Return the last line of your own that an exception went through, as (file, line); None where there is none."""
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        in_cell = (
            in_notebook() and frame.f_globals.get("__name__") == "__main__" and "site-packages" not in file.parts
        )
        # Python's own parts are called so, such as that of ``exit()``.
        is_file = not file.name.startswith("<") and file.name != "notebook_check.py"
        if in_cell or (is_file and HERE.parent in (file.parent, file.resolve().parent)):
            found = frame.f_code.co_filename, line
    return found


def get_file_or_cell_name(filename):
    """Return a file's name; in a notebook, the cell as Jupyter shows it: ``cell In[3]``."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    try:
        label, name = shell.compile.format_code_name(filename)
        return f"{label.lower()} {name}"
    except Exception:
        return Path(filename).name


def explain_load_error(error):
    """Say why the tests could not import what they test."""
    if isinstance(error, SyntaxError) and error.filename:
        return _of_syntax(error)
    if name := CANNOT_IMPORT.match(str(error)):
        if error.name == "value":
            return _of_missing(name[1])
    elif isinstance(error, ModuleNotFoundError) and error.name == "value":
        return f"There is no value.py in {HERE.parent}. Put it there: that is the file you write in."
    return _of_error(error)


def _of_syntax(error):
    """Say why Python could not even read a file."""
    source = _text(error.filename)
    lines = source.splitlines()
    number = error.lineno or 0
    line = lines[number - 1].strip() if 0 < number <= len(lines) else (error.text or "").strip()
    what, todo = explain_common_syntax_error(source, number, error.msg) or (
        f"{error.msg} ({type(error).__name__})",
        "Fix this line; if it looks right, look at the one above it.",
    )
    return f"{get_file_or_cell_name(error.filename)}, line {number}: {what}.\n    {line}\n{todo}"


def _of_missing(name):
    """Say that the file or the notebook does not define what is tested."""
    value = sys.modules.get("value")
    own = ("value", "__main__")
    defined = [key for key, thing in vars(value).items() if getattr(thing, "__module__", "") in own] if value else ()
    like = find_misspelling(name, defined)
    guess = f"`{like}` is defined: did you mean that? Rename it to `{name}`, everywhere." if like else ""
    if in_notebook():
        run = "run the cell that defines it (it must end without an error), then this cell again."
        return f"`{name}` is not defined yet: {run} {guess}".strip()
    return f"value.py defines no `{name}`. {guess or f'Start from the template and keep the name `{name}`.'}"


def describe_stop(error):
    """Return what ends or stops tests where nobody sits at a keyboard, and what to do; empty for other errors."""
    if isinstance(error, KeyboardInterrupt):
        told = "loading your file did not get past this line"
        return told, "Does a loop there never end? Put what takes long below `if __name__ == '__main__':`."
    if isinstance(error, SystemExit):
        return "this ends the program, and the tests with it", "Take it out: your file must run to its end."
    if isinstance(error, OSError) and "reading from stdin" in str(error):
        told = "`input()` waits for somebody to type, and nobody does while tests run"
        return told, "Take it out, or put it below `if __name__ == '__main__':` at the end of the file."
    return "", ""


def _of_error(error):
    """Say which line of yours raised something while the file was run."""
    stop, advice = describe_stop(error)
    what = stop or f"{type(error).__name__}: {error}"
    place = find_last_own_line(error)
    if place is None:
        return what
    lines = _text(place[0]).splitlines()
    line = lines[place[1] - 1].strip() if place[1] <= len(lines) else ""
    todo = advice or "Fix this line."
    if isinstance(error, NameError) and re.search(
        rf"(?:->|:)(?:[^=:-]|-(?!>))*\b{re.escape(str(error.name))}\b", line
    ):
        todo = "If it is defined further down, put `from __future__ import annotations` first in the file."
    return f"{get_file_or_cell_name(place[0])}, line {place[1]}: {what}\n    {line}\n{todo}"


def find_tested_names(filename):
    """Return the names that a test file imports from your code."""
    body = ast.parse(_text(filename)).body
    imports = [node for node in body if isinstance(node, ast.ImportFrom) and node.module == "value"]
    return [alias.name for node in imports for alias in node.names]


def describe_wrong_kind(name, thing):
    """Say that a name does not stand for what the tests want; empty if it does."""
    is_class = name[:1].isupper()
    if isinstance(thing, type) if is_class else callable(thing):
        return ""
    kind, where = ("class", f"class {name}") if is_class else ("function", f"def {name}")
    again = "run the cell that defines it again" if in_notebook() else "keep the name for that"
    return (
        f"`{name}` is not a {kind} (its type is {type(thing).__name__}): something gave the name another meaning. "
        f"Look for `{name} = ...` beside `{where}`, take it out, and {again}."
    )


def _text(filename):
    try:
        return Path(filename).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
