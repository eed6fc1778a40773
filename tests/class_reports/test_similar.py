"""Who handed in the same is found however it was disguised; what the course gave and what all have is no finding."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import pytest

from autograder.class_reports.code_similarity import (
    CAUTION,
    LEAST_PASSAGES,
    LEAST_SHARE,
    RUN,
    WINDOW,
    SimilarCodeFindings,
    SubmittedProgram,
    _find_candidates,
    find_similar_code,
    map_fingerprints_to_positions,
    replace_names_by_numbers,
    replace_submission_names,
    tokenize_code,
)
from autograder.class_reports.staff_views import encode_similar_code_page
from tests.class_reports.test_overview import ATTACK
from tests.html_reading import ReadHtml

ENGINE = '''\
class Value:
    """A number."""

    def __init__(self, data, children=()):
        self.data = data
        self.grad = 0.0
        self._prev = tuple(children)
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def pay():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = pay
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def pay():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = pay
        return out

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                for child in node._prev:
                    visit(child)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
'''
OTHER = """\
def flatten(root):
    stack, found, marks = [root], [], {}
    while stack:
        top = stack.pop()
        marks[id(top)] = marks.get(id(top), 0) + 1
        if marks[id(top)] == 1:
            found.append(top)
            stack.extend(sorted(top._prev, key=id))
    return [one for one in found if one is not None]


def total(numbers):
    result = 0
    for index, number in enumerate(numbers):
        result = result + number * (index + 1)
    return result
"""
RENAMED = (
    ENGINE.replace("other", "b").replace("pay", "_bw").replace("out", "result").replace('"""A number."""', "# mine")
)


def program(name: str, source: str, *owners: str) -> SubmittedProgram:
    return SubmittedProgram(name, source, frozenset(owners or (name,)))


def similar(*programs: SubmittedProgram, given: tuple[str, ...] = ()) -> SimilarCodeFindings:
    return find_similar_code(programs, given)


def test_other_names_come_in_their_own_order_which_tells_nothing_of_the_first() -> None:
    found = similar(program("a1", ENGINE), program("a2", ENGINE), program("b1", OTHER), program("b2", OTHER))
    assert found.identical == (("a1", "a2"), ("b1", "b2"))
    shown = replace_submission_names(found, {"a1": "z", "a2": "y", "b1": "x", "b2": "w"}.__getitem__)
    assert shown.identical == (("w", "x"), ("y", "z"))
    near = similar(program("a", ENGINE), program("b", ENGINE + OTHER))
    (pair,) = replace_submission_names(near, {"a": "z", "b": "y"}.__getitem__).pairs
    assert (pair.names, pair.lines) == ((("y",), ("z",)), near.pairs[0].lines[::-1])


def test_the_same_bytes_are_a_group() -> None:
    found = similar(program("ada", ENGINE), program("bob", OTHER), program("eve", ENGINE))
    assert (found.identical, found.renamed, found.pairs) == ((("ada", "eve"),), (), ())


@pytest.mark.parametrize(
    ("other", "renamed"),
    [
        (RENAMED.replace("\n\n", "\n\n\n").replace("    ", "  ").replace("\n", "\r\n"), (("ada", "eve"),)),
        (ENGINE.replace("+=", "="), ()),
    ],
    ids=["names, comments and layout", "another operator"],
)
def test_other_names_comments_and_layout_are_no_other_program(other: str, renamed: tuple[object, ...]) -> None:
    found = similar(program("ada", ENGINE), program("eve", other))
    assert (found.identical, found.renamed) == ((), renamed)


def test_names_that_are_swapped_are_another_program() -> None:
    first, second = (replace_names_by_numbers(tokenize_code(text)) for text in ("a - b * a", "a - b * b"))
    assert first != second


def test_a_program_that_was_renamed_reordered_and_added_to_is_near() -> None:
    starts = [RENAMED.index(f"    def {name}") for name in ("__add__", "__mul__", "backward")]
    head, add, multiply, rest = (RENAMED[a:b] for a, b in zip([0, *starts], [*starts, None], strict=True))
    disguised = "".join([head, rest, "\n", multiply, "\n", add, OTHER])
    (pair,) = similar(program("ada", ENGINE), program("eve", disguised)).pairs
    assert pair.names == (("ada",), ("eve",))
    assert pair.share > 0.75
    shared = [line.text.strip() for line in pair.lines[0] if line.shared]
    assert "self.grad += other.data * out.grad" in shared
    assert not [line for line in pair.lines[1] if line.shared and "flatten" in line.text]


def test_programs_with_little_in_common_are_no_finding() -> None:
    assert similar(program("ada", ENGINE), program("bob", OTHER)).pairs == ()


def test_what_the_course_gave_is_nobodys() -> None:
    ada, eve = program("ada", ENGINE + "x = 1\n"), program("eve", ENGINE + "def y(a, b): return a\n")
    assert similar(ada, eve).pairs
    assert similar(ada, eve, given=(ENGINE,)).pairs == ()


def test_an_untouched_template_is_listed_and_no_finding() -> None:
    found = similar(program("ada", ENGINE), program("eve", ENGINE), program("zoe", ""), given=(ENGINE,))
    assert found.untouched == ("ada", "eve", "zoe")
    assert (found.identical, found.pairs) == ((), ())


def test_what_many_of_a_class_have_is_how_it_is_done() -> None:
    found = similar(*(program(f"student {n}", f"{ENGINE}\nmark_{n} = [{n}, '{n}'] * {n}\n") for n in range(8)))
    assert found.common > 0
    assert found.pairs == ()


def test_two_attempts_of_one_student_are_no_finding() -> None:
    attempts = program("try 1", ENGINE, "ada"), program("try 2", ENGINE, "ada")
    nearly = program("try 3", f"{ENGINE}\n{OTHER}", "ada")
    found = similar(*attempts, nearly)
    assert (found.identical, found.renamed, found.pairs) == ((), (), ())


def test_it_is_told_how_many_others_share_as_much() -> None:
    all_of_it, most_of_it = ENGINE, ENGINE.partition("    def backward")[0]
    near = program("ada", f"{all_of_it}\nx = 1\n"), program("eve", all_of_it), program("zoe", most_of_it + OTHER)
    found = similar(*near).pairs
    assert found[0].names == (("ada",), ("eve",))
    assert [pair.others for pair in found] == [0, 1, 1]


def test_the_order_of_the_class_does_not_matter() -> None:
    programs = [program(str(number), f"{ENGINE[number * 40 :]}\n{OTHER}") for number in range(6)]
    shuffled = random.Random(1).sample(programs, len(programs))
    assert similar(*programs) == similar(*shuffled)


@pytest.mark.parametrize("source", ["", "def (:\n", "'", '"""', "\0\x1b", "x" * 100_000, "(" * 20_000, "é = 'ü'"])
def test_whatever_is_handed_in_is_read(source: str) -> None:
    similar(program("ada", source), program("eve", source + ENGINE))


