"""List programs that keep something from one test to the next, or might."""

from __future__ import annotations

KEEPS = {
    "a default list that grows": """
        class Value:
            def __init__(self, data, _prev=[]):
                self._prev = _prev
            def add(self, other): self._prev.append(other)
        """,
    "a default dict that is returned": "def order(root, seen={}):\n    return seen",
    "a default made by a call": "class Box: ...\ndef order(root, box=Box()):\n    box.seen = root",
    "a list of the class": """
        class Value:
            tape = []
            def __init__(self, data): self.tape.append(data)
        """,
    "an annotated list of the class": "class Value:\n    tape: list = []\n    def f(self): self.tape.append(1)",
    "a counter of the class": """
        class Value:
            count = 0
            def __init__(self, data): Value.count += 1
        """,
    "a counter by type(self)": """
        class Value:
            n = 0
            def __init__(self, data): type(self).n += 1
        """,
    "a counter by __class__": """
        class Value:
            n = 0
            def __init__(self, data): self.__class__.n += 1
        """,
    "a counter by cls": """
        class Value:
            n = 0
            @classmethod
            def made(cls): cls.n += 1
        """,
    "a class under another name": """
        class Value:
            n = 0
            def __init__(self):
                kind = type(self)
                kind.n += 1
        """,
    "a class under another name of the module's": """
        class Value:
            n = 0
            def __init__(self):
                kind = Value
                kind.n += 1
        """,
    "a global": "count = 0\ndef made():\n    global count\n    count += 1",
    "a list of the module": "tape = []\ndef made(): tape.append(1)",
    "a dict of the module": "seen = {}\nclass Value:\n    def __init__(self, data): seen[id(self)] = data",
    "a list of the module under two names": "a = []\nb = a\ndef made(): b.append(1)",
    "an object of the module": """
        class Box: ...
        box = Box()
        class Value:
            def __init__(self, data): box.last = data
        """,
    "a list of the module that is unpacked": "a, b = [], []\ndef made(): a.append(1)",
    "a list made by a loop": "for tape in [[]]: pass\ndef made(): tape.append(1)",
    "a list made by with": "from contextlib import *\nwith nullcontext([]) as tape: ...\ndef f(): tape.pop()",
    "a list made by :=": "if (tape := [1]): pass\ndef made(): tape.append(1)",
    "a cache": "from functools import lru_cache\n@lru_cache\ndef tanh(x): return x",
    "a cache by another name": "import functools as f\n@f.cache\ndef tanh(x): return x",
    "a function that is told something through an attribute": """
        def nothing(): ...
        class Value:
            def __init__(self): self._backward = nothing
            def backward(self): self._backward.calls = 1
        """,
    "a function that is told something by its attribute's name": """
        def nothing(): ...
        class Value:
            def __init__(self): self._backward = nothing
            def backward(self):
                told = getattr(self, '_backward')
                told.calls = 1
        """,
    "a setting of the interpreter, from an import inside": """
        def deeper():
            import sys
            sys.last_value = 1
        """,
    "the dict of a class": "class Value:\n    n = []\n    def f(self): Value.__dict__['n'].append(1)",
    "a class that is named inside an expression": """
        class Value:
            n = 0
            def __init__(self): (kind := Value).n += 1
        """,
    "a property over a list of the module": "tape = []\nclass Value:\n    data = property(tape.append)",
    "a closure made while loading": """
        def counter():
            count = 0
            def up():
                nonlocal count
                count += 1
                return count
            return up
        up = counter()
        class Value:
            def __init__(self): self.number = up()
        """,
    "a closure over a list, made while loading": """
        def recorder():
            tape = []
            return lambda: tape.append(1)
        record = recorder()
        class Value:
            def __init__(self): record()
        """,
    "a counter of itertools": "import itertools\nids = itertools.count()\ndef number(): return next(ids)",
    "a generator of the module": "ids = (n for n in range(9))\ndef made(): return next(ids)",
    "an attribute of a function": "def made(): made.count = 1",
    "an attribute of a function, read": "def made(): return made.seen.append(1)\nmade.seen = []",
    "the recursion limit": "import sys\nclass Value:\n    def backward(self): sys.setrecursionlimit(9999)",
    "the recursion limit by its own name": "from sys import setrecursionlimit\ndef f(): setrecursionlimit(9)",
    "an attribute of a library": "import math\ndef made(): math.seen = 1",
    "setattr": "class Value:\n    def __init__(self): setattr(Value, 'n', 1)",
    "globals": "def made(): globals()['n'] = 1",
    "a file": "def made(): open('n', 'w')",
    "a module that is not known": "import os\nos.environ['n'] = '1'",
    "a metaclass": "class Meta(type): ...\nclass Value(metaclass=Meta): ...",
    "a decorator of its own": "def keep(f): return f\n@keep\ndef made(): ...",
    "a list that the class is given later": """
        class Value:
            def __init__(self): self.tape.append(1)
        Value.tape = []
        """,
    "the limit of a library under another name": "import sys as s\ndef backward(): s.setrecursionlimit(9999)",
    "a part of a list of the module": "tapes = [[]]\ntape = tapes[0]\ndef made(): tape.append(1)",
    "no Python": "def (:",
    "the annotations of a function": "def f(x): ...\ndef g(): f.__annotations__['n'] = 1",
    "a dict reached by the name of an attribute": """
        import operator
        def f(): ...
        def g(): operator.attrgetter('__dict__')(f).update(n=1)
        """,
    "a dict reached by getattr": "def f(): ...\ndef g():\n    d = getattr(f, '__dict__')\n    d['n'] = 1",
    "a dict reached by getattr with a computed name": """
        def f(): ...
        def g():
            d = getattr(f, '__di' + 'ct__')
            d['n'] = 1
        """,
    "a list of a library": "import heapq\ndef f(): heapq.__all__.append(1)",
    "a list of a library that is imported by name": "from heapq import __all__ as names\ndef f(): names.append(1)",
    "loaded modules": "import sys\nmods = sys.modules\ndef f(): mods.update(n=1)",
    "a class of a library under another name": """
        import collections
        def f():
            kind = collections.Counter
            kind.n = 1
        """,
    "a class of a library that is returned": "from collections import Counter\ndef f(): return Counter",
    "a method that changes what it is given": "import operator\nn = [0]\ndef f(): operator.setitem(g(), 0, 1)",
    "fields of a dataclass": "import dataclasses\ndef f(x):\n    one = dataclasses.fields(x)[0]\n    one.name = 'n'",
    "settings of numpy": "import numpy as np\ndef f(): np.seterr(all='raise')",
    "what a module loads with": "import math\ndef f(): math.__spec__.parent = 1",
    "a class that is handed to a function": """
        class Value: n = 0
        def bump(kind): kind.n += 1
        def f(): bump(Value)
        """,
    "a class in a list": "class Value: n = 0\ndef f():\n    for kind in [Value]: kind.n += 1",
    "a class under a name of a condition": """
        class Value: n = 0
        def f(x):
            kind = Value if x else Value
            kind.n += 1
        """,
    "a class that is returned": """
        class Value: n = 0
        def kind(): return Value
        def f():
            one = kind()
            one.n += 1
        """,
    "a class that an object returns": """
        class Value:
            n = 0
            def kind(self): return self.__class__
            def f(self):
                one = self.kind()
                one.n += 1
        """,
    "a class as a default value": "class Value: n = 0\ndef f(kind=Value): kind.n += 1",
    "a class that another one holds": """
        class Value: n = 0
        class Box:
            kind = Value
            def f(self): self.kind.n += 1
        """,
    "a class that another one is given": """
        class Value: n = 0
        class Box:
            def f(self): self.kind.n += 1
        Box.kind = Value
        """,
    "a static method": """
        class Value:
            @staticmethod
            def s(): ...
            def f(self): self.s.n = 1
        """,
    "a class method whose class has another name": """
        class Value:
            n = 0
            @classmethod
            def made(kind): kind.n += 1
        """,
    "the class of an exception that leaves a block": """
        class Over(Exception): n = 0
        class Block:
            def __enter__(self): ...
            def __exit__(self, kind, error, trace): kind.n += 1
        """,
    "the frame of an exception": """
        def f():
            try: 1 / 0
            except ZeroDivisionError as error: g(error).tb_frame.f_globals.update(n=1)
        """,
    "a list of the module beside a lambda with its name": """
        tape = []
        def f(x):
            tape.append(x)
            return lambda tape: 0
        """,
    "a list of the module beside a comprehension with its name": """
        tape = []
        def f(x): return [tape for tape in tape.append(x) or ()]
        """,
    "a closure that tests ask for": """
        def recorder():
            tape = []
            return lambda: tape.append(1) or len(tape)
        Value = recorder()
        """,
    "an object that is built in": "def f(): exit.n = 1",
    "the type function under another name": "def f(x):\n    kind = [*map(type, [x])][0]\n    kind.n += 1",
    "a class method made by a call": "def made(kind): kind.n += 1\nclass Value:\n    up = classmethod(made)",
    "a member of an enumeration": """
        from enum import Enum
        class Op(Enum): ADD = 1
        def f():
            op = Op.ADD
            op.seen = 1
        """,
    "an attribute that is set on any object": "def f(): ...\ndef g(x): object.__setattr__(x, 'n', 1)",
    "a function that a partial one holds": """
        from functools import partial
        def f(): ...
        def g():
            inner = partial(f).func
            inner.n = 1
        """,
}
"""What keeps something, or looks as if it might."""
