"""What the kit tries on a wrong vector, to find the smallest program that goes wrong and the name of the mistake."""

from autograder.diagnosis import Operation, make_call_diagnosis

diagnosis = make_call_diagnosis(
    values={"numbers": [[2.0, 3.0], [4.0, -1.0], [0.5, 7.0], [-3.0, -2.0], [0.0, 5.0]]},  # all of one size
    operations=[
        Operation("Vector({numbers})", gives="Vector"),
        Operation("{Vector} + {Vector}", gives="Vector"),
        Operation("{Vector}.dot({Vector})"),
        Operation("{numbers}", gives="list"),  # a list that a vector is made from, and that is changed afterwards
        Operation("Vector({list})", gives="Vector"),
        Operation("{list}[0] = 9.0", gives=None),
    ],
    observe={"Vector": ["{}.numbers"]},
)
