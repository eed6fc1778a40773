"""Draw the graph of a counterexample: as SVG for pages and notebooks, and as a tree for terminals."""

from autograder.pictures.picture_model import Picture, make_picture
from autograder.pictures.picture_table import TableRow, list_table_rows
from autograder.pictures.replay_frames import ReplayFilm, make_film
from autograder.pictures.svg import draw_picture, read_style_sheet
from autograder.pictures.text_picture import format_text_picture

__all__ = [
    "Picture",
    "ReplayFilm",
    "TableRow",
    "draw_picture",
    "format_text_picture",
    "list_table_rows",
    "make_film",
    "make_picture",
    "read_style_sheet",
]
