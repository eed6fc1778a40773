"""Find what a submission imports: itself, its other files, and placeholders for packages that are not there."""

import _ast
import sys
from types import ModuleType
from typing import Any

from autograder.bridge.inside.missing_package_placeholders import MissingPackageModule, restore_replaced_definitions
from autograder.bridge.inside.newer_python import POSTPONED, is_used_in_annotation, replace_newer_imports

ModuleSpec: Any = type(sys.__spec__)
OWN_NAME = "value"
"""The name that the handout gives the file: programs import it, in tests at their end or from another file."""
FUTURE_FLAGS = 0x1FF0000  # the bits of a code object that ``from __future__`` sets


class SubmissionImportFinder:
    """Last on ``sys.meta_path``: the student's other files, then placeholders for what is not installed.

    Only a plain import at the top of a file gets a placeholder. One inside ``try`` fails as it does anywhere, so
    that the student's own way out is taken.
    """

    def __init__(self, modules: dict[str, str], built_in: dict[str, Any]) -> None:
        self.modules = modules
        self.built_in = built_in
        self.imported: set[str] = set()
        self.sources: list[str] = []  # whose imports are looked for once one is not found
        self.missing: list[str] = []

    def may_miss_imports(self, source: str) -> bool:
        """Return whether stand-ins may come into a source: they must not replace what it defines itself."""
        return bool(self.missing) or any(
            package not in sys.stdlib_module_names and package not in self.modules
            for package in _list_imported_packages(source)
        )

    def scan_imports_later(self, source: str) -> None:
        """Remember a source that is run as it stands: its imports are read only once one is not found."""
        self.sources.append(source)

    def replace_and_record_imports(self, statements: list[Any], namespace: dict[str, Any]) -> None:
        """Replace what only a newer Python has in the imports of top-level statements, and record the other imports.

        Args:
            statements: the statements, as they are going to be run.
            namespace: where they are run.
        """
        replaced = replace_newer_imports(statements, namespace)
        self.missing += [name for name in replaced if name not in self.missing]
        self._record_imports(statements)

    def _read_sources(self) -> None:
        while self.sources:
            try:
                tree: Any = compile(self.sources.pop(), "<imports>", "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
            except (RecursionError, MemoryError):  # nested too deeply to be looked at, and not to be run
                continue
            self._record_imports(tree.body)

    def _record_imports(self, statements: list[Any]) -> None:
        for statement in statements:
            if isinstance(statement, _ast.Import):
                self.imported.update(alias.name.partition(".")[0] for alias in statement.names)
            elif isinstance(statement, _ast.ImportFrom) and statement.module and not statement.level:
                self.imported.add(statement.module.partition(".")[0])

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Answer the import system's question; see ``importlib.abc.MetaPathFinder``."""
        package = name.partition(".")[0]
        if name in self.modules or name == OWN_NAME:
            return ModuleSpec(name, self)
        self._read_sources()
        if package not in self.imported or package in sys.stdlib_module_names or package in self.modules:
            return None
        if package not in self.missing:
            self.missing.append(package)
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> Any:
        """Return the submission's own module, a new one for another file of the student's, or an inert one."""
        if spec.name in self.modules:
            return None
        return sys.modules["submission"] if spec.name == OWN_NAME else MissingPackageModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run a file of the student's; do nothing for a package."""
        if module.__name__ in self.modules:
            source, name = self.modules[module.__name__], f"{module.__name__}.py"
            tree: Any = compile(source, name, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
            self.replace_and_record_imports(tree.body, module.__dict__)
            module.__dict__["__builtins__"] = self.built_in
            try:
                self._execute(tree, name, module.__dict__, 0)
            except NameError as error:
                if not is_used_in_annotation(tree, error.name):
                    raise
                self._execute(tree, name, module.__dict__, POSTPONED)

    def _execute(self, tree: Any, name: str, namespace: dict[str, Any], flags: int) -> None:
        """Execute a module statement by statement, so that no stand-in replaces what it defines itself."""
        flags |= compile(tree, name, "exec", flags, dont_inherit=True).co_flags & FUTURE_FLAGS
        for statement in tree.body:
            before = dict(namespace)
            exec(compile(_ast.Module([statement], []), name, "exec", flags, dont_inherit=True), namespace)
            if self.missing:
                restore_replaced_definitions(namespace, before)


def _list_imported_packages(source: str) -> list[str]:
    """Return the packages of the lines in a source that look like imports."""
    packages = []
    for statement in (part for line in source.split("\n") if "import" in line for part in line.split(";")):
        words = statement.split(None, 1)
        if words[1:] and words[0] == "from":
            packages.append(words[1].split()[0])
        elif words[1:] and words[0] == "import":
            packages += [alias.split()[0] for alias in words[1].split(",") if alias.strip()]
    return [package.partition(".")[0] for package in packages]
