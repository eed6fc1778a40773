import math
from collections import deque


class Value:
    """Nodes keep (operand, local derivative) pairs."""

    def __init__(self, data, edges=(), op="leaf"):
        self.data, self.grad, self._op = data, 0, op
        self._edges = list(edges)
        self._prev = [node for node, _ in self._edges]

    def _backward(self):
        for node, slope in self._edges:
            node.grad = node.grad + slope * self.grad

    @staticmethod
    def lift(x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = Value.lift(other)
        return Value(self.data + other.data, [(self, 1), (other, 1)], "add")

    def __mul__(self, other):
        other = Value.lift(other)
        return Value(self.data * other.data, [(self, other.data), (other, self.data)], "mul")

    def tanh(self):
        y = math.tanh(self.data)
        return Value(y, [(self, 1 - y ** 2)], "tanh")

    def _reach(self):
        seen, todo = [self], [self]
        while todo:
            for p in todo.pop()._prev:
                if not any(p is s for s in seen):
                    seen.append(p)
                    todo.append(p)
        return seen

    def backward(self):
        count = {}
        for n in self._reach():
            for p in n._prev:
                count[id(p)] = count.get(id(p), 0) + 1
        self.grad = 1
        ready = deque([self])
        while ready:
            n = ready.popleft()
            n._backward()
            for p in n._prev:
                count[id(p)] -= 1
                if count[id(p)] == 0:
                    ready.append(p)

    def zero_grad(self):
        for n in self._reach():
            n.grad = 0