def test_equal_passages_of_some_length_always_share_a_fingerprint() -> None:
    letters = random.Random(2)
    for _ in range(200):
        passage = [letters.choice("abcdefgh") for _ in range(RUN + WINDOW - 1)]
        one, other = (
            [*letters.choices("xyz", k=letters.randrange(40)), *passage, *letters.choices("uvw", k=9)]
            for _ in range(2)
        )
        assert map_fingerprints_to_positions(one).keys() & map_fingerprints_to_positions(other).keys()


def test_no_pair_that_shares_enough_is_missed_by_looking_at_rare_passages_alone() -> None:
    chance = random.Random(3)
    for _ in range(100):
        sets = [{*chance.sample(range(40), chance.randrange(30))} for _ in range(12)]
        near = {
            (first, second)
            for first, second in combinations(range(12), 2)
            if (shared := len(sets[first] & sets[second])) >= LEAST_PASSAGES
            and shared / min(len(sets[first]), len(sets[second])) >= LEAST_SHARE
        }
        candidates = [*_find_candidates(sets)]
        assert near <= {*candidates}
        assert len(candidates) == len({*candidates})


def test_tokens_are_read_without_comments_docstrings_and_what_python_does_not_know() -> None:
    source = (
        "def f(self):\r\n    '''Doc's \\''' string.'''\r\n    return rb'a\\'b' + x.max ** 1e-5 != \"\" # ?\n$ 'open\n"
    )
    tokens = tokenize_code(source)
    assert " ".join(token.text for token in tokens) == (
        "def f ( self ) : return rb'a\\'b' + x . max ** 1e-5 != \"\" 'open"
    )
    assert "".join(token.shape for token in tokens) == "defn(self):returns+n.n**0!=ss"


@pytest.mark.thorough
def test_right_engines_that_were_written_apart_are_rarely_near(root: Path) -> None:
    wheats = [
        program(path.name, path.read_text(encoding="utf-8"))
        for path in (root / "solutions" / "autograd-engine" / "wheats").glob("*.py")
    ]
    assert len(wheats) > 50
    given = (root / "student_template" / "autograd-engine" / "value.py").read_text(encoding="utf-8")
    pairs = find_similar_code(wheats, [given]).pairs
    assert len(pairs) < len(wheats) / 10


# The page


def page(*programs: SubmittedProgram) -> str:
    return encode_similar_code_page(similar(*programs), ATTACK, ATTACK).decode()


def test_the_page_says_what_a_finding_means() -> None:
    assert CAUTION[:40] in page(program("ada", ENGINE))


def test_all_text_of_students_is_text() -> None:
    hostile = ENGINE + f"\n# {ATTACK}\n\u202e = '{ATTACK}'\n"
    shown = page(program(f"ada{ATTACK}", hostile), program(f"eve{ATTACK}", hostile + OTHER))
    found = ReadHtml(shown)
    assert not {"script", "img", "iframe"}.intersection(found.tags)
    assert "\u202e =" not in shown
    assert not [name for name in found.attributes if name.startswith("on")]


def test_only_what_is_shared_is_shown_with_a_little_around_it() -> None:
    long = "\n".join(f"own_{number} = {number} - {number + 1} // {number + 2}" for number in range(60))
    shown = page(program("ada", ENGINE), program("eve", f"{ENGINE}\n{OTHER}\n{long}\n"))
    assert "lines of its own" in shown
    assert "own_30" not in shown


@pytest.mark.thorough
def test_a_page_of_a_class_of_300_weighs_less_than_a_megabyte() -> None:
    seed = random.Random(3)
    sources = [f"{ENGINE}\n" + "\n".join(seed.sample(OTHER.splitlines(), 8)) for _ in range(300)]
    assert len(page(*(program(f"student {number}", source) for number, source in enumerate(sources)))) < 1_000_000
