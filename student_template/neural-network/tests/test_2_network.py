"""Second: layers, and a network of them."""

import math

from value import MLP, Layer, Value


def with_numbers(layer, rows):
    """Give the neurons of a layer their weights, the last number of each row being the bias."""
    for neuron, row in zip(layer.neurons, rows, strict=True):
        for value, number in zip([*neuron.w, neuron.b], row, strict=True):
            value.data = number
    return layer


def test_a_layer_lists_its_outputs():
    """A layer gives a list with the output of each neuron, in order."""
    layer = with_numbers(Layer(2, 2, nonlin=False), [[2.0, -3.0, 0.5], [1.0, 4.0, -1.0]])
    outs = layer([3.0, 5.0])
    assert isinstance(outs, list), f"a layer gave a {type(outs).__name__}, expected a list."
    got = [out.data for out in outs]
    assert got == [-8.5, 22.0], f"the outputs are {got}, expected [-8.5, 22.0]."


def test_the_sizes_of_a_network():
    """MLP(3, [4, 2]) has a layer of 4 neurons with 3 weights each, and one of 2 neurons with 4 weights each."""
    net = MLP(3, [4, 2])
    neurons = [len(layer.neurons) for layer in net.layers]
    weights = [len(layer.neurons[0].w) for layer in net.layers]
    assert neurons == [4, 2], f"the layers have {neurons} neurons, expected [4, 2]."
    assert weights == [3, 4], f"their neurons have {weights} weights, expected [3, 4]."


def test_a_network_with_known_numbers():
    """The network of the handout gives 0.4098 for the point (2, 3), as one Value."""
    net = MLP(2, [2, 1])
    with_numbers(net.layers[0], [[0.5, -0.25, 0.1], [-0.75, 0.5, 0.2]])
    with_numbers(net.layers[1], [[1.5, -2.0, 0.3]])
    out = net([2.0, 3.0])
    assert isinstance(out, Value), f"the network gave a {type(out).__name__}, expected one Value."
    expected = 1.5 * math.tanh(0.35) - 2.0 * math.tanh(0.2) + 0.3
    assert math.isclose(out.data, expected), (
        f"the output is {out.data}, expected {expected}. The last layer has no tanh."
    )


def test_the_number_of_parameters():
    """MLP(3, [4, 4, 1]) has 41 parameters: 16 in the first layer, 20 in the second, 5 in the last."""
    net = MLP(3, [4, 4, 1])
    found = list(net.parameters())
    assert len(found) == 41, (
        f"parameters() gives {len(found)} Values, expected 41. Are the biases there, and all layers?"
    )
    assert any(one is net.layers[2].neurons[0].b for one in found), "parameters() must give the Values themselves."
