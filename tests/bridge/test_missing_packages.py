"""A package that is not installed is harmless until a graded call needs it, and then it is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentError
from tests.bridge.loading import loaded_around
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn


MISSING = [
    "import numpy",
    "import numpy as np\nnp.random.seed(0)\nx = np.zeros((2, 3))[0] * 2 + np.pi",
    "import torch.nn.functional as F\nF.relu(1)",
    "import torch.nn.functional\ntorch.nn.functional.relu(1)",
    "from torch.nn import Module, Linear as L\nL(2, 3)",
    "from numpy import *",
    "import matplotlib.pyplot as plt\nfig, (left, right) = plt.subplots(1, 2)\nplt.show()",
    "import matplotlib.pyplot as plt\nwith plt.style.context('x') as style: plt.plot([1])",
    "import numba\n@numba.jit\ndef f(): return 1\nassert f() == 1",
    "import numba\n@numba.jit(nopython=True)\ndef f(): return 1\nassert f() == 1",
    "import torch\n@torch.no_grad()\ndef f(): return 1\nassert f() == 1",
    "import torch\nclass Net(torch.nn.Module):\n    def __init__(self): super().__init__()\nNet()",
    "from torch import nn\nclass Net(nn.Module, dict): pass\nNet()",
    "import numpy as np\ndef f(x: np.ndarray, y=np.pi) -> np.float64: return x\nassert f(3) == 3",
    "import tqdm\nfor _ in tqdm.tqdm(range(3)): pass",
    "import sklearn\nif sklearn.__dict__ is None: pass",
    "import numpy as np\nnp.seterr(all='ignore')\nnp.x = 1\ndel np.x\nnp.add.at[1:2] = -np.e ** 2",
    "import numpy as np\nx = np.e < 3 and not np.pi",
    "import pytest\n@pytest.mark.parametrize('x', [1])\ndef test_f(x): pass",
]


@pytest.mark.parametrize("imports", MISSING, ids=lambda text: text.splitlines()[-1][:40])
def test_using_a_missing_package_outside_of_a_graded_call_is_harmless(hand_in: HandIn, imports: str) -> None:
    loaded = loaded_around(hand_in, imports)
    assert loaded.problems == ()
    assert loaded.missing_packages == (imports.split()[1].partition(".")[0],)


@once
@pytest.mark.parametrize(
    "use",
    [
        "np.tanh(1.0)",
        "np.pi + 1",
        "2.0 * np.pi",
        "-np.pi",
        "np.e ** np.pi",
        "float(np.pi)",
        "[x for x in np.arange(3)]",
        "np.zeros(3)[0]",
        "bool(np.inf)",
        "np.pi < 3",
        "len(np.pi)",
        "math.tanh(np.pi)",
    ],
)
def test_using_a_missing_package_in_a_graded_call_names_it(hand_in: HandIn, use: str) -> None:
    with hand_in(f"import math\nimport numpy as np\ndef f(): return {use}").test() as student:
        with pytest.raises(ImportError, match="numpy") as caught:
            student.get("f")()
        assert isinstance(caught.value, StudentError)
        assert (caught.value.raised.package, caught.value.raised.line) == ("numpy", 3)


def test_importing_a_missing_package_in_a_graded_call_names_it(hand_in: HandIn) -> None:
    with hand_in("def f():\n    import torch").test() as student, pytest.raises(ImportError, match="torch"):
        student.get("f")()


def test_a_missing_package_that_is_returned_is_no_number(hand_in: HandIn) -> None:
    with hand_in("import numpy as np\ndef f(): return np.pi").test() as student:
        assert student.get("f")() != 3.14


@once
@pytest.mark.parametrize("error", ["ImportError", "ModuleNotFoundError", "Exception", ""])
def test_the_students_own_way_out_of_a_missing_package_is_taken(hand_in: HandIn, error: str) -> None:
    source = f"try:\n    import numpy as np\nexcept {error}:\n    np = None\ndef f(): return np is None"
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("f")() is True
    assert submission.loaded.problems == ()


def test_a_missing_package_does_not_replace_one_of_the_standard_library(hand_in: HandIn) -> None:
    source = "import numpy, math, json\ndef f(): return json.loads(str(math.floor(2.5)))"
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("f")() == 2
    assert submission.loaded.missing_packages == ("numpy",)


def test_a_module_of_the_standard_library_that_does_not_exist_is_an_error(hand_in: HandIn) -> None:
    (note,) = loaded_around(hand_in, "import math.nothing").problems
    assert note.error == "ModuleNotFoundError"


def test_a_name_that_stands_for_a_missing_package_is_told(hand_in: HandIn) -> None:
    loaded = hand_in("from somewhere import Value", defines=["Value"]).loaded
    assert loaded.kind_by_name == {"Value": "missing package"}


@pytest.mark.parametrize(
    "use",
    [
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        "display(1, metadata={})",
        "get_ipython().system('ls')",
        "get_ipython().kernel.do_shutdown(restart=True)",
        "if 'google.colab' in str(get_ipython()): 1 / 0",
        "from IPython.display import display\n    from IPython import get_ipython\n    display(get_ipython())",
    ],
)
def test_what_every_notebook_has_is_harmless_everywhere(hand_in: HandIn, use: str) -> None:
    source = f"import IPython\ndef f():\n    {use}\n    return 1\nf()\n{use.replace('    ', '')}"
    submission = hand_in(source)
    with submission.test() as student:
        if "from" not in use:
            assert student.get("f")() == 1
    assert submission.loaded.problems == ()


OWN = "class Own:\n    def f(self): return 'own'\nclass Other: pass\ndef helper(): return 'helper'\nLIMIT = 3\n"
REPLACING = {
    "from": "from engine import Own, helper, LIMIT",
    "under another name": "from engine import Node as Own, node as helper, SIZE as LIMIT",
    "the module itself": "import engine as Own\nimport engine.parts as helper, limits as LIMIT",
    "by attribute": "import lib.engine\nOwn = lib.engine.Own\nhelper = lib.engine.parts.helper\nLIMIT = lib.LIMIT",
    "imported a second time": "import engine\nimport engine as Own, engine as helper",
    "everything": "from engine import *",
    "by a function": "import engine\ndef get():\n    global Own\n    from engine import Own\nget()",
    "under a condition": "import engine\nif True:\n    from engine import Own, helper",
    "with a way out": "import engine\ntry:\n    from engine import Own, helper\nexcept ImportError: pass",
    "in a loop": "import engine\nfor Own in [engine.Own]: helper = engine.helper",
    "by a call": "import engine\nOwn = engine.compile(Own, mode='fast')\nhelper = engine.fast(helper, 1)",
    "on a line with others": "import math, engine as Own; from engine import helper",
    "after an error": "1 / 0\nfrom engine import Own",
}


@once
@pytest.mark.parametrize("how", REPLACING)
@pytest.mark.parametrize("place", ["below", "in another cell", "in another file", "with annotations for later"])
def test_what_stands_in_for_a_missing_package_replaces_nothing_that_the_submission_defines(
    hand_in: HandIn, how: str, place: str
) -> None:
    modules = {}
    units: tuple[str, ...] = (f"{OWN}{REPLACING[how]}",)
    if place == "in another cell":
        units = (OWN, REPLACING[how], "last = Own().f()")
    elif place == "in another file":
        modules, units = {"mine": units[0]}, ("from mine import Own, helper, LIMIT",)
        if "1 / 0" in REPLACING[how]:
            return
    elif place == "with annotations for later":
        units = (f"{OWN}def late(x: Later): pass\n{REPLACING[how]}\nclass Later: pass",)
    submission = hand_in(*units, modules=modules)
    with submission.test() as student:
        assert (student.get("Own")().f(), student.get("helper")()) == ("own", "helper")
        assert student.get("LIMIT") == 3
    with submission.test() as again:
        assert again.get("Own")().f() == "own"


@once
def test_a_value_made_with_a_missing_package_takes_the_place_of_another_value(hand_in: HandIn) -> None:
    source = "import numpy as np\nx = [1, 2]\nx = np.array(x)\ny = x.shape[0]\nx, z = np.split(x)\nz.T.x"
    assert loaded_around(hand_in, source).problems == ()


@once
def test_a_definition_below_the_import_counts_as_everywhere(hand_in: HandIn) -> None:
    source = "from engine import Own, helper\nimport engine as helper\n" + OWN
    with hand_in(source).test() as student:
        assert student.get("Own")().f() == "own"
