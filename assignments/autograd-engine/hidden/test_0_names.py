"""Whether nodes keep what they know under the handout's names.

All other tests take an engine's own names as well, where they can find them; so other names cost this test alone.
"""

import pytest

pytestmark = [pytest.mark.concept("forward"), pytest.mark.needs("__init__")]

WHAT = {
    "_prev": "its operands are in",
    "_backward": "the function that passes its gradient on is in",
    "_op": "its operation is in",
}


@pytest.mark.subject("__init__", "__add__")
@pytest.mark.weight(5)
@pytest.mark.hint("Tests, and whoever reads your code, look for the names of the handout: rename the attribute.")
@pytest.mark.redundant_ok("asks for the handout's names, which the other tests do without")
def test_internals_have_the_names_of_the_handout(student, leaves, are_below):
    """A sum keeps its operands, its `_backward` and its operation under the names that the handout gives them."""
    a, b = leaves(2.0, 3.0)
    out = a + b
    for name, what in WHAT.items():
        called = student.resolve_attribute_name(name)
        assert called == name, f"{what} `{called}`; the handout asks for `{name}`"
    assert are_below(out, a, b), "following `_prev` from a sum does not lead to its operands"
    assert out._backward is not None, "the `_backward` of a sum is None"
