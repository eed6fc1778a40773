"""Second: gradients. One operation alone, then the order, then nodes that are used more than once.

Where the order matters, an expression is tried together with its mirror image, in which all operands have changed
sides: an engine may go to either side first, and both must come out right.
"""

from value import Value


def test_a_sum_passes_its_gradient_on_to_both_operands():
    """In c = a + b both operands receive the gradient of c unchanged."""
    a, b = Value(2.0), Value(3.0)
    c = a + b
    c.grad = -4.0
    c._backward()
    hint = "Only c._backward() was called, with c.grad = -4. Both local derivatives of a sum are 1."
    assert a.grad == -4.0, f"a.grad is {a.grad}, expected -4.0 (1 * -4). {hint}"
    assert b.grad == -4.0, f"b.grad is {b.grad}, expected -4.0 (1 * -4). {hint}"


def test_a_product_passes_on_its_gradient_times_the_other_operand():
    """In c = a * b each operand receives the gradient of c times the other operand's number."""
    a, b = Value(2.0), Value(3.0)
    c = a * b
    c.grad = -4.0
    c._backward()
    hint = "Only c._backward() was called, with c.grad = -4. d(a*b)/da = b, d(a*b)/db = a."
    assert a.grad == -12.0, f"a.grad is {a.grad}, expected -12.0 (3 * -4). {hint}"
    assert b.grad == -8.0, f"b.grad is {b.grad}, expected -8.0 (2 * -4). {hint}"


def test_backward_starts_with_a_gradient_of_one():
    """backward() gives the node it is called on a gradient of 1 and passes that on."""
    a, b = Value(2.0), Value(3.0)
    c = a + b
    c.backward()
    assert c.grad == 1.0, f"c.grad is {c.grad}, expected 1.0: the derivative of c with respect to itself."
    assert a.grad == 1.0, f"a.grad is {a.grad}, expected 1.0. Is c.grad set before c._backward() is called?"


def test_backward_goes_from_the_result_to_the_leaves():
    """In (a * b) * c the gradient reaches a and b through the inner product; so it does in c * (b * a)."""
    for form in ("(a * b) * c", "c * (b * a)"):
        a, b, c = Value(2.0), Value(3.0), Value(4.0)
        y = (a * b) * c if form == "(a * b) * c" else c * (b * a)
        y.backward()
        hint = "If it is 0, the inner product passed its gradient on before it had one: look at the order."
        assert a.grad == 12.0, f"y = {form}: a.grad is {a.grad}, expected 12.0 (b * c). {hint}"
        assert b.grad == 8.0, f"y = {form}: b.grad is {b.grad}, expected 8.0 (a * c). {hint}"
        assert c.grad == 6.0, f"y = {form}: c.grad is {c.grad}, expected 6.0 (a * b)."


def test_backward_follows_every_operand():
    """In a * b + c * d both products pass their gradient on, not only the first."""
    a, b, c, d = Value(2.0), Value(3.0), Value(4.0), Value(5.0)
    y = a * b + c * d
    y.backward()
    got = (a.grad, b.grad, c.grad, d.grad)
    expected = (3.0, 2.0, 5.0, 4.0)
    assert got == expected, f"the gradients of a, b, c, d are {got}, expected {expected}. Which was missed?"


def test_a_value_added_to_itself():
    """In b = a + a the Value a is used twice, so its gradient is 2."""
    a = Value(3.0)
    b = a + a
    b.backward()
    hint = "Two uses, two contributions: is the second one added to the first, or does it replace it?"
    assert a.grad == 2.0, f"a.grad is {a.grad}, expected 2.0. {hint}"


def test_a_shared_result_waits_for_all_of_its_users():
    """In y = n * c + n, n = a * b, the node n passes its gradient on once, when both users have contributed."""
    for form in ("n * c + n", "n + c * n"):
        a, b, c = Value(2.0), Value(3.0), Value(4.0)
        n = a * b
        y = n * c + n if form == "n * c + n" else n + c * n
        y.backward()
        hint = "n collects 4 from n * c and 1 from n, 5 in all, and only then passes on: look at the order."
        assert a.grad == 15.0, f"y = {form}: a.grad is {a.grad}, expected 15.0 (5 * 3). {hint}"
        assert b.grad == 10.0, f"y = {form}: b.grad is {b.grad}, expected 10.0 (5 * 2). {hint}"


def test_a_result_multiplied_by_itself_waits_for_a_user_further_away():
    """In y = n * n + ((n + b) + b) the product has n twice and is near; n waits for the sum below as well."""
    for form in ("n * n + ((n + b) + b)", "((b + n) + b) + n * n"):
        a, b = Value(3.0), Value(1.0)
        n = a + b
        y = n * n + ((n + b) + b) if form == "n * n + ((n + b) + b)" else ((b + n) + b) + n * n
        y.backward()
        hint = "n collects 4 + 4 from n * n and 1 from n + b, 9 in all, and only then passes on."
        assert a.grad == 9.0, f"y = {form}: a.grad is {a.grad}, expected 9.0. {hint}"
        assert b.grad == 11.0, f"y = {form}: b.grad is {b.grad}, expected 11.0: 9 from n, and 1 from each use of b."


def test_the_worked_example():
    """L = (a*b + c) * (a + b) at 2, 3, 1 is 35, with the gradients 22, 17 and 5; so is its mirror image."""
    for form in ("(a*b + c) * (a + b)", "(b + a) * (c + b*a)"):
        a, b, c = Value(2.0), Value(3.0), Value(1.0)
        L = (a * b + c) * (a + b) if form == "(a*b + c) * (a + b)" else (b + a) * (c + b * a)
        L.backward()
        assert L.data == 35.0, f"L = {form}: L.data is {L.data}, expected 35.0."
        assert a.grad == 22.0, f"L = {form}: a.grad is {a.grad}, expected 22.0: 15 from the product, 7 from the sum."
        assert b.grad == 17.0, f"L = {form}: b.grad is {b.grad}, expected 17.0: 10 from the product, 7 from the sum."
        assert c.grad == 5.0, f"L = {form}: c.grad is {c.grad}, expected 5.0: the other factor, a + b."
