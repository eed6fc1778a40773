"""Say how to make fresh networks with known numbers, so that mistakes are named with a smallest example.

Right solutions draw other weights, list parameters in another order, leave other gradients behind a step and add up
in another order. So programs set every weight, clear gradients before they look at them, round, and ask of the drawn
weights only what all share.
"""

from autograder.diagnosis import Operation, make_call_diagnosis

NEURON = """\
{} = Neuron(2, {nonlin})
for value, number in zip([*{}.w, {}.b], {row}):
    value.data = number"""
LAYER = """\
{} = Layer(2, 2, {nonlin})
for neuron, row in zip({}.neurons, {rows}):
    for value, number in zip([*neuron.w, neuron.b], row):
        value.data = number"""
NET = """\
{} = MLP(2, [2, 1])
for neuron, row in zip([neuron for layer in {}.layers for neuron in layer.neurons], {net}):
    for value, number in zip([*neuron.w, neuron.b], row):
        value.data = number"""
FILLED = """\
net = MLP({sizes})
values = [value for layer in net.layers for neuron in layer.neurons for value in [*neuron.w, neuron.b]]
for place, value in enumerate(values):
    value.data = place % 5 * 0.5 - 0.75
"""
LINE = """\
net = MLP(2, [1])
for value, number in zip([*net.layers[0].neurons[0].w, net.layers[0].neurons[0].b], [2.0, 2.0, 0.5]):
    value.data = number
"""
OF_NEURON = "[*{Neuron:n}.w, {Neuron:n}.b]"
OF_LAYER = "[value for neuron in {Layer:n}.neurons for value in [*neuron.w, neuron.b]]"
LOSS = ("mean_squared_error",)
OF_NET = "[value for layer in {Net:n}.layers for neuron in layer.neurons for value in [*neuron.w, neuron.b]]"


def clear(values: str, grad: str = "0.0") -> str:
    """Return the statements that give Values a gradient."""
    return f"values = {values}\nfor value in values:\n    value.grad = {grad}\n"


def look_at_gradients(values: str, backward: str) -> str:
    """Return the statements that call ``backward()`` and collect the gradients of Values."""
    return f"{clear(values)}{backward}.backward()\n{{}} = [round(value.grad, 6) for value in values]"


def step(grad: float) -> str:
    """Return the statements that make a training step, with gradients from before, and collect the numbers."""
    return (
        clear(OF_NET, str(grad))
        + "train_step({Net:n}, {xs}, {ys}, {rate})\n{} = [round(value.data, 6) for value in values]"
    )


def count_parameters(values: str, owner: str) -> str:
    """Return the expression that says how often each Value is listed, and how many things are."""
    found = f"list({owner}.parameters())"
    return f"[[sum(one is value for one in {found}) for value in {values}], len({found})]"


