"""Names in German and Greek letters, and comments in place of docstrings."""

import math


class Value:
    # Ein Knoten im Rechengraphen.
    def __init__(self, data, vorgänger=(), zeichen=""):
        self.data = data
        self.grad = 0.0
        self._prev = vorgänger
        self._op = zeichen
        self._backward = lambda: None

    def __add__(self, anderer):
        β = anderer if isinstance(anderer, Value) else Value(anderer)
        summe = Value(self.data + β.data, (self, β), "+")

        def rückwärts():
            for knoten in (self, β):
                knoten.grad += summe.grad

        summe._backward = rückwärts
        return summe

    def __mul__(self, anderer):
        β = anderer if isinstance(anderer, Value) else Value(anderer)
        produkt = Value(self.data * β.data, (self, β), "·")

        def rückwärts():
            for knoten, φ in ((self, β.data), (β, self.data)):
                knoten.grad += φ * produkt.grad

        produkt._backward = rückwärts
        return produkt

    def tanh(self):
        τ = math.tanh(self.data)
        ergebnis = Value(τ, (self,), "tanh")

        def rückwärts():
            self.grad += (1 - τ * τ) * ergebnis.grad

        ergebnis._backward = rückwärts
        return ergebnis

    def reihenfolge(self):
        fertig, gesehen = [], set()

        def besuche(knoten):
            gesehen.add(knoten)
            for vorgänger in knoten._prev:
                if vorgänger not in gesehen:
                    besuche(vorgänger)
            fertig.append(knoten)

        besuche(self)
        return fertig

    def backward(self):
        self.grad = 1.0
        for knoten in self.reihenfolge()[::-1]:
            knoten._backward()

    def zero_grad(self):
        for knoten in self.reihenfolge():
            knoten.grad = 0.0
