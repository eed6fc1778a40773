# %% [markdown]
# # Topological sort
#
# In which order may gradients be passed on? You are going to write two short functions that answer this
# for any expression. The handout (`handout.md`) has the contract and the marks; this notebook tells the
# story and checks your work as you go.
#
# There is **one cell to fill in**, the functions below. Read a section, scroll up, write, run that cell
# again, come back, run the check. Nothing here breaks when something is not written yet, so *Run All* is
# always safe.

# %%
from notebook_check import run_tests, try_it

# %% [markdown]
# ## The functions
#
# Replace each `raise NotImplementedError(...)` by your code.

# %%
# <value.py>

# %% [markdown]
# ## 1. A graph
#
# An expression is a graph: every node knows its operands, in `_prev`. That is all your functions need, so
# a node can be as simple as this:


# %%
class Node:
    def __init__(self, name, _prev=()):
        self.name = name
        self._prev = _prev

    def __repr__(self):
        return self.name


# %% [markdown]
# And this is the graph of `f = (a*b) * (a + b)`: `p` is the product, `s` the sum. Both need both leaves.

# %%
a, b = Node("a"), Node("b")
p, s = Node("p", [a, b]), Node("s", [a, b])
f = Node("f", [p, s])

for node in (a, b, p, s, f):
    print(node, "has the operands", list(node._prev))

# %% [markdown]
# ## 2. Why order matters
#
# When gradients are passed on, every node pays its operands, and it should pay only when it has been paid
# by all of its users. Let us see what happens otherwise, with coins. The root starts with one coin, and
# every node in turn gives each of its operands as many coins as it holds. So each node should end up with
# one coin for each way that leads to it from the root.
#
# In the graph below, `y` uses `n` and `m`, and `m` uses `n` as well. Two ways lead from `y` to `a`: one
# straight through `n`, one through `m` and then `n`. The orders are given by hand.


# %%
def coins(order):
    purse = dict.fromkeys(order, 0)
    purse[order[0]] = 1
    for node in order:
        for operand in node._prev:
            purse[operand] += purse[node]
    return purse


n = Node("n", [a])
m = Node("m", [n])
y = Node("y", [n, m])

print("Two ways lead to a, so it should have 2 coins.")
print("In the order y m n a it has", coins([y, m, n, a])[a])
print("In the order y n m a it has", coins([y, n, m, a])[a])

# %% [markdown]
# In the second order `n` pays `a` before `m` has paid `n`. One coin never arrives, and nothing crashes.
# In an autograd engine that coin is a piece of a gradient.

# %% [markdown]
# ## 3. build_topo
#
# Depth-first search walks to a node's operands, their operands, and so on, down to the leaves, and never
# enters a node twice: that is what `visited` is for. If a node is noted down only when all of its
# operands have been (post-order), the list has operands before users. Write `build_topo`.
#
# Any of these four is right for `f`: `a b p s f`, `b a p s f`, `a b s p f`, `b a s p f`.


# %%
def five_nodes():
    topo = []
    build_topo(f, set(), topo)
    return topo


def without_a():
    topo = []
    build_topo(f, {a}, topo)
    return topo


try_it(five_nodes)
try_it(without_a)

# %% [markdown]
# The second call said that `a` has been visited already, so `a` is left out: `b p s f` or `b s p f`.

# %%
run_tests("test_1_build_topo")

# %% [markdown]
# ## 4. backward_order
#
# `backward()` starts at the root. Which way round does it need the list? Write `backward_order`, and the
# coins come out right without anybody choosing an order by hand.


# %%
def order_of_f():
    return backward_order(f)


def coins_of_a():
    return f"a has {coins(backward_order(y))[a]} coins (expected: 2)"


try_it(order_of_f)
try_it(coins_of_a)

# %%
run_tests("test_2_backward_order")

# %% [markdown]
# ## 5. The same in PyTorch
#
# PyTorch sorts the graph too, out of sight: `backward()` calls every node of it after all of the node's
# users. With every local derivative equal to 1, a gradient simply counts ways, as the coins did. So the
# graph of section 2, with a sum in place of every node, should give `a` the gradient 2.
#
# One thing to know before you build the whole engine. Call `backward()` a second time without clearing
# the gradients: for `L = (a*b + c) * (a + b)` at 2, 3, 1, **PyTorch says 44 for `a`**, twice the 22 of
# the first call, since only leaves keep their gradients there. **An engine that also keeps the gradients
# of the nodes in between says 81.** Both visit the nodes in the right order; they differ in what they
# keep.

# %%
import warnings

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch would like to have NumPy; we do not need it
        import torch
except Exception:
    print("PyTorch is not installed here. Nothing is missing: it would say 2.0.")
else:

    def in_pytorch():
        leaf = torch.tensor(3.0, requires_grad=True)
        n = leaf + 0
        m = n + 0
        y = n + m
        y.backward()
        return f"the gradient of a is {leaf.grad.item()}"

    try_it(in_pytorch)
