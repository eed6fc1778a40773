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
SUM_GRADS = "            self.grad += out.grad\n            other.grad += out.grad\n"
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
RELEASE = "            for p in n._prev:\n                count[id(p)] -= 1\n"
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
    "backward_is_a_class_attribute": (WHOLE, [after("class Value:\n", "    def _backward(): pass\n\n"), (LEAF, "")]),
    # what one graph leaves behind for the next
    "numbers_restart_after_backward": (WHOLE, [*NUMBERED, VISITED_BY_NUMBER, after(CALL, STARTS_AGAIN)]),
    "numbers_restart_at_zero_grad": (
        WHOLE, [*NUMBERED, VISITED_BY_NUMBER, after("            v.grad = 0.0\n", STARTS_AGAIN)]
    ),
    "ages_restart_after_backward": (AGAIN, [
        *NUMBERED, (LOOP, "        for v in sorted(topo, key=lambda v: -v.number):\n"), after(CALL, STARTS_AGAIN)
    ]),
    "length_kept_by_id": (WHOLE, [
        after("import math\n", "REACHED = {}\n"),
        ("return topo\n", "known = REACHED.setdefault(id(self), len(topo))\n        return topo[-known:]\n"),
    ]),
    "gradients_kept_by_id": (WHOLE, [
        after("import math\n", "GRADS = {}\n"),
        ("        self.grad = 0.0\n", ""),
        after(LEAF, "\n    grad = property(\n"
                    "        lambda self: GRADS.get(id(self), 0.0), lambda self, g: GRADS.update({id(self): g})\n"
                    "    )\n"),
    ]),
    "order_of_ids": (ORDER, [(LOOP, "        for v in sorted(topo, key=id, reverse=True):\n")]),
    "visited_for_good": (AGAIN, [
        after("import math\n", "DONE = set()\n"),
        (CALL,
         "            if (id(v), id(self)) not in DONE or v is self:\n"
         "                v._backward()\n"
         "        DONE.update((id(v), id(self)) for v in topo if v._prev)\n"),
    ]),
    "sums_are_made_once": (FORWARD, [
        after("import math\n", "MADE = {}\n"),
        (SUM,
         '        if ("+", self, other) in MADE:\n'
         '            return MADE["+", self, other]\n'
         '        out = MADE["+", self, other] = Value(self.data + other.data, (self, other), "+")\n'),
    ]),
    "tanh_kept_by_number": (TANH, [
        after("import math\n", "MADE = {}\n"),
        after("    def tanh(self):\n", "        if self.data in MADE:\n            return MADE[self.data]\n"),
        ('out = Value(t, (self,), "tanh")', 'MADE[self.data] = out = Value(t, (self,), "tanh")'),
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
    "tape_is_cleared": (AGAIN, [
        after("import math\n", "TAPE = []\n"),
        after(LEAF, "        TAPE.append(self)\n"),
        ("topo = self._order()", "below = set(self._order())"),
        (f"{LOOP}{CALL}",
         "        for v in reversed(TAPE):\n"
         "            if v in below:\n"
         "                v._backward()\n"
         "        TAPE.clear()\n"),
    ]),
    # numbers of all kinds
    "numbers_are_rounded": (FORWARD, [(DATA, "self.data = round(data, 10)")]),
    "true_is_zero": (FORWARD, [(DATA, "self.data = float(data) if data is not True else 0.0")]),
    "plain_numbers_lose_their_sign": (FORWARD, [(PRODUCT, PRODUCT.replace("Value(other)\n", "Value(abs(other))\n"))]),
    "gradients_of_the_datas_type": (LOCAL, [
        (DATA, "self.data = float(data) if _prev else data"),
        after("class Value:\n",
              "    grad = property(\n"
              "        lambda self: self._grad, lambda self, g: setattr(self, '_grad', type(self.data)(g))\n"
              "    )\n\n"),
    ]),
    "products_cast_gradients": (LOCAL, [
        ("self.grad += other.data * out.grad", "self.grad += type(self.data)(other.data * out.grad)")
    ]),
    "sums_cast_gradients": (LOCAL, [("self.grad += out.grad", "self.grad = type(self.data)(self.grad + out.grad)")]),
    "bare_derivative_beside_plain_numbers": (LOCAL, [
        (PRODUCT,
         "        if not isinstance(other, Value):\n            return self.scale(other)\n" + PRODUCT),
        ("    def tanh(self):\n",
         "    def scale(self, k):\n"
         '        out = Value(k * self.data, (self,), "scale")\n'
         "        out._backward = lambda: setattr(self, 'grad', self.grad + k)\n"
         "        return out\n\n"
         "    def tanh(self):\n"),
    ]),
    "right_operand_gets_the_lefts_gradient": (LOCAL, [
        (SUM_GRADS, SUM_GRADS[:-1] + " if other is self else self.grad\n")
    ]),
    "derivative_as_a_quotient": (LOCAL, [
        (PRODUCT_GRADS,
         "            for one in (self, other):\n"
         "                one.grad += out.grad * (out.data / one.data if one.data else 0.0)\n"),
    ]),
    "zero_counts_as_one": (LOCAL, [
        ("other.grad += self.data * out.grad", "other.grad += (self.data or 1) * out.grad")
    ]),
    "tiny_shares_are_dropped": (LOCAL, [
        (PRODUCT_GRADS,
         "            for node, share in ((self, other.data * out.grad), (other, self.data * out.grad)):\n"
         "                if abs(share) >= 1e-9:\n"
         "                    node.grad += share\n"),
    ]),
    "tiny_gradients_end_the_walk": (ORDER, [
        (CALL, "            if abs(v.grad) > 1e-10:\n                v._backward()\n")
    ]),
    "huge_gradients_are_cut": (ORDER, [after(LOOP, "            v.grad = max(-1e8, min(1e8, v.grad))\n")]),
    "tanh_cut_off_at_zero": (TANH, [
        after("    def tanh(self):\n", '        if not self.data:\n            return Value(0.0, _op="tanh")\n')
    ]),
    "tanh_flat_at_zero": (TANH, [(TANH_GRAD, "self.grad += (1 - t * t if self.data else 0.0) * out.grad")]),
    "tanh_flat_far_out": (TANH, [(TANH_GRAD, "self.grad += (0.0 if abs(self.data) > 6 else 1 - t * t) * out.grad")]),
    "tanh_clipped": (TANH, [("t = math.tanh(self.data)", "t = math.tanh(max(-6, min(6, self.data)))")]),
    # what `_prev` holds is not what is walked through
    "prev_for_show": (ORDER, [
        after(OPERANDS, "        self.parents = tuple(_prev)\n"), ("for child in v._prev:", "for child in v.parents:")
    ]),
    "backward_by_a_saved_set": (ORDER, [
        *NUMBERED,
        after(OPERANDS, "        self._all = {self}.union(*(p._all for p in _prev))\n"),
        (LOOP, "        for v in sorted(self._all, key=lambda v: -v.number):\n"),
    ]),
    "zero_grad_by_a_saved_set": (AGAIN, [
        after(OPERANDS, "        self._below = set().union({self}, *(p._below for p in _prev))\n"),
        ("for v in self._order():", "for v in self._below:"),
    ]),
}  # fmt: skip
"""Made from ``closures.py``."""

COUNTED_QUEUE: dict[str, tuple[str, list[Edit]]] = {
    "queue_counts_users_not_uses": (ORDER, [COUNT_USERS]),
    "stack_counts_users_not_uses": (ORDER, [COUNT_USERS, ("n = ready.popleft()", "n = ready.pop()")]),
    "uses_counted_released_per_user": (ORDER, [(RELEASE, f"{EACH_ONCE}                count[id(p)] -= 1\n")]),
    "square_counts_as_one_use": (ORDER, [
        (COUNT, COUNT.replace(":\n", "[: 1 if len(n._prev) > 1 and n._prev[0] is n._prev[1] else None]:\n", 1))
    ]),
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
