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
        # BEGIN SOLUTION
        self.data = data
        self.grad = 0.0
        self._prev = _prev
        self._op = _op

        def nothing() -> None: ...

        self._backward = nothing
        # END SOLUTION

    def __add__(self, other: "Value | float") -> "Value":
        """Return self + other as a new node; `other` is a Value or a plain number.

        A plain number counts as a new leaf. The new node's `_backward` gives each operand its share
        of the new node's gradient (local derivative times the new node's `grad`), on top of whatever
        gradient the operand already has. Neither operand changes before that.
        """
        # BEGIN SOLUTION
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
        # END SOLUTION

    def __mul__(self, other: "Value | float") -> "Value":
        """Return self * other as a new node; `other` is a Value or a plain number.

        Like `__add__`, with the local derivatives of a product: what is d(a*b)/da, what d(a*b)/db?
        """
        # BEGIN SOLUTION
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out
        # END SOLUTION

    def tanh(self) -> "Value":
        """Return the hyperbolic tangent of self as a new node, with one operand.

        `math.tanh` is allowed. The derivative of tanh can be written in terms of tanh itself.
        """
        # BEGIN SOLUTION
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward() -> None:
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out
        # END SOLUTION

    def backward(self) -> None:
        """Give every node reachable from self its gradient: how fast self changes with that node.

        The gradient of self with respect to itself is 1.0: set it. Then call `_backward` of every
        node reachable through `_prev`, self included, exactly once each, and each only after all the
        nodes that use it. What an earlier call left on the leaves stays and is added to: clearing it is
        for `zero_grad`.
        """
        # BEGIN SOLUTION
        self.grad = 1.0
        for node in reversed(self._operands_first()):
            node._backward()
        # END SOLUTION

    def zero_grad(self) -> None:
        """Set `grad` to zero on every node reachable from self, self included; change nothing else."""
        # BEGIN SOLUTION
        for node in self._operands_first():
            node.grad = 0.0
        # END SOLUTION

    # BEGIN SOLUTION ONLY
    def _operands_first(self) -> list["Value"]:
        """List every reachable node once, operands before users: depth-first post-order.

        The stack stands in for recursion, which Python stops at about 1,000 nodes deep.
        """
        topo: list[Value] = []
        visited = {self}
        stack = [(self, iter(self._prev))]
        while stack:
            node, operands = stack[-1]
            for operand in operands:
                if operand not in visited:
                    visited.add(operand)
                    stack.append((operand, iter(operand._prev)))
                    break
            else:
                topo.append(node)
                stack.pop()
        return topo

    # END SOLUTION ONLY
    # ------------------------------------------------------------------------------------------
    # Bonus from here: nothing below is needed for full marks.
    #
    # There is one bonus method without a stub, since a stub would break every print(a):
    # `__repr__`, a string that shows data and grad, such as Value(data=2.0, grad=0.0).
    # ------------------------------------------------------------------------------------------

    # BEGIN SOLUTION ONLY
    def __repr__(self) -> str:
        """Show the two numbers a reader wants to see."""
        return f"Value(data={self.data}, grad={self.grad})"

    # END SOLUTION ONLY
    def __radd__(self, other: float) -> "Value":
        """Return other + self: Python asks here when the left operand is a plain number."""
        # BEGIN SOLUTION
        return self + other
        # END SOLUTION

    def __rmul__(self, other: float) -> "Value":
        """Return other * self, for a plain number on the left."""
        # BEGIN SOLUTION
        return self * other
        # END SOLUTION

    def __neg__(self) -> "Value":
        """Return -self."""
        # BEGIN SOLUTION
        return self * -1
        # END SOLUTION

    def __sub__(self, other: "Value | float") -> "Value":
        """Return self - other; `other` is a Value or a plain number."""
        # BEGIN SOLUTION
        return self + -other
        # END SOLUTION

    def __rsub__(self, other: float) -> "Value":
        """Return other - self, for a plain number on the left. Mind which one is subtracted."""
        # BEGIN SOLUTION
        return -self + other
        # END SOLUTION

    def __pow__(self, exponent: float) -> "Value":
        """Return self ** exponent, the exponent being a plain number (anything else is a TypeError)."""
        # BEGIN SOLUTION
        if not isinstance(exponent, int | float):
            return NotImplemented
        out = Value(self.data**exponent, (self,), f"**{exponent}")

        def _backward() -> None:
            if exponent != 0:
                self.grad += exponent * self.data ** (exponent - 1) * out.grad

        out._backward = _backward
        return out
        # END SOLUTION

    def __truediv__(self, other: "Value | float") -> "Value":
        """Return self / other; `other` is a Value or a plain number."""
        # BEGIN SOLUTION
        return self * other**-1
        # END SOLUTION

    def __rtruediv__(self, other: float) -> "Value":
        """Return other / self, for a plain number on the left."""
        # BEGIN SOLUTION
        return self**-1 * other
        # END SOLUTION

    def exp(self) -> "Value":
        """Return e to the power of self as a new node."""
        # BEGIN SOLUTION
        out = Value(math.exp(self.data), (self,), "exp")

        def _backward() -> None:
            self.grad += out.data * out.grad

        out._backward = _backward
        return out
        # END SOLUTION

    def relu(self) -> "Value":
        """Return self where it is positive and zero elsewhere, as a new node.

        At exactly 0 the derivative may be anything from 0 to 1.
        """
        # BEGIN SOLUTION
        out = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def _backward() -> None:
            if self.data > 0:
                self.grad += out.grad

        out._backward = _backward
        return out
        # END SOLUTION
