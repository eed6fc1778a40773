import math


# each node stores:
#   data      the number
#   grad      d(result)/d(this)
#   _prev     where it came from
#   _op       for debugging
#   _backward pushes grad one step down
class Value:
    def __init__(self, data, _prev=[], _op=None):
        self.data = data
        self.grad = 0
        self._prev = list(_prev)
        self._op = str(_op or '')
        self._backward = self.nothing

    def nothing(self):
        return

    def __add__(self, other):
        out = Value(self.data + other.data, [self, other], '+')

        def back():
            self.grad = self.grad + out.grad
            other.grad = other.grad + out.grad

        out._backward = back
        return out

    def __mul__(self, other):
        out = Value(self.data * other.data, [self, other], '*')

        def back():
            self.grad = self.grad + other.data * out.grad
            other.grad = other.grad + self.data * out.grad

        out._backward = back
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, [self], 'tanh')

        def back():
            self.grad = self.grad + (1 - t**2) * out.grad

        out._backward = back
        return out

    # puts every node below self into `nodes`, deepest first
    def walk(self, nodes):
        for p in self._prev:
            if p not in nodes:
                p.walk(nodes)
        nodes.append(self)
        return nodes

    def backward(self):
        self.grad = 1
        for node in reversed(self.walk([])):
            node._backward()

    def zero_grad(self):
        for node in self.walk([]):
            node.grad = 0
