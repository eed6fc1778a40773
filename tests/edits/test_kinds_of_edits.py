"""Each kind of edit has an example: what a student wrote, and what should stand there."""

from __future__ import annotations

import pytest

from autograder.edits import ProposedEdit, propose_edits

HEADER = """import math
class Value:
    def __init__(self, data, _prev=()):
        self.data = data
        self.grad = 0
        self._prev = _prev
    def f(self, other, n):
        out = Value(self.data)
        t = math.tanh(self.data)
        visited = set()
        def g():
            other.grad += t * out.grad
        out._backward = g
        xs = [1, 2]
        for x in xs:
            visited.add(x)
"""


def find(wrong: str, right: str) -> ProposedEdit | None:
    """Return the edit that makes one text of the other."""
    return next((edit for edit in propose_edits(wrong) if edit.text == right), None)


LINES = [
    ("out.grad = t", "out.grad += t", "assignment"),
    ("out.grad += t", "out.grad = t", "assignment"),
    ("out.grad += t", "out.grad *= t", "assignment"),
    ("t = t + n", "t = t - n", "operator"),
    ("t = t - n", "t = t ** n", "operator"),
    ("t = t < n", "t = t <= n", "comparison"),
    ("t = t == n", "t = t is n", "comparison"),
    ("t = t in xs", "t = t not in xs", "comparison"),
    ("t = t and n", "t = t or n", "comparison"),
    ("t = n * 1", "t = n * 2", "constant"),
    ("t = n * 1", "t = n * -1", "constant"),
    ("t = None", "t = 0.0", "constant"),
    ("t = True", "t = False", "constant"),
    ("t = -n", "t = n", "sign"),
    ("t = n * t", "t = n * -t", "sign"),
    ("t = not n", "t = n", "condition"),
    ("if n: t = 1", "if not n: t = 1", "condition"),
    ("t = self.data", "t = out.data", "name"),
    ("t = self.data", "t = self.grad", "attribute"),
    ("t = other", "t = other.grad", "attribute"),
    ("t = other.data", "t = other", "attribute"),
    ("t = n / t", "t = t / n", "operands"),
    ("t = n * t * x", "t = n * x", "operands"),
    ("t = n", "t = n * out.grad", "term"),
    ("t += n", "t += n * self.data", "term"),
    ("t = 1 - t", "t = 1 - t ** 2", "term"),
    ("t = 1 - t ** 2", "t = 1 - t", "operands"),
    ("t = n + t * x", "t = (n + t) * x", "operands"),
    ("t = (n + t) * x", "t = n + t * x", "operands"),
    ("t = f(n, x)", "t = f(n)", "argument"),
    ("t = f(n, x)", "t = f(x, n)", "operands"),
    ("t = f(n, key=x)", "t = f(n)", "argument"),
    ("t = Value(n)", "t = Value(n, out)", "argument"),
    ("t = xs", "t = list(xs)", "call"),
    ("t = list(xs)", "t = xs", "call"),
    ("t = n in xs", "t = id(n) in xs", "call"),
    ("for x in xs: f(x)", "for x in reversed(xs): f(x)", "call"),
    ("t = g", "t = g()", "call"),
    ("t = g()", "t = g", "call"),
    ("xs.append(n)", "xs.extend(n)", "attribute"),
    ("xs.append(n)", "xs.insert(0, n)", "call"),
    ("t = xs[0]", "t = xs[1]", "constant"),
    ("t = xs", "t = xs[::-1]", "operands"),
    ("t = xs[::-1]", "t = xs", "operands"),
    ("t = range(n)", "t = range(n + 1)", "term"),
    ("t = range(n)", "t = range(1, n)", "argument"),
    ("t = []", "t = set()", "constant"),
    ("t = [Value(0)] * n", "t = [Value(0) for _ in range(n)]", "constant"),
    ("t = isinstance(n, Value)", "t = isinstance(n, (int, float))", "argument"),
    ("t = isinstance(n, int)", "t = isinstance(n, (int, float))", "argument"),
    ("t = type(n) == float", "t = type(n) in (int, float)", "argument"),
    ("t = lambda a, b: a", "t = lambda a, b: b", "name"),
    ("t = t * n", "t = t * (n > 0)", "comparison"),
    ("xs = xs + [n]", "xs.append(n)", "assignment"),
    ("t = self.data = n", "t = n", "assignment"),
    ("t = [(n, 1), (t, 2)]", "t = [(n, 2), (t, 1)]", "operands"),
    ("t = t + n", "t += n", "assignment"),
    ("t = lambda: f(x)", "t = lambda x=x: f(x)", "default"),
    ("t = f(self)", "t = f((self,))", "argument"),
    ("t", "return t", "add statement"),
    ("t = self.dta", "t = self.data", "name"),
    ("t = vsited", "t = visited", "name"),
    ("t = _prev", "t = self._prev", "attribute"),
]


