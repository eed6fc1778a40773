import enum
import math


class Op(enum.Enum):
    LEAF = ""
    ADD = "+"
    MUL = "*"
    TANH = "tanh"


class Value:
    def __init__(self, data, prev=(), kind=Op.LEAF):
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self.kind = kind

    @property
    def _op(self):
        return self.kind.value

    def _backward(self):
        g = self.grad
        if self.kind is Op.ADD:
            a, b = self._prev
            a.grad += g
            b.grad += g
        elif self.kind is Op.MUL:
            a, b = self._prev
            x, y = a.data, b.data
            a.grad += y * g
            b.grad += x * g
        elif self.kind is Op.TANH:
            (a,) = self._prev
            a.grad += g * (1 - self.data**2)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), Op.ADD)

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), Op.MUL)

    def tanh(self):
        return Value(math.tanh(self.data), (self,), Op.TANH)

    def _levels(self):
        level = {self: 0}
        todo = [self]
        while todo:
            n = todo.pop()
            for p in n._prev:
                if level.get(p, -1) < level[n] + 1:
                    level[p] = level[n] + 1
                    todo.append(p)
        return sorted(level, key=level.get)

    def backward(self):
        self.grad = 1.0
        for n in self._topo():
            n._backward()

    def _topo(self):
        out, marks = [], {}
        stack = [self]
        while stack:
            n = stack[-1]
            if marks.get(n) == "done":
                stack.pop()
            elif marks.get(n) == "open":
                marks[n] = "done"
                out.insert(0, n)
                stack.pop()
            else:
                marks[n] = "open"
                stack.extend(p for p in n._prev if p not in marks)
        return out

    def zero_grad(self):
        for n in self._topo():
            n.grad = 0.0
