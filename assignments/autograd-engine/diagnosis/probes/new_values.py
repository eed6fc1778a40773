"""Experiments on new Values: the number, the gradient, and whether two of them share anything."""

from __future__ import annotations

from autograder.bridge import StudentProxy
from autograder.diagnosis.part_experiment_log import PartExperimentLog, is_close, is_student_object

NUMBERS = (2.0, -3.5, 0.0, 7, 1e-6, 0.123456789, 12345.678, 2.0)


def probe_new_values(log: PartExperimentLog, student: StudentProxy) -> None:
    """Make leaves, and read them."""
    with log.catch_failure("made"):
        made = [*student.make_all(student.get("Value"), NUMBERS)]
        if not all(map(is_student_object, made)):
            log.add_finding("value-is-no-object")
            return
    if log.last_failure:
        log.add_finding("value-raises", error=log.last_failure.exception_name)
        return
    if made[0] is made[-1]:
        log.record_readings("equal numbers", "one object")
        log.add_finding("equal-numbers-are-one-object")
    for name in ("data", "grad", "_prev"):
        with log.catch_failure(name):
            got = [*student.get_attributes(made, name)]
            if name == "_prev":
                log.record_readings("_prev", *({0 if one is None else len(one) for one in got}))
                if any(one is not None and len(one) for one in got):
                    log.add_finding("leaf-has-operands")
                continue
            log.record_readings(name, *got)
            for number, value in zip(NUMBERS, got, strict=True):
                right = number if name == "data" else 0.0
                if not is_close(value, right) and name == "data" and all(is_close(one, NUMBERS[-1]) for one in got):
                    log.add_finding("values-share-their-number", number=number, got=value)
                elif not is_close(value, right):
                    wrong = "number-is-not-kept" if name == "data" else "gradient-does-not-start-at-zero"
                    log.add_finding(wrong, number=number, got=value)
        if log.last_failure and name != "_prev":
            log.add_finding(
                "value-has-no-data" if name == "data" else "value-has-no-grad", error=log.last_failure.exception_name
            )
    with log.catch_failure("one is set"):
        student.set_attributes([(made[0], "grad", 5.0), (made[0], "data", 9.0)])
        grads, numbers = student.get_attributes(made[:2], "grad"), student.get_attributes(made[:2], "data")
        log.record_readings("one is set", *grads, *numbers)
        if not is_close(grads[0], 5.0) or not is_close(numbers[0], 9.0):
            log.add_finding("attributes-cannot-be-set")
        if is_close(grads[1], 5.0):
            log.add_finding("values-share-their-gradient")
        if is_close(numbers[1], 9.0):
            log.add_finding("values-share-their-number", number=NUMBERS[1], got=numbers[1])
    _look_after_an_operation(log, student)


def _look_after_an_operation(log: PartExperimentLog, student: StudentProxy) -> None:
    """Note whether leaves get operands once something was made of others; a failing operation says nothing here."""
    lines = [*log.lines]
    with log.catch_failure("after an operation"):
        kind = student.get("Value")
        a, b = student.make_all(kind, (2.0, 3.0))
        with log.mark_running_other_part():
            made = a + b
        (fresh,) = student.make_all(kind, (4.0,))
        below = [one for one in student.get_attributes([a, b, fresh], "_prev") if one is not None]
        if made is not a and any(len(one) for one in below):
            log.record_readings("after an operation", "leaves have operands")
            log.add_finding("leaf-has-operands")
    if log.last_failure:
        log.lines[:] = lines
