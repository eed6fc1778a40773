"""Decide from its text whether a submission can remember anything from one test to the next; in doubt, it can.

An engine keeps its state in its nodes, which disappear with the test that made them. State that outlives a test is in
a module, in a class, in a default value, in a closure that was made while the submission was loaded, or in a library.
Loading itself is the same at every start, so code outside of functions does no harm by itself.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from functools import cached_property, lru_cache

from autograder.bridge import SubmissionProgram
from autograder.cached_syntax_trees import FEW, try_parse_program
from autograder.grading.source_analysis.ast_names import (
    CLASS_OF,
    FUNCTIONS,
    get_bound_names,
    get_last_name,
    get_root_of_attribute_chain,
    iterate_all_parameters,
    walk_own_scope,
)
from autograder.grading.source_analysis.default_mutability import DefaultMutability
from autograder.grading.source_analysis.library_purity import DECORATORS, PURE_MODULES, REACH_ANYTHING, REMEMBER
from autograder.grading.source_analysis.load_time_object_mutation import are_load_time_objects_unchanged
from autograder.grading.source_analysis.mutability_analysis import MutabilityAnalysis
from autograder.grading.source_analysis.step_limit import StepBudget, TooManySteps
from autograder.syntax_tree import SyntaxTree

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
REACHING = (ast.Name, ast.Attribute, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, *DEFINITIONS)
"""Nodes that may let state persist, wherever they stand."""
STORING = (ast.Name, ast.Attribute, ast.Subscript, ast.Assign, ast.NamedExpr, ast.Call, ast.arguments)
"""Nodes that may let state persist if they stand in a function."""


def is_provably_stateless(program: SubmissionProgram) -> bool:
    """Return whether every test provably finds a submission as it was loaded, according to its text.

    Args:
        program: the submission's code.

    Returns:
        True if every test does. False in doubt, and for code that cannot be parsed.
    """
    sources = (*(source for _, source in program.units), *program.modules.values())
    return _are_stateless(sources, frozenset(program.modules)) and _are_objects_left_alone(
        sources, frozenset(program.modules), frozenset((*program.defines, *program.also_named))
    )


@lru_cache(FEW)
def _are_stateless(sources: Sequence[str], modules: frozenset[str]) -> bool:
    steps = StepBudget()
    try:
        return all(
            tree is not None and _StateFinder(tree, modules, steps).keeps_no_state()
            for tree in try_parse_program(sources)
        )
    except TooManySteps:
        return False


@lru_cache(FEW)
def _are_objects_left_alone(sources: Sequence[str], modules: frozenset[str], defines: frozenset[str]) -> bool:
    trees = [tree for tree in try_parse_program(sources) if tree is not None]
    first = len(sources) - len(modules)
    return len(trees) == len(sources) and are_load_time_objects_unchanged(
        trees[:first], trees[first:], modules, defines
    )


class _StateFinder:
    """Finds places in one file or cell that can keep state."""

    def __init__(self, syntax: SyntaxTree, own: frozenset[str], steps: StepBudget) -> None:
        self._modules = PURE_MODULES | own
        self._syntax, self._steps = syntax, steps
        self._nodes, self._parents, self._within = syntax.nodes, syntax.parents, syntax.list_subtree
        outside = [*walk_own_scope(syntax.tree)]
        self._bindings = {node: names for node in self._nodes if (names := get_bound_names(node))}
        binding = [node for node in outside if node in self._bindings]
        self._bound = {name for node in binding for name in self._bindings[node]}
        self._shared = {name for node in binding if not isinstance(node, ast.Name) for name in self._bindings[node]}
        self._functions = {node.name for node in outside if isinstance(node, ast.FunctionDef)}
        self._stored = [node for node in outside if isinstance(getattr(node, "ctx", None), ast.Store)]
        self._outer_names: dict[ast.AST, frozenset[str]] = {}
        self._mutability = MutabilityAnalysis(self._parents, self._stored)
        self._defaults = DefaultMutability(syntax, self._mutability, steps)
        self._changeable = self._mutability.changeable_names

    def keeps_no_state(self) -> bool:
        """Return whether nothing here can keep state from one test to the next."""
        functions = [node for node in self._nodes if isinstance(node, FUNCTIONS)]
        reaching = [node for node in self._nodes if isinstance(node, REACHING)]
        everywhere = any(map(self._may_reach_outer_state, reaching)) or any(
            map(self._stores_in_shared_object, self._stored)
        )
        return not everywhere and not any(map(self._may_store_between_tests, functions))

    def _stores_in_shared_object(self, node: ast.AST) -> bool:
        """Return whether something changeable is put into a class, a function or a library, outside of functions."""
        if not isinstance(node, ast.Attribute | ast.Subscript) or self._mutability.is_bound_to_immutable(node):
            return False
        root = get_root_of_attribute_chain(node)
        return not isinstance(root, ast.Name) or root.id not in self._changeable

    def _may_reach_outer_state(self, node: ast.AST) -> bool:
        """Return whether a node, wherever it stands, may let state persist."""
        match node:
            case ast.Import(names=names):
                return not all(one.name.partition(".")[0] in self._modules for one in names)
            case ast.ImportFrom(module=module, level=level):
                return level > 0 or (module or "").partition(".")[0] not in self._modules
            case ast.Global() | ast.Nonlocal():
                return True
            case ast.Attribute(value=ast.Name(id="self"), attr="__dict__"):
                return False  # an object's own
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return name in REMEMBER or name in REACH_ANYTHING
            case ast.FunctionDef(decorator_list=decorators) | ast.AsyncFunctionDef(decorator_list=decorators):
                return not all(get_last_name(one) in DECORATORS for one in decorators)
            case ast.ClassDef(decorator_list=decorators, keywords=keywords):
                known = all(get_last_name(one) in DECORATORS for one in decorators)
                return not known or bool(keywords) or self._has_mutable_class_attribute(node)
        return False

    def _has_mutable_class_attribute(self, node: ast.ClassDef) -> bool:
        """Return whether a class has something that all its objects share and may change."""
        names = [one for one in walk_own_scope(node) if isinstance(one, ast.Name)]
        stored = [one for one in names if isinstance(one.ctx, ast.Store) and one.id != "__slots__"]
        return not all(map(self._mutability.is_bound_to_immutable, stored))

    def _may_store_between_tests(self, function: Function) -> bool:
        """Return whether a function may put something where the next test finds it."""
        self._steps.spend(2 * self._syntax.count_subtree(function))
        within = [node for node in self._within(function) if isinstance(node, STORING)]
        arguments = [node for node in within if isinstance(node, ast.arguments)]
        if not all(map(self._defaults.are_unchangeable, arguments)):
            return True
        own = self._bound_within(function) | {one.arg for node in arguments for one in iterate_all_parameters(node)}
        outer = self._outer_locals(function)
        return any(self._may_store(node, own, outer) for node in within)

    def _may_store(self, node: ast.AST, own: Set[str], outer: Set[str]) -> bool:
        """Return whether a node in a function may put something where the next test finds it.

        Args:
            node: the node.
            own: names that are bound in the function.
            outer: names that are bound in the functions around it.
        """

        def is_of_module(name: str, names: Set[str]) -> bool:
            return name in names and name not in own and name not in outer

        match node:
            case ast.Name(id=name):
                return is_of_module(name, self._changeable) or name == "setrecursionlimit"
            case ast.Attribute() if _names_interpreter_setting(node):
                return True  # one that one test sets holds for the next
            case ast.Attribute(ctx=ast.Load()):
                return node.attr == "__class__" and not self._is_harmless_use_of_class(node)
            case ast.Attribute() | ast.Subscript(ctx=ast.Store() | ast.Del()):
                root = get_root_of_attribute_chain(node)
                return not isinstance(root, ast.Name) or root.id in CLASS_OF or is_of_module(root.id, self._bound)
            case ast.Assign(value=ast.Name(id=name)) | ast.NamedExpr(value=ast.Name(id=name)):
                # changed under that name, it would look like a function's own
                return is_of_module(name, self._shared) and not self._is_function_for_attributes(node)
            case ast.Call(func=ast.Name(id="type")):
                return not self._is_harmless_use_of_class(node)
        return False

    def _is_function_for_attributes(self, node: ast.Assign | ast.NamedExpr) -> bool:
        """Return whether a function is only put into attributes, and whatever is in these is only called."""
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Name):
            return False
        attributes = {target.attr for target in node.targets if isinstance(target, ast.Attribute)}
        if node.value.id not in self._functions or len(attributes) < len(node.targets):
            return False
        return not self._calls_getattr and attributes.isdisjoint(self._attributes_not_only_called)

    @cached_property
    def _calls_getattr(self) -> bool:
        return any(isinstance(one, ast.Call) and get_last_name(one) == "getattr" for one in self._nodes)

    @cached_property
    def _attributes_not_only_called(self) -> set[str]:
        """Return the attributes that are read somewhere without being called there."""
        called = {one.func for one in self._nodes if isinstance(one, ast.Call)}
        read = (one for one in self._nodes if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load))
        return {one.attr for one in read if one not in called}

    def _outer_locals(self, function: Function) -> frozenset[str]:
        """Return the names that are bound in the functions around one."""
        around = self._parents.get(function)
        while around is not None and not isinstance(around, FUNCTIONS):
            around = self._parents.get(around)
        if around is None:
            return frozenset()
        if around not in self._outer_names:
            own = self._bound_within(around) | {one.arg for one in iterate_all_parameters(around.args)}
            outer = self._outer_locals(around)
            self._steps.spend(self._syntax.count_subtree(around) + len(outer))
            self._outer_names[around] = outer.union(own)
        return self._outer_names[around]

    def _bound_within(self, function: ast.AST) -> set[str]:
        """Return the names that a function binds within it; its own name is bound around it."""
        within = self._within(function)[1:]
        return {name for node in within if node in self._bindings for name in self._bindings[node]}

    def _is_harmless_use_of_class(self, node: ast.AST) -> bool:
        """Return whether the class of an object is only called, compared or named."""
        match self._parents[node]:
            case ast.Call(func=function):
                return function is node or get_last_name(function) in (
                    "isinstance",
                    "issubclass",
                    "print",
                    "repr",
                )
            case ast.Compare() | ast.Attribute(attr="__name__" | "__qualname__") | ast.Return():
                return True
        return False


def _names_interpreter_setting(node: ast.Attribute) -> bool:
    """Return whether a node names something of the interpreter's own, such as its recursion limit."""
    return node.attr == "setrecursionlimit" or (isinstance(node.value, ast.Name) and node.value.id == "sys")
