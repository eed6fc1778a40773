class Value:
    def __init__(self, data, _children=[], _op=''):
        self.data = data
        self.grad = 0
        self._children = _children
        self._prev = list(_children)
        self._op = _op
        self._backward = lambda: None

    def __repr__(self):
        print('--- value ---')
        print('data :', self.data)
        print('grad :', self.grad)
        print('from :', self._op or 'nothing')
        return f'Value(data={self.data}, grad={self.grad})'

    def __add__(self, other):
        if type(other) in (int, float):
            other = Value(other)
        out = Value(self.data + other.data, [self, other], '+')

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        print('made', out._op)
        return out

    def __mul__(self, other):
        if type(other) in (int, float):
            other = Value(other)
        out = Value(self.data * other.data, [self, other], '*')

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        print('made', out._op)
        return out

    def backward(self):
        topo = []
        visited = []

        def build_topo(v):
            if v not in visited:
                visited.append(v)
                for child in v._prev:
                    build_topo(child)
                topo.append(v)

        build_topo(self)
        print(len(topo), 'nodes')
        self.grad = 1
        for v in topo[::-1]:
            v._backward()


a = Value(2.0)
b = Value(-3.0)
print(a + b, a * b)
