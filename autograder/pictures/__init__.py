"""Draw the graph of a counterexample: as SVG for pages and notebooks, and as a tree for terminals."""

from autograder.pictures.content import PictureContent, make_picture_if_any_nodes, parse_picture_if_any
from autograder.pictures.graph_drawing import draw_picture_as_svg, read_picture_style_sheet
from autograder.pictures.replay_drawing import DrawnReplay, draw_replay, has_wrong_order
from autograder.pictures.text_tree import format_counterexample_with_tree

__all__ = [
    "DrawnReplay",
    "PictureContent",
    "draw_picture_as_svg",
    "draw_replay",
    "format_counterexample_with_tree",
    "has_wrong_order",
    "make_picture_if_any_nodes",
    "parse_picture_if_any",
    "read_picture_style_sheet",
]
