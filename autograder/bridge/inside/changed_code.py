"""Compile a unit whose text is changed again and again: where that is in a function's body, this function alone."""

import _ast
from types import CodeType
from typing import Any

NOT_COMPILED = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


class ChangeableUnit:
    """A unit of a submission that compiles as it was handed in."""

    def __init__(self, name: str, source: str, flags: int) -> None:
        """Compile the unit.

        Args:
            name: its file name in tracebacks.
            source: its text.
            flags: the compiler's.
        """
        self.code: CodeType = compile(source, name, "exec", flags, dont_inherit=True)
        self._name, self._source, self._flags = name, source, flags
        self._line_starts = [0]
        for line in source.split("\n"):
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)
        self._functions: list[tuple[Any, Any]] = []  # each with its class or, in the place of that, None
        tree: Any = compile(source, name, "exec", _ast.PyCF_ONLY_AST | flags, dont_inherit=True)
        for statement in tree.body if "\r" not in source else ():  # which Python ends lines with, too
            if type(statement) is _ast.FunctionDef:
                self._functions.append((statement, None))
            elif type(statement) is _ast.ClassDef:
                methods = [method for method in statement.body if type(method) is _ast.FunctionDef]
                self._functions += [(method, statement) for method in methods]

    def compile_changed(self, start: int, end: int, text: str) -> CodeType:
        """Return the code with another text from ``start`` to ``end``; empty code if that does not compile."""
        try:
            for function, owner in self._functions:
                first = self._line_starts[_get_first_line(function) - 1]
                last = self._line_starts[function.end_lineno] - 1
                if first <= start and end <= last and self._line_starts[function.body[0].lineno - 1] <= start:
                    changed = self._source[first:start] + text + self._source[end:last] + "\n"
                    code = self._compile_function(function, owner, changed)
                    if code is not None:
                        return code
            changed = self._source[:start] + text + self._source[end:]
            code = compile(changed, self._name, "exec", self._flags, dont_inherit=True)
        except NOT_COMPILED:
            code = compile("", self._name, "exec", dont_inherit=True)
        return code

    def _compile_function(self, function: Any, owner: Any, text: str) -> CodeType | None:
        """Return the unit's code with another text of a function; None if the text is more than a function's."""
        above = _get_first_line(function) - 1
        text = "\n" * (above - (owner is not None)) + ("" if owner is None else f"class {owner.name}:\n") + text
        flags = _ast.PyCF_ONLY_AST | self._flags
        tree: Any = compile(text, self._name, "exec", flags, dont_inherit=True)
        body = tree.body if owner is None else tree.body[0].body
        if len(tree.body) != 1 or len(body) != 1 or getattr(body[0], "name", "") != function.name:
            return None
        code = compile(tree, self._name, "exec", self._flags, dont_inherit=True)
        path = [function] if owner is None else [owner, function]
        changed: CodeType | None = code
        for part in path:
            changed = changed and _find_code(changed, part.name, 0)
        return changed and _replace_code(self.code, path, changed)


def _get_first_line(definition: Any) -> int:
    """Return the line of a definition's first decorator, or of its ``def`` or ``class``; lines count from 1."""
    line: int = min([definition, *definition.decorator_list], key=lambda node: node.lineno).lineno
    return line


def _replace_code(code: CodeType, path: list[Any], changed: CodeType) -> CodeType | None:
    """Return code in which a function has other code; None where that does not fit in its place."""
    outer, *inner = path
    old = _find_code(code, outer.name, _get_first_line(outer))
    if old is None:
        return None
    new = _replace_code(old, inner, changed) if inner else changed
    if new is None or new.co_freevars != old.co_freevars:
        return None
    return code.replace(co_consts=tuple(new if constant is old else constant for constant in code.co_consts))


def _find_code(code: CodeType, name: str, line: int) -> CodeType | None:
    """Return the only code of a name within other code, and of a first line if that is not 0."""
    found = [
        constant
        for constant in code.co_consts
        if type(constant) is CodeType and constant.co_name == name and line in (0, constant.co_firstlineno)
    ]
    return found[0] if len(found) == 1 else None
