"""Support code written for a newer Python than this one: names of its library, and annotations that run late."""

import _ast
import sys
from typing import Any

from autograder.bridge.inside.missing_package_placeholders import MissingPackagePlaceholder

POSTPONED = 0x1000000  # the flag of ``from __future__ import annotations``
NEWER = {
    "collections.abc": ("Buffer",),
    "copy": ("replace",),
    "functools": ("Placeholder",),
    "itertools": ("batched",),
    "math": ("fma", "sumprod"),
    "operator": ("is_none", "is_not_none"),
    "pathlib": ("UnsupportedOperation",),
    "random": ("binomialvariate",),
    "statistics": ("kde", "kde_random"),
    "types": ("CapsuleType", "get_original_bases"),
    "typing": (
        *("NoDefault", "ReadOnly", "TypeAliasType", "TypeIs", "evaluate_forward_ref", "get_protocol_members"),
        *("is_protocol", "override"),
    ),
    "warnings": ("deprecated",),
}
"""What came into the standard library after Python 3.11, by module."""


def may_use_newer_python(source: str) -> bool:
    """Return whether a source has a name in ``NEWER``; most have none, and need not be parsed to look for imports."""
    return any(name in source for names in NEWER.values() for name in names)


def replace_newer_imports(statements: list[Any], namespace: dict[str, Any]) -> list[str]:
    """Remove what this Python lacks from the imports at the top level, and define stand-ins instead.

    An import inside ``try`` fails as it does anywhere, so that the student's own fallback is used.

    Args:
        statements: statements; they keep their number.
        namespace: where the stand-ins are defined.

    Returns:
        What was missing, as ``module.name``.
    """
    names = []
    for place, statement in enumerate(statements):
        if not isinstance(statement, _ast.ImportFrom) or statement.level or statement.module not in NEWER:
            continue
        missing_aliases = [alias for alias in statement.names if _is_missing(statement.module, alias.name)]
        for alias in missing_aliases:
            name = f"{statement.module}.{alias.name}"
            namespace.setdefault(alias.asname or alias.name, MissingPackagePlaceholder(name, name))
            names.append(name)
        statement.names = [alias for alias in statement.names if alias not in missing_aliases]
        if not statement.names:
            statements[place] = _pass_at(statement)
    return names


def _is_missing(module: str, name: str) -> bool:
    if name not in NEWER[module]:
        return False
    __import__(module)
    return not hasattr(sys.modules[module], name)


def _pass_at(statement: Any) -> Any:
    return _ast.Pass(
        lineno=statement.lineno,
        col_offset=statement.col_offset,
        end_lineno=statement.end_lineno,
        end_col_offset=statement.end_col_offset,
    )


def is_used_in_annotation(tree: Any, identifier: Any) -> bool:
    """Return whether an annotation in this code uses a name: from Python 3.14 on it may be defined later."""
    stack = [(tree, False)]
    while stack:
        node, in_annotation = stack.pop()
        if in_annotation and isinstance(node, _ast.Name) and node.id == identifier:
            return True
        for field in node._fields:
            value = getattr(node, field, None)
            part_in_annotation = in_annotation or field in ("annotation", "returns")
            parts = value if isinstance(value, list) else [value]
            stack += [(part, part_in_annotation) for part in parts if isinstance(part, _ast.AST)]
    return False
