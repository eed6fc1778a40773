"""Plain loops, nothing clever."""

import random

from value import Value


class Neuron:
    def __init__(self, nin, nonlin=True):
        self.w = []
        for _ in range(nin):
            self.w.append(Value(random.uniform(-1, 1)))
        self.b = Value(0)
        self.nonlin = nonlin

    def __call__(self, x):
        total = Value(0)
        for i in range(len(self.w)):
            total = total + self.w[i] * x[i]
        total = total + self.b
        if self.nonlin:
            return total.tanh()
        return total

    def parameters(self):
        params = []
        for w in self.w:
            params.append(w)
        params.append(self.b)
        return params


class Layer:
    def __init__(self, nin, nout, nonlin=True):
        self.neurons = []
        for _ in range(nout):
            self.neurons.append(Neuron(nin, nonlin))

    def __call__(self, x):
        outs = []
        for n in self.neurons:
            outs.append(n(x))
        return outs

    def parameters(self):
        params = []
        for n in self.neurons:
            params.extend(n.parameters())
        return params


class MLP:
    def __init__(self, nin, nouts):
        self.layers = []
        for i in range(len(nouts)):
            self.layers.append(Layer(nin, nouts[i], i < len(nouts) - 1))
            nin = nouts[i]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        if len(x) == 1:
            return x[0]
        return x

    def parameters(self):
        params = []
        for layer in self.layers:
            params += layer.parameters()
        return params

    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0


def mean_squared_error(predictions, targets):
    loss = Value(0)
    for i in range(len(targets)):
        diff = predictions[i] - targets[i]
        loss = loss + diff * diff
    return loss * (1 / len(targets))


def train_step(net, xs, ys, learning_rate):
    predictions = []
    for x in xs:
        predictions.append(net(x))
    loss = mean_squared_error(predictions, ys)
    net.zero_grad()
    loss.backward()
    for p in net.parameters():
        p.data = p.data - learning_rate * p.grad
    return loss.data


def train(net, xs, ys, steps, learning_rate):
    losses = []
    for _ in range(steps):
        losses.append(train_step(net, xs, ys, learning_rate))
    return losses
