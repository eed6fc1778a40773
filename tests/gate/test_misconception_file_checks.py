"""``autograder check`` on mistakes in files of misconceptions and styles: all at once, with place and cure."""

from __future__ import annotations

from autograder.course import Assignment
from tests.gate.file_problems import lines_told, misconceptions, problems

ENTRIES = """\
misconceptions:
  - id: one
    title: One
    concepts: [additon]
    edits:
      - {old: "self.numbers = list(numbers)", new: "self.numbers = numbers"}
      - {old: "NOWHERE", new: here}
      - {old: self, new: here}
    explanation: It is.
    hints:
      - Look.
      - Closer.
      - There.
  - id: two
    title: Two
    concepts: [addition]
    edits: [{old: "class Vector:"}]
    explanation: It is.
    hints: [a, b, c]
  - id: three
    title: Three
    concepts: [addition]
    mayaffect: [dot product]
    edits: [{old: "class Vector:", new: "class Vector()"}]
    explanation: It is.
    hints: [a, b, c, d]
  - id: four
    title: Four
    concepts: [addition]
    edits: [{old: "class Vector:", new: "class Vector()"}]
    explanation: It is.
    hints: [a, b, c, d]
"""


def test_a_mistake_in_each_misconception_is_told_at_its_line(vectors: Assignment) -> None:
    misconceptions(vectors).write_text(ENTRIES)
    count = vectors.solution_file.read_text().count("self")
    told = problems(vectors)
    for line, said in (
        (4, "one: unknown concept 'additon'; did you mean 'addition'?"),
        (7, "one: a piece to replace stands 0 times in the solution: 'NOWHERE' (fix it"),
        (8, f"one: a piece to replace stands {count} times in the solution: 'self' (make it longer"),
        (17, "two: the key 'new' is missing in entry 1 of 'edits' (write it as the other entries have it)"),
        (23, "three: unknown key 'mayaffect'; did you mean 'may_affect'? (choose from id, "),
        (32, "four: 'hints' must be a list of at most 3 (write it"),
    ):
        start = f"{misconceptions(vectors)}:{line}: {said}"
        assert any(one.startswith(start) for one in told), (start, told)
    assert len(told) == 6


def test_mistakes_in_equivalents_are_told_at_their_lines(vectors: Assignment) -> None:
    equivalents = vectors.solution_file.with_name("equivalents.yml")
    equivalents.write_text("equivalents:\n  - reson: it is right\n    mutants: [a]\n")
    said = [one for one in problems(vectors) if one.startswith(str(equivalents))]
    assert [one.removeprefix(f"{equivalents}:").partition(" (")[0] for one in said] == [
        "2: entry 1: unknown key 'reson'; did you mean 'reason'?",
    ]


def test_mistakes_in_styles_and_typical_submissions_are_told_together(vectors: Assignment) -> None:
    beside = vectors.solution_file.parent
    (beside / "styles.yml").write_text("styles:\n  - {id: One}\n  - {edits: 3}\n")
    (beside / "typical.yml").write_text("submissions:\n  - {name: a}\n  - {name: b, what: it is b, at_leest: 3}\n")
    told = problems(vectors)
    assert sorted(one.removeprefix(f"{beside}/").partition(": ")[0] for one in told) == [
        "styles.yml:2", "styles.yml:3", "typical.yml:2", "typical.yml:3"
    ]  # fmt: skip
    assert "did you mean 'at_least'?" in "".join(told)
    (beside / "typical.yml").write_text(
        "submissions:\n"
        "  - {name: a, what: it is a, transformation: no such thing}\n"
        "  - {name: b, what: it is b, transformation: the untouched stub, at_least: 3, at_most: 1}\n"
        "  - {name: b, what: it is b}\n"
    )
    said = [one for one in problems(vectors) if "typical.yml" in one]
    assert len(said) == 4


def test_an_edit_that_fits_nowhere_names_the_nearest_line(vectors: Assignment) -> None:
    wanted = "return sum(a * b for a, b in zip(self.numbers, other.numbers))"
    lines = [line.strip() for line in vectors.solution_file.read_text().splitlines()]
    misconceptions(vectors).write_text(ENTRIES.replace("NOWHERE", wanted.replace("numbers", "data")))
    said = lines_told(vectors, misconceptions(vectors))["7"]
    assert f"the nearest is line {lines.index(wanted) + 1}: {wanted!r} (copy it from there)" in said


def test_edits_that_change_nothing_or_make_no_python_are_told(vectors: Assignment) -> None:
    entry = (
        "  - {{id: {0}, title: t, concepts: [addition], edits: [{{old: 'class Vector:', new: '{1}'}}], "
        "explanation: e, hints: [a, b, c]}}\n"
    )
    text = entry.format("same", "class Vector:") + entry.format("broken", "class Vector(:")
    misconceptions(vectors).write_text(f"misconceptions:\n{text}")
    told = lines_told(vectors, misconceptions(vectors))
    assert told["2"] == "same: the edits change nothing (write what is wrong after `new`)"
    assert told["3"].startswith("broken: the edited solution is not valid Python: ")
    assert "<unknown>" not in told["3"]
    assert "'class Vector(:'" in told["3"]
