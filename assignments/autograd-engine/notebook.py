# %% [markdown]
# # A scalar autograd engine
#
# You are going to write `Value`, a number that remembers how it was made, and with it `backward()`. The
# handout (`handout.md`) has the contract, the conventions and the marks; this notebook tells the story
# and checks your work as you go.
#
# There is **one cell to fill in**, the class below. The sections after it take it apart, in the order in
# which to write it. Read a section, scroll up, write, run the class cell again, come back, run the check.
#
# Nothing here breaks when something is not written yet, so *Run All* is always safe.

# %%
from notebook_check import run_tests, try_it

# %% [markdown]
# ## The class
#
# Replace each `raise NotImplementedError(...)` by your code.

# %%
# <value.py>

# %% [markdown]
# ## 1. Forward
#
# Write `__init__`, `__add__` and `__mul__`. An operation makes a new node that holds the result and, in
# `_prev`, the nodes it was made from. Leave the gradients for section 2: a node whose `_backward` does
# nothing is fine for now. A plain number on the right (`a + 1`, `a * 2`) becomes a node of its own first.
#
# The expression that goes with us from here to the end:


# %%
def forward():
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    L = (a * b + c) * (a + b)
    return f"L.data is {L.data} (expected: 35.0)"


try_it(forward)

# %%
run_tests("test_1_forward")

# %% [markdown]
# ## 2. Local gradients
#
# If `c = a * b`, then a small change of `a` changes `c` by `b` times as much: the *local* derivative is
# `b`. If we know how much the final result changes with `c` (that is `c.grad`), the chain rule says how
# much it changes with `a`, along this way: `b` times `c.grad`.
#
# That is all `_backward` does, for one operation: give each operand its share of the result's gradient.
# It is written when the operation is built and called later, when `c.grad` is known. What are the two
# local derivatives of a sum?
#
# Below we play `backward()` for a single node, with a gradient of -4 at the result. Say the two numbers
# to yourself before you run it.


# %%
def one_product():
    a, b = Value(2.0), Value(3.0)
    c = a * b
    c.grad = -4.0
    c._backward()
    return f"a.grad is {a.grad}, b.grad is {b.grad} (expected: -12.0 and -8.0)"


try_it(one_product)

# %% [markdown]
# ## 3. Order
#
# With more than one operation, somebody has to call all those `_backward`s. Let us do it by hand, once in
# each order, for `y = (a * b) * c` at 2, 3, 4. The derivative of `y` by `a` is `b * c`, 12.


# %%
def by_hand(inner_first):
    a, b, c = Value(2.0), Value(3.0), Value(4.0)
    n = a * b
    y = n * c
    y.grad = 1.0
    for node in (n, y) if inner_first else (y, n):
        node._backward()
    return f"a.grad is {a.grad}, b.grad is {b.grad}"


def inner_product_first():
    return by_hand(inner_first=True)


def result_first():
    return by_hand(inner_first=False)


try_it(inner_product_first)
try_it(result_first)

# %% [markdown]
# In the first order, `n` passes on its gradient before it has one. No error, no warning: zeros.
#
# So a node must wait until every node that *uses* it is done. Depth-first search gives such an order:
# list a node after all of its operands (post-order), each node once, and read the list from its end.
#
# Now write `backward`: the gradient of the result with respect to itself is 1, and from there it goes
# down.


# %%
def two_operations():
    a, b, c = Value(2.0), Value(3.0), Value(4.0)
    y = (a * b) * c
    y.backward()
    return f"the gradients of a, b, c are {a.grad}, {b.grad}, {c.grad} (expected: 12.0, 8.0, 6.0)"


try_it(two_operations)

# %% [markdown]
# ## 4. Accumulation
#
# What is the derivative of `a + a`? It is 2, and your engine should agree. If it says 1, the second
# contribution to `a` has replaced the first. A node that is used twice has two ways to matter, and the two add
# up.
#
# The second example has a *diamond*: `a` and `b` are used by the product and by the sum, and both lead to
# `f`.


# %%
def used_twice():
    a = Value(3.0)
    b = a + a
    b.backward()
    return f"a.grad is {a.grad} (expected: 2.0)"


def diamond():
    a, b = Value(-2.0), Value(3.0)
    f = (a * b) * (a + b)
    f.backward()
    return f"f.data is {f.data}, a.grad is {a.grad}, b.grad is {b.grad} (expected: -6.0, -3.0, -8.0)"


def worked_example():
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    L = (a * b + c) * (a + b)
    L.backward()
    return f"the gradients of a, b, c are {a.grad}, {b.grad}, {c.grad} (expected: 22.0, 17.0, 5.0)"


