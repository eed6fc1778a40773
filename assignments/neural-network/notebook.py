# %% [markdown]
# # A neural network
#
# You have an engine that knows gradients. Here you build what it is for: neurons, layers, a network, and
# the step that makes it a little less wrong. The handout (`handout.md`) has the contract, the numbers and
# the marks; this notebook tells the story and checks your work as you go.
#
# There is **one cell to fill in**, the code below. It begins with the engine, which is given; your part
# comes after it. Read a section, scroll up, write, run the code cell again, come back, run the check.
#
# Nothing here breaks when something is not written yet, so *Run All* is always safe.

# %%
from notebook_check import run_tests, try_it

# %% [markdown]
# ## The code
#
# Leave the given part as it is: the grader brings its own copy of it. Below it, replace each
# `raise NotImplementedError(...)` by your code.

# %%
# <value.py>

# %% [markdown]
# ## 1. A neuron
#
# A neuron asks one question about its inputs: it weighs them, adds a bias, and squashes the sum with tanh
# into a number between -1 and 1. The weights are Values, so after `backward()` each of them knows in which
# direction it should move.
#
# Where do the first weights come from? From chance: if all were equal, all neurons would ask the same
# question for ever.
#
# The tests need numbers they know, so they set them from outside, as the next cell does.


# %%
def one_neuron():
    neuron = Neuron(2)
    neuron.w[0].data, neuron.w[1].data, neuron.b.data = 0.5, -0.25, 0.1
    out = neuron([2.0, 3.0])
    out.backward()
    gradients = ", ".join(f"{value.grad:.4f}" for value in (*neuron.w, neuron.b))
    return f"output {out.data:.4f}, gradients {gradients} (expected: 0.3364 and 1.7737, 2.6606, 0.8869)"


try_it(one_neuron)

# %%
run_tests("test_1_neuron")

# %% [markdown]
# ## 2. Layers, and a network
#
# A layer is a row of neurons that all look at the same inputs. A network is a row of layers, each looking at
# what the one before it says. The last layer has no tanh: its answers may be any number.
#
# Take the small network of the handout and do the point (2, 3) on paper first. It takes two minutes.


# %%
def small_network():
    net = MLP(2, [2, 1])
    rows = [[0.5, -0.25, 0.1], [-0.75, 0.5, 0.2], [1.5, -2.0, 0.3]]
    neurons = [neuron for layer in net.layers for neuron in layer.neurons]
    for neuron, row in zip(neurons, rows, strict=True):
        for value, number in zip([*neuron.w, neuron.b], row, strict=True):
            value.data = number
    return net


def one_point():
    return f"the network gives {small_network()([2.0, 3.0]).data:.4f} (expected: 0.4098)"


def how_many():
    return f"MLP(3, [4, 4, 1]) has {len(list(MLP(3, [4, 4, 1]).parameters()))} parameters (expected: 41)"


try_it(one_point)
try_it(how_many)

# %%
run_tests("test_2_network")

# %% [markdown]
# ## 3. Learning
#
# A loss is one number that says how wrong all the answers are together. `backward()` from there tells every
# weight how the loss changes with it, and a step moves each weight the other way.
#
# Gradients *add up* in this engine. So before each `backward()` they must be cleared, or every step also
# follows all the steps before it. Watch the losses: forgetting it looks fine for four steps.


# %%
XS = [[2.0, 3.0], [3.0, -1.0], [0.5, 1.0], [1.0, -2.0]]
YS = [1.0, -1.0, 0.5, -2.0]


def six_losses():
    losses = ", ".join(f"{loss:.4f}" for loss in train(small_network(), XS, YS, 6, 0.05))
    return f"{losses} (expected: 12.8304, 8.2476, 3.7511, 1.0928, 0.5364, 0.2946)"


try_it(six_losses)

# %%
run_tests("test_3_training")

# %% [markdown]
# That is all the handout asks for. Here is what it was for: a network that starts with random weights and
# learns four points. Run the cell a few times. Then change the learning rate to 0.5, and see what happens.


# %%
def learning():
    net = MLP(2, [4, 1])
    losses = train(net, XS, YS, 300, 0.05)
    curve = ", ".join(f"{losses[step]:.4f}" for step in (0, 10, 30, 100, 299))
    answers = ", ".join(f"{net(x).data:.2f}" for x in XS)
    return f"the loss after 0, 10, 30, 100, 299 steps: {curve}; the answers are {answers} (asked for: {YS})"


try_it(learning)

# %% [markdown]
# ## 4. The same in PyTorch
#
# If PyTorch is installed, the next cell trains the same network there, from the same numbers. The losses
# agree to the last digit that is shown, because it does the same thing.

# %%
import warnings

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch would like to have NumPy; we do not need it
        import torch
except Exception:
    print("PyTorch is not installed here. Nothing is missing: the numbers are in the text above.")
else:

    def in_pytorch():
        def tensor(rows):
            return torch.tensor(rows, dtype=torch.float64, requires_grad=True)

        w1, b1 = tensor([[0.5, -0.25], [-0.75, 0.5]]), tensor([0.1, 0.2])
        w2, b2 = tensor([[1.5, -2.0]]), tensor([0.3])
        optimizer = torch.optim.SGD([w1, b1, w2, b2], lr=0.05)
        xs, ys = torch.tensor(XS, dtype=torch.float64), torch.tensor(YS, dtype=torch.float64)
        losses = []
        for _ in range(6):
            loss = torch.nn.functional.mse_loss((torch.tanh(xs @ w1.T + b1) @ w2.T + b2)[:, 0], ys)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(f"{loss.item():.4f}")
        return "PyTorch:      " + ", ".join(losses)

    def in_your_network():
        return "your network: " + ", ".join(f"{loss:.4f}" for loss in train(small_network(), XS, YS, 6, 0.05))

    try_it(in_your_network)
    try_it(in_pytorch)
