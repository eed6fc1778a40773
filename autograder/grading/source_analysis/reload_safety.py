"""Decide from its text whether a submission keeps all of its state in its own module; in doubt, it does not.

If so, running the code again in the same process does what a fresh process does, at a hundredth of the cost.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from autograder.bridge import SubmissionProgram
from autograder.cached_syntax_trees import try_parse_program
from autograder.grading.source_analysis.harmless_library_use import uses_libraries_harmlessly
from autograder.grading.source_analysis.library_purity import PURE_MODULES, REACH_ANYTHING
from autograder.grading.source_analysis.reflection import uses_dynamic_attributes
from autograder.grading.source_analysis.step_limit import StepBudget, TooManySteps
from autograder.submissions.imported_names import get_bound_name
from autograder.syntax_tree import SyntaxTree

MODULES = PURE_MODULES | {"graphlib", "time", "weakref"}
"""Modules that hold no state, or only state that disappears with the objects it belongs to."""
OF_THE_INTERPRETER = frozenset(
    {"getcontext", "setcontext", "settrace", "setprofile", "redirect_stdout", "redirect_stderr", "finalize"}
)
"""Functions that return or change state that all code in a process shares."""
OF_OWN_THINGS = frozenset(
    {"globals", "vars", "setattr", "delattr", "__dict__", "__func__", "__self__", "__wrapped__"}
)
"""Names that may reach anything, but are harmless on the module's own objects; see ``_is_imported``."""
FORBIDDEN = (REACH_ANYTHING | OF_THE_INTERPRETER) - OF_OWN_THINGS
OF_SYS = frozenset({"setrecursionlimit", "getrecursionlimit", "float_info", "maxsize", "version_info", "getsizeof"})


def is_provably_reset_by_reloading(program: SubmissionProgram) -> bool:
    """Return whether running a program's code again provably removes everything that its tests left behind.

    Args:
        program: the submission's code.

    Returns:
        True if nothing is left. False in doubt, as for several files, or for code that cannot be parsed.
    """
    if program.modules:
        return False
    parsed = try_parse_program([source for _, source in program.units])
    trees = [tree for tree in parsed if tree is not None]
    try:
        return (
            len(trees) == len(parsed)
            and all(map(_keeps_state_inside, trees))
            and uses_libraries_harmlessly(trees, (), is_loaded_again=True)
        )
    except TooManySteps:
        return False


def _keeps_state_inside(syntax: SyntaxTree) -> bool:
    imports = [node for node in syntax.nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {get_bound_name(alias) for node in imports if isinstance(node, ast.Import) for alias in node.names}
    imported = modules | {get_bound_name(alias) for node in imports for alias in node.names}
    if not all(map(_is_pure, imports)):
        return False
    if any(uses_dynamic_attributes(node, syntax, FORBIDDEN) for node in syntax.nodes):
        return False
    search = _OutsideChangeSearch(syntax, modules, imported)
    return not any(map(search.may_change_outside, syntax.nodes))


def _is_pure(node: ast.Import | ast.ImportFrom) -> bool:
    """Return whether an import brings only things that hold no state and do not reach beyond the module."""
    if isinstance(node, ast.Import):
        return all(alias.name.partition(".")[0] in MODULES for alias in node.names)
    if node.level or (node.module or "").partition(".")[0] not in MODULES:
        return False
    return node.module != "sys" or all(alias.name in OF_SYS for alias in node.names)


class _OutsideChangeSearch:
    def __init__(self, syntax: SyntaxTree, modules: set[str], imported: set[str]) -> None:
        self._syntax, self._modules = syntax, modules
        self._imported_or_class = imported | {"__class__", "type"}
        self._steps = StepBudget()

    def may_change_outside(self, node: ast.AST) -> bool:
        """Return whether a node may change something outside the module, or pass it on."""
        match node:
            case ast.Attribute(attr=name) if name in FORBIDDEN:
                return True
            case ast.Attribute(value=ast.Name(id="sys"), attr=name) if name not in OF_SYS:
                return True
            case ast.Attribute(attr="__dict__") | ast.Attribute(ctx=ast.Store() | ast.Del()):
                return self._is_imported(node.value)
            case ast.Subscript(ctx=ast.Store() | ast.Del()):
                return self._is_imported(node.value)
            case ast.Name(id=name) if name in FORBIDDEN:
                return True
            case ast.Call(func=ast.Name(id="setattr" | "delattr" | "vars"), args=[first, *_]):
                return self._is_imported(first)
            case ast.Name(id=name, ctx=ast.Load()) if name in self._modules:
                parent = self._syntax.parents[node]
                return not (isinstance(parent, ast.Attribute) and isinstance(parent.ctx, ast.Load))
        return False

    def _is_imported(self, node: ast.AST) -> bool:
        """Return whether a node is, or is found through, something imported or the class of some object."""
        match node:
            case ast.Call(func=ast.Name(id="type"), args=[ast.Name(id="self")]):
                return False
            case ast.Attribute(value=ast.Name(id="self"), attr="__class__"):
                return False
        within = self._syntax.list_subtree(node)
        self._steps.spend(len(within))
        return not self._imported_or_class.isdisjoint(_iterate_names(within))


def _iterate_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for one in nodes:
        if isinstance(one, ast.Name):
            yield one.id
        elif isinstance(one, ast.Attribute):
            yield one.attr
