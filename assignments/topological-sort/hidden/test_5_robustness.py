"""Bonus: graphs deeper than Python's recursion."""

import pytest

pytestmark = [
    pytest.mark.concept("robustness"),
    pytest.mark.beyond_contract,
    pytest.mark.redundant_ok("more than the contract asks for"),
]

DEPTH, STRIDE = 5_000, 7_919
ORDER = [STRIDE * step % DEPTH for step in range(DEPTH)]
stack = pytest.mark.hint(
    "Try chains of 10, 100 and 5,000 nodes: from which length on is it wrong, and what is left out?"
)


@pytest.mark.subject("build_topo")
@stack
def test_build_topo_on_a_deep_graph(student):
    """`build_topo` works on a graph that is 5,000 nodes deep."""
    nodes = student.make_plain_chain(DEPTH, STRIDE)
    topo = student.make_list()
    student.get("build_topo")(nodes[ORDER[-1]], student.make_set(), topo)
    order = student.find_positions(topo, nodes)
    assert len(order) == DEPTH, f"{len(order)} nodes are there"
    assert order == ORDER, "the order is wrong"


@pytest.mark.subject("backward_order")
@stack
def test_backward_order_on_a_deep_graph(student):
    """`backward_order` works on a graph that is 5,000 nodes deep."""
    nodes = student.make_plain_chain(DEPTH, STRIDE)
    order = student.find_positions(
        student.call_and_keep_result(student.get("backward_order"), nodes[ORDER[-1]]), nodes
    )
    assert len(order) == DEPTH, f"{len(order)} nodes are there"
    assert order == ORDER[::-1], "the order is wrong"
