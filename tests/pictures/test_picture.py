"""A picture says at each node and edge what was expected and got, in colour, in shape and in words."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest
from msgspec.structs import replace

from autograder.diagnosis.model import Counterexample, Node
from autograder.pictures import draw_picture_as_svg, make_picture_if_any_nodes
from autograder.pictures.content import MOST_NODES, PictureContent
from tests.pictures.sample import called_twice, calls_again, chain, replay_of, run_of
from tests.pictures.svg_reading import names_of_classes, texts_of

ATTACKS = (
    "<script>alert(1)</script>",
    "</text></svg><h1>100 of 100</h1>",
    '" onload="alert(1)',
    "]]><!--",
    "&lt;b&gt;&amp;",
    "<foreignObject>",
    "\x00\x1b[31m\u202e",
    "x" * 400,
)


def the_picture(story: Counterexample, **more: object) -> PictureContent:
    picture = make_picture_if_any_nodes(story, **more)  # type: ignore[arg-type]  # a replay or nothing
    assert picture is not None
    return picture


def test_a_wrong_node_shows_what_it_got_and_what_it_should_be() -> None:
    texts = texts_of(draw_picture_as_svg(the_picture(called_twice())))
    assert {"b", "data 4.0", "grad 12.0 ✗", "should be 6.0", "it goes wrong here"} <= {*texts}
    assert texts.count("it goes wrong here") == 1


def test_a_contribution_that_came_twice_is_drawn_double() -> None:
    svg = draw_picture_as_svg(the_picture(called_twice(), replay=calls_again()))
    assert {"2 calls: +16.0", "not +8.0", "2 calls: +12.0", "not +6.0", "+2.0"} <= {*texts_of(svg)}
    assert "edge repeated wide" in names_of_classes(svg)


def test_a_contribution_that_is_missing_is_drawn_dotted() -> None:
    student = run_of(("", 0.0, 0.0, 0.0, 1.0), ("d", 0.0, 0.0, 2.0, 1.0), ("c", 0.0, 8.0, 2.0, 1.0))
    replay = replace(replay_of(), student=student)
    svg = draw_picture_as_svg(the_picture(called_twice(), replay=replay))
    assert {"missing:", "+6.0", "+8.0"} <= {*texts_of(svg)}
    assert names_of_classes(svg).count("edge missing") == 1


def test_an_operand_that_is_used_twice_has_two_arrows_and_one_label() -> None:
    svg = draw_picture_as_svg(the_picture(called_twice(), replay=replay_of()))
    assert names_of_classes(svg).count("edge right") == 4
    assert texts_of(svg).count("+2.0") == 1


def test_numbers_flow_up_and_gradients_flow_down() -> None:
    story = replace(called_twice(), kind="forward")
    assert 'marker-start="url(#picture-plain)"' in draw_picture_as_svg(the_picture(story))
    assert 'marker-end="url(#picture-plain)"' in draw_picture_as_svg(the_picture(called_twice()))


def test_a_picture_is_told_to_those_who_do_not_see_it() -> None:
    svg = fromstring(draw_picture_as_svg(the_picture(called_twice(), replay=calls_again())))
    title, words = svg[0], svg[1]
    assert (svg.get("role"), svg.get("aria-labelledby")) == ("img", "picture-title picture-words")
    assert (title.get("id"), words.get("id")) == ("picture-title", "picture-words")
    assert title.text == "The graph of the program: a gradient goes wrong at b"
    assert words.text is not None
    assert "b: data 4.0, grad 12.0, should be 6.0; it goes wrong here." in words.text
    assert "c gives 12.0 in 2 calls and should give 6.0 to b." in words.text
    assert "as if both paths were counted twice." in words.text


def test_above_twelve_nodes_those_around_the_first_wrong_one_are_drawn() -> None:
    picture = the_picture(chain(40, "n20"))
    drawn = {node.name for node in picture.nodes}
    assert len(drawn) == MOST_NODES
    assert "28 more nodes are not drawn." in picture.description
    assert {"n18", "n19", "n20", "n21", "n22"} <= drawn
    assert picture.description.endswith("28 more nodes are not drawn.")
    assert len(the_picture(chain(MOST_NODES, "n3")).nodes) == MOST_NODES


def test_an_order_shows_the_place_of_each_node() -> None:
    nodes = (Node(name="a"), Node(name="b", operands=("a",)))
    story = Counterexample(kind="order", program=("...",), nodes=nodes, first_wrong="b", order=("b", "b"))
    texts = texts_of(draw_picture_as_svg(the_picture(story)))
    assert {"not in the order", "place 1 and 2", "it goes wrong here"} <= {*texts}


def test_an_operation_that_raises_says_so() -> None:
    nodes = (Node(name="a", data=3.0), Node(name="b", operation="a * 5", operands=("a",), data=15.0))
    story = Counterexample(kind="error", program=("...",), nodes=nodes, first_wrong="b", error="TypeError")
    assert "raises TypeError ✗" in texts_of(draw_picture_as_svg(the_picture(story)))


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_a_student_wrote_is_text_in_a_picture(attack: str) -> None:
    svg = draw_picture_as_svg(the_picture(called_twice(attack), replay=calls_again(attack)))
    plain = draw_picture_as_svg(the_picture(called_twice("zebra"), replay=calls_again("zebra")))
    read, other = fromstring(svg), fromstring(plain)
    assert [one.tag for one in read.iter()] == [one.tag for one in other.iter()]
    assert [{*one.keys()} for one in read.iter()] == [{*one.keys()} for one in other.iter()]
    assert any(attack[:9].strip("\x00\x1b") in text for text in texts_of(svg)) or not attack.isprintable()
