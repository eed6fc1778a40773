from math import tanh


class Value:
    def __init__(self, data: float, _prev: tuple = (), _op: str = ""):
        self.data: float = data
        self.grad: float = 0.0
        self._prev: tuple = _prev
        self._op: str = _op
        self._backward = lambda: None

    def __add__(self, other: "Value | float") -> "Value":
        if isinstance(other, (int, float)):
            other = Value(other)
        result = Value(self.data + other.data, (self, other), "+")

        def add_backward() -> None:
            self.grad += result.grad
            other.grad += result.grad

        result._backward = add_backward
        return result

    def __mul__(self, other: "Value | float") -> "Value":
        if isinstance(other, (int, float)):
            other = Value(other)
        result = Value(self.data * other.data, (self, other), "*")

        def mul_backward() -> None:
            self.grad += result.grad * other.data
            other.grad += result.grad * self.data

        result._backward = mul_backward
        return result

    def tanh(self) -> "Value":
        result = Value(tanh(self.data), (self,), "tanh")

        def tanh_backward() -> None:
            self.grad += result.grad * (1 - result.data**2)

        result._backward = tanh_backward
        return result

    def backward(self) -> None:
        nodes: list["Value"] = []

        def collect(node: "Value") -> None:
            for operand in node._prev:
                collect(operand)
            nodes.append(node)

        collect(self)
        self.grad = 1.0
        for node in nodes[::-1]:
            node._backward()

    def zero_grad(self) -> None:
        self.grad = 0.0
        for operand in self._prev:
            operand.zero_grad()
