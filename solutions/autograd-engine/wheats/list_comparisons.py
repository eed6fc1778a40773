"""`==` and `<` give Values of 0 and 1, as in array libraries; truth, length and conversion are refused."""
import math
import operator


class Value:
    __hash__ = object.__hash__

    def __init__(self, data, prev=(), op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, prev, op
        self._backward = lambda: None

    def _compare(op):
        return lambda self, other: Value(float(op(self.data, getattr(other, "data", other))))

    __eq__, __ne__, __lt__, __le__, __gt__, __ge__ = map(
        _compare, (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
    )

    def __bool__(self):
        raise TypeError("the truth of a Value is ambiguous")

    def __len__(self):
        raise TypeError("a Value has no length")

    def __iter__(self):
        raise TypeError("a Value is a scalar")

    def __getitem__(self, key):
        raise TypeError("a Value has no parts")

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def step():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = step
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def step():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = step
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def step():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = step
        return out

    def _topo(self):
        order, seen, stack = [], {id(self)}, [(self, 0)]
        while stack:
            node, i = stack.pop()
            operands = list(node._prev)
            if i < len(operands):
                stack.append((node, i + 1))
                if id(operands[i]) not in seen:
                    seen.add(id(operands[i]))
                    stack.append((operands[i], 0))
            else:
                order.append(node)
        return order

    def backward(self):
        order = self._topo()
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    def zero_grad(self):
        for node in self._topo():
            node.grad = 0.0
