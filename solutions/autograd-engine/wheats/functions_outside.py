"""Operators are functions outside the class, put into it at the end."""

import math


class Value:
    def __init__(self, data, prev=(), op=""):
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self._op = op
        self._backward = nothing


def nothing():
    pass


def value_of(x):
    return x if isinstance(x, Value) else Value(x)


def add(a, b):
    b = value_of(b)
    out = Value(a.data + b.data, (a, b), "+")

    def pass_on():
        a.grad += out.grad
        b.grad += out.grad

    out._backward = pass_on
    return out


def mul(a, b):
    b = value_of(b)
    out = Value(a.data * b.data, (a, b), "*")

    def pass_on():
        a.grad += b.data * out.grad
        b.grad += a.data * out.grad

    out._backward = pass_on
    return out


def tanh(a):
    out = Value(math.tanh(a.data), (a,), "tanh")

    def pass_on():
        a.grad += (1 - out.data**2) * out.grad

    out._backward = pass_on
    return out


def below(node, order, seen):
    if node not in seen:
        seen.add(node)
        for operand in node._prev:
            below(operand, order, seen)
        order.append(node)
    return order


def backward(node):
    node.grad = 1.0
    for each in reversed(below(node, [], set())):
        each._backward()


def zero_grad(node):
    for each in below(node, [], set()):
        each.grad = 0.0


Value.__add__ = Value.__radd__ = add
Value.__mul__ = Value.__rmul__ = mul
Value.tanh = tanh
Value.backward = backward
Value.zero_grad = zero_grad
