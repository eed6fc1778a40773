"""Name the parts of Python and of libraries that are known to leave nothing behind, and those that do."""

from __future__ import annotations

PURE_MODULES = frozenset(
    {
        *("math", "cmath", "typing", "__future__", "dataclasses", "abc", "collections", "itertools", "operator"),
        *("numbers", "enum", "heapq", "bisect", "copy", "functools", "random", "contextlib", "typing_extensions"),
        *("re", "string", "statistics", "fractions", "array", "queue", "pprint", "textwrap", "sys", "graphlib"),
        *("numpy", "torch", "graphviz", "matplotlib"),  # most often not installed, and then they only raise
    }
)
REMEMBER = frozenset({"lru_cache", "cache", "singledispatch", "singledispatchmethod", "getcontext", "setcontext"})
REACH_ANYTHING = frozenset(
    {
        *("globals", "vars", "setattr", "delattr", "exec", "eval", "compile", "__import__", "open", "input"),
        *("__dict__", "__globals__", "__defaults__", "__kwdefaults__", "__closure__", "__code__", "__func__"),
        *("__self__", "__subclasses__", "__builtins__", "__bases__", "__mro__", "mro", "__del__", "__wrapped__"),
    }
)
DECORATORS = frozenset(
    {
        *("property", "staticmethod", "classmethod", "setter", "getter", "deleter", "dataclass", "total_ordering"),
        *("abstractmethod", "override", "overload", "final", "wraps", "cached_property", "contextmanager", "unique"),
    }
)
SUBMODULES = frozenset({"collections.abc", "numpy.random", "numpy.linalg", "matplotlib.pyplot"})
IMMUTABLE = frozenset({"math", "cmath", "operator", "random"})
"""Modules whose public names stand for numbers and built-in functions. Random numbers start anew for each test."""
TYPING = frozenset({"typing", "typing_extensions", "collections.abc", "numbers", "__future__"})
CONSTANTS = {
    "sys": frozenset({"maxsize", "float_info", "version_info", "version", "byteorder", "platform"}),
    "string": frozenset(
        {"ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits", "punctuation", "whitespace"}
    ),
    "numpy": frozenset({"pi", "e", "inf", "nan", "newaxis"}),
}
NUMERIC = frozenset(
    {
        *("array", "asarray", "zeros", "ones", "full", "zeros_like"),
        *("ones_like", "empty", "eye", "arange", "linspace"),
        *("exp", "log", "log2", "log10", "log1p", "expm1", "sqrt", "square", "power", "abs", "absolute", "sign"),
        *("sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan", "arctanh"),
        *("maximum", "minimum", "max", "min", "clip", "round", "floor", "ceil", "isscalar"),
        *("sum", "mean", "std", "var", "prod", "cumsum", "dot", "matmul", "outer", "inner", "transpose", "reshape"),
        *("add", "subtract", "multiply", "divide", "negative", "where", "isclose", "allclose", "isnan", "isfinite"),
        *("stack", "concatenate", "argmax", "argmin", "argsort", "sort", "unique"),
        *("float32", "float64", "int32", "int64", "number", "floating", "integer", "ndarray", "generic", "bool_"),
        *("tensor", "Tensor", "relu", "sigmoid", "float", "double", "norm"),
    }
)
ONLY = {"numpy": NUMERIC, "numpy.linalg": NUMERIC, "torch": NUMERIC, "matplotlib": (), "matplotlib.pyplot": ()}
"""Of these, only some names may be used in functions: others change settings, write files, or draw on what stays."""
NOT_CALLED = frozenset(
    {
        *("attrgetter", "methodcaller", "setitem", "delitem", "call", "fields", "get_overloads", "clear_overloads"),
        *("iadd", "iand", "iconcat", "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow", "irshift"),
        *("isub", "itruediv", "ixor", "redirect_stdout", "redirect_stderr", "register"),
    }
)
"""Functions that reach attributes by their names, change their argument, or return or keep what all tests share."""
CONSTRUCTORS = frozenset({"from_iterable", "fromkeys", "from_float", "from_decimal"})
"""Methods of a library's classes that make a new object."""
