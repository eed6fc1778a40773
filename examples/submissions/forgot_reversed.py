import math


class Value:
    """Guarda un numero y su gradiente."""

    def __init__(self, data, _hijos=(), _op=""):
        self.data = data
        self.grad = 0
        self._prev = set(_hijos)
        self._op = _op
        self._backward = lambda: None

    def __repr__(self):
        return f"Value(data={self.data}, grad={self.grad})"

    def __add__(self, otro):
        otro = otro if isinstance(otro, Value) else Value(otro)
        res = Value(self.data + otro.data, (self, otro), "+")

        def _backward():
            self.grad += res.grad
            otro.grad += res.grad

        res._backward = _backward
        return res

    def __mul__(self, otro):
        otro = otro if isinstance(otro, Value) else Value(otro)
        res = Value(self.data * otro.data, (self, otro), "*")

        def _backward():
            # la derivada respecto a uno es el otro
            self.grad += otro.data * res.grad
            otro.grad += self.data * res.grad

        res._backward = _backward
        return res

    def tanh(self):
        t = math.tanh(self.data)
        res = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t ** 2) * res.grad

        res._backward = _backward
        return res

    def _orden(self):
        # orden topologico: primero los operandos, despues el resultado
        orden = []
        visitados = set()

        def visitar(nodo):
            if nodo in visitados:
                return
            visitados.add(nodo)
            for hijo in nodo._prev:
                visitar(hijo)
            orden.append(nodo)

        visitar(self)
        return orden

    def backward(self):
        self.grad = 1.0
        for nodo in self._orden():
            nodo._backward()

    def zero_grad(self):
        for nodo in self._orden():
            nodo.grad = 0