try_it(used_twice)
try_it(diamond)
try_it(worked_example)

# %% [markdown]
# These are the tests of sections 2, 3 and 4:

# %%
run_tests("test_2_backward")

# %% [markdown]
# ## 5. zero_grad
#
# Gradients add up *within* a `backward()`, so they also add up *across* two of them. Whoever trains a
# network has to clear them in between: that is `zero_grad`. It visits the same nodes as `backward`, in
# whatever order, and changes nothing but the gradients.
#
# What does a second `backward()` give without it? Not 22, but perhaps not 44 either: see section 7.


# %%
def second_backward():
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    L = (a * b + c) * (a + b)
    L.backward()
    once = a.grad
    L.backward()
    twice = a.grad
    L.zero_grad()
    cleared = a.grad
    L.backward()
    return f"a.grad is {once}, {twice}, {cleared}, {a.grad} (expected: 22.0, 81.0 or 44.0, 0.0, 22.0)"


try_it(second_backward)

# %%
run_tests("test_3_zero_grad")

# %% [markdown]
# ## 6. tanh
#
# One more operation, with one operand, and you have a neuron. With `t = tanh(x)`, the local derivative is
# `1 - t**2`. Mind that `t` is the *result*: no second tanh.


# %%
def neuron():
    x1, x2 = Value(2.0), Value(0.0)
    w1, w2 = Value(-3.0), Value(1.0)
    b = Value(6.8813735870195432)
    out = (x1 * w1 + x2 * w2 + b).tanh()
    out.backward()
    gradients = ", ".join(f"{node.grad:.4f}" for node in (x1, w1, x2, w2))
    return f"output {out.data:.4f}, gradients {gradients} (expected: 0.7071 and -1.5, 1.0, 0.5, 0.0)"


try_it(neuron)

# %%
run_tests("test_4_tanh")

# %% [markdown]
# That is all the handout asks for. The bonus is at the end of the class: with it you can write
# expressions the way you would on paper.


# %%
def bonus():
    x = Value(3.0)
    y = 6 / x - (5 - x) + x**2
    y.backward()
    return f"y.data is {y.data:.4f}, x.grad is {x.grad:.4f} (expected: 9.0000 and 6.3333)"


try_it(bonus)

# %% [markdown]
# ## 7. The same in PyTorch
#
# PyTorch computes these gradients too. After one `backward()` it agrees with you: 22, 17 and 5.
#
# After a second `backward()` without clearing, **PyTorch says 44 for `a`, and the simplest engine says
# 81**. In PyTorch only the leaves `a`, `b` and `c` keep a gradient; the nodes in between start from
# nothing each time, so the second call brings the same 22 as the first, and 22 + 22 = 44. In the simplest
# engine the nodes in between still hold what the first call left there, the second call adds to it, and
# passes *more* than 22 on: 59 this time, and 22 + 59 = 81. You get full marks for either. In practice,
# call `zero_grad()` and the question does not come up.
#
# If PyTorch is installed, the next cell runs both on the same expression, twice, and then on the neuron of
# section 6.

# %%
import warnings

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch would like to have NumPy; we do not need it
        import torch
except Exception:
    print("PyTorch is not installed here. Nothing is missing: the numbers are in the text above.")
else:

    def tensor(number):
        return torch.tensor(number, dtype=torch.float64, requires_grad=True)

    def two_backwards(make, **options):
        a, b, c = make(2.0), make(3.0), make(1.0)
        L = (a * b + c) * (a + b)
        L.backward(**options)
        once = ", ".join(str(float(leaf.grad)) for leaf in (a, b, c))
        L.backward(**options)
        twice = ", ".join(str(float(leaf.grad)) for leaf in (a, b, c))
        return f"a, b, c have {once} after one backward(), {twice} after two"

    def in_your_engine():
        return "your engine: " + two_backwards(Value)

    def in_pytorch():
        # PyTorch forgets the graph after a backward() unless it is told to keep it.
        return "PyTorch:     " + two_backwards(tensor, retain_graph=True)

    def neuron_gradients(make):
        x1, w1, x2, w2 = (make(number) for number in (2.0, -3.0, 0.0, 1.0))
        out = (x1 * w1 + x2 * w2 + make(6.8813735870195432)).tanh()
        out.backward()
        return ", ".join(f"{float(leaf.grad):.4f}" for leaf in (x1, w1, x2, w2))

    def neuron_in_both():
        return f"the neuron: {neuron_gradients(Value)} in your engine, {neuron_gradients(tensor)} in PyTorch"

    try_it(in_your_engine)
    try_it(in_pytorch)
    try_it(neuron_in_both)
