"""What IPython adds to Python is taken out of a cell; what a cell defines stays, on the line where it stood."""

from __future__ import annotations

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
        "y = (17\n     % 5)",
        "y = 17 \\\n  % 5",
        'text = """\n%matplotlib inline\n!pip install torch\nwhy?\n"""',
        "y = a != b",
        "print('%d' % 3)",
        "",
        "# %% a comment\nx = 1",
        "x: int = 1\n",
    ],
)
def test_a_cell_that_is_python_already_is_left_as_it_is(cell: str) -> None:
    assert convert_cell_to_plain_python(cell) == cell


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "%load_ext autoreload",
        "%cd 'my work'",
        "%time",
        "!pip install torch",
        "!ls | wc -l",
        "  %matplotlib inline",
        "obj?",
        "obj.method??",
        "?obj",
        "??obj",
        "%pip install torch > /dev/null 2>&1",
    ],
)
def test_a_magic_line_goes_and_the_rest_of_its_cell_stays(line: str) -> None:
    assert convert_cell_to_plain_python(f"{line}\nx = 1").splitlines()[-1] == "x = 1"
    assert "1" not in convert_cell_to_plain_python(line)


@pytest.mark.parametrize("line", ["%matplotlib inline", "!ls", "obj?"])
def test_a_magic_line_leaves_a_line_behind_so_that_numbers_stay(line: str) -> None:
    assert convert_cell_to_plain_python(f"x = 1\n{line}\ny = 2").split("\n")[2] == "y = 2"


@pytest.mark.parametrize("line", ["!ls", "%timeit", "obj?"])
def test_a_block_of_nothing_but_a_magic_stays_a_block(line: str) -> None:
    assert defined(f"if True:\n    {line}\ny = 2") == {"y": 2}


@pytest.mark.parametrize(
    "line", ["y = !ls", "y = %pwd", "y = %sx ls", "y = !echo 'a = 1'", "y  =  !ls", "y = %timeit -o f()"]
)
def test_what_a_magic_would_give_is_none(line: str) -> None:
    assert defined(line) == {"y": None}


@pytest.mark.parametrize(
    "line",
    ["%time y = f()", "%timeit y = f()", "%timeit -n 10 -r 3 y = f()", "%timeit -n10 y = f()", "%time  y = f()"],
)
def test_a_timed_statement_is_still_run(line: str) -> None:
    assert defined(line) == {"y": 5}


def test_a_timed_statement_in_a_block_keeps_its_indentation() -> None:
    assert defined("if True:\n    %time y = f()") == {"y": 5}


@pytest.mark.parametrize("magic", ["%%time", "%%timeit", "%%timeit -n 10", "%%capture out", "%%prun"])
def test_a_cell_that_is_timed_or_captured_keeps_its_body_on_its_lines(magic: str) -> None:
    assert convert_cell_to_plain_python(f"{magic}\nx = 1\ny = 2") == "\nx = 1\ny = 2"


def test_cell_magics_may_be_stacked() -> None:
    assert convert_cell_to_plain_python("%%capture\n%%time\nx = 1") == "\n\nx = 1"


def test_the_body_of_a_timed_cell_may_hold_magics_of_its_own() -> None:
    assert convert_cell_to_plain_python("%%time\n%matplotlib inline\nx = 1") == "\n\nx = 1"


def test_blank_lines_above_a_cell_magic_count() -> None:
    assert convert_cell_to_plain_python("\n\n%%time\nx = 1").split("\n")[3] == "x = 1"


@pytest.mark.parametrize(
    "magic", ["%%bash", "%%html", "%%javascript", "%%sh", "%%writefile notes.txt", "%%", "%%latex"]
)
def test_a_cell_in_another_language_is_dropped(magic: str) -> None:
    assert convert_cell_to_plain_python(f"{magic}\nclass Value: ...") == ""


@pytest.mark.parametrize(
    "statement", ["y = (a\n     % b)", "y = a \\\n  % b", "y = [\n    a\n    % b\n][0]", "y = f(\n) - 3 \\\n% 5 - 0"]
)
def test_a_remainder_on_a_line_of_its_own_is_no_magic_beside_one(statement: str) -> None:
    assert defined(f"%matplotlib inline\n{statement}").keys() == {"y"}
    assert defined(f"%matplotlib inline\n{statement}") == defined(statement)


def test_an_inequality_on_a_line_of_its_own_is_no_shell_command_beside_a_magic() -> None:
    assert defined("%matplotlib inline\ny = (a\n     != b)") == {"y": True}


def test_text_that_looks_like_a_magic_stays_text_beside_a_magic() -> None:
    text = "\n% of the marks\n!important\nwhy?\n"
    assert defined(f'%matplotlib inline\ny = """{text}"""') == {"y": text}


def test_a_docstring_may_end_on_a_line_that_looks_like_a_magic() -> None:
    assert defined('!ls\ndef g():\n    """Gives\n    % of the day"""\n    return 3\ny = g()')["y"] == 3


def test_a_shell_command_over_several_lines_goes_as_a_whole() -> None:
    assert defined("!pip install \\\n    torch \\\n    numpy\ny = 2") == {"y": 2}


def test_a_cell_that_is_no_python_at_all_comes_back_for_the_student_to_see() -> None:
    assert convert_cell_to_plain_python("def (:\n    x") == "def (:\n    x"


@pytest.mark.parametrize(
    "cell",
    [
        "(" * 100_000,
        "-" * 1_000_000 + "1",
        "lambda:" * 100_000 + "1",
        "x = '\0'",
        "%" * 100_000,
        "a = " * 100_000 + "!",
    ],
    ids=["brackets", "signs", "lambdas", "a null character", "percent signs", "assignments"],
)
def test_a_hostile_cell_is_still_text_afterwards(cell: str) -> None:
    assert isinstance(convert_cell_to_plain_python(cell), str)


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
