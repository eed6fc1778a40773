"""The stub is the solution without what students write; the notebook's script gets it in its place."""

from __future__ import annotations

import json

import pytest

from autograder.faults import CourseFault
from autograder.template.student_files import (
    BEGIN,
    BEGIN_ONLY,
    END,
    END_ONLY,
    make_stub_from_solution,
    render_student_notebook,
)

HERE = "solutions/engine/value.py"
SCRIPT = """\
# %% [markdown]
# # An engine
#
# Write it.

# %%
import math

# %%
# <value.py>
"""
STUB = '"""An engine."""\n\nclass Value: ...\n'


def test_what_students_write_becomes_an_error_that_names_it() -> None:
    source = f"def tanh(x):\n    {BEGIN}\n    return math.tanh(x)\n    {END}\n"
    assert (
        make_stub_from_solution(source, HERE)
        == 'def tanh(x):\n    raise NotImplementedError("tanh is not written yet")\n'
    )


def test_what_only_the_solution_has_goes_without_a_trace() -> None:
    source = f"def f():\n    {BEGIN}\n    return 1\n    {END}\nx = 1\n{BEGIN_ONLY}\nsecret = 1\n{END_ONLY}\ny = 2\n"
    assert make_stub_from_solution(source, HERE).splitlines()[2:] == ["x = 1", "y = 2"]


def test_everything_else_of_a_solution_stays() -> None:
    source = f'"""Doc."""\n\nimport math\n\n\ndef f():\n    """Say it."""\n    {BEGIN}\n    {END}\n\n\n# end\n'
    assert make_stub_from_solution(source, HERE).replace(
        '    raise NotImplementedError("f is not written yet")\n', ""
    ) == source.replace(f"    {BEGIN}\n    {END}\n", "")


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        (f"x = 1\n{END}\n", ":2", "closes nothing"),
        (f"x = 1\n{END_ONLY}\n", ":2", "closes nothing"),
        (f"class A:\n    {BEGIN}\n    def f(self): return 1\n    {END}\n", ":2", "outside of a function"),
        (f"{BEGIN}\n{END}\n{END}\n", ":3", "closes nothing"),
        (f"{BEGIN}\n{END_ONLY}\n", ":2", "closes nothing"),
        (f"{BEGIN_ONLY}\n{END}\n", ":2", "closes nothing"),
        (f"{BEGIN}\nx = 1\n{BEGIN}\n{END}\n{END}\n", ":3", "inside"),
        (f"{BEGIN}\n{BEGIN_ONLY}\n{END_ONLY}\n{END}\n", ":2", "inside"),
        (f"{BEGIN_ONLY}\n{BEGIN}\n{END}\n{END_ONLY}\n", ":2", "inside"),
        (f"x = 1\n{BEGIN}\nx = 2\n", ":2", "never closed"),
        (f"{BEGIN_ONLY}\nx = 2\n", ":1", "never closed"),
        ("x = 1\n", "", f"has no {BEGIN}"),
        ("", "", f"has no {BEGIN}"),
    ],
)
def test_markers_that_do_not_match_are_a_fault_of_the_course(source: str, line: str, says: str) -> None:
    with pytest.raises(CourseFault) as caught:
        make_stub_from_solution(source, HERE)
    assert str(caught.value).startswith(f"{HERE}{line}: ")
    assert says in str(caught.value)


def test_a_script_becomes_its_cells_in_order() -> None:
    cells = json.loads(render_student_notebook(SCRIPT, STUB, HERE))["cells"]
    assert [(cell["cell_type"], "".join(cell["source"])) for cell in cells] == [
        ("markdown", "# An engine\n\nWrite it."),
        ("code", "import math"),
        ("code", "class Value: ..."),
    ]


def test_a_script_without_a_place_for_the_stub_is_a_fault_of_the_course() -> None:
    with pytest.raises(CourseFault, match=r"has no cell '# <value\.py>'"):
        render_student_notebook("# %%\nimport math\n", STUB, HERE)
