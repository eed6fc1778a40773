"""Check what an expression of the student's nodes gives, as it stands and mirrored, in any right order."""

from functools import partial

from failure_of_any_order import raise_failure_of_any_order
from number_checks import close, is_finite_and_nonzero

from autograder.bridge import StudentError

FORWARD = "Compute each step by hand: the forward tests say which operation is wrong."
OPERATORS = "An operation passes on the wrong gradient: look at local gradients and accumulation first."
BACKWARD = "The operations are right here: look at the order, the seed, and which nodes are visited."


class Term:
    """A student's node in an expression; mirrored, the operands of every operation change places.

    A plain number stays on the right: on the left, it is a bonus.
    """

    def __init__(self, node, mirrored):
        self.node, self._mirrored = node, mirrored

    def __add__(self, other):
        if isinstance(other, int | float):
            return Term(self.node + other, self._mirrored)
        left, right = (other, self) if self._mirrored else (self, other)
        return Term(left.node + right.node, self._mirrored)

    def __mul__(self, other):
        if isinstance(other, int | float):
            return Term(self.node * other, self._mirrored)
        left, right = (other, self) if self._mirrored else (self, other)
        return Term(left.node * right.node, self._mirrored)

    def tanh(self):
        """Apply the student's ``tanh``."""
        return Term(self.node.tanh(), self._mirrored)


class ExpressionChecker:
    """An expression, tried with everything that the student wrote, as it stands and mirrored.

    What the operators' ``_backward`` give is seen in two valid orders of the test's own, so that an operator that is
    wrong is seen whichever order the student's ``backward()`` goes in. Every walk goes over an expression of its own:
    what a second walk over the same one does is another concept.
    """

    def __init__(self, student, Value):
        self._student, self._Value = student, Value

    def check(self, expression, numbers, data, grads):
        """Check that an expression over new leaves has these numbers and gradients."""
        raise_failure_of_any_order(
            *(partial(self._try, expression, numbers, data, grads, mirrored) for mirrored in (False, True))
        )

    def check_with_constants(self, expression, numbers, constants, data, grads):
        """Check an expression whose last arguments are plain numbers, or Values if the operators fail on numbers.

        What is wrong with a plain number costs marks in other concepts. ``grads`` holds those of the Values too.
        """

        def on_numbers(*leaves):
            return expression(*leaves, *constants)

        own = grads[: len(numbers)]
        try:
            for mirrored in (False, True):
                self.check_operators(on_numbers, numbers, data, own, mirrored)
        except (AssertionError, StudentError):
            self.check(expression, (*numbers, *constants), data, grads)
        else:
            self.check(on_numbers, numbers, data, own)

    def _try(self, expression, numbers, data, grads, mirrored):
        self.check_operators(expression, numbers, data, grads, mirrored)
        leaves = self.leaves(numbers)
        self.apply_to(expression, leaves, mirrored).backward()
        self.check_gradients(expression, leaves, grads)

    def check_operators(self, expression, numbers, data, grads, mirrored):
        """Check that the operators are right here, in whichever valid order their ``_backward`` are called."""
        self._check_number(expression, numbers, data, mirrored)
        raise_failure_of_any_order(
            *(partial(self._check_propagated, expression, numbers, grads, mirrored, order) for order in (False, True))
        )

    def _check_number(self, expression, numbers, data, mirrored):
        number = self.apply_to(expression, self.leaves(numbers), mirrored).data
        assert close(number, data), f"the expression gives {number}\n{FORWARD}"

    def _check_propagated(self, expression, numbers, grads, mirrored, last_first):
        leaves = self.leaves(numbers)
        got = self._propagate(leaves, self.apply_to(expression, leaves, mirrored), last_first=last_first)
        assert all(map(close, got, grads)), (
            f"with every _backward called in a right order, {describe_gradients(expression, got)}\n{OPERATORS}"
        )

    def _propagate(self, leaves, out, *, last_first):
        """Send a gradient down from the result in a valid order of the test's own; return those of the leaves."""
        self._student.set_attributes((leaf, "grad", 0.0) for leaf in leaves)
        self._student.propagate_gradient(out, last_first=last_first)
        return self._student.get_attributes(leaves, "grad")

    def check_backward(self, expression, numbers, data):
        """Check that ``backward()`` gives what the operators give in every valid order, right or not."""
        raise_failure_of_any_order(
            *(partial(self._try_backward, expression, numbers, data, mirrored) for mirrored in (False, True))
        )

    def _try_backward(self, expression, numbers, data, mirrored):
        grads = self.gradients_of_operators(expression, numbers, data, mirrored)
        leaves = self.leaves(numbers)
        self.apply_to(expression, leaves, mirrored).backward()
        self.check_gradients(expression, leaves, grads)

    def gradients_of_operators(self, expression, numbers, data, mirrored):
        """Return what the student's operators give the leaves, which is the same in two opposite valid orders.

        A wrong derivative is another concept, and costs nothing here.
        """
        leaves = self.leaves(numbers)
        self._student.set_attributes((leaf, "grad", position + 2.0) for position, leaf in enumerate(leaves))
        kept = self._student.get_attributes(leaves, "grad")
        assert all(map(close, kept, range(2, len(leaves) + 2))), "a leaf does not keep the gradient that was set"
        self._check_number(expression, numbers, data, mirrored)
        once, again = (
            self._propagate(leaves, self.apply_to(expression, leaves, mirrored), last_first=order)
            for order in (False, True)
        )
        assert all(map(is_finite_and_nonzero, once)), (
            f"with every _backward called in a right order, a leaf gets nothing\n{OPERATORS}"
        )
        assert all(map(close, again, once)), f"in two right orders, the leaves get different gradients\n{OPERATORS}"
        return once

    def gradients_after_two_passes(self, expression, numbers, mirrored, *, keep):
        """Let the operators send a gradient down twice, in a valid order; return those of the leaves.

        With ``keep``, the nodes in between keep what they have from the first time, and otherwise start at zero.
        """
        leaves = self.leaves(numbers)
        out = self.apply_to(expression, leaves, mirrored)
        self._propagate(leaves, out, last_first=False)
        self._student.propagate_gradient(out, keep_inner_grads=keep)
        return self._student.get_attributes(leaves, "grad")

    def leaves(self, numbers):
        """Make new leaves that hold these numbers."""
        return self._student.make_all(self._Value, numbers)

    def apply_to(self, expression, leaves, mirrored):
        """Return the node that an expression over these leaves gives."""
        return expression(*(Term(leaf, mirrored) for leaf in leaves)).node

    def check_gradients(self, expression, leaves, grads, when="after backward(), "):
        """Check that the leaves have these gradients, which the operators were seen to give before."""
        got = self._student.get_attributes(leaves, "grad")
        assert all(map(close, got, grads)), f"{when}{describe_gradients(expression, got)}\n{BACKWARD}"


def describe_gradients(expression, grads):
    """Return the gradients of an expression's leaves, in words."""
    names = expression.__code__.co_varnames[: expression.__code__.co_argcount]
    if len(names) < len(grads):
        return f"the gradients of its {len(grads)} leaves are wrong"
    return f"the gradients of {', '.join(names)} are {', '.join(map(str, grads))}"
