"""Nothing of the kit, the suite or the solution can be imported by a student's process, or is found in it."""

from __future__ import annotations

import gc
import secrets
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from autograder.bridge import StudentError
from tests.redteam.inside import ROOT, STDLIB, Inside, works_outside

IMPORTING = """
import importlib, os, sys
def attack(name=NAME):
    sys.path[:0] = FOLDERS
    module = importlib.import_module(name)
    return module.__name__
"""


def hidden_folder() -> Path:
    return next(path.parent for path in sorted(ROOT.glob("assignments/*/hidden/test_*.py")))


# catalogue: 10, 28
@pytest.mark.parametrize(
    ("name", "source_of"),
    [
        ("autograder", lambda: ROOT),
        ("pytest", lambda: Path(pytest.__file__).parents[1]),
        ("msgspec", lambda: Path(msgspec.__file__).parents[1]),
        ("grading_yml", lambda: ROOT),
        (next(iter(sorted(hidden_folder().glob("test_*.py")))).stem, hidden_folder),
    ],
    ids=["the kit", "pytest", "msgspec", "a name that does not exist", "a hidden suite"],
)
def test_neither_kit_nor_suite_can_be_imported(inside: Inside, name: str, source_of: Callable[[], Path]) -> None:
    folders = [str(source_of()), str(Path(pytest.__file__).parents[1]), str(ROOT)]
    source = IMPORTING.replace("NAME", repr(name)).replace("FOLDERS", repr(folders))
    with pytest.raises(ImportError):
        inside.run(source)
    if name != "grading_yml":
        works_outside(source, env={"PYTHONDONTWRITEBYTECODE": "1"})


def test_what_a_submission_imports_as_value_is_itself_and_not_the_solution(inside: Inside) -> None:
    folder = ROOT / "solutions" / "autograd-engine"
    source = IMPORTING.replace("NAME", repr("value")).replace("FOLDERS", repr([str(folder)]))
    source = source.replace("return module.__name__", "return (module.attack is attack, hasattr(module, 'Value'))")
    assert inside.run(source) == (True, False)


def test_packages_beside_the_standard_library_cannot_be_imported(inside: Inside) -> None:
    packages = STDLIB / "site-packages"
    name = next((path.name for path in sorted(packages.glob("[a-z]*")) if (path / "__init__.py").is_file()), "")
    if not name:
        pytest.skip("there are none")
    source = f"""
import importlib.util, os, sys
def attack():
    here = os.path.dirname(os.path.dirname(importlib.__file__))
    sys.path[:0] = [here + '/site-packages', {str(packages)!r}]
    return len(open(importlib.util.find_spec({name!r}).origin).read())
"""
    works_outside(source)
    with pytest.raises((StudentError, OSError)):
        inside.run(source)


SEARCH = """
import gc, re, sys
PATTERN = re.compile('canary-[0-9a-f]{32}|test_1_for[w]ard|assignments[/]')
def attack(*given):
    seen, waiting, found = set(), [*gc.get_objects(), *sys.modules.values(), sys._getframe()], set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen: continue
        seen.add(id(thing))
        if isinstance(thing, bytes): thing = thing.decode('latin-1')
        if isinstance(thing, str): found.update(PATTERN.findall(thing))
        else: waiting += gc.get_referents(thing)
    return sorted(found)
"""


# catalogue: 38
def test_nothing_of_the_graders_memory_is_in_the_process(inside: Inside) -> None:
    canary = f"canary-{secrets.token_hex(16)}"
    inside.run(f"kept = {canary!r}\ndef attack(): return kept")
    assert canary in gc.get_referents(locals())
    assert inside.run(SEARCH) == []


def test_the_search_finds_what_is_there(inside: Inside) -> None:
    canary = f"canary-{secrets.token_hex(16)}"
    assert inside.run(f"kept = [{canary!r}]\n{SEARCH}") == [canary]


# catalogue: 9
def test_the_frames_above_a_students_function_belong_to_its_own_process(inside: Inside) -> None:
    source = """
import sys
def attack(answer):
    names, frame = [], sys._getframe(1)
    while frame is not None:
        names.append(frame.f_code.co_filename)
        frame = frame.f_back
    return names
"""
    assert set(inside.run(source, 42.0)) <= {
        "<request_handlers>",
        "<request_server>",
        "<process_entry_point>",
        "<fork_loop>",
        "<string>",
    }
