"""``autograder check`` on an assignment with mistakes in its files: all of them at once, with place and cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.author_checks.file_checks import check_files_can_be_used
from autograder.author_checks.solution_names import SolutionNames
from autograder.course import Assignment, load_course
from autograder.course.misconceptions import load_misconception_catalogue
from autograder.diagnosis.misconception_observations import hash_observation_inputs
from autograder.faults import CourseFault, CourseWarning
from autograder.starter import write_and_load_starter_assignment
from autograder.template import render_student_template_files
from autograder.template.solution_stub import make_stub_from_solution
from tests.cli.commands import run
from tests.toy import write_toy


@pytest.fixture
def vectors(tmp_path: Path) -> Assignment:
    """A whole assignment in a course of its own, with another beside it."""
    return write_and_load_starter_assignment(load_course(write_toy(tmp_path)), "vectors")


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def problems(assignment: Assignment) -> tuple[str, ...]:
    return check_files_can_be_used(load_course(assignment.course_folder).assignments[1]).problems


def test_a_whole_assignment_has_no_mistakes(vectors: Assignment) -> None:
    assert problems(vectors) == ()


def test_a_misspelt_name_in_a_marker_is_told_with_the_nearest_one_and_its_line(vectors: Assignment) -> None:
    test = vectors.hidden_suite_folder / "test_1_vector.py"
    change(test, 'subject("dot")', 'subject("dott")')
    (said,) = problems(vectors)
    number = next(i for i, line in enumerate(test.read_text().splitlines(), 1) if '"dott"' in line)
    assert said.startswith(f"{test}:")
    assert abs(int(said.removeprefix(f"{test}:").partition(":")[0]) - number) <= 2
    assert "names 'dott', which the solution does not have; did you mean 'dot'?" in said


def test_members_of_classes_can_be_named_and_misspelt(vectors: Assignment) -> None:
    test = vectors.hidden_suite_folder / "test_1_vector.py"
    change(test, 'subject("dot")', 'subject("Vector.dot")')
    assert problems(vectors) == ()
    change(test, 'subject("Vector.dot")', 'subject("Vektor.dot")')
    (said,) = problems(vectors)
    assert "did you mean 'Vector.dot'?" in said


def test_all_mistakes_are_told_at_once(vectors: Assignment) -> None:
    hidden = vectors.hidden_suite_folder
    solutions = vectors.solution_file.parent
    change(hidden / "test_1_vector.py", 'subject("dot")', 'subject("dott")')
    change(vectors.folder / "notebook.py", "# <value.py>", "def (:\n\n\n# %%\n# <value.py>")
    change(solutions / "misconceptions.yml", "    edits:\n", "    edits:\n      - {old: nowhere, new: here}\n")
    (solutions / "equivalents.yml").write_text("equivalents: 3\n")
    (solutions / "wheats" / "broken.py").write_text("class Vector(:\n")
    said = "\n".join(problems(vectors))
    for part in (
        "'dott'",
        "notebook.py:",
        "a code cell is not Python",
        "stands 0 times in the solution: 'nowhere'",
        "equivalents.yml",
        "broken.py:1: this line is not valid Python",
    ):
        assert part in said


def test_tests_without_concept_docstring_or_sense_are_told_together(vectors: Assignment) -> None:
    (vectors.hidden_suite_folder / "test_2_more.py").write_text(
        "import pytest\n\n\ndef test_one(student):\n    '''One.'''\n\n\n"
        "@pytest.mark.concept('addition')\ndef test_two(student):\n    pass\n\n\n"
        "@pytest.mark.weight(-1)\n@pytest.mark.concept('addition')\ndef test_three(student):\n    '''Three.'''\n"
    )
    said = "\n".join(problems(vectors))
    assert "test_2_more.py:4: test_one: the test test_one names no concept" in said
    assert "test_two: the test test_two has no docstring" in said
    assert "test_three: a weight must be a number above 0, not -1" in said


def lines_told(assignment: Assignment, path: Path) -> dict[str, str]:
    """What is told of one file: the rest of each message by its line."""
    told = [one.removeprefix(f"{path}:") for one in problems(assignment) if one.startswith(f"{path}:")]
    return {line: rest for line, _, rest in (one.partition(": ") for one in told)}


def find_line(path: Path, piece: str) -> str:
    return str(next(i for i, line in enumerate(path.read_text().splitlines(), 1) if piece in line))


def test_misspelt_names_in_markers_are_told_whatever_else_is_wrong_with_the_suite(vectors: Assignment) -> None:
    hidden = vectors.hidden_suite_folder
    change(hidden / "test_1_vector.py", 'subject("dot")', 'subject("dott")')
    (hidden / "test_2_more.py").write_text("import no_such_module\n")
    (hidden / "test_3_more.py").write_text("def test_it(student)\n    pass\n")
    (hidden / "test_4_more.py").write_text("def test_it(student):\n    '''One.'''\n")
    said = problems(vectors)
    assert any("did you mean 'dot'?" in one for one in said)
    assert any("No module named 'no_such_module'" in one for one in said)
    assert f"{hidden / 'test_3_more.py'}:1: this line is not valid Python: expected ':' (mend the line)" in said
    assert not any("_pytest" in one for one in said)


def test_a_misspelt_marker_is_told_once_with_its_line_and_the_nearest_one(vectors: Assignment) -> None:
    test = vectors.hidden_suite_folder / "test_1_vector.py"
    change(test, "@pytest.mark.hint(", "@pytest.mark.hnit(")
    (said,) = (one for one in problems(vectors) if "hnit" in one)
    assert said.startswith(f"{test}:{find_line(test, 'hnit')}: unknown marker 'hnit'; did you mean 'hint'?")


def test_a_name_in_defines_that_the_solution_lacks_is_told_at_its_line(vectors: Assignment) -> None:
    config = vectors.course_folder / "grading.yml"
    change(vectors.solution_file, "class Vector:", "class Vector2:")
    (said,) = (one for one in problems(vectors) if one.startswith(f"{config}:"))
    assert said.startswith(f"{config}:{find_line(config, 'defines: [Vector]')}: `defines` lists 'Vector', ")
    assert "which value.py does not have; did you mean 'Vector2'?" in said


def test_a_solution_that_is_no_python_is_told_once_with_its_line(vectors: Assignment) -> None:
    change(vectors.solution_file, "def dot(self, other):", "def dot(self, other)")
    number = find_line(vectors.solution_file, "def dot")
    said = f"{vectors.solution_file}:{number}: this line is not valid Python: expected ':' (mend the line)"
    assert [one for one in problems(vectors) if one.startswith(str(vectors.solution_file))] == [said]
    assert said in run("template", "vectors", cwd=vectors.course_folder).stderr


def test_markers_that_cut_a_statement_are_told_at_their_line_of_the_solution() -> None:
    source = "if True:\n    # BEGIN SOLUTION ONLY\n    x = 1\n    # END SOLUTION ONLY\ny = 2  # BEGIN\n"
    with pytest.raises(CourseFault, match=r"^value.py:5: the students' version is not Python: expected an"):
        make_stub_from_solution(source, "value.py")


def test_a_hidden_test_without_a_hint_is_told_with_its_line(vectors: Assignment) -> None:
    test = vectors.hidden_suite_folder / "test_2_more.py"
    test.write_text(
        "import pytest\n\n\n@pytest.mark.concept('addition')\n@pytest.mark.subject('__add__')\n"
        "def test_more(student):\n    '''More.'''\n    student.get('Vector')([1.0]) + student.get('Vector')([1.0])\n"
    )
    said = run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.course_folder).stdout
    assert "test_2_more.py:4: addition.more has no hint" in " ".join(said.split())


def misconceptions(assignment: Assignment) -> Path:
    return assignment.solution_file.with_name("misconceptions.yml")


ENTRIES = """\
misconceptions:
  - id: one
    title: One
    concepts: [additon]
    mayaffect: [dot product]
    edits:
      - {old: "self.numbers = list(numbers)", new: "self.numbers = numbers"}
      - {old: "NOWHERE", new: here}
      - {old: self, new: here}
    explanation: It is.
    hints:
      - Look.
      -
  - id: two
    title: Two
    concepts: [addition]
    edits: [{old: "class Vector:"}]
    hints: [a, b, c, d]
