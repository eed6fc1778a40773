"""Make engines with one mistake each from right ones, by a few edits."""

from __future__ import annotations

from pathlib import Path

RIGHT = Path(__file__).parents[1] / "data" / "engines" / "right"

CLOSURES: dict[str, list[tuple[str, str]]] = {
    "ages_restart_after_backward": [
        ("class Value:\n", "class Value:\n    made = 0\n\n"),
        (
            "        self._op = _op\n",
            "        self._op = _op\n        self.number = Value.made\n        Value.made += 1\n",
        ),
        ("for v in reversed(topo):", "for v in sorted(topo, key=lambda v: -v.number):"),
        ("            v._backward()\n", "            v._backward()\n        Value.made = 0\n"),
    ],
    "backward_by_a_saved_set": [
        ("class Value:\n", "class Value:\n    _count = 0\n\n"),
        (
            "        self._prev = _prev\n",
            "        self._prev = _prev\n"
            "        Value._count += 1\n"
            "        self._n = Value._count\n"
            "        self._all = {self}.union(*(p._all for p in _prev))\n",
        ),
        (
            "        for v in reversed(topo):\n",
            "        nodes = sorted(self._all, key=lambda v: -v._n)\n        for v in nodes:\n",
        ),
    ],
    "backward_works_once": [
        (
            '        out = Value(self.data * other.data, (self, other), "*")\n\n        def _backward():\n',
            '        out = Value(self.data * other.data, (self, other), "*")\n'
            "\n"
            "        def _backward():\n"
            "            out._backward = lambda: None\n",
        ),
    ],
    "gradients_kept_by_id": [
        ("import math\n", "import math\n\n\nGRADS = {}\n"),
        ("        self.grad = 0.0\n", ""),
        (
            "        self._backward = lambda: None\n",
            "        self._backward = lambda: None\n"
            "\n"
            "    @property\n"
            "    def grad(self):\n"
            "        return GRADS.get(id(self), 0.0)\n"
            "\n"
            "    @grad.setter\n"
            "    def grad(self, g):\n"
            "        GRADS[id(self)] = g\n",
        ),
    ],
    "huge_gradients_are_cut": [
        (
            "        for v in reversed(topo):\n",
            "        for v in reversed(topo):\n            v.grad = max(-1e8, min(1e8, v.grad))\n",
        ),
    ],
    "length_kept_by_id": [
        ("import math\n", "import math\n\n\nREACHED = {}\n"),
        (
            "        return topo\n",
            "        known = REACHED.setdefault(id(self), len(topo))\n        return topo[-known:]\n",
        ),
    ],
    "levels_are_relaxed_three_times": [
        (
            "        for v in reversed(topo):\n",
            "        depth = dict.fromkeys(topo, 0)\n"
            "        for _ in range(3):\n"
            "            for v in topo:\n"
            "                for c in v._prev:\n"
            "                    depth[c] = max(depth[c], depth[v] + 1)\n"
            "        for v in sorted(topo, key=depth.get):\n",
        ),
    ],
    "numbers_restart_at_zero_grad": [
        ("class Value:\n", "class Value:\n    made = 0\n\n"),
        (
            "        self._op = _op\n",
            "        self._op = _op\n        self.number = Value.made\n        Value.made += 1\n",
        ),
        (
            "            if v not in visited:\n                visited.add(v)\n",
            "            if v.number not in visited:\n                visited.add(v.number)\n",
        ),
        ("            v.grad = 0.0\n", "            v.grad = 0.0\n        Value.made = 0\n"),
    ],
    "operands_in_a_map": [
        (
            'out = Value(self.data + other.data, (self, other), "+")',
            'out = Value(self.data + other.data, map(Value.same, (self, other)), "+")',
        ),
        (
            "            self.grad += (1 - t * t) * out.grad\n"
            "\n"
            "        out._backward = _backward\n"
            "        return out\n"
            "\n",
            "            self.grad += (1 - t * t) * out.grad\n"
            "\n"
            "        out._backward = _backward\n"
            "        return out\n"
            "\n"
            "    @staticmethod\n"
            "    def same(v):\n"
            "        return v\n"
            "\n",
        ),
    ],
    "operands_saved_twice": [
        ("        self._prev = _prev\n", "        self._prev = _prev\n        self._nodes = tuple(_prev)\n"),
        ("for child in v._prev:", "for child in v._nodes:"),
    ],
    "plain_numbers_lose_their_sign": [
        (
            "        other = other if isinstance(other, Value) else Value(other)\n"
            '        out = Value(self.data * other.data, (self, other), "*")\n',
            "        other = other if isinstance(other, Value) else Value(abs(other))\n"
            '        out = Value(self.data * other.data, (self, other), "*")\n',
        ),
    ],
    "products_cast_gradients": [
        ("self.grad += other.data * out.grad", "self.grad += type(self.data)(other.data * out.grad)"),
    ],
    "products_forget_operands": [
        (
            "            v._backward()\n",
            '            v._backward()\n            if v._op == "*":\n                v._prev = ()\n',
        ),
    ],
    "sums_are_made_once": [
        ("import math\n", "import math\n\n\nMADE = {}\n"),
        (
            '        out = Value(self.data + other.data, (self, other), "+")\n',
            '        if ("+", self, other) in MADE:\n'
            '            return MADE["+", self, other]\n'
            '        out = MADE["+", self, other] = Value(self.data + other.data, (self, other), "+")\n',
        ),
    ],
    "sums_cast_gradients": [
        ("self.grad += out.grad", "self.grad = type(self.data)(self.grad + out.grad)"),
    ],
    "tanh_clipped": [
        ("t = math.tanh(self.data)", "t = math.tanh(max(-6, min(6, self.data)))"),
    ],
    "tanh_flat_at_zero": [
        ("self.grad += (1 - t * t) * out.grad", "self.grad += (1 - t * t if self.data else 0.0) * out.grad"),
    ],
    "tanh_flat_far_out": [
        ("self.grad += (1 - t * t) * out.grad", "self.grad += (0.0 if abs(self.data) > 6 else 1 - t * t) * out.grad"),
    ],
    "tanh_kept_by_number": [
        ("import math\n", "import math\n\n\nMADE = {}\n"),
        (
            "    def tanh(self):\n",
            "    def tanh(self):\n        if self.data in MADE:\n            return MADE[self.data]\n",
        ),
        ('out = Value(t, (self,), "tanh")', 'MADE[self.data] = out = Value(t, (self,), "tanh")'),
    ],
    "tape_is_cleared": [
        ("import math\n", "import math\n\n\nTAPE = []\n"),
        (
            "            other.grad += out.grad\n\n        out._backward = _backward\n",
            "            other.grad += out.grad\n\n        out._backward = _backward\n        TAPE.append(out)\n",
        ),
        (
            "            other.grad += self.data * out.grad\n\n        out._backward = _backward\n",
            "            other.grad += self.data * out.grad\n"
            "\n"
            "        out._backward = _backward\n"
            "        TAPE.append(out)\n",
        ),
        (
            "            self.grad += (1 - t * t) * out.grad\n\n        out._backward = _backward\n",
            "            self.grad += (1 - t * t) * out.grad\n"
            "\n"
            "        out._backward = _backward\n"
            "        TAPE.append(out)\n",
        ),
        ("topo = self._order()", "below = set(self._order())"),
        (
            "        for v in reversed(topo):\n            v._backward()\n",
            "        for v in reversed(TAPE):\n"
            "            if v in below:\n"
            "                v._backward()\n"
            "        TAPE.clear()\n",
        ),
    ],
    "tiny_gradients_end_the_walk": [
        ("            v._backward()\n", "            if abs(v.grad) > 1e-10:\n                v._backward()\n"),
    ],
    "tiny_shares_are_dropped": [
        (
            "            self.grad += other.data * out.grad\n            other.grad += self.data * out.grad\n",
            "            for node, share in ((self, other.data * out.grad), (other, self.data * out.grad)):\n"
            "                if abs(share) >= 1e-9:\n"
            "                    node.grad += share\n",
        ),
    ],
    "true_is_zero": [
        ("self.data = data", "self.data = float(data) if data is not True else 0.0"),
    ],
    "visited_for_good": [
        ("import math\n", "import math\n\n\nDONE = set()\n"),
        (
            "            v._backward()\n",
            "            if (id(v), id(self)) not in DONE or v is self:\n"
            "                v._backward()\n"
            "        DONE.update((id(v), id(self)) for v in topo if v._prev)\n",
        ),
    ],
    "zero_counts_as_one": [
        ("other.grad += self.data * out.grad", "other.grad += (self.data or 1) * out.grad"),
    ],
    "zero_grad_by_a_saved_set": [
        (
            "        self._prev = _prev\n",
            "        self._prev = _prev\n        self._below = set().union({self}, *(p._below for p in _prev))\n",
        ),
        ("for v in self._order():", "for v in self._below:"),
    ],
    "zero_grad_empties_products": [
        (
            "            v.grad = 0.0\n",
            "            v.grad = 0.0\n"
            "            v._prev = v._prev and list(v._prev)\n"
            '            v._backward = v._backward if v._op != "*" else lambda: None\n',
        ),
    ],
}
"""Edits of ``closures.py``: what stands there once, and what takes its place."""
COUNTED_QUEUE: dict[str, list[tuple[str, str]]] = {
    "queue_counts_users_not_uses": [
        (
            "            for p in n._prev:\n                count[id(p)] = count.get(id(p), 0) + 1\n",
            "            for p in {id(q): q for q in n._prev}.values():\n"
            "                count[id(p)] = count.get(id(p), 0) + 1\n",
        ),
    ],
    "square_counts_as_one_use": [
        (
            "            for p in n._prev:\n                count[id(p)] = count.get(id(p), 0) + 1\n",
            "            for p in n._prev[: 1 if len(n._prev) > 1 and n._prev[0] is n._prev[1] else None]:\n"
            "                count[id(p)] = count.get(id(p), 0) + 1\n",
        ),
    ],
    "stack_counts_users_not_uses": [
        (
            "            for p in n._prev:\n                count[id(p)] = count.get(id(p), 0) + 1\n",
            "            for p in {id(q): q for q in n._prev}.values():\n"
            "                count[id(p)] = count.get(id(p), 0) + 1\n",
        ),
        ("n = ready.popleft()", "n = ready.pop()"),
    ],
    "uses_counted_released_per_user": [
        (
            "            for p in n._prev:\n                count[id(p)] -= 1\n",
            "            for p in {id(q): q for q in n._prev}.values():\n                count[id(p)] -= 1\n",
        ),
    ],
}
"""Edits of ``counted_queue.py``: what stands there once, and what takes its place."""


def make_wrong_engine(name: str) -> str:
    """The source of an engine with a mistake."""
    base, edits = ("closures", CLOSURES[name]) if name in CLOSURES else ("counted_queue", COUNTED_QUEUE[name])
    source = (RIGHT / f"{base}.py").read_text(encoding="utf-8")
    for old, new in edits:
        assert source.count(old) == 1, (name, old)
        source = source.replace(old, new)
    return source
