"""$title."""


class Vector:
    """Some numbers, in order."""

    def __init__(self, numbers):
        """Keep the numbers in `self.numbers`, a list of its own: nobody else's list is kept, or changed."""
        # BEGIN SOLUTION
        self.numbers = list(numbers)
        # END SOLUTION

    def __add__(self, other):
        """Return a new vector with the sums of both vectors' numbers, place by place. Change neither of the two."""
        # BEGIN SOLUTION
        return Vector(a + b for a, b in zip(self.numbers, other.numbers))
        # END SOLUTION

    def dot(self, other):
        """Return the sum of the products of both vectors' numbers, place by place."""
        # BEGIN SOLUTION
        return sum(a * b for a, b in zip(self.numbers, other.numbers))
        # END SOLUTION