"""


def test_every_mistake_in_every_misconception_is_told_at_its_line(vectors: Assignment) -> None:
    misconceptions(vectors).write_text(ENTRIES)
    count = vectors.solution_file.read_text().count("self")
    told = problems(vectors)
    for line, said in (
        (4, "one: unknown concept 'additon'; did you mean 'addition'?"),
        (5, "one: unknown key 'mayaffect'; did you mean 'may_affect'?"),
        (8, "one: a piece to replace stands 0 times in the solution: 'NOWHERE' (mend it"),
        (9, f"one: a piece to replace stands {count} times in the solution: 'self' (make it longer"),
        (13, "one: the second hint is missing (write it)"),
        (11, "one: the third hint is missing (write it)"),
        (14, "two: the key 'explanation' is missing (write it)"),
        (17, "two: the key 'new' is missing in entry 1 of 'edits' (write it)"),
        (18, "two: 'hints' must be a list of three, not 4 (keep three: from a question to what to change)"),
    ):
        start = f"{misconceptions(vectors)}:{line}: {said}"
        assert any(one.startswith(start) for one in told), (start, told)
    assert len(told) == 9


def test_former_keys_of_misconceptions_mean_what_the_present_ones_mean(vectors: Assignment) -> None:
    file = misconceptions(vectors)
    change(file, "    edits:\n", "    may_affect: [dot product]\n    nondeterministic: true\n    edits:\n")
    present = load_misconception_catalogue(vectors)
    digest = hash_observation_inputs(vectors)
    change(file, "may_affect", "may_touch")
    change(file, "nondeterministic", "chance")
    assert load_misconception_catalogue(vectors) == present
    assert (present.misconceptions[0].may_affect, present.misconceptions[0].nondeterministic) == (
        ("dot product",),
        True,
    )
    assert hash_observation_inputs(vectors) == digest


def test_former_keys_of_misconceptions_are_told_once_for_each_file(vectors: Assignment) -> None:
    file = misconceptions(vectors)
    change(file, "    edits:\n", "    may_touch: [dot product]\n    chance: true\n    edits:\n")
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if "may_touch" in text)
    with pytest.warns(CourseWarning) as warned:
        assert problems(vectors) == ()
    assert [str(one.message) for one in warned] == [
        f"{file}:{line}: the key `may_touch` is now called `may_affect`, "
        "the key `chance` is now called `nondeterministic`; former names keep working."
    ]


def test_a_mistake_under_a_former_key_is_told_at_its_line(vectors: Assignment) -> None:
    file = misconceptions(vectors)
    change(file, "    edits:\n", "    may_touch: [dot produkt]\n    edits:\n")
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if "may_touch" in text)
    with pytest.warns(CourseWarning):
        (said,) = problems(vectors)
    assert said.startswith(f"{file}:{line}: ")
    assert "unknown concept 'dot produkt'; did you mean 'dot product'?" in said


def test_a_key_of_a_misconception_is_not_given_under_both_names(vectors: Assignment) -> None:
    change(misconceptions(vectors), "    edits:\n", "    may_touch: []\n    may_affect: []\n    edits:\n")
    with pytest.warns(CourseWarning):
        (said,) = problems(vectors)
    assert "unknown key 'may_touch'" in said


def test_mistakes_in_general_names_and_equivalents_are_told_at_their_lines(vectors: Assignment) -> None:
    general, equivalents = (vectors.solution_file.with_name(f"{name}.yml") for name in ("general", "equivalents"))
    general.write_text("names:\n  - id: one\n    titel: One\n    title: One\n    hints: [a, b]\n")
    equivalents.write_text("equivalents:\n  - reson: it is right\n    mutants: [a]\n")
    assert {line: rest.partition(" (")[0] for line, rest in lines_told(vectors, general).items()} == {
        "2": "one: the key 'explanation' is missing",
        "3": "one: unknown key 'titel'; did you mean 'title'?",
        "5": "one: the third hint is missing",
    }
    said = [one for one in problems(vectors) if one.startswith(str(equivalents))]
    assert [one.removeprefix(f"{equivalents}:").partition(" (")[0] for one in said] == [
        "2: entry 1: unknown key 'reson'; did you mean 'reason'?",
        "2: entry 1: the key 'reason' is missing",
    ]


def test_mistakes_in_styles_and_typical_submissions_are_told_together(vectors: Assignment) -> None:
    beside = vectors.solution_file.parent
    (beside / "styles.yml").write_text("styles:\n  - {id: One}\n  - {edits: 3}\n")
    (beside / "typical.yml").write_text("submissions:\n  - {name: a}\n  - {name: b, what: it is b, at_leest: 3}\n")
    told = problems(vectors)
    assert sorted(one.removeprefix(f"{beside}/").partition(": ")[0] for one in told) == [
        "styles.yml:2", "styles.yml:3", "styles.yml:3", "typical.yml:2", "typical.yml:3"
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
    number = find_line(vectors.solution_file, wanted)
    misconceptions(vectors).write_text(ENTRIES.replace("NOWHERE", wanted.replace("numbers", "data")))
    said = lines_told(vectors, misconceptions(vectors))["8"]
    assert f"the nearest is line {number}: {wanted!r} (copy it from there)" in said


@pytest.mark.parametrize("piece", ["list(items)", "self.data", "return max(a)"])
def test_an_edit_that_is_like_no_line_names_none(vectors: Assignment, piece: str) -> None:
    misconceptions(vectors).write_text(ENTRIES.replace("NOWHERE", piece))
    assert "the nearest is" not in lines_told(vectors, misconceptions(vectors))["8"]


def test_an_edit_whose_lines_are_there_otherwise_is_sent_to_the_indentation(vectors: Assignment) -> None:
    piece = 'def dot(self, other):\\n  \\"\\"\\"Return'
    misconceptions(vectors).write_text(ENTRIES.replace("NOWHERE", piece))
    assert "(look at the indentation and the order)" in lines_told(vectors, misconceptions(vectors))["8"]


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


def test_a_concept_that_only_the_suite_has_is_no_mistake_of_a_misconception(vectors: Assignment) -> None:
    (vectors.hidden_suite_folder / "test_2_more.py").write_text(
        "import pytest\n\n\n@pytest.mark.concept('later')\ndef test_more(student):\n    '''More.'''\n"
    )
    change(misconceptions(vectors), "concepts: [", "concepts: [later, ")
    with pytest.warns(CourseWarning, match="later"):
        assert problems(vectors) == ()


def test_the_traceback_of_a_test_file_that_raises_is_shown(vectors: Assignment) -> None:
    (vectors.hidden_suite_folder / "test_2_more.py").write_text("EXAMPLES = {}\n\nFIRST = EXAMPLES['first']\n")
    (vectors.hidden_suite_folder / "test_3_more.py").write_text("import no_such_module\n")
    said = run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.course_folder).stdout
    assert "✗ the files of the assignment can be used" in said
    assert "FIRST = EXAMPLES['first']" in said
    assert "KeyError: 'first'" in said
    assert "No module named 'no_such_module'" in said


def test_a_solution_that_fails_is_told_test_by_test_with_the_line(vectors: Assignment) -> None:
    change(vectors.hidden_suite_folder / "test_1_vector.py", "got == 49.0", "got == 48.0")
    said = run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.course_folder).stdout
    assert "✗ the solution gets full marks, bonus included" in said
    assert "dot-product." in said
    assert "test_1_vector.py:" in said


def test_a_solution_that_fails_everything_is_told_test_by_test_too(vectors: Assignment) -> None:
    change(vectors.hidden_suite_folder / "test_1_vector.py", 'student.get("Vector")', 'student.get("Vektor")')
    said = run("check", "vectors", "--quick", "--allow-unsafe", cwd=vectors.course_folder).stdout
    assert "✗ the solution gets full marks, bonus included" in said
    assert "autograder check" not in said


def test_what_is_wrong_with_one_assignment_keeps_no_other_from_being_checked(vectors: Assignment) -> None:
    change(vectors.hidden_suite_folder / "test_1_vector.py", 'subject("dot")', 'subject("dott")')
    said = run("check", "--quick", "--allow-unsafe", cwd=vectors.course_folder)
    assert said.returncode == 1
    assert said.stdout.index("toy") < said.stdout.index("vectors")
    assert "'dott'" in said.stdout


def test_an_assignment_needs_no_notebook_and_no_readme(vectors: Assignment) -> None:
    assert {"value.ipynb", "notebook_check.py"} <= render_student_template_files(vectors).keys()
    (vectors.folder / "notebook.py").unlink()
    (vectors.folder / "template" / "README.md").unlink(missing_ok=True)
    assert not {"value.ipynb", "notebook_check.py", "README.md"} & render_student_template_files(vectors).keys()
    assert problems(vectors) == ()


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("parameters", True),
        ("Net.parameters", True),
        ("Net.layers", True),
        ("Net.size", True),
        ("Other.parameters", True),
        ("train", True),
        ("later", True),
        ("Net.later", False),
        ("Net.paramters", False),
        ("Nett.parameters", False),
        ("trian", False),
    ],
)
def test_what_a_marker_may_name(name: str, known: bool) -> None:
    source = (
        "class Net:\n    size = 1\n    def parameters(self):\n        self.layers = []\n"
        "class Other(Net): ...\ndef train(): ...\nlater = 1\n"
    )
    assert SolutionNames(source).may_define(name) is known
