"""Tell apart the errors of a hidden test's own lines from those that a value of the student's code causes."""

from __future__ import annotations

import ast
import dis
import inspect
import os
import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from types import FrameType, FunctionType, ModuleType, TracebackType

from autograder.bridge.student_exceptions import StudentError, StudentStopped
from autograder.text import escape_for_display

Position = tuple[int, int, int, int]
"""First line, first column, last line, last column of a piece of source."""
UNKNOWN_POSITION: Position = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class SuiteFrame:
    """One step of a traceback, in a file of a hidden suite."""

    file: Path
    """The file, below the suite's folder as the course names it."""
    line: int
    frame: FrameType
    instruction: int
    """The offset of the instruction in the frame's code."""
    is_last: bool
    """Whether the traceback ends here."""

    @property
    def opcode_name(self) -> str:
        """Return the name of the instruction that raised the exception: ``LOAD_GLOBAL``."""
        return dis.opname[self.frame.f_code.co_code[self.instruction]]

    @property
    def position(self) -> Position:
        """Return the position of what the frame was doing."""
        return _fill_position(
            next(islice(self.frame.f_code.co_positions(), self.instruction // 2, None), (None,) * 4)
        )

    def parse_file(self) -> ast.Module:
        """Return the syntax tree of the frame's file; an empty one if the file has changed or is gone."""
        try:
            return ast.parse(Path(self.frame.f_code.co_filename).read_bytes())
        except (OSError, SyntaxError, ValueError):
            return ast.Module([], [])

    def reads_global(self, name: ast.Name) -> bool:
        """Return whether the frame's code reads a name from its module, and from no scope within it."""
        where = _get_position_of_node(name)
        loads = {
            one.opname
            for one in dis.get_instructions(self.frame.f_code)
            if one.opname.startswith("LOAD_") and one.positions and _fill_position((*one.positions,)) == where
        }
        return loads == {"LOAD_GLOBAL"}

    @property
    def location(self) -> str:
        """Return the file and the line: ``.../hidden/queue_checks.py:20``."""
        return f"{self.file}:{self.line}"

    @property
    def short_location(self) -> str:
        """Return the file's name and the line: ``queue_checks.py:20``."""
        return f"{self.file.name}:{self.line}"


def _get_position_of_node(node: ast.expr) -> Position:
    """Return the position of an expression."""
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def _fill_position(found: tuple[int | None, ...]) -> Position:
    """Return what Python says of an instruction (both lines, then both columns) as a position."""
    first, last, start, end = (number or 0 for number in found)
    return first, start, last, end


def find_suite_file_or_none(file_name: str | None, suite_folder: Path) -> Path | None:
    """Return a file of a suite by the name that Python gives it; None if it lies elsewhere.

    Args:
        file_name: an absolute path, or anything else that a code object or a SyntaxError names.
        suite_folder: the folder of the hidden suite.
    """
    for folder in (os.path.abspath(suite_folder), os.path.realpath(suite_folder)):
        if file_name and file_name.startswith(f"{folder}{os.sep}"):
            return suite_folder / file_name[len(folder) + 1 :]
    return None


def iterate_suite_frames(trace: TracebackType | None, suite_folder: Path) -> Iterator[SuiteFrame]:
    """Yield the steps of a traceback that lie in a suite's files, the outermost first."""
    while trace is not None:
        file = find_suite_file_or_none(trace.tb_frame.f_code.co_filename, suite_folder)
        if file is not None:
            yield SuiteFrame(file, trace.tb_lineno, trace.tb_frame, trace.tb_lasti, trace.tb_next is None)
        trace = trace.tb_next


def format_suite_traceback(error: BaseException, suite_folder: Path) -> str:
    """Return a traceback with only the lines that lie in a suite's files; empty without any."""
    lines = [
        step
        for step in traceback.extract_tb(error.__traceback__)
        if find_suite_file_or_none(step.filename, suite_folder)
    ]
    if not lines:
        return ""
    return "".join(["Traceback:\n", *traceback.format_list(lines), *traceback.format_exception_only(error)])


def summarize_exception(error: BaseException) -> str:
    """Return an exception's class and the first line of its text: ``NameError: name 'x' is not defined``.

    The text may hold what a student's code returned, so it is escaped.
    """
    text = str(error).strip().partition("\n")[0]
    path = getattr(error, "path", None)
    if isinstance(error, ImportError) and path:
        text = text.removesuffix(f" ({path})")
    name = escape_for_display(type(error).__name__, 80)
    return f"{name}: {escape_for_display(text)}" if text else name


FEW = 64
"""Files whose names are remembered."""
BINDING_CALLS = frozenset({"setattr", "delattr", "setitem", "delitem"})
"""Functions, and methods of ``monkeypatch``, that bind what a text among their arguments names."""
NAMESPACES = frozenset({"globals", "vars", "__dict__", "exec", "eval"})
"""Names through which any name may be bound."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class ReboundNames:
    """Names that tests may rebind in the modules of their suite."""

    names: frozenset[str] = frozenset()
    may_be_any: bool = False
    """Whether names may be rebound that do not stand in the source."""

    def may_include(self, *names: str) -> bool:
        """Return whether one of some names may be rebound."""
        return self.may_be_any or not self.names.isdisjoint(names)


def _find_names_rebound_by_tests(suite_folder: Path) -> ReboundNames:
    """Return the names that the functions of a suite may rebind in a module; any name, if a file cannot be read.

    Args:
        suite_folder: the folder of the hidden suite.
    """
    try:
        found = [_find_in_source(path.read_bytes()) for path in sorted(suite_folder.rglob("*.py"))]
    except (OSError, SyntaxError, ValueError):
        return ReboundNames(may_be_any=True)
    return ReboundNames(
        frozenset(name for one in found for name in one.names), may_be_any=any(one.may_be_any for one in found)
    )


def iterate_global_statements(tree: ast.AST) -> Iterator[ast.Global]:
    """Yield the ``global`` statements inside functions, each once."""
    within = {
        node: None
        for function in ast.walk(tree)
        if isinstance(function, FUNCTIONS)
        for node in ast.walk(function)
        if isinstance(node, ast.Global)
    }
    yield from within


@lru_cache(FEW)
def _find_in_source(source: bytes) -> ReboundNames:
    tree = ast.parse(source)
    names = {name for statement in iterate_global_statements(tree) for name in statement.names}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                names.add(name)  # of a module, perhaps
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in NAMESPACES:
                return ReboundNames(may_be_any=True)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in BINDING_CALLS:
                texts = [one.value for one in args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                if not texts:
                    return ReboundNames(may_be_any=True)
                names |= {text.rpartition(".")[2] for text in texts}
    return ReboundNames(frozenset(names))


WRONG_ARGUMENTS = re.compile(r"(?P<function>[\w.<>]+)\(\) (?:missing|takes|got) ")
"""What Python says of a call whose number or names of arguments do not fit: ``close() missing 1 required ...``."""


def _is_wrong_call_of_suite_function(raised: TypeError, frame: SuiteFrame, suite_folder: Path) -> bool:
    """Return whether a line calls a function of the suite with arguments that it can never take; False in doubt.

    Only the number and the names of the arguments count, not their values. A call with ``*`` or ``**`` does not
    count: the student's code may decide how many there are. Neither does one of anything that a value may have
    chosen: the name must be read from the module, and no test may bind it anew.

    Args:
        raised: the exception.
        frame: where it was raised.
        suite_folder: the folder of the hidden suite.
    """
    refused = WRONG_ARGUMENTS.match(str(raised))
    call = _find_call_or_none(frame) if refused and frame.opcode_name.startswith("CALL") else None
    if refused is None or call is None or any(isinstance(one, ast.Starred) for one in call.args):
        return False
    names = [keyword.arg for keyword in call.keywords if keyword.arg is not None]
    found = _find_own_function_or_none(call.func, frame, suite_folder)
    if found is None or len(names) < len(call.keywords):
        return False
    function, arguments = (
        (vars(found)["__init__"], [None, *call.args]) if isinstance(found, type) else (found, call.args)
    )
    if function.__qualname__ != refused["function"]:
        return False  # another function had the name then
    try:
        inspect.signature(function, follow_wrapped=False).bind(*arguments, **dict.fromkeys(names))
    except TypeError:
        return True
    return False


def _find_call_or_none(frame: SuiteFrame) -> ast.Call | None:
    """Return the call that a line was making; None if it was making none."""
    position = frame.position
    calls = (node for node in ast.walk(frame.parse_file()) if isinstance(node, ast.Call))
    return next((one for one in calls if _get_position_of_node(one) == position), None)


def _find_own_function_or_none(called: ast.expr, frame: SuiteFrame, suite_folder: Path) -> FunctionType | type | None:
    """Return the function or class of the suite that an expression names, whatever values there are."""
    match called:
        case ast.Name(id=name) as root:
            names, found = {name}, frame.frame.f_globals.get(name)
        case ast.Attribute(value=ast.Name(id=module_name) as root, attr=attribute):
            module = frame.frame.f_globals.get(module_name)
            names = {module_name, attribute}
            found = vars(module).get(attribute) if isinstance(module, ModuleType) else None
        case _:
            return None
    if not frame.reads_global(root) or _find_names_rebound_by_tests(suite_folder).may_include(*names):
        return None
    function = found.__dict__.get("__init__") if isinstance(found, type) else found
    if not isinstance(function, FunctionType) or not isinstance(found, FunctionType | type):
        return None
    return found if find_suite_file_or_none(function.__code__.co_filename, suite_folder) else None


IMPORTING = frozenset({"IMPORT_NAME", "IMPORT_FROM"})
READING_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_METHOD"})


def describe_own_error_of_test(raised: BaseException, suite_folder: Path) -> str:
    """Describe for the author the error of a test's own lines; return an empty text for any other error.

    Example: ``test_1_order.py:45 fails with NameError in queue_checks.py:18: name 'clse' is not defined``.

    Args:
        raised: what the test raised, with its traceback.
        suite_folder: the folder of the hidden suite.
    """
    if isinstance(raised, StudentError | StudentStopped):
        return ""
    frames = [*iterate_suite_frames(raised.__traceback__, suite_folder)]
    if not frames or not _is_own_error(raised, frames[-1], suite_folder):
        return ""
    first, last = frames[0].short_location, frames[-1].short_location
    kind, _, text = summarize_exception(raised).partition(": ")
    within = "" if first == last else f" in {last}"
    return f"{first} fails with {kind}{within}" + (f": {text}" if text else "")


def is_raised_by_assertion_message(raised: BaseException, suite_folder: Path) -> bool:
    """Return whether an exception comes from the message of an ``assert``, which has failed then.

    Args:
        raised: what the test raised, with its traceback.
        suite_folder: the folder of the hidden suite.
    """
    return any(
        _lies_within(frame.position, _get_position_of_node(node.msg))
        for frame in iterate_suite_frames(raised.__traceback__, suite_folder)
        for node in ast.walk(frame.parse_file())
        if isinstance(node, ast.Assert) and node.msg is not None
    )


def _lies_within(inner: Position, outer: Position) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:] and inner != UNKNOWN_POSITION


def _is_own_error(raised: BaseException, last: SuiteFrame, suite_folder: Path) -> bool:
    """Return whether no value can have caused an exception; in doubt, one has.

    An unbound local variable (``LOAD_FAST``, ``LOAD_DEREF``) does not count: a loop over the student's empty list
    leaves one. Neither does a call, such as ``getattr(operator, name)`` with a name that the student chose.
    """
    match raised:
        case SystemExit():
            return last.is_last
        case ImportError():
            return last.opcode_name in IMPORTING
        case NameError(name=str(name)):
            rebound = _find_names_rebound_by_tests(suite_folder)
            return last.opcode_name == "LOAD_GLOBAL" and not rebound.may_include(name)
        case AttributeError(obj=ModuleType()):
            return last.opcode_name in READING_ATTRIBUTE and _is_missing_from_global_module(last, suite_folder)
        case TypeError():
            return last.is_last and _is_wrong_call_of_suite_function(raised, last, suite_folder)
    return False


def _is_missing_from_global_module(frame: SuiteFrame, suite_folder: Path) -> bool:
    """Return whether a line reads an attribute of what a name of its module stands for, whatever values there are."""
    reads = [
        node
        for node in ast.walk(frame.parse_file())
        if isinstance(node, ast.Attribute) and _get_position_of_node(node) == frame.position
    ]
    rebound = _find_names_rebound_by_tests(suite_folder)
    for node in reads:
        names, root = {node.attr}, node.value
        while isinstance(root, ast.Attribute):
            names.add(root.attr)
            root = root.value
        if isinstance(root, ast.Name) and frame.reads_global(root):
            return not rebound.may_include(*names, root.id)
    return False
