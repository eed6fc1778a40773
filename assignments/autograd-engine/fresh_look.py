"""Look at an engine with full marks once more, with numbers that no earlier test used.

A table of the tests' inputs is right there and wrong here. No mark changes by it: the staff reads what was found.
"""

import math

EXPRESSIONS, OPERATIONS = 12, 5
TOLERANCE = 1e-6


def look(student, numbers):
    """Build a dozen small expressions, and compare their numbers and gradients with plain arithmetic.

    Args:
        student: see ``docs/writing-tests.md``.
        numbers: a ``random.Random`` of the course's secret and the submission.

    Raises:
        AssertionError: a number or a gradient is wrong.
    """
    make_value = student.get("Value")
    for _ in range(EXPRESSIONS):
        data = [_draw(numbers), _draw(numbers), _draw(numbers)]
        nodes = [make_value(number) for number in data]
        steps = [_choose(numbers, len(data) + place) for place in range(OPERATIONS)]
        for operation, one, other in steps:
            node, number = nodes[one], data[one]
            if operation == "tanh":
                nodes.append(node.tanh())
                data.append(math.tanh(number))
            else:
                right, right_number = (nodes[other], data[other]) if isinstance(other, int) else (other, other)
                nodes.append(node + right if operation == "+" else node * right)
                data.append(number + right_number if operation == "+" else number * right_number)
        nodes[-1].backward()
        gradients = _compute_gradients(data, steps)
        for place, name in enumerate("abc"):
            _compare(f"{name}.grad of {data[:3]}, {steps}", nodes[place].grad, gradients[place])
        _compare(f"the number of {data[:3]}, {steps}", nodes[-1].data, data[-1])


def _draw(numbers):
    return numbers.choice((-1, 1)) * round(numbers.uniform(0.3, 1.7), 4)


def _choose(numbers, count):
    """Return an operation, the place of its first operand, and that of its second, or a plain number."""
    newest = count - 1
    operation = numbers.choice(("+", "*", "*", "tanh"))
    return (
        operation,
        newest if newest > 2 else numbers.randrange(count),
        (_draw(numbers) if numbers.random() < 0.2 else numbers.randrange(count)),
    )


def _compute_gradients(data, steps):
    gradients = [0.0] * (len(data) - 1) + [1.0]
    for place in range(len(data) - 1, 2, -1):
        operation, one, other = steps[place - 3]
        upstream = gradients[place]
        if operation == "tanh":
            gradients[one] += (1 - data[place] ** 2) * upstream
            continue
        other_number = data[other] if isinstance(other, int) else other
        gradients[one] += upstream * (1 if operation == "+" else other_number)
        if isinstance(other, int):
            gradients[other] += upstream * (1 if operation == "+" else data[one])
    return gradients


def _compare(name, got, expected):
    assert isinstance(got, int | float), f"{name} is no number"
    assert math.isclose(got, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE), f"{name} is {got}, not {expected}"
