"""The last section of the engine's notebook: beside PyTorch where it is installed, kind where it is not."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.course import Assignment
from autograder.template import render_student_template_files

LastCell = Callable[[str, str], str]
SECONDS = 300
MISSING = "raise ModuleNotFoundError(\"No module named 'torch'\")"
BROKEN = "raise OSError('libtorch_cpu.so: cannot open shared object file')"
needs_pytorch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed: pip install -e '.[torch]'"
)


@pytest.fixture(scope="module")
def last_cell(engine: Assignment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LastCell]:
    """What the notebook's last cell prints, given the class cell's text and that of a ``torch.py`` beside it."""
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
            patch.setenv(variable, str(tmp_path_factory.mktemp(variable)))

        @cache
        def run(value: str, torch: str) -> str:
            folder = tmp_path_factory.mktemp("notebook")
            template = render_student_template_files(engine)
            for file in ("value.ipynb", "notebook_check.py"):
                (folder / file).write_text(template[file], encoding="utf-8")
            if torch:
                (folder / "torch.py").write_text(torch, encoding="utf-8")
            return _printed(folder, value)

        yield run


def _printed(folder: Path, value: str) -> str:
    """Run the first cells, up to the class, and the last one."""
    notebook = nbformat.read(folder / "value.ipynb", as_version=4)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    place = next(place for place, cell in enumerate(code) if "raise NotImplementedError(" in cell["source"])
    code[place]["source"] = value or code[place]["source"]
    notebook["cells"] = [*code[: place + 1], code[-1]]
    NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    outputs: list[Any] = code[-1]["outputs"]
    assert {output.get("name") for output in outputs} == {"stdout"}
    return "".join(output["text"] for output in outputs)


@pytest.fixture(scope="module")
def solution(engine: Assignment) -> str:
    """The reference solution's text."""
    return engine.solution_file.read_text(encoding="utf-8")


@needs_pytorch
def test_the_simplest_engine_has_81_after_two_backwards_where_pytorch_has_44(
    last_cell: LastCell, solution: str
) -> None:
    told = last_cell(solution, "").splitlines()
    once = "a, b, c have 22.0, 17.0, 5.0 after one backward()"
    assert told[0] == f"your engine: {once}, 81.0, 61.0, 15.0 after two"
    assert told[1] == f"PyTorch:     {once}, 44.0, 34.0, 10.0 after two"


@needs_pytorch
def test_the_neuron_has_the_same_gradients_in_both(last_cell: LastCell, solution: str) -> None:
    gradients = "-1.5000, 1.0000, 0.5000, 0.0000"
    told = last_cell(solution, "").splitlines()
    assert told[2:] == [f"the neuron: {gradients} in your engine, {gradients} in PyTorch"]


@needs_pytorch
def test_what_is_not_written_yet_leaves_pytorchs_numbers(last_cell: LastCell) -> None:
    told = last_cell("", "").splitlines()
    assert [line.partition(":")[0] for line in told] == ["not written yet", "PyTorch", "not written yet"]


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("torch", [MISSING, BROKEN], ids=["not installed", "broken"])
def test_without_pytorch_one_line_says_that_nothing_is_missing(
    last_cell: LastCell, solution: str, torch: str
) -> None:
    told = last_cell(solution, torch)
    assert told == "PyTorch is not installed here. Nothing is missing: the numbers are in the text above.\n"


def test_the_text_says_what_pytorch_does_differently(engine: Assignment) -> None:
    cells = nbformat.reads(render_student_template_files(engine)["value.ipynb"], as_version=4)["cells"]
    text = " ".join(cells[-2]["source"].split())
    assert "PyTorch says 44 for `a`, and the simplest engine says 81" in text
    assert "only the leaves `a`, `b` and `c` keep a gradient" in text
    assert "22 + 22 = 44" in text
    assert "22 + 59 = 81" in text
