"""Send gradients down on the student's side, in one message each: a test's own traversal, without ``backward``."""

from typing import Any

from autograder.bridge.inside.attribute_name_translation import get_attribute_by_handout_name

PLAIN_NUMBERS = (int, float, bool)


def call_local_backward(node: Any, upstream_gradient: Any) -> None:
    """Put a gradient on a node and call its ``_backward``."""
    node.grad = upstream_gradient
    get_attribute_by_handout_name(node, "_backward")()


def propagate_gradient(
    result_node: Any, upstream_gradient: Any, keeps_inner_gradients: bool, visits_last_operand_first: bool
) -> None:
    """See ``StudentProxy.propagate_gradient``."""
    order: list[Any] = []
    seen_ids = {id(result_node)}
    stack = [(result_node, iter(operands := _list_operands(result_node, visits_last_operand_first)), bool(operands))]
    while stack:
        node, remaining, is_inner = stack[-1]
        for operand in remaining:
            if id(operand) not in seen_ids:
                seen_ids.add(id(operand))
                operands_below = _list_operands(operand, visits_last_operand_first)
                stack.append((operand, iter(operands_below), bool(operands_below)))
                break
        else:
            stack.pop()
            if is_inner or node is result_node:
                if not keeps_inner_gradients:
                    node.grad = 0.0
                order.append(node)
            elif node.grad is None:  # a constant that an operator made
                node.grad = 0.0
    result_node.grad = upstream_gradient
    for node in reversed(order):
        get_attribute_by_handout_name(node, "_backward")()


def _list_operands(node: Any, last_first: bool) -> list[Any]:
    prev = get_attribute_by_handout_name(node, "_prev")
    operands = [] if prev is None else [operand for operand in prev if type(operand) not in PLAIN_NUMBERS]
    return operands[::-1] if last_first else operands
