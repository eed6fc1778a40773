"""Engines with one mistake each, made from right ones by a few edits: where each loses marks, and what is edited."""

from __future__ import annotations

from pathlib import Path

ENGINES = Path(__file__).parents[1] / "data" / "engines"

FORWARD = "forward"
LOCAL = "local gradients"
ORDER = "topological order"
AGAIN = "zero_grad and double backward"
TANH = "tanh"
WHOLE = "the engine as a whole"

Edit = tuple[str, str]
"""What stands there once, and what takes its place."""

LEAF = "        self._backward = lambda: None\n"
DATA = "self.data = data"
OPERANDS = "        self._prev = _prev\n"
SUM = '        out = Value(self.data + other.data, (self, other), "+")\n'
PRODUCT = (
    "        other = other if isinstance(other, Value) else Value(other)\n"
    '        out = Value(self.data * other.data, (self, other), "*")\n'
)
PRODUCT_GRADS = "            self.grad += other.data * out.grad\n            other.grad += self.data * out.grad\n"
TANH_GRAD = "self.grad += (1 - t * t) * out.grad"
VISITED = "            if v not in visited:\n                visited.add(v)\n"
LOOP = "        for v in reversed(topo):\n"
CALL = "            v._backward()\n"
COUNT = "            for p in n._prev:\n                count[id(p)] = count.get(id(p), 0) + 1\n"
EACH_ONCE = "            for p in {id(q): q for q in n._prev}.values():\n"
COUNT_USERS = (COUNT, f"{EACH_ONCE}                count[id(p)] = count.get(id(p), 0) + 1\n")


def after(old: str, more: str) -> Edit:
    """Put something behind what stands there."""
    return old, old + more


NUMBERED = [
    after("class Value:\n", "    made = 0\n\n"),
    after(DATA, "\n        self.number = Value.made\n        Value.made += 1"),
]
VISITED_BY_NUMBER = (VISITED, VISITED.replace("v ", "v.number ").replace("(v)", "(v.number)"))
STARTS_AGAIN = "        Value.made = 0\n"

CLOSURES: dict[str, tuple[str, list[Edit]]] = {
    # users near and far, and operands that stand twice
    "levels_are_relaxed_three_times": (ORDER, [
        (LOOP,
         "        depth = dict.fromkeys(topo, 0)\n"
         "        for _ in range(3):\n"
         "            for v in topo:\n"
         "                for c in v._prev:\n"
         "                    depth[c] = max(depth[c], depth[v] + 1)\n"
         "        for v in sorted(topo, key=depth.get):\n"),
    ]),
    # what one graph leaves behind for the next
    "numbers_restart_after_backward": (WHOLE, [*NUMBERED, VISITED_BY_NUMBER, after(CALL, STARTS_AGAIN)]),
    "gradients_kept_by_id": (WHOLE, [
        after("import math\n", "GRADS = {}\n"),
        ("        self.grad = 0.0\n", ""),
        after(LEAF, "\n    grad = property(\n"
                    "        lambda self: GRADS.get(id(self), 0.0), lambda self, g: GRADS.update({id(self): g})\n"
                    "    )\n"),
    ]),
    "order_of_ids": (ORDER, [(LOOP, "        for v in sorted(topo, key=id, reverse=True):\n")]),
    "sums_are_made_once": (FORWARD, [
        after("import math\n", "MADE = {}\n"),
        (SUM,
         '        if ("+", self, other) in MADE:\n'
         '            return MADE["+", self, other]\n'
         '        out = MADE["+", self, other] = Value(self.data + other.data, (self, other), "+")\n'),
    ]),
    # right once, and wrong the second time
    "operands_in_a_filter": (AGAIN, [
        (OPERANDS, "        self._prev = filter(lambda one: one is not None, _prev)\n")
    ]),
    "backward_works_once": (AGAIN, [
        (f"{PRODUCT}\n        def _backward():\n",
         f"{PRODUCT}\n        def _backward():\n            out._backward = lambda: None\n"),
    ]),
    "products_forget_operands": (AGAIN, [
        after(CALL, '            if v._op == "*":\n                v._prev = ()\n')
    ]),
    "zero_grad_empties_products": (AGAIN, [
        after("            v.grad = 0.0\n",
              "            v._prev = v._prev and list(v._prev)\n"
              '            v._backward = v._backward if v._op != "*" else lambda: None\n'),
    ]),
    # numbers of all kinds
    "gradients_of_the_datas_type": (LOCAL, [
        (DATA, "self.data = float(data) if _prev else data"),
        after("class Value:\n",
              "    grad = property(\n"
              "        lambda self: self._grad, lambda self, g: setattr(self, '_grad', type(self.data)(g))\n"
              "    )\n\n"),
    ]),
    "tiny_shares_are_dropped": (LOCAL, [
        (PRODUCT_GRADS,
         "            for node, share in ((self, other.data * out.grad), (other, self.data * out.grad)):\n"
         "                if abs(share) >= 1e-9:\n"
         "                    node.grad += share\n"),
    ]),
    "tanh_flat_far_out": (TANH, [(TANH_GRAD, "self.grad += (0.0 if abs(self.data) > 6 else 1 - t * t) * out.grad")]),
    # what `_prev` holds is not what is walked through
    "prev_for_show": (ORDER, [
        after(OPERANDS, "        self.parents = tuple(_prev)\n"), ("for child in v._prev:", "for child in v.parents:")
    ]),
    "zero_grad_by_a_saved_set": (AGAIN, [
        after(OPERANDS, "        self._below = set().union({self}, *(p._below for p in _prev))\n"),
        ("for v in self._order():", "for v in self._below:"),
    ]),
}  # fmt: skip
"""Made from ``closures.py``."""

COUNTED_QUEUE: dict[str, tuple[str, list[Edit]]] = {
    "queue_counts_users_not_uses": (ORDER, [COUNT_USERS]),
    "passed_on_along_every_path": (ORDER, [
        ("        for node, slope in self._edges:\n            node.grad = node.grad + slope * self.grad\n",
         "        self._send(self.grad)\n\n"
         "    def _send(self, amount):\n"
         "        for node, slope in self._edges:\n"
         "            node.grad += slope * amount\n"
         "            node._send(slope * amount)\n"),
        ("        ready = deque([self])\n", "        self._backward()\n        ready = deque()\n"),
    ]),
    # right only while somebody else holds the nodes
    "operands_held_weakly": (WHOLE, [
        after("import math\n", "from weakref import ref\n"),
        ("        self._edges = list(edges)\n        self._prev = [node for node, _ in self._edges]\n",
         "        self._links = [(ref(node), slope) for node, slope in edges]\n\n"
         "    _edges = property(lambda self: [(link(), slope) for link, slope in self._links if link()])\n"
         "    _prev = property(\n"
         "        lambda self: [node for node, _ in self._edges],\n"
         "        lambda self, nodes: setattr(self, '_links', [(ref(node), 1) for node in nodes]),\n"
         "    )\n"),
    ]),
    "saved_values_are_emptied": (AGAIN, [
        after("            node.grad = node.grad + slope * self.grad\n", "        self._edges = []\n")
    ]),
}  # fmt: skip
"""Made from ``counted_queue.py``."""

WRONG = CLOSURES | COUNTED_QUEUE


def make_wrong_engine(name: str) -> str:
    """The source of an engine with a mistake."""
    base = "closures" if name in CLOSURES else "counted_queue"
    source = (ENGINES / f"{base}.py").read_text(encoding="utf-8")
    for old, new in WRONG[name][1]:
        assert source.count(old) == 1, (name, old)
        source = source.replace(old, new)
    return source
