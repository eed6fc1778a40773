"""Stand-ins for packages that are not installed: importing them is harmless, using them in a graded call is not."""

import _ast
import sys
from types import FunctionType, ModuleType
from typing import Any

ModuleSpec: Any = type(sys.__spec__)


def _unpacking() -> int:
    """The opcode of ``a, b = c``, from code that has one: the table of opcodes takes long to import."""
    code = compile("a, b, c, d, e, f, g = h", "", "exec").co_code
    return next(code[place] for place in range(0, len(code), 2) if code[place + 1] == 7)


UNPACK_SEQUENCE = _unpacking()

grading = False
"""Whether tests are running: from then on, what is not installed must not be used."""


class PackageMissing(ImportError):
    """A package that is not installed was used inside a graded call."""


class Inert:
    """Stands in for something of a package that is not installed: harmless until it is really used."""

    __slots__ = ("_inert_name",)

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_inert_name", name)

    def _used(self, *arguments: Any, **named: Any) -> Any:
        name = self._inert_name
        if grading:
            raise PackageMissing(
                f"{name.partition('.')[0]} is not installed where your code is graded, and {name} was used"
            )
        if len(arguments) == 1 and not named and isinstance(arguments[0], FunctionType | type):
            return arguments[0]  # a decorator leaves what it decorates
        return Inert(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Inert(f"{self._inert_name}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        pass

    def __mro_entries__(self, bases: Any) -> tuple[()]:
        return ()

    def __iter__(self) -> Any:
        """As many stand-ins as ``fig, axes = plt.subplots()`` asks for; none to a loop."""
        self._used()
        frame = sys._getframe(1)
        wanted = 0
        if frame.f_code.co_code[frame.f_lasti] == UNPACK_SEQUENCE:
            wanted = frame.f_code.co_code[frame.f_lasti + 1]
        return iter([Inert(self._inert_name) for _ in range(wanted)])

    def __bool__(self) -> bool:
        self._used()
        return False

    def __len__(self) -> int:
        self._used()
        return 0

    def __enter__(self) -> Any:
        return self._used()

    def __exit__(self, *error: Any) -> None:
        pass

    __call__ = __getitem__ = __setitem__ = __delitem__ = __float__ = __int__ = __contains__ = _used
    for _name in [
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
        "lt",
        "le",
        "gt",
        "ge",
    ]:
        locals()[f"__{_name}__"] = locals()[f"__r{_name}__"] = _used
    for _name in ["neg", "pos", "abs", "invert"]:
        locals()[f"__{_name}__"] = _used
    del _name


class InertModule(ModuleType):
    """Stands in for a package that is not installed."""

    __path__: list[str] = []  # noqa: RUF012
    __all__: list[str] = []  # noqa: RUF012

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Inert(f"{self.__name__}.{name}")


class Finder:
    """Last on ``sys.meta_path``: the student's other files, then stand-ins for what is not installed.

    Only a plain import at the top of a file gets a stand-in. One inside ``try`` fails as it does anywhere, so
    that the student's own way out is taken.
    """

    def __init__(self, modules: dict[str, str]) -> None:
        self.modules = modules
        self.imported: set[str] = set()
        self.missing: list[str] = []

    def note_imports(self, body: list[Any]) -> None:
        """Remember what these top-level statements import."""
        for statement in body:
            if isinstance(statement, _ast.Import):
                self.imported.update(alias.name.partition(".")[0] for alias in statement.names)
            elif isinstance(statement, _ast.ImportFrom) and statement.module and not statement.level:
                self.imported.add(statement.module.partition(".")[0])

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The import system's question; see ``importlib.abc.MetaPathFinder``."""
        top = name.partition(".")[0]
        if name in self.modules:
            return ModuleSpec(name, self)
        if top not in self.imported or top in sys.stdlib_module_names or top in self.modules:
            return None
        if top not in self.missing:
            self.missing.append(top)
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> Any:
        """An empty module for a file of the student's, an inert one for a package."""
        return None if spec.name in self.modules else InertModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run a file of the student's; nothing for a package."""
        if module.__name__ in self.modules:
            source, name = self.modules[module.__name__], f"{module.__name__}.py"
            tree: Any = compile(source, name, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
            self.note_imports(tree.body)
            exec(compile(tree, name, "exec", dont_inherit=True), module.__dict__)
