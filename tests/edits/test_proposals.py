"""What holds of every proposal, whatever a student wrote; and methods of right programs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from autograder.edits import propose_edits, propose_methods

SOLUTIONS = Path(__file__).parents[2] / "solutions"
ODD = {
    "tabs": "class A:\n\tdef f(self, x):\n\t\tif x:\n\t\t\ty = 1\n\t\telse:\n\t\t\ty = 2\n\t\treturn y\n",
    "CRLF": "def f(x):\r\n    # why\r\n    y = x + 1\r\n    return y\r\n",
    "names beyond ASCII": 'def größe(länge):\n    """Ü."""\n    fläche = länge * "ä".count("é") + länge\n',
    "semicolons and one-line blocks": "def f(x):\n    y = 1; z = 2\n    if x: return y; z()\n    else: return z\n",
    "texts over lines": 'def f(x):\n    if x:\n        y = """a\nb\n  c"""\n    return f"""{x\n    }"""\n',
    "no last line break": "def f(x):\n    if x:\n        return 1\n    y = 2",
    "continued lines": "def f(x, y):\n    z = x + \\\n        y\n    return (x  # one\n        + y)\n",
    "an empty file": "",
    "only a comment": "# nothing\n",
    "a form feed": "def f(x):\n    return x\n\x0c\ndef g(x):\n    return x + 1\n",
    "elif and match": "def f(x):\n    if x: pass\n    elif x > 1: x = 2\n    match x:\n        case 1: return\n",
    "async, with and try": (
        "async def f(x):\n    async with x as y:\n        try:\n            await y\n        except E as e:\n"
        "            raise\n        finally:\n            del y\n"
    ),
    "walrus, stars and lambdas": "f = lambda *a, b=1, **c: (d := [*a, *c])\nprint(*f(1), sep='')\n",
    "decorators": "@a\n@b.c(1)\nclass A:\n    @property\n    def x(self) -> int: return self._x\n",
    "type hints": "class A:\n    x: int = 0\n    y: 'A'\n    def f(self, a: int = 1, /, *, b: str = ''): ...\n",
}


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("name", ODD)
def test_whatever_stands_there_every_proposal_is_another_program_and_python(name: str) -> None:
    edits = [*propose_edits(ODD[name])]
    assert len({edit.text for edit in edits} - {ODD[name]}) == len(edits)
    for edit in edits:
        compile(edit.text, "value.py", "exec")
        assert 1 <= edit.line <= edit.end_line <= ODD[name].count("\n") + 1
    assert edits or "def" not in ODD[name]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("assignment", ["autograd-engine", "topological-sort", "tokenizer"])
def test_every_proposal_of_a_solution_compiles_and_leaves_the_other_lines_alone(assignment: str) -> None:
    source = (SOLUTIONS / assignment / "value.py").read_text(encoding="utf-8")
    lines = source.split("\n")
    edits = [*propose_edits(source)]
    assert len(edits) > 500
    assert [(edit.cost, edit.line) for edit in edits] == sorted((edit.cost, edit.line) for edit in edits)
    for edit in edits:
        compile(edit.text, "value.py", "exec")
        new_lines = edit.text.split("\n")
        assert new_lines[: edit.line - 1] == lines[: edit.line - 1]
        below = len(lines) - edit.end_line
        assert new_lines[len(new_lines) - below :] == lines[len(lines) - below :]


def test_quotes_comments_and_layout_stay() -> None:
    source = "def f(x):  # f\n    y = g('a',  x)   + 1 # why\n\n\n    return  y\n"
    texts = [edit.text for edit in propose_edits(source)]
    assert source.replace("+ 1", "+ 2") in texts
    assert source.replace("g('a',  x)   + 1", "g('a', x) - 1") in texts
    assert all("# f\n" in text for text in texts if "def f(x):" in text)


@pytest.mark.parametrize(
    "source",
    [
        "class A:\n" + "".join(f"    def f{i}(self, x):\n        return self.y * x + {i}\n\n" for i in range(1000)),
        "def f(x):\n" + "".join(f"    x = x + {i}\n" for i in range(3000)),
        "".join(f"x{i} = x{i - 1} + 1\n" for i in range(1, 3000)),
        "def f(x):\n    for i in x:\n" + "".join(f"        i += {n}\n" for n in range(3000)),
    ],
    ids=["methods", "a function", "a script", "a loop"],
)
def test_a_program_of_three_thousand_lines_has_a_bounded_number_of_proposals(source: str) -> None:
    started = time.process_time()
    assert len([*propose_edits(source, donors=[source])]) <= 5_000
    assert time.process_time() - started < 30


def test_a_method_of_a_right_program_takes_the_place_of_the_students_with_the_students_names() -> None:
    wrong = "class A:\n\tdef f(self, x):\n\t\t'''Text.'''\n\t\tfor a in x: pass\n\t\treturn 1\n\n\tdef g(self): ...\n"
    body = (
        "        for b in y:\n            self.c(b)\n            self.d(b)\n            self.e(b)\n        return b\n"
    )
    donor = f"class A:\n    def f(self, y: int) -> int:\n        # right\n{body}"
    (edit,) = propose_methods(wrong, "value.py", [donor])
    new = "for a in x:\n\t\t    self.c(a)\n\t\t    self.d(a)\n\t\t    self.e(a)\n\t\treturn a\n"
    assert edit.text == wrong.replace("for a in x: pass\n\t\treturn 1\n", new)
    assert (edit.kind, edit.line, edit.end_line, edit.function) == ("method", 4, 5, "A.f")


def test_a_method_of_a_right_program_that_differs_in_a_few_lines_changes_these_alone() -> None:
    wrong = "def f(a):\n    for b in a:\n        # each\n        g(b)\n    return a  # all\n"
    donor = "def f(c):\n    for d in c:\n        h(d)\n        i(d)\n    return c\n"
    right = "def f(a):\n    for b in a:\n        # each\n        h(b)\n        i(b)\n    return a  # all\n"
    edit = next(edit for edit in propose_edits(wrong, donors=[donor]) if edit.text == right)
    assert (edit.kind, edit.line, edit.end_line) == ("add statement", 4, 4)


def test_a_method_brings_the_helpers_that_it_needs() -> None:
    helper = "import math\ndef one(a):\n    return math.inf\n\n"
    donor = f"{helper}def f(a):\n    b = one(a)\n    c = one(b)\n    return c + a\n"
    (edit,) = propose_methods("def f(x):\n    return x\n", "value.py", [donor])
    assert "    import math\n    def one(a):" in edit.text


def test_a_method_that_is_missing_is_added_at_the_end_of_the_class() -> None:
    (edit,) = propose_methods("class A:\n    x = 1\n\n\ny = 2\n", "value.py", ["class A:\n    def f(self): pass\n"])
    assert edit.text == "class A:\n    x = 1\n\n    def f(self):\n        pass\n\n\ny = 2\n"


def test_a_statement_alone_in_its_branch_goes_with_the_branch_before_it_leaves_an_empty_one() -> None:
    source = "def count(n):\n    total = 1\n    if n:\n        total += n\n    return total\n"
    texts = [edit.text for edit in propose_edits(source)]
    gone, empty = (
        source.replace(*change) for change in (("    if n:\n        total += n\n", ""), ("total += n", "pass"))
    )
    assert texts.index(gone) < texts.index(empty)
