import math


class Value:
    """_backward sends into a coroutine made anew for each call."""

    def __init__(self, data, _prev=(), _op="", rule=None):
        self.data, self.grad, self._prev, self._op, self.rule = data, 0.0, _prev, _op, rule

    def _backward(self):
        if self.rule is None:
            return
        pump = self.rule()
        next(pump)
        try:
            pump.send(self.grad)
        except StopIteration:
            pass

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)

        def rule():
            g = yield
            self.grad += g
            other.grad += g

        return Value(self.data + other.data, (self, other), "+", rule)

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)

        def rule():
            g = yield
            self.grad += other.data * g
            other.grad += self.data * g

        return Value(self.data * other.data, (self, other), "*", rule)

    def tanh(self):
        t = math.tanh(self.data)

        def rule():
            g = yield
            self.grad += (1 - t * t) * g

        return Value(t, (self,), "tanh", rule)

    def _topo(self):
        done, path = {}, [self]
        while path:
            node = path[-1]
            todo = [p for p in node._prev if p not in done]
            if todo:
                path.append(todo[0])
            else:
                done[path.pop()] = True
        return list(done)

    def backward(self):
        topo = self._topo()
        self.grad = 1.0
        for node in reversed(topo):
            node._backward()

    def zero_grad(self):
        for node in self._topo():
            node.grad = 0.0