diagnosis = make_call_diagnosis(
    values={
        "nonlin": [False, True],
        "row": [[2.0, -3.0, 0.5], [0.5, -0.25, 0.1], [-1.0, 0.5, 0.0]],
        "rows": [[[2.0, -3.0, 0.5], [1.0, 4.0, -1.0]], [[0.5, -0.25, 0.1], [-0.75, 0.5, 0.2]]],
        "net": [
            [[0.5, -0.25, 0.1], [-0.75, 0.5, 0.2], [1.5, -2.0, 0.3]],
            [[0.25, 0.5, -0.1], [0.5, -0.5, 0.3], [-1.0, 0.75, 0.5]],
        ],
        "x": [[3.0, 5.0], [2.0, 3.0], [0.0, 0.0], [-1.0, 0.5]],
        "number": [2.0, 3.0, -1.0],
        "nin": [3, 1, 2],
        "nouts": [[4, 2], [1], [3, 2, 1], [4, 4, 1]],
        "xs": [[[2.0, 3.0], [3.0, -1.0]], [[0.5, 1.0], [1.0, -2.0]]],
        "ys": [[1.0, -1.0], [0.5, -2.0]],
        "guesses": [[1.0, 3.0], [5.0, 1.0], [-2.0, 0.5]],
        "targets": [[0.0, 1.0], [3.0, 3.0]],
        "rate": [0.05, 0.02],
    },
    operations=[
        Operation("[len(list(Neuron({nin:n}).w)), Neuron({nin:n}).b.data]", about=("Neuron.__init__",)),
        Operation("len(dict.fromkeys(w.data for w in Neuron(8).w))", about=("Neuron.__init__",)),
        Operation(
            "len(dict.fromkeys(w.data for neuron in [Neuron(8), Neuron(8)] for w in neuron.w))",
            about=("Neuron.__init__",),
        ),
        Operation("any(abs(w.data) > 0.5 for w in Neuron(24).w)", about=("Neuron.__init__",)),
        Operation("[-1 <= w.data <= 1 for w in Neuron(24).w]", about=("Neuron.__init__",)),
        Operation("any(w.data < 0 for w in Neuron(24).w)", about=("Neuron.__init__",)),
        Operation(NEURON, gives="Neuron", about=("Neuron.__init__",)),
        Operation("round({Neuron}({x}).data, 6)", about=("Neuron.__call__",)),
        Operation(look_at_gradients(OF_NEURON, "{Neuron:n}({x})"), gives="Gradients", about=("Neuron.__call__",)),
        Operation(
            look_at_gradients("[Value({number}), Value({number})]", "{Neuron:n}(values)"),
            gives="Gradients",
            about=("Neuron.__call__",),
        ),
        Operation(count_parameters(OF_NEURON, "{Neuron:n}"), about=("Neuron.parameters",)),
        Operation("[len(list(neuron.w)) for neuron in Layer({nin}, 2).neurons]", about=("Layer.__init__",)),
        Operation(
            "len(dict.fromkeys(w.data for neuron in Layer(4, 3).neurons for w in neuron.w))",
            about=("Layer.__init__",),
        ),
        Operation(LAYER, gives="Layer", about=("Layer.__init__",)),
        Operation("[round(out.data, 6) for out in {Layer}({x})]", about=("Layer.__call__",)),
        Operation("len(Layer(2, 1)({x}))", about=("Layer.__call__",)),
        Operation(count_parameters(OF_LAYER, "{Layer:n}"), about=("Layer.parameters",)),
        Operation(
            "[[len(list(neuron.w)) for neuron in layer.neurons] for layer in MLP({nin}, {nouts}).layers]",
            about=("MLP.__init__",),
        ),
        Operation(
            "len(dict.fromkeys(net.layers[0].neurons[0].w[0].data for net in [MLP(2, [2]), MLP(2, [2])]))",
            about=("MLP.__init__",),
        ),
        Operation(NET, gives="Net", about=("MLP.__init__",)),
        Operation("round({Net}({x}).data, 6)", about=("MLP.__call__",)),
        Operation("len(MLP(2, [3])({x}))", about=("MLP.__call__",)),
        Operation("round({Net}.layers[0].neurons[0]({x}).data, 6)", about=("MLP.__init__",)),
        Operation(
            FILLED.replace("{sizes}", "2, [2, 2]") + "{} = [round(out.data, 6) for out in net({x})]",
            gives="Numbers",
            about=("MLP.__call__",),
        ),
        Operation(
            FILLED.replace("{sizes}", "2, [1, 1]") + "{} = round(net({x}).data, 6)",
            gives="Numbers",
            about=("MLP.__call__",),
        ),
        Operation(look_at_gradients(OF_NET, "{Net:n}({x})"), gives="Gradients", about=("MLP.__call__",)),
        Operation(count_parameters(OF_NET, "{Net:n}"), about=("MLP.parameters",)),
        Operation("round(mean_squared_error([Value(guess) for guess in {guesses}], {targets}).data, 6)", about=LOSS),
        Operation("round(mean_squared_error([Value(3.0)], [{number}]).data, 6)", about=LOSS),
        Operation(
            "round(mean_squared_error([Value(1.0), Value(4.0), Value({number})], [2.0, 1.0, 0.5]).data, 6)",
            about=LOSS,
        ),
        Operation(
            look_at_gradients("[Value(guess) for guess in {guesses}]", "mean_squared_error(values, {targets})"),
            gives="Gradients",
            about=LOSS,
        ),
        Operation(
            clear(OF_NET, "5.0")
            + "{Net:n}.zero_grad()\n{} = [[round(value.data, 6), value.grad] for value in values]",
            gives="Numbers",
            about=("MLP.zero_grad",),
        ),
        Operation("round(train_step({Net}, {xs}, {ys}, {rate}), 6)", about=("train_step",)),
        Operation(step(0.0), gives="Numbers", about=("train_step",)),
        Operation(step(7.0), gives="Numbers", about=("train_step",)),
        Operation("[round(loss, 6) for loss in train({Net}, {xs}, {ys}, 3, {rate})]", about=("train",)),
        Operation(
            LINE + "{} = [round(loss, 6) for loss in train(net, [[1.0, 2.0], [-1.0, 0.5]], [6.5, -0.5], 4, 0.1)]",
            gives="Numbers",
            about=("train",),
        ),
        Operation(
            LINE + "{} = [round(loss, 3) for loss in train(net, [[1.0, 2.0], [-1.0, 0.5]], [1.0, 2.0], 5, 0.8)]",
            gives="Numbers",
            about=("train",),
        ),
        Operation(
            "train({Net:n}, {xs}, {ys}, 2, {rate})\n{} = round({Net:n}({x}).data, 6)",
            gives="Numbers",
            about=("train",),
        ),
    ],
    observe={"Gradients": ["{}"], "Numbers": ["{}"]},
)
