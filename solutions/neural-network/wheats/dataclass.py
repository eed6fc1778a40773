"""Dataclasses, with what is drawn in __post_init__."""

import random
from dataclasses import dataclass, field

from value import Value


class Module:
    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0

    def parameters(self):
        return []


@dataclass(eq=False)
class Neuron(Module):
    nin: int
    nonlin: bool = True
    w: list = field(init=False)
    b: Value = field(init=False)

    def __post_init__(self):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(self.nin)]
        self.b = Value(0.0)

    def __call__(self, x):
        act = sum((wi * xi for wi, xi in zip(self.w, x)), self.b)
        return act.tanh() if self.nonlin else act

    def parameters(self):
        return self.w + [self.b]

    def __repr__(self):
        return f"{'Tanh' if self.nonlin else 'Linear'}Neuron({len(self.w)})"


@dataclass(eq=False)
class Layer(Module):
    nin: int
    nout: int
    nonlin: bool = True
    neurons: list = field(init=False)

    def __post_init__(self):
        self.neurons = [Neuron(self.nin, self.nonlin) for _ in range(self.nout)]

    def __call__(self, x):
        return [n(x) for n in self.neurons]

    def parameters(self):
        return [p for n in self.neurons for p in n.parameters()]

    def __repr__(self):
        return f"Layer of [{', '.join(str(n) for n in self.neurons)}]"


class MLP(Module):
    def __init__(self, nin, nouts):
        sz = [nin] + list(nouts)
        self.layers = [Layer(sz[i], sz[i + 1], nonlin=i != len(nouts) - 1) for i in range(len(nouts))]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x[0] if len(x) == 1 else x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]


def mean_squared_error(predictions, targets):
    losses = [(p - t) ** 2 for p, t in zip(predictions, targets)]
    return sum(losses) * (1.0 / len(losses))


def train_step(net, xs, ys, learning_rate):
    total_loss = mean_squared_error([*map(net, xs)], ys)
    net.zero_grad()
    total_loss.backward()
    for p in net.parameters():
        p.data -= learning_rate * p.grad
    return total_loss.data


def train(net, xs, ys, steps, learning_rate):
    return [train_step(net, xs, ys, learning_rate) for k in range(steps)]
