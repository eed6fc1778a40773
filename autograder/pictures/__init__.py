"""Draw the graph of a counterexample: as SVG for pages and notebooks, and as a tree for terminals."""

from autograder.pictures.picture_model import Picture, make_picture_if_any_nodes
from autograder.pictures.picture_table import TableRow, list_table_rows
from autograder.pictures.replay_frames import ReplayFilm, make_replay_film
from autograder.pictures.svg_drawing import draw_picture, read_style_sheet
from autograder.pictures.text_picture import format_counterexample_with_tree

__all__ = [
    "Picture",
    "ReplayFilm",
    "TableRow",
    "draw_picture",
    "format_counterexample_with_tree",
    "list_table_rows",
    "make_picture_if_any_nodes",
    "make_replay_film",
    "read_style_sheet",
]
