"""Recognize calls of a hidden suite's own functions with arguments that these never take."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from types import FunctionType, ModuleType

from autograder.grading.suite.suite_rebindings import find_names_rebound_by_tests
from autograder.grading.suite.suite_tracebacks import SuiteFrame, find_suite_file_or_none, get_position_of_node

WRONG_ARGUMENTS = re.compile(r"(?P<function>[\w.<>]+)\(\) (?:missing|takes|got) ")
"""What Python says of a call whose number or names of arguments do not fit: ``close() missing 1 required ...``."""


def is_wrong_call_of_suite_function(raised: TypeError, frame: SuiteFrame, suite_folder: Path) -> bool:
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
    return next((one for one in calls if get_position_of_node(one) == position), None)


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
    if not frame.reads_global(root) or find_names_rebound_by_tests(suite_folder).may_include(*names):
        return None
    function = found.__dict__.get("__init__") if isinstance(found, type) else found
    if not isinstance(function, FunctionType) or not isinstance(found, FunctionType | type):
        return None
    return found if find_suite_file_or_none(function.__code__.co_filename, suite_folder) else None
