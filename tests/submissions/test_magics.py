"""What IPython adds to Python is taken out of a cell; what a cell defines stays, on the line where it stood."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pytest

from autograder.submissions.notebook_cells import (
    convert_cell_to_plain_python,
    convert_file_to_plain_python,
    get_written_module,
)


def defined(cell: str) -> dict[str, object]:
    """What a cell defines once it is plain Python."""
    names: dict[str, object] = {"f": lambda: 5, "a": 17, "b": 5, "__builtins__": __builtins__}
    before = set(names)
    exec(compile(convert_cell_to_plain_python(cell), "cell", "exec"), names)
    return {name: value for name, value in names.items() if name not in before}


@pytest.mark.parametrize(
    "cell",
    [
        *("y = (17\n     % 5)", "y = 17 \\\n  % 5", "y = a != b", "print('%d' % 3)", "", "# %% a comment\nx = 1"),
        *('text = """\n%matplotlib inline\n!pip install torch\nwhy?\n"""', "x: int = 1\n", "def (:\n    x"),
    ],
)
def test_a_cell_that_is_python_or_nothing_at_all_is_left_as_it_is(cell: str) -> None:
    assert convert_cell_to_plain_python(cell) == cell


@pytest.mark.parametrize(
    "line",
    [
        *("%matplotlib inline", "%load_ext autoreload", "%cd 'my work'", "%time", "  %matplotlib inline"),
        *("!pip install torch", "!ls | wc -l", "obj?", "obj.method??", "?obj", "??obj"),
        "%pip install torch > /dev/null 2>&1",
    ],
)
def test_a_magic_line_leaves_a_line_behind_and_the_rest_of_its_cell_stays(line: str) -> None:
    assert convert_cell_to_plain_python(f"{line}\nx = 1").split("\n")[1:] == ["x = 1"]
    assert "1" not in convert_cell_to_plain_python(line)


DEFINED: list[tuple[str, Any]] = [
    *((f"if True:\n    {line}\ny = 2", 2) for line in ("!ls", "%timeit", "obj?")),
    *((line, None) for line in ("y = !ls", "y = %pwd", "y = %sx ls", "y = !echo 'a = 1'", "y = %timeit -o f()")),
    *((f"%time{how} y = f()", 5) for how in ("", "it", "it -n 10 -r 3", "it -n10", " ")),
    ("if True:\n    %time y = f()", 5),
    ("!pip install \\\n    torch \\\n    numpy\ny = 2", 2),
    ("%matplotlib inline\ny = (a\n     != b)", True),
    (
        '%matplotlib inline\ny = """\n% of the marks\n!important\nwhy?\n"""',
        "\n% of the marks\n!important\nwhy?\n",
    ),
    ('!ls\nclass G:\n    """Gives\n    % of the day"""\ny = G.__name__\ndel G', "G"),
]


@pytest.mark.parametrize(("cell", "y"), DEFINED, ids=[cell for cell, _ in DEFINED])
def test_what_a_cell_with_magics_defines_stays(cell: str, y: object) -> None:
    assert defined(cell) == {"y": y}


@pytest.mark.parametrize(
    "statement", ["y = (a\n     % b)", "y = a \\\n  % b", "y = [\n    a\n    % b\n][0]", "y = f(\n) - 3 \\\n% 5 - 0"]
)
def test_a_remainder_on_a_line_of_its_own_is_no_magic_beside_one(statement: str) -> None:
    assert defined(f"%matplotlib inline\n{statement}") == defined(statement) != {}


@pytest.mark.parametrize(
    ("cell", "becomes"),
    [
        *((f"{magic}\nx = 1\ny = 2", "\nx = 1\ny = 2") for magic in ("%%time", "%%timeit -n 10", "%%capture out")),
        ("%%capture\n%%time\nx = 1", "\n\nx = 1"),
        ("%%time\n%matplotlib inline\nx = 1", "\n\nx = 1"),
        ("\n\n%%time\nx = 1", "\n\n\nx = 1"),
        *((f"%%{kind}\nclass Value: ...", "") for kind in ("bash", "html", "sh", "writefile notes.txt", "", "latex")),
    ],
)
def test_a_timed_cell_keeps_its_body_on_its_lines_and_one_in_another_language_is_dropped(
    cell: str, becomes: str
) -> None:
    assert convert_cell_to_plain_python(cell) == becomes


@pytest.mark.parametrize(
    "line",
    [
        *("!pip install torch", "%matplotlib inline", "Value?", "%%time", "?Value", "x = !ls", "%cd 'my work'"),
        *("get_ipython().system('pip install torch')", "get_ipython().run_line_magic('matplotlib', 'inline')"),
        *("get_ipython().run_cell_magic('bash', '', 'ls\\n')", "files = get_ipython().getoutput('ls')"),
    ],
)
@pytest.mark.parametrize(
    "place", ["{}\nclass Value: ...", "import math\n{}\nclass Value: ...", "class Value: ...\n\n\n{}"]
)
def test_a_python_file_is_read_as_a_notebook_where_it_has_magics(line: str, place: str) -> None:
    plain = convert_file_to_plain_python(place.format(line))
    assert plain.count("\n") == place.count("\n")
    names: dict[str, object] = {"get_ipython": MagicMock()}
    exec(compile(plain, "value.py", "exec"), names)
    assert isinstance(names["Value"], type)


@pytest.mark.parametrize(
    "call",
    [
        "get_ipython().run_cell_magic('time', '', 'class Value:\\n    x = 1\\n%matplotlib inline\\n')",
        "get_ipython().run_cell_magic('writefile', 'value.py', 'class Value:\\n    x = 1\\n')",
        "get_ipython().run_line_magic('time', 'Value = type(\"Value\", (), {\"x\": 1})')",
        "if True: get_ipython().run_cell_magic('capture', 'out', 'class Value:\\n    x = 1\\n'); y = 'é'",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_code_that_nbconvert_put_into_a_call_of_a_magic_is_run(call: str, end: str) -> None:
    plain = convert_file_to_plain_python(f"# é{end}{call}{end}last = 1")
    names: dict[str, object] = {}
    exec(compile(plain, "value.py", "exec"), names)
    assert vars(names["Value"])["x"] == names["last"] == 1


def test_a_python_file_without_magics_is_left_as_it_is() -> None:
    source = 'x = 17 \\\n  % 5\r\ntext = """\n%matplotlib inline\nwhy?\n"""\n# get_ipython()\n'
    assert convert_file_to_plain_python(source) == source.replace("\r\n", "\n")
    assert convert_file_to_plain_python("def (:\r\n") == "def (:\r\n"


@pytest.mark.parametrize(
    ("first_line", "module"),
    [
        ("%%writefile engine.py", "engine"),
        ("%%file engine.py", "engine"),
        ("\n  %%writefile -a src/engine.py", "engine"),
        ("%%writefile '/content/my_engine.py'", "my_engine"),
        ("%%writefile notes.txt", ""),
        ("%%writefile my-engine.py", ""),
        ("%%writefile", ""),
        ("%%time", ""),
        ("class Value: ...", ""),
    ],
)
def test_a_cell_that_is_written_to_a_file_is_a_module(first_line: str, module: str) -> None:
    assert get_written_module(f"{first_line}\nclass Value: ...")[0] == module
