"""Neurons are lists of Values, layers lists of neurons, and networks lists of layers."""

import random

from value import Value


class Neuron(list):
    def __init__(self, nin, nonlin=True):
        super().__init__(Value(random.uniform(-1, 1)) for _ in range(nin))
        self.append(Value(0.0))
        self.nonlin = nonlin

    w = property(lambda self: self[:-1])
    b = property(lambda self: self[-1])
    __hash__ = object.__hash__

    def __call__(self, x):
        s = sum((w * v for w, v in zip(self, [*x, 1.0])), 0.0)
        return s.tanh() if self.nonlin else s

    def parameters(self):
        return list(self)


class Layer(list):
    def __init__(self, nin, nout, nonlin=True):
        self.extend(Neuron(nin, nonlin) for _ in range(nout))

    @property
    def neurons(self):
        return list(self)

    def __call__(self, x):
        return [n(x) for n in self]

    def parameters(self):
        return sum((n.parameters() for n in self), [])


class MLP(list):
    def __init__(self, nin, nouts):
        for i, n in enumerate(nouts, 1):
            self.append(Layer(nin, n, nonlin=i < len(nouts)))
            nin = n

    layers = property(list)

    def __call__(self, x):
        for layer in self:
            x = layer(x)
        if len(x) == 1:
            (x,) = x
        return x

    def parameters(self):
        return sum((n.parameters() for n in self), [])

    def zero_grad(self):
        [setattr(p, "grad", 0.0) for p in self.parameters()]


def mean_squared_error(predictions, targets):
    return sum((t - p) ** 2 for p, t in zip(predictions, targets)) / len(targets)


def train_step(net, xs, ys, learning_rate):
    ps = net.parameters()
    net.zero_grad()
    loss = mean_squared_error(list(map(net, xs)), ys)
    loss.backward()
    new = [p.data - learning_rate * p.grad for p in ps]
    for p, n in zip(ps, new):
        p.data = n
    return float(loss.data)


def train(net, xs, ys, steps, learning_rate):
    return list(map(lambda _: train_step(net, xs, ys, learning_rate), range(steps)))
