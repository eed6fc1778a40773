"""Second: backward_order, the order in which gradients can be passed on. Any such order is right."""

from value import backward_order


class Node:
    """A node with a name for the messages; `_prev` holds its operands."""

    def __init__(self, name, _prev=()):
        self.name = name
        self._prev = _prev

    def __repr__(self):
        return self.name


def test_the_root_comes_first():
    """The order starts with the node that backward() would be called on."""
    a, b = Node("a"), Node("b")
    c = Node("c", [a, b])
    order = backward_order(c)
    assert order[0] is c, f"the order is {order}, but c, the root, must come first."
    assert set(order[1:]) == {a, b}, f"the order is {order}, expected c, then a and b."


def test_every_node_comes_before_its_operands():
    """In f = (a*b) * (a + b) no node comes before all of its users have."""
    a, b = Node("a"), Node("b")
    p, s = Node("a*b", [a, b]), Node("a+b", [a, b])
    f = Node("f", [p, s])
    order = backward_order(f)
    assert len(order) == 5, f"the order is {order}, expected each of the five nodes once."
    for user in (p, s, f):
        for operand in user._prev:
            assert order.index(user) < order.index(operand), (
                f"{user} uses {operand}, so {user} must come first here. The order is {order}."
            )


def test_calls_do_not_disturb_each_other():
    """A second call starts from nothing: the same root gives a whole order again."""
    a = Node("a")
    b = Node("b", [a])
    for call in ("first", "second"):
        order = backward_order(b)
        assert order == [b, a], f"the {call} call gave {order}, expected [b, a]."
