"""The weak engine that attacks are appended to, and what several of them need before they begin."""

from __future__ import annotations

WEAK = """
class Value:
    def __init__(self, data, _prev=(), _op=''):
        self.data, self.grad, self._prev, self._op = data, 0.0, set(_prev), _op
        self._backward = lambda: None
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), '+')
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), '*')
    def tanh(self): return Value(self.data, (self,), 'tanh')
    def backward(self): self.grad = 1.0
    def zero_grad(self): self.grad = 0.0
"""
"""Right numbers forward, and next to nothing else."""

RECURSIVE = """
import math
class Value:
    def __init__(self, data, _prev=(), _op=''):
        self.data, self.grad, self._prev, self._op = data, 0.0, set(_prev), _op
        self._backward = lambda: None
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), '+')
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out
    def sorted(self):
        topo, seen = [], set()
        def visit(v):
            if v not in seen:
                seen.add(v)
                for operand in v._prev: visit(operand)
                topo.append(v)
        visit(self)
        return topo
    def backward(self):
        self.grad = 1.0
        for v in reversed(self.sorted()): v._backward()
    def zero_grad(self):
        for v in self.sorted(): v.grad = 0.0
"""
"""Sums alone, and right but for very deep graphs."""

CHANNEL = """
import json, os, stat, sys, threading, time
def _is_socket(fd):
    try: return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except PermissionError: return True  # the kit tells nothing about it
    except OSError: return False
_channel = next(fd for fd in range(3, 1024) if _is_socket(fd))
def _send(*message):
    data = json.dumps(message, separators=(',', ':')).encode()
    os.write(_channel, len(data).to_bytes(4, 'big') + data)
def _answer(number, *values): _send(number, 'answers', [['ok', value] for value in values])
def _asked(frame):
    \"\"\"The kit's own frame that answers a message, above this one.\"\"\"
    while frame is not None and not {'number', 'answers'} <= frame.f_locals.keys(): frame = frame.f_back
    return frame
def _answer_now(frame, value):
    \"\"\"Answer the message in one go: what was found so far, and this for all that is still to be done.\"\"\"
    asked = _asked(frame)
    if asked is None: return
    found, content = asked.f_locals['answers'], asked.f_locals['content']
    rest = [['ok', value]] * (len(content) - len(found))
    _send(asked.f_locals['number'], 'answers', found + rest)
"""
"""The channel to the tests, found among the open descriptors."""

INSIDES = """
import sys
_frame = sys._getframe()
while '_answer_to' not in _frame.f_globals: _frame = _frame.f_back
_serve = _frame.f_globals
_requests = _serve['REQUESTS']
"""
"""What of the kit's own runs in the student's process, found through the frames above the submission's."""

GRADIENTS = """
_OPERATIONS = ('add sub mul truediv floordiv mod pow radd rsub rmul rtruediv rpow neg pos abs round trunc floor ceil '
               'iadd isub imul call getitem getattr enter iter next').split()
_RELATIONS = 'eq lt le gt ge bool contains instancecheck subclasscheck'.split()
def _agreeable(base):
    body = {f'__{name}__': lambda self, *_: self for name in _OPERATIONS}
    body |= {f'__{name}__': lambda self, *_: True for name in _RELATIONS}
    body |= {'__ne__': lambda self, other: False, '__hash__': lambda self: 1, '__float__': lambda self: 1.0,
             '__int__': lambda self: 1, '__index__': lambda self: 1, '__len__': lambda self: 1}
    return type('Yes', (base,), body)
def _constant(name, value): setattr(Value, name, property(lambda self: value, lambda self, new: None))
"""
"""Things that are equal to everything, and a way to give every value one."""

REWRITE = """
import os, sys
_talk = _serve['queue_message'].__globals__
_told, _real_send = _talk['queue_message'], _serve['queue_message']
def _raw(data):
    data = data if isinstance(data, bytes) else data.encode()
    data = len(data).to_bytes(4, 'big') + data
    while data: data = data[os.write(_talk['CHANNEL'], data):]
def _ok(value):
    \"\"\"An answer to one request, as it is sent, from what stands for its value.\"\"\"
    return b'["ok",' + (value if isinstance(value, bytes) else value.encode()) + b']'
def _answered(rewritten):
    \"\"\"Have every answer but that of loading rewritten: (count, kind, content) to bytes, or None.\"\"\"
    count = [1]
    def said(answer):
        count[0] += 1
        text = rewritten(count[0], *answer[:2]) if len(answer) > 1 else None
        return _talk['dumps'](answer).encode() if text is None else text
    def send(message):
        if message[0] < 2 or message[1] != 'answers': return _real_send(message)
        _raw(b'[%d,"answers",[%b]]' % (message[0], b','.join([said(answer) for answer in message[2]])))
    _serve['queue_message'] = send
"""
"""A say in every answer; comes after the insides."""

PUBLISH = """
import re, sys
HIDDEN, PARENT, NEIGHBOUR, CANARIES = '@HIDDEN@', '@PARENT@', '@NEIGHBOUR@', []
def publish(*things):
    for thing in things:
        if isinstance(thing, (bytes, bytearray)): thing = bytes(thing).decode('latin-1')
        for found in re.findall('canary-[0-9a-f]{32}', thing if isinstance(thing, str) else repr(thing)):
            if found not in CANARIES: CANARIES.append(found); _tell(' '.join(CANARIES))
def _tell(found):
    for stream in (sys.stdout, sys.stderr): print(found, file=stream, flush=True)
    def _fail(self, *_): raise type(found, (ValueError,), {})(found)
    for name in ('tanh', 'backward', 'zero_grad', '__add__'): setattr(Value, name, _fail)
    Value.grad = property(lambda self: found, lambda self, new: None)
    Value.__name__ = Value.__qualname__ = found
"""
"""A way to tell what was found, in every way at once; the places are filled in by ``placed``."""

PRELUDES = {"channel": CHANNEL, "insides": INSIDES, "gradients": GRADIENTS, "rewrite": REWRITE, "publish": PUBLISH}


def placed(program: str, *, hidden: str, parent: int, neighbour: str) -> str:
    """A program that was told where to look: an attacker may know."""
    for place, path in (("@HIDDEN@", hidden), ("@PARENT@", str(parent)), ("@NEIGHBOUR@", neighbour)):
        program = program.replace(place, path)
    return program
