"""Provide callables for the student's code that do a test's work without a message for each step."""

from typing import Any

from autograder.bridge.inside.determinism import use_sequential_hashes


@use_sequential_hashes
class CallThenSetAttributeRelay:
    """Calls a function of the test's, if there is one, then sets an attribute on some objects, in one message."""

    def __init__(self, function: Any, values: list[Any], name: str, content: Any) -> None:
        self.function, self.values, self.name, self.content = function, values, name, content

    def __call__(self) -> None:
        """Call the function, then set the attribute."""
        if self.function is not None:
            self.function()
        for value in self.values:
            setattr(value, self.name, self.content)


@use_sequential_hashes
class ReadAttributeThenCallRelay:
    """Keeps what an attribute is when it is called, then does what ``relay`` does.

    Attributes:
        found: what it was, call by call.
    """

    def __init__(self, value: Any, name: str, relay: CallThenSetAttributeRelay) -> None:
        self.value, self.name, self.relay = value, name, relay
        self.found: list[Any] = []

    def __call__(self) -> None:
        """Read the attribute, then call the relay."""
        self.found.append(getattr(self.value, self.name))
        self.relay()


@use_sequential_hashes
class WeightedGradientAdder:
    """Calls a recording callback, then gives each operand its weight times what the node has.

    See ``StudentProxy.make_gradient_adders``.
    """

    def __init__(self, callback: Any, node: Any, operands: list[Any], weights: list[float], name: str) -> None:
        self.callback, self.node, self.operands, self.weights, self.name = callback, node, operands, weights, name

    def __call__(self) -> None:
        """Call the callback, then add to each operand's attribute."""
        self.callback()
        own_value = getattr(self.node, self.name)
        earlier_values = [getattr(operand, self.name) for operand in self.operands]
        for operand, weight, earlier_value in zip(self.operands, self.weights, earlier_values, strict=True):
            setattr(operand, self.name, earlier_value + weight * own_value)
