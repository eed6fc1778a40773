"""Experiments on new Values: the number, the gradient, and whether two of them share anything."""

from __future__ import annotations

from autograder.bridge import LocalStudent, Student
from autograder.diagnosis.probes.reading import Lab, close, is_object

NUMBERS = (2.0, -3.5, 0.0, 7, 1e-6, 0.123456789, 12345.678, 2.0)


def probe_values(lab: Lab, student: Student | LocalStudent) -> None:
    """Make leaves, and read them."""
    with lab.experiment("made"):
        made = [*student.make(student.get("Value"), NUMBERS)]
        if not all(map(is_object, made)):
            lab.find("value-is-no-object")
            return
    if lab.trouble:
        lab.find("value-raises", error=lab.trouble.kind)
        return
    if made[0] is made[-1]:
        lab.note("equal numbers", "one object")
        lab.find("equal-numbers-are-one-object")
    for name in ("data", "grad", "_prev"):
        with lab.experiment(name):
            got = [*student.get_all(made, name)]
            if name == "_prev":
                lab.note("_prev", *({0 if one is None else len(one) for one in got}))
                if any(one is not None and len(one) for one in got):
                    lab.find("leaf-has-operands")
                continue
            lab.note(name, *got)
            for number, value in zip(NUMBERS, got, strict=True):
                right = number if name == "data" else 0.0
                if not close(value, right) and name == "data" and all(close(one, NUMBERS[-1]) for one in got):
                    lab.find("values-share-their-number", number=number, got=value)
                elif not close(value, right):
                    wrong = "number-is-not-kept" if name == "data" else "gradient-does-not-start-at-zero"
                    lab.find(wrong, number=number, got=value)
        if lab.trouble and name != "_prev":
            lab.find("value-has-no-data" if name == "data" else "value-has-no-grad", error=lab.trouble.kind)
    with lab.experiment("one is set"):
        student.set_all([(made[0], "grad", 5.0), (made[0], "data", 9.0)])
        grads, numbers = student.get_all(made[:2], "grad"), student.get_all(made[:2], "data")
        lab.note("one is set", *grads, *numbers)
        if not close(grads[0], 5.0) or not close(numbers[0], 9.0):
            lab.find("attributes-cannot-be-set")
        if close(grads[1], 5.0):
            lab.find("values-share-their-gradient")
        if close(numbers[1], 9.0):
            lab.find("values-share-their-number", number=NUMBERS[1], got=numbers[1])
    _look_after_an_operation(lab, student)


def _look_after_an_operation(lab: Lab, student: Student | LocalStudent) -> None:
    """Whether leaves get operands once something was made of others; an operation that fails says nothing here."""
    lines = [*lab.lines]
    with lab.experiment("after an operation"):
        kind = student.get("Value")
        a, b = student.make(kind, (2.0, 3.0))
        made = a + b
        (fresh,) = student.make(kind, (4.0,))
        below = [one for one in student.get_all([a, b, fresh], "_prev") if one is not None]
        if made is not a and any(len(one) for one in below):
            lab.note("after an operation", "leaves have operands")
            lab.find("leaf-has-operands")
    if lab.trouble:
        lab.lines[:] = lines
