"""A replay is a row of small pictures, the reference solution's step beside each."""

from __future__ import annotations

from msgspec.structs import replace

from autograder.diagnosis.replay import make_replay
from autograder.pictures import draw_replay
from autograder.pictures.replay_drawing import MOST_BYTES
from tests.pictures.sample import RIGHT, called_twice, calls_again, replay_of, run_of
from tests.pictures.svg_reading import names_of_classes, texts_of


def test_each_step_says_what_is_called_and_what_it_adds() -> None:
    film = draw_replay(called_twice(), calls_again())
    assert [(frame.number, frame.call, frame.said) for frame in film.frames] == [
        (1, "d.backward()", "sets d.grad to 1.0"),
        (2, "d._backward()", "adds 2.0 to c.grad"),
        (3, "c._backward()", "adds 8.0 to a.grad and 6.0 to b.grad"),
        (4, "c._backward()", "adds 8.0 to a.grad and 6.0 to b.grad"),
    ]


def test_the_called_node_and_gradients_before_and_after_are_in_the_picture() -> None:
    frame = draw_replay(called_twice(), calls_again()).frames[2]
    assert names_of_classes(frame.svg).count("node called") == 1
    assert {"0.0 → 8.0", "0.0 → 6.0", "+8.0", "+6.0", "grad 2.0"} <= {*texts_of(frame.svg)}


def test_only_the_first_step_that_differs_is_marked() -> None:
    film = draw_replay(called_twice(), replay_of(("c", 12.0, 16.0, 2.0, 1.0), ("c", 18.0, 24.0, 2.0, 1.0)))
    assert [bool(frame.difference) for frame in film.frames] == [False, False, False, True, False]
    assert "is called again" in film.frames[3].difference
    assert (film.frames[3].reference_said, film.frames[3].reference_svg) == ("has no such step", "")


def test_a_step_that_never_happens_stands_at_the_end() -> None:
    student = run_of(("", 0.0, 0.0, 0.0, 1.0), ("d", 0.0, 0.0, 2.0, 1.0))
    film = draw_replay(called_twice(), make_replay(student, RIGHT, called_twice()))
    last = film.frames[-1]
    assert (last.call, last.said) == ("c._backward()", "does not happen")
    assert last.reference_said == "adds 8.0 to a.grad and 6.0 to b.grad"
    assert last.difference == "c._backward() is not called, or does nothing: a.grad lacks 8.0 and b.grad lacks 6.0."


def test_beside_a_wrong_order_the_reference_goes_in_its_own() -> None:
    student = run_of(("", 0.0, 0.0, 0.0, 1.0), ("c", 0.0, 0.0, 0.0, 1.0), ("d", 0.0, 0.0, 2.0, 1.0))
    film = draw_replay(called_twice(), make_replay(student, RIGHT, called_twice()))
    assert film.has_own_orders
    assert [(frame.call, frame.said, frame.reference_said) for frame in film.frames] == [
        ("d.backward()", "sets d.grad to 1.0", ""),
        ("c._backward()", "adds nothing", "calls d._backward() here: it adds 2.0 to c.grad"),
        (
            "d._backward()",
            "adds 2.0 to c.grad",
            "calls c._backward() here: it adds 8.0 to a.grad and 6.0 to b.grad",
        ),
    ]
    assert [bool(frame.difference) for frame in film.frames] == [False, True, False]
    assert film.frames[1].difference.startswith("c._backward() is called while c.grad is 0.0")


def test_pictures_of_a_replay_leave_reading_aloud_to_the_text_beside_them() -> None:
    for frame in draw_replay(called_twice(), calls_again()).frames:
        assert 'aria-hidden="true"' in frame.svg
        assert "<title" not in frame.svg


def test_a_long_replay_is_shown_around_its_first_difference() -> None:
    again = [("c", 6.0 + 6 * at, 8.0 + 8 * at, 2.0, 1.0) for at in range(1, 37)]
    replay = replay_of(*again)
    assert replay.difference is not None
    film = draw_replay(called_twice(), replace(replay, difference=replace(replay.difference, step=20)))
    numbers = [frame.number for frame in film.frames]
    assert film.total == 39
    assert 21 in numbers
    assert numbers == [*range(numbers[0], numbers[-1] + 1)]
    assert sum(len(frame.svg) + len(frame.reference_svg) for frame in film.frames) <= MOST_BYTES


def test_what_a_student_wrote_is_text_in_a_replay() -> None:
    attack = "</svg><script>alert(1)</script>"
    film = draw_replay(called_twice(attack), calls_again(attack))
    plain = draw_replay(called_twice("zebra"), calls_again("zebra"))
    for frame, other in zip(film.frames, plain.frames, strict=True):
        assert len(names_of_classes(frame.svg)) == len(names_of_classes(other.svg))
        assert "<script" not in frame.svg
