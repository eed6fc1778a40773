"""Each point has a backward() of its own, and gradients add up; the parameters move once."""

import random

from value import Value


class Module:
    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0

    def parameters(self):
        return []


class Neuron(Module):
    def __init__(self, nin, nonlin=True):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(0)
        self.nonlin = nonlin

    def __call__(self, x):
        act = sum((wi * xi for wi, xi in zip(self.w, x)), self.b)
        return act.tanh() if self.nonlin else act

    def parameters(self):
        return self.w + [self.b]

    def __repr__(self):
        return f"{'Tanh' if self.nonlin else 'Linear'}Neuron({len(self.w)})"


class Layer(Module):
    def __init__(self, nin, nout, nonlin=True, **kwargs):
        self.neurons = [Neuron(nin, nonlin, **kwargs) for _ in range(nout)]

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
    n = len(targets)
    return sum([(t - p) * (t - p) / n for p, t in zip(predictions, targets)], Value(0.0))


def train_step(net, xs, ys, learning_rate):
    net.zero_grad()
    total = 0.0
    for x, y in zip(xs, ys):
        part = mean_squared_error([net(x)], [y]) / len(xs)
        part.backward()
        total += part.data
    for p in net.parameters():
        p.data -= learning_rate * p.grad
    return total


def train(net, xs, ys, steps, learning_rate):
    return [train_step(net, xs, ys, learning_rate) for k in range(steps)]
