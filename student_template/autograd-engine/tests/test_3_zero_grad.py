"""Third: what stays after backward(), and how to start afresh. L = (a*b + c) * (a + b) at 2, 3, 1."""

from value import Value


def both_forms():
    """Give L and its mirror image, in which all operands have changed sides, with their leaves."""
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    yield "L = (a*b + c) * (a + b)", (a * b + c) * (a + b), (a, b, c)
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    yield "L = (b + a) * (c + b*a)", (b + a) * (c + b * a), (a, b, c)


def test_zero_grad_clears_the_whole_graph():
    """L.zero_grad() sets .grad to zero on L, on everything in between, and on the leaves."""
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    d = a * b
    m = d + c
    s = a + b
    L = m * s
    nodes = {"L": L, "a*b + c": m, "a + b": s, "a*b": d, "a": a, "b": b, "c": c}
    for node in nodes.values():
        node.grad = 5.0
    L.zero_grad()
    for name, node in nodes.items():
        assert node.grad == 0, f"the gradient of {name} is {node.grad} after L.zero_grad(), expected 0."


def test_zero_grad_changes_nothing_else():
    """L.zero_grad() leaves all numbers alone, and the gradients of nodes that L was not made from."""
    a, b = Value(2.0), Value(3.0)
    L = a * b
    user_of_L, stranger = L + a, Value(4.0)
    user_of_L.grad, stranger.grad = 7.0, 8.0
    L.zero_grad()
    numbers = (a.data, b.data, L.data)
    assert numbers == (2.0, 3.0, 6.0), f"a, b, L are {numbers} after L.zero_grad(), expected (2.0, 3.0, 6.0)."
    assert user_of_L.grad == 7.0, f"y = L + a is not reachable from L, but y.grad went from 7 to {user_of_L.grad}."
    assert stranger.grad == 8.0, f"a node with no link to L had its gradient changed from 8 to {stranger.grad}."


def test_a_second_backward_adds_to_the_first():
    """A second L.backward() adds to the gradients of the leaves: a has 81 (or 44) then, never 22."""
    interior_gradients_kept = (81.0, 61.0, 15.0)
    only_leaves_accumulate = (44.0, 34.0, 10.0)
    for form, L, leaves in both_forms():
        L.backward()
        L.backward()
        got = tuple(leaf.grad for leaf in leaves)
        assert got in (interior_gradients_kept, only_leaves_accumulate), (
            f"{form}: the gradients of a, b, c are {got} after two calls, expected {interior_gradients_kept} where "
            f"the nodes in between keep theirs, or {only_leaves_accumulate} where only leaves do. "
            "After one call they are (22, 17, 5)."
        )


def test_after_zero_grad_backward_starts_afresh():
    """backward(), zero_grad(), backward() leaves the same gradients as one backward()."""
    for form, L, leaves in both_forms():
        L.backward()
        L.zero_grad()
        L.backward()
        got = tuple(leaf.grad for leaf in leaves)
        assert got == (22.0, 17.0, 5.0), f"{form}: the gradients of a, b, c are {got}, expected (22.0, 17.0, 5.0)."
