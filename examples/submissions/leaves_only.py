"""Übungsblatt Autograd - Klasse Value

Der zweite backward()-Aufruf verhält sich wie in PyTorch: nur die Blätter sammeln weiter,
alle Knoten dazwischen fangen bei 0 an. Für L = (a*b + c) * (a + b) also 22, dann 44.
"""
import math


class Value:
    def __init__(self, data, eltern=(), op=""):
        self.data = data
        self.grad = 0.0
        self._prev = list(eltern)      # die Operanden
        self._op = op
        self._backward = self._nichts

    def _nichts(self):
        pass

    def __repr__(self):
        return f"Value({self.data}, grad={self.grad})"

    # --- Rechenoperationen -----------------------------------------------------------------

    def __add__(self, andere):
        if not isinstance(andere, Value):
            andere = Value(andere)
        summe = Value(self.data + andere.data, (self, andere), "+")

        def rueckwaerts():
            # Ableitung nach beiden Summanden ist 1
            self.grad += summe.grad
            andere.grad += summe.grad

        summe._backward = rueckwaerts
        return summe

    def __radd__(self, andere):
        return self + andere

    def __mul__(self, andere):
        if not isinstance(andere, Value):
            andere = Value(andere)
        produkt = Value(self.data * andere.data, (self, andere), "*")

        def rueckwaerts():
            self.grad += andere.data * produkt.grad
            andere.grad += self.data * produkt.grad

        produkt._backward = rueckwaerts
        return produkt

    def __rmul__(self, andere):
        return self * andere

    def __neg__(self):
        return self * -1

    def __sub__(self, andere):
        return self + andere * -1

    def tanh(self):
        ergebnis = Value(math.tanh(self.data), (self,), "tanh")

        def rueckwaerts():
            self.grad += (1 - ergebnis.data ** 2) * ergebnis.grad

        ergebnis._backward = rueckwaerts
        return ergebnis

    # --- Graph -----------------------------------------------------------------------------

    def _sortiert(self):
        """Tiefensuche: jeder Knoten genau einmal, Operanden vor denen, die sie benutzen."""
        besucht, reihenfolge = set(), []

        def besuche(knoten):
            if knoten in besucht:
                return
            besucht.add(knoten)
            for operand in knoten._prev:
                besuche(operand)
            reihenfolge.append(knoten)

        besuche(self)
        return reihenfolge

    def backward(self):
        reihenfolge = self._sortiert()
        # Zwischenergebnisse vergessen, Blätter behalten ihren Gradienten
        for knoten in reihenfolge:
            if knoten._prev:
                knoten.grad = 0.0
        self.grad = 1.0
        for knoten in reversed(reihenfolge):
            knoten._backward()

    def zero_grad(self):
        for knoten in self._sortiert():
            knoten.grad = 0.0
