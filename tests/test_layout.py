"""The package is a row of rooms: each imports from rooms before it alone, as ``autograder/__init__.py`` says."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import autograder

PACKAGE = Path(autograder.__file__).parent
DATA = {"assignment_files", "handed_out", "course"}
"""Folders below a room with files for others: what they import says nothing of the room."""


@cache
def parse(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def documented() -> dict[str, set[str]]:
    """What each room may import from, in the order of the table."""
    assert autograder.__doc__
    table = autograder.__doc__.partition("::\n")[2].partition("\nBeside")[0]
    rooms: dict[str, set[str]] = {}
    for line in filter(str.strip, table.splitlines()):
        name, imports = line[4:19].strip(), line[69:].strip()
        room = name or [*rooms][-1]
        rooms.setdefault(room, set())
        if imports.startswith("every room but "):
            rooms[room] = {*rooms} - {*imports.replace(",", "").split()[3:], room}
        elif imports != "nothing":
            rooms[room] |= {one.strip() for one in imports.split(",") if one.strip()}
    return rooms


@cache
def imported() -> dict[str, dict[str, str]]:
    """What each room imports from, lazily too, with a place where it does."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for file in sorted(PACKAGE.rglob("*.py")):
        room, *rest = file.relative_to(PACKAGE).parts
        if not rest or DATA & {*rest}:
            continue
        for node in ast.walk(parse(file)):
            if isinstance(node, ast.Import):
                modules = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            else:
                continue
            for module in modules:
                package, _, below = module.partition(".")
                other = below.partition(".")[0]
                if package == "autograder" and other != room and (PACKAGE / other).is_dir() and other:
                    found[room][other] = f"{file.relative_to(PACKAGE)}:{node.lineno}"
    return found


def iterate_functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function and method of the package's own code, with its place."""
    for file in sorted(PACKAGE.rglob("*.py")):
        if not DATA & {*file.relative_to(PACKAGE).parts[1:]}:
            for node in ast.walk(parse(file)):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield f"{file.relative_to(PACKAGE)}:{node.lineno} {node.name}", node


def count_files_by_word() -> Counter[str]:
    """How many files of the package, its pages, its courses, its tests and its documentation hold each word."""
    root = PACKAGE.parent
    folders = (PACKAGE, *(root / name for name in ("assignments", "benchmarks", "docs", "solutions", "tests")))
    files = (file for folder in folders for file in folder.rglob("*") if file.suffix in {".py", ".html", ".md"})
    return Counter(word for file in files for word in {*re.findall(r"\w+", file.read_text(encoding="utf-8"))})


def imports_at_start(module_files: dict[str, Path]) -> dict[str, set[str]]:
    """The modules that each module of the package imports as it is imported itself."""
    found: dict[str, set[str]] = {}
    for name, file in module_files.items():
        found[name] = set()
        for node in parse(file).body:
            if isinstance(node, ast.ImportFrom) and node.module in module_files:
                below = {f"{node.module}.{one.name}" for one in node.names}
                found[name] |= (below & module_files.keys()) or {node.module}
    return found


def test_every_folder_with_modules_is_a_package_and_so_part_of_the_wheel() -> None:
    folders = {file.parent for file in PACKAGE.rglob("*.py") if not DATA & {*file.relative_to(PACKAGE).parts[1:]}}
    assert [folder for folder in sorted(folders) if not (folder / "__init__.py").is_file()] == []


def test_every_room_is_in_the_table() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()}
    assert rooms == {*documented()}


def test_a_room_imports_what_the_table_says_and_nothing_else() -> None:
    assert {room: {*others} for room, others in imported().items()} == {
        room: others for room, others in documented().items() if others
    }


def test_no_room_imports_from_one_below_it() -> None:
    order = [*documented()]
    backwards = [
        f"{place}: {room} imports from {other}"
        for room, others in imported().items()
        for other, place in others.items()
        if order.index(other) > order.index(room)
    ]
    assert backwards == []


def test_what_grades_files_in_a_shell_never_imports_the_server() -> None:
    importers = [f"{others['web']}: imports web" for others in imported().values() if "web" in others]
    assert importers == []
    command_line = "import sys, autograder.cli.main, autograder.cli.batch, autograder.batch, autograder.store.store"
    command_line += "; print([name for name in sys.modules if name.startswith('autograder.web')])"
    assert subprocess.check_output([sys.executable, "-c", command_line], text=True) == "[]\n"


def test_no_module_imports_itself_through_others() -> None:
    files = {
        ".".join(("autograder", *file.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): file
        for file in PACKAGE.rglob("*.py")
        if not DATA & {*file.relative_to(PACKAGE).parts[1:]}
    }
    in_order = [
        *TopologicalSorter(imports_at_start(files)).static_order()
    ]  # raises CycleError, which shows the circle
    assert in_order.index("autograder.faults") < in_order.index("autograder.cli.main")


def test_what_only_its_own_module_calls_has_a_leading_underscore() -> None:
    file_count_by_word = count_files_by_word()
    called_by_pytest = "pytest_report_header"
    public = {
        place: function.name
        for place, function in iterate_functions()
        if not function.name.startswith("_") and not function.decorator_list and function.col_offset == 0
    }
    private = [place for place, name in public.items() if file_count_by_word[name] < 2 and name != called_by_pytest]
    assert private == []
    assert file_count_by_word["test_what_only_its_own_module_calls_has_a_leading_underscore"] == 1


def test_no_two_test_modules_share_a_name() -> None:
    modules = sorted(path.name for path in (PACKAGE.parent / "tests").rglob("test_*.py"))
    assert len(modules) == len({*modules})
