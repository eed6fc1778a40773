"""Operations are classes with a forward and a backward, as in the big frameworks."""

from abc import ABC, abstractmethod


class Function(ABC):
    symbol = "?"

    def __init__(self, *inputs):
        self.inputs = inputs
        self.output = None

    @classmethod
    def apply(cls, *inputs):
        inputs = [x if isinstance(x, Value) else Value(x) for x in inputs]
        function = cls(*inputs)
        function.output = Value(function.forward(*(x.data for x in inputs)), function)
        return function.output

    def __call__(self):
        """Hand the output's gradient on."""
        for x, grad in zip(self.inputs, self.backward(self.output.grad)):
            x.grad += grad

    @abstractmethod
    def forward(self, *numbers): ...

    @abstractmethod
    def backward(self, grad): ...


class Add(Function):
    symbol = "+"

    def forward(self, x, y):
        return x + y

    def backward(self, grad):
        return grad, grad


class Mul(Function):
    symbol = "*"

    def forward(self, x, y):
        self.saved = x, y
        return x * y

    def backward(self, grad):
        x, y = self.saved
        return grad * y, grad * x


class ReLU(Function):
    symbol = "relu"

    def forward(self, x):
        self.saved = x > 0
        return x if x > 0 else 0.0

    def backward(self, grad):
        return (grad if self.saved else 0.0,)


class Value:
    def __init__(self, data, creator=None):
        self.data = data
        self.grad = 0.0
        self._prev = creator.inputs if creator else ()
        self._op = creator.symbol if creator else ""
        self._backward = creator or (lambda: None)

    def __add__(self, other):
        return Add.apply(self, other)

    def __mul__(self, other):
        return Mul.apply(self, other)

    def relu(self):
        return ReLU.apply(self)

    def nodes(self):
        order, visited = [], set()

        def visit(v):
            if id(v) not in visited:
                visited.add(id(v))
                for x in v._prev:
                    visit(x)
                order.append(v)

        visit(self)
        order.reverse()
        return order

    def backward(self, grad=1.0):
        self.grad = grad
        for v in self.nodes():
            v._backward()

    def zero_grad(self):
        for v in self.nodes():
            v.grad = 0.0