@pytest.mark.parametrize(("wrong", "right", "kind"), LINES, ids=[f"{wrong} -> {right}" for wrong, right, _ in LINES])
def test_a_line_becomes_the_right_one(wrong: str, right: str, kind: str) -> None:
    edit = find(f"{HEADER}        {wrong}\n", f"{HEADER}        {right}\n")
    assert edit is not None
    assert (edit.kind, edit.line, edit.end_line, edit.function) == (kind, 17, 17, "Value.f")


BLOCKS = {
    "a statement is taken out": ("def f(a):\n    b()\n    c()\n", "def f(a):\n    b()\n"),
    "a statement is repeated": ("def f(a):\n    b()\n", "def f(a):\n    b()\n    b()\n"),
    "a statement moves up": ("def f(a):\n    b()  # one\n    c()\n", "def f(a):\n    c()\n    b()  # one\n"),
    "a statement moves to the end": (
        "def f(a):\n    b()\n    c()\n    d()\n    e()\n",
        "def f(a):\n    c()\n    d()\n    e()\n    b()\n",
    ),
    "a statement moves below its loop": (
        "def f(a):\n    for b in a:\n        c(b)\n        return b\n",
        "def f(a):\n    for b in a:\n        c(b)\n    return b\n",
    ),
    "a statement moves above its loop": (
        "def f(a):\n    for b in a:\n        c = 0\n        c += b\n",
        "def f(a):\n    c = 0\n    for b in a:\n        c += b\n",
    ),
    "a statement moves out of an inner function": (
        "def f(a):\n    def g():\n        a()\n        return g\n",
        "def f(a):\n    def g():\n        a()\n    return g\n",
    ),
    "a statement moves into the loop above": (
        "def f(a):\n    for b in a:\n        c(b)\n    d(b)\n",
        "def f(a):\n    for b in a:\n        c(b)\n        d(b)\n",
    ),
    "a statement moves into the loop below": (
        "def f(a):\n    c = 0\n    for b in a:\n        c += b\n",
        "def f(a):\n    for b in a:\n        c = 0\n        c += b\n",
    ),
    "a branch is always taken": ("def f(a):\n    if a:\n        b()\n", "def f(a):\n    b()\n"),
    "else is left out": (
        "def f(a):\n    if a:\n        b()\n    else:\n        c()\n",
        "def f(a):\n    if a:\n        b()\n",
    ),
    "the block of else comes in any case": (
        "def f(a):\n    if a:\n        b()\n    else:\n        c()\n",
        "def f(a):\n    if a:\n        b()\n    c()\n",
    ),
    "a method is taken out": (
        "class A:\n    def __eq__(self, other):\n        return True\n\n    def f(self): ...\n",
        "class A:\n\n    def f(self): ...\n",
    ),
    "a decorator is taken out": (
        "class A:\n    @property\n    def f(self): ...\n",
        "class A:\n    def f(self): ...\n",
    ),
    "self is added": ("class A:\n    def f(a):\n        b(a)\n", "class A:\n    def f(self, a):\n        b(a)\n"),
    "a default becomes another one": ("def f(a=[]):\n    b(a)\n", "def f(a=()):\n    b(a)\n"),
    "a default that calls share is made anew": (
        "def f(a=set()):\n    b(a)\n",
        "def f(a=None):\n    if a is None:\n        a = set()\n    b(a)\n",
    ),
    "a loop goes on from the round before": (
        "def f(a, b):\n    for c in b:\n        a(c)\n",
        "def f(a, b):\n    for c in b:\n        a(c)\n        a = c\n",
    ),
    "a term is added behind a loop": (
        "def f(a, b):\n    c = 0\n    for d in b:\n        c = c + (d + a)\n    return c\n",
        "def f(a, b):\n    c = 0\n    for d in b:\n        c = c + (d)\n    c = c + a\n    return c\n",
    ),
    "two assignments have each other's values": (
        "def f(a, b):\n    a.x += b.y * 2\n    b.x += a.y * 2\n",
        "def f(a, b):\n    a.x += a.y * 2\n    b.x += b.y * 2\n",
    ),
    "a function keeps all variables of its loop": (
        "def f(a):\n    for b, c in a:\n        def g():\n            return b * c\n        a(g)\n",
        "def f(a):\n    for b, c in a:\n        def g(b=b, c=c):\n            return b * c\n        a(g)\n",
    ),
    "an attribute is dropped in all places": (
        "def f(a, b):\n    if a.x not in b:\n        b.add(a.x)\n",
        "def f(a, b):\n    if a not in b:\n        b.add(a)\n",
    ),
    "a default is added": ("def f(a, b):\n    a(b)\n", "def f(a, b=()):\n    a(b)\n"),
    "a class attribute moves into __init__": (
        "class A:\n    grad = 0\n\n    def __init__(self, a):\n        self.a = a\n",
        "class A:\n\n    def __init__(self, a):\n        self.grad = 0\n        self.a = a\n",
    ),
    "a list is turned around": (
        "def f(a, b):\n    a.append(b)\n    for c in b:\n        f(a, c)\n",
        "def f(a, b):\n    for c in b:\n        f(a, c)\n    a.insert(0, b)\n",
    ),
    "what an object keeps is emptied in each call": (
        "class A:\n    def f(self):\n        self.a = []\n    def g(self):\n        b(self.a)\n",
        "class A:\n    def f(self):\n        self.a = []\n    def g(self):\n        self.a = []\n        b(self.a)\n",
    ),
    "what a module keeps is emptied in each call": (
        "a = set()\ndef f(b):\n    a.add(b)\n",
        "a = set()\ndef f(b):\n    a.clear()\n    a.add(b)\n",
    ),
    "a module is imported": (
        "def f(a):\n    return math.tanh(a)\n",
        "import math\ndef f(a):\n    return math.tanh(a)\n",
    ),
    "a name is nonlocal": (
        "def f():\n    a = 0\n    def g():\n        a += 1\n    return g\n",
        "def f():\n    a = 0\n    def g():\n        nonlocal a\n        a += 1\n    return g\n",
    ),
    "something is returned": ("def f():\n    a = 0\n", "def f():\n    a = 0\n    return a\n"),
    "break becomes continue": ("for a in b:\n    break\n", "for a in b:\n    continue\n"),
    "a dataclass is told apart by identity": (
        "@dataclass\nclass A:\n    a: int\n",
        "@dataclass(eq=False)\nclass A:\n    a: int\n",
    ),
    "a class's attribute is changed, not an object's": (
        "class A:\n    made = 0\n    def f(self):\n        self.made += 1\n",
        "class A:\n    made = 0\n    def f(self):\n        A.made += 1\n",
    ),
    "what is asked and never filled is filled": (
        "def f(a):\n    seen = set()\n    if a in seen:\n        return\n    a()\n",
        "def f(a):\n    seen = set()\n    if a in seen:\n        return\n    seen.add(a)\n    a()\n",
    ),
    "one change is made in all methods": (
        "class A:\n    def f(self):\n        self.a = 1\n\n    def g(self):\n        self.a = 2\n",
        "class A:\n    def f(self):\n        self.a += 1\n\n    def g(self):\n        self.a += 2\n",
    ),
    "while becomes if": ("def f(a):\n    while a:\n        a()\n", "def f(a):\n    if a:\n        a()\n"),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_becomes_the_right_one(name: str) -> None:
    assert find(*BLOCKS[name]) is not None


def test_a_statement_that_other_methods_share_is_put_into_the_one_that_lacks_it() -> None:
    method = "    def {}(self):\n        out = 0\n        out.x = out\n        return out\n"
    right = "class A:\n" + method.format("f") + method.format("g") + method.format("h")
    at = right.rindex("        out.x = out\n")
    assert find(right[:at] + right[at + len("        out.x = out\n") :], right) is not None


def test_a_statement_of_a_right_program_is_put_into_the_function_of_the_same_name_with_its_parameters() -> None:
    wrong, donor = "def f(mine):\n    return mine\n", "def f(theirs):\n    theirs.sort()\n    return theirs\n"
    right = "def f(mine):\n    mine.sort()\n    return mine\n"
    assert right in [edit.text for edit in propose_edits(wrong, donors=[donor])]
    assert right not in [edit.text for edit in propose_edits(wrong)]


def test_what_only_leaves_something_out_in_a_roundabout_way_is_no_proposal() -> None:
    assert find("def f(a):\n    a()\n    return a\n", "def f(a):\n    a\n    return a\n") is None
    assert find("def f(a):\n    return a + 1\n", "def f(a):\n    return a * 1\n") is None
    assert find("def f(a, b):\n    a.x = b.x = 1\n", "def f(a, b):\n    a.x = a.x = 1\n") is None
    assert find("def f(a):\n    a.x = 1\ndef g(): pass\n", "def f(a):\n    g.x = 1\ndef g(): pass\n") is None


def test_a_statement_that_overwrites_what_is_computed_is_dearer_than_one_in_its_place() -> None:
    wrong, donor = "def f(a):\n    b = a - 1\n    return b\n", "def f(a):\n    b = a * 7\n    return b\n"
    costs = {edit.text: edit.cost for edit in propose_edits(wrong, donors=[donor])}
    instead, below = wrong.replace("a - 1", "a * 7"), wrong.replace("a - 1\n", "a - 1\n    b = a * 7\n")
    assert costs[instead] < costs[below]


def test_a_function_that_returns_a_list_does_not_become_a_generator() -> None:
    donor = "def f(a):\n    yield from a\n"
    assert not [edit for edit in propose_edits("def f(a):\n    return [a]\n", donors=[donor]) if "yield" in edit.text]


def test_a_return_is_put_in_only_where_nothing_stands_behind_it() -> None:
    texts = [
        edit.text for edit in propose_edits("def f(a):\n    a()\n    return a\n", donors=["def f(a): return -a\n"])
    ]
    assert "def f(a):\n    a()\n    return -a\n" in texts
    assert "def f(a):\n    return -a\n    a()\n    return a\n" not in texts
