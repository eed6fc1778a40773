"""Stand in for packages that are not installed: importing them is harmless, using them in a graded call is not."""

import sys
from types import FunctionType, ModuleType
from typing import Any


def _find_unpack_opcode() -> int:
    """Return the opcode of ``a, b = c``, from code that has one: the table of opcodes takes long to import."""
    code = compile("a, b, c, d, e, f, g = h", "", "exec").co_code
    return next(code[place] for place in range(0, len(code), 2) if code[place + 1] == 7)


UNPACK_SEQUENCE = _find_unpack_opcode()
ARITHMETIC = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
)
COMPARISONS = ("lt", "le", "gt", "ge")
DECORATED = (FunctionType, type, property, classmethod, staticmethod)

grading = False
"""Whether tests are running: from then on, what is not installed must not be used."""


class MissingPackageUsed(ImportError):
    """A package that is not installed was used inside a graded call."""


class MissingPackagePlaceholder:
    """Stands in for something of a package that is not installed: harmless until it is really used."""

    __slots__ = ("_inert_is_result", "_inert_name", "_inert_package")

    def __init__(self, name: str, package: str = "", *, is_result: bool = False) -> None:
        object.__setattr__(self, "_inert_name", name)
        object.__setattr__(self, "_inert_package", package or name.partition(".")[0])
        object.__setattr__(self, "_inert_is_result", is_result)

    def _use(self, *arguments: Any, **keywords: Any) -> Any:
        name = self._inert_name
        if grading:
            raise MissingPackageUsed(
                f"{self._inert_package} is not installed where your code is graded, and {name} was used"
            )
        if len(arguments) == 1 and not keywords and isinstance(arguments[0], DECORATED):
            return arguments[0]  # a decorator leaves what it decorates
        return MissingPackagePlaceholder(name, self._inert_package, is_result=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return MissingPackagePlaceholder(
            f"{self._inert_name}.{name}", self._inert_package, is_result=self._inert_is_result
        )

    def __setattr__(self, name: str, value: Any) -> None:
        pass

    def __mro_entries__(self, bases: Any) -> tuple[()]:
        return ()

    def __iter__(self) -> Any:
        """Return as many stand-ins as ``fig, axes = plt.subplots()`` asks for; none to a loop."""
        self._use()
        frame = sys._getframe(1)
        item_count = 0
        if frame.f_code.co_code[frame.f_lasti] == UNPACK_SEQUENCE:
            item_count = frame.f_code.co_code[frame.f_lasti + 1]
        return iter(
            [
                MissingPackagePlaceholder(self._inert_name, self._inert_package, is_result=True)
                for _ in range(item_count)
            ]
        )

    def __bool__(self) -> bool:
        self._use()
        return False

    def __len__(self) -> int:
        self._use()
        return 0

    def __enter__(self) -> Any:
        return self._use()

    def __exit__(self, *error: Any) -> None:
        pass

    __call__ = __getitem__ = __setitem__ = __delitem__ = __float__ = __int__ = __contains__ = _use
    for _name in (*ARITHMETIC, *COMPARISONS):
        locals()[f"__{_name}__"] = locals()[f"__r{_name}__"] = _use
    for _name in ("neg", "pos", "abs", "invert"):
        locals()[f"__{_name}__"] = _use
    del _name


class NotebookShell:
    """Stands in for IPython's shell, and for whatever of it is called: a notebook's code may ask for it anywhere."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *arguments: Any, **keywords: Any) -> None:
        """Do nothing."""


class MissingPackageModule(ModuleType):
    """Stands in for a package that is not installed."""

    __path__: list[str] = []  # noqa: RUF012
    __all__: list[str] = []  # noqa: RUF012

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return MissingPackagePlaceholder(f"{self.__name__}.{name}")


def restore_replaced_definitions(namespace: dict[str, Any], before: dict[str, Any]) -> None:
    """Give back to their names what stand-ins replaced: where the file was written, the import brought the same.

    A class or a function comes back from anything that stands in, another value from an import or an attribute of one
    alone: ``x = np.array(x)`` is no import of another ``x``.

    Args:
        namespace: of a module, after some of its code.
        before: a copy of it, from before that code.
    """
    for name, value in before.items():
        now = namespace.get(name)
        if type(now) is MissingPackagePlaceholder:
            may_replace = now._inert_is_result and not isinstance(value, DECORATED)
        else:
            may_replace = type(now) is not MissingPackageModule
        if not may_replace and value is not None and type(value) not in PLACEHOLDERS:
            namespace[name] = value


PLACEHOLDERS = (MissingPackagePlaceholder, MissingPackageModule)
"""The types of what stands in for a missing package, or for something of one."""
