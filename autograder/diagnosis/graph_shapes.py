"""Describe small graphs by their shape: their nodes, and the operands of each node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

PLAIN, EQUAL, FALLING = "plain", "equal", "falling"


@dataclass(frozen=True, slots=True)
class GraphShape:
    """The nodes of a graph with their operands. The last node is the root, unless ``root`` names another one."""

    name: str
    operands: Mapping[str, tuple[str, ...]]
    """The operands of each node by its name; a node comes after its operands."""
    node_numbers: str = PLAIN
    """How numbers change from node to node: ``plain`` ones grow, ``equal`` ones stay, ``falling`` ones fall."""
    root: str = ""
    root_gradient_before: float = 0.0
    """The gradient that the root has before ``backward()``."""

    @property
    def root_name(self) -> str:
        """Return the name of the root."""
        return self.root or [*self.operands][-1]

    def make_mirror_image(self) -> GraphShape:
        """Return the same shape with the operands of every node in reverse order."""
        turned = {name: below[::-1] for name, below in self.operands.items()}
        return GraphShape(self.name, turned, self.node_numbers, self.root, self.root_gradient_before)

    def get_reachable_names(self, root: str = "") -> set[str]:
        """Return the names of ``root``, or of the shape's root if it is empty, and of all nodes below it."""
        found: set[str] = set()
        waiting = [root or self.root_name]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.operands[name]
        return found

    def get_nonleaf_names(self) -> set[str]:
        """Return the names of the nodes that can be reached from the root and are no leaves: they have operands."""
        return {name for name in self.get_reachable_names() if self.operands[name]}

    def compute_addition_gradients(self, root_gradient: float = 1.0) -> dict[str, float]:
        """Compute the right gradients after one ``backward()`` if every operation is an addition.

        Args:
            root_gradient: the gradient of the root.
        """
        below = self.get_reachable_names()
        grads = dict.fromkeys(self.operands, 0.0)
        grads[self.root_name] = root_gradient
        for name in reversed([*self.operands]):
            if name in below:
                for operand in self.operands[name]:
                    grads[operand] += grads[name]
        return grads

    def describe(self) -> str:
        """Describe the graph in words."""
        made = [f"{name} is made of {' and '.join(below)}" for name, below in self.operands.items() if below]
        if len(made) > 8:
            return f"a graph of {len(self.operands)} nodes"
        numbers = ", all with the same number" if self.node_numbers == EQUAL else ""
        return f"a graph where {', '.join(made)}{numbers}" if made else "a leaf"

    def list_node_values(self) -> list[float]:
        """Return the number that each node holds, in the order of the nodes."""
        count = len(self.operands)
        return [{PLAIN: at + 2.0, EQUAL: 2.0, FALLING: count + 1.0 - at}[self.node_numbers] for at in range(count)]


def parse_graph_shape(
    shape_name: str, shape_text: str, node_numbers: str = PLAIN, root: str = "", root_gradient_before: float = 0.0
) -> GraphShape:
    """Parse a shape from a text such as ``a b c=ab``: the leaves a and b, and c, which has the operands a and b.

    >>> parse_graph_shape("sum", "a b c=ab").operands
    {'a': (), 'b': (), 'c': ('a', 'b')}
    """
    parts = (part.partition("=") for part in shape_text.split())
    return GraphShape(
        shape_name, {one: tuple(below) for one, _, below in parts}, node_numbers, root, root_gradient_before
    )


def make_fibonacci_shape(node_count: int) -> GraphShape:
    """Make a shape in which each node has the two nodes before it as operands."""
    return GraphShape(
        f"ladder {node_count}", {f"n{i}": (f"n{i - 1}", f"n{i - 2}") if i > 1 else () for i in range(node_count)}
    )


def make_binary_tree_shape(depth: int) -> GraphShape:
    """Make the shape of a full binary tree with ``2**depth`` leaves."""
    operands: dict[str, tuple[str, ...]] = {f"t{i}": () for i in range(2**depth)}
    level = [*operands]
    while len(level) > 1:
        pairs = [*zip(level[::2], level[1::2], strict=True)]
        level = []
        for pair in pairs:
            name = f"t{len(operands)}"
            operands[name] = pair
            level.append(name)
    return GraphShape(f"tree {depth}", operands)


def list_misordered_pairs(called_node_names: Sequence[str], shape: GraphShape) -> list[tuple[str, str]]:
    """Return pairs of a node and one that uses it but was called after it; the user must be called first.

    >>> list_misordered_pairs(["a", "c"], parse_graph_shape("sum", "a b c=ab"))
    [('a', 'c')]
    """
    place = {name: at for at, name in enumerate(called_node_names)}
    return [
        (operand, name)
        for name, below in shape.operands.items()
        for operand in dict.fromkeys(below)
        if operand in place and name in place and place[operand] < place[name]
    ]


def pair_with_mirror_images(shapes: Iterable[GraphShape]) -> Iterator[tuple[GraphShape, GraphShape]]:
    """Yield each shape with its mirror image, because an engine may visit operands in either order."""
    for shape in shapes:
        yield shape, shape.make_mirror_image()
