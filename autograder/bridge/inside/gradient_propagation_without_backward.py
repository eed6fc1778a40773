"""Send gradients down on the student's side, in one message each: a test's own traversal, without ``backward``."""

from typing import Any

from autograder.bridge.inside.determinism import hash_instances_in_order_of_first_use
from autograder.bridge.inside.handout_attribute_name_translation import get_attribute_by_handout_name

PLAIN_NUMBERS = (int, float, bool)


@hash_instances_in_order_of_first_use
class CallThenAddWeightedGradientsRelay:
    """Calls a note, then gives each operand its weight times what the node has; see ``StudentProxy.shares``."""

    def __init__(self, note: Any, node: Any, operands: list[Any], weights: list[float], name: str) -> None:
        self.note, self.node, self.operands, self.weights, self.name = note, node, operands, weights, name

    def __call__(self) -> None:
        """Call the note, then add to each operand's attribute."""
        self.note()
        own = getattr(self.node, self.name)
        before = [getattr(operand, self.name) for operand in self.operands]
        for operand, weight, had in zip(self.operands, self.weights, before, strict=True):
            setattr(operand, self.name, had + weight * own)


def set_gradient_and_call_local_backward(node: Any, upstream_gradient: Any) -> None:
    """Put a gradient on a node and call its ``_backward``."""
    node.grad = upstream_gradient
    get_attribute_by_handout_name(node, "_backward")()


def propagate_gradient(
    result_node: Any, upstream_gradient: Any, keeps_inner_gradients: bool, visits_last_operand_first: bool
) -> None:
    """See ``StudentProxy.pull``."""
    order: list[Any] = []
    seen = {id(result_node)}
    stack = [(result_node, iter(operands := _operands(result_node, visits_last_operand_first)), bool(operands))]
    while stack:
        node, left, inner = stack[-1]
        for operand in left:
            if id(operand) not in seen:
                seen.add(id(operand))
                below = _operands(operand, visits_last_operand_first)
                stack.append((operand, iter(below), bool(below)))
                break
        else:
            stack.pop()
            if inner or node is result_node:
                if not keeps_inner_gradients:
                    node.grad = 0.0
                order.append(node)
            elif node.grad is None:  # a constant that an operator made
                node.grad = 0.0
    result_node.grad = upstream_gradient
    for node in reversed(order):
        get_attribute_by_handout_name(node, "_backward")()


def _operands(node: Any, last_first: bool) -> list[Any]:
    found = get_attribute_by_handout_name(node, "_prev")
    operands = [] if found is None else [operand for operand in found if type(operand) not in PLAIN_NUMBERS]
    return operands[::-1] if last_first else operands
