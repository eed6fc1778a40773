"""A scalar autograd engine: numbers that remember how they were made.

Every operation on a `Value` returns a new `Value` that knows its operands and how to pass a
gradient on to them. `backward()` walks that graph from the result to the leaves.
"""

import math


class Value:
    """A number, its gradient, and the operation that made it."""

    def __init__(self, data: float, _prev: tuple["Value", ...] = (), _op: str = "") -> None:
        """Set the five attributes of a node.

        `data`: the number. `grad`: starts at 0.0. `_prev`: the operands it was made from, none for
        a leaf. `_op`: the operation as a string, such as "+", for your own eyes only. `_backward`:
        a callable without arguments. A leaf has nobody to pass a gradient on to, so it starts as one
        that does nothing; operations put their own on the node they return.
        """
        raise NotImplementedError("__init__ is not written yet")

    def __add__(self, other: "Value | float") -> "Value":
        """Return self + other as a new node; `other` is a Value or a plain number.

        A plain number counts as a new leaf. The new node's `_backward` gives each operand its share
        of the new node's gradient (local derivative times the new node's `grad`), on top of whatever
        gradient the operand already has. Neither operand changes before that.
        """
        raise NotImplementedError("__add__ is not written yet")

    def __mul__(self, other: "Value | float") -> "Value":
        """Return self * other as a new node; `other` is a Value or a plain number.

        Like `__add__`, with the local derivatives of a product: what is d(a*b)/da, what d(a*b)/db?
        """
        raise NotImplementedError("__mul__ is not written yet")

    def tanh(self) -> "Value":
        """Return the hyperbolic tangent of self as a new node, with one operand.

        `math.tanh` is allowed. The derivative of tanh can be written in terms of tanh itself.
        """
        raise NotImplementedError("tanh is not written yet")

    def backward(self) -> None:
        """Give every node reachable from self its gradient: how fast self changes with that node.

        The gradient of self with respect to itself is 1.0: set it. Then call `_backward` of every
        node reachable through `_prev`, self included, exactly once each, and each only after all the
        nodes that use it. What an earlier call left on the leaves stays and is added to: clearing it is
        for `zero_grad`.
        """
        raise NotImplementedError("backward is not written yet")

    def zero_grad(self) -> None:
        """Set `grad` to zero on every node reachable from self, self included; change nothing else."""
        raise NotImplementedError("zero_grad is not written yet")

    # ------------------------------------------------------------------------------------------
    # Bonus from here: nothing below is needed for full marks.
    #
    # There is one bonus method without a stub, since a stub would break every print(a):
    # `__repr__`, a string that shows the number, such as Value(data=2.0, grad=0.0).
    # ------------------------------------------------------------------------------------------

    def __radd__(self, other: float) -> "Value":
        """Return other + self: Python asks here when the left operand is a plain number."""
        raise NotImplementedError("__radd__ is not written yet")

    def __rmul__(self, other: float) -> "Value":
        """Return other * self, for a plain number on the left."""
        raise NotImplementedError("__rmul__ is not written yet")

    def __neg__(self) -> "Value":
        """Return -self."""
        raise NotImplementedError("__neg__ is not written yet")

    def __sub__(self, other: "Value | float") -> "Value":
        """Return self - other; `other` is a Value or a plain number."""
        raise NotImplementedError("__sub__ is not written yet")

    def __rsub__(self, other: float) -> "Value":
        """Return other - self, for a plain number on the left. Mind which one is subtracted."""
        raise NotImplementedError("__rsub__ is not written yet")

    def __pow__(self, exponent: float) -> "Value":
        """Return self ** exponent, the exponent being a plain number (anything else is a TypeError)."""
        raise NotImplementedError("__pow__ is not written yet")

    def __truediv__(self, other: "Value | float") -> "Value":
        """Return self / other; `other` is a Value or a plain number."""
        raise NotImplementedError("__truediv__ is not written yet")

    def __rtruediv__(self, other: float) -> "Value":
        """Return other / self, for a plain number on the left."""
        raise NotImplementedError("__rtruediv__ is not written yet")

    def exp(self) -> "Value":
        """Return e to the power of self as a new node."""
        raise NotImplementedError("exp is not written yet")

    def relu(self) -> "Value":
        """Return self where it is positive and zero elsewhere, as a new node.

        At exactly 0 the derivative may be anything from 0 to 1.
        """
        raise NotImplementedError("relu is not written yet")
