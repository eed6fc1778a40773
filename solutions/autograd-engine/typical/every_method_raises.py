"""Every method raises."""

class Value:
    def __init__(self, data, _prev=(), _op=""):
        raise ValueError("not yet")

    def __add__(self, other):
        raise ValueError("not yet")

    def __mul__(self, other):
        raise ValueError("not yet")

    def __radd__(self, other):
        raise ValueError("not yet")

    def __rmul__(self, other):
        raise ValueError("not yet")

    def __neg__(self, other):
        raise ValueError("not yet")

    def __sub__(self, other):
        raise ValueError("not yet")

    def __rsub__(self, other):
        raise ValueError("not yet")

    def __pow__(self, other):
        raise ValueError("not yet")

    def __truediv__(self, other):
        raise ValueError("not yet")

    def __rtruediv__(self, other):
        raise ValueError("not yet")

    def tanh(self):
        raise ValueError("not yet")

    def exp(self):
        raise ValueError("not yet")

    def relu(self):
        raise ValueError("not yet")

    def backward(self):
        raise ValueError("not yet")

    def zero_grad(self):
        raise ValueError("not yet")
