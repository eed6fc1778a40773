from array import array
import math


class Value:
    """data and grad in one array of doubles."""

    __slots__ = ("cells", "_prev", "_op", "_backward", "__weakref__")

    def __init__(self, data, _prev=frozenset(), _op=""):
        self.cells = array("d", [data, 0.0])
        self._prev, self._op, self._backward = _prev, _op, _nothing

    data = property(lambda self: self.cells[0], lambda self, x: self.cells.__setitem__(0, x))
    grad = property(lambda self: self.cells[1], lambda self, x: self.cells.__setitem__(1, x))

    def __add__(self, other):
        other = lift(other)
        out = Value(self.data + other.data, frozenset((self, other)), "+")

        def pull():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = pull
        return out

    def __mul__(self, other):
        other = lift(other)
        out = Value(self.data * other.data, frozenset((self, other)), "*")

        def pull():
            g = out.grad
            self.grad += other.data * g
            other.grad += self.data * g

        out._backward = pull
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), frozenset((self,)), "tanh")

        def pull():
            self.grad += (1 - out.data * out.data) * out.grad

        out._backward = pull
        return out

    def backward(self):
        self.grad = 1.0
        for node in ordered(self):
            node._backward()

    def zero_grad(self):
        for node in ordered(self):
            node.grad = 0.0


def _nothing():
    return None


def lift(x):
    return x if isinstance(x, Value) else Value(x)


def ordered(root):
    users = {}
    found = {root}
    todo = [root]
    while todo:
        node = todo.pop()
        for p in node._prev:
            users.setdefault(p, set()).add(node)
            if p not in found:
                found.add(p)
                todo.append(p)
    ready = [root]
    while ready:
        node = ready.pop()
        yield node
        for p in node._prev:
            users[p].discard(node)
            if not users[p]:
                ready.append(p)
