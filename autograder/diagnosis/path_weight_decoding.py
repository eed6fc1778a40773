"""Find what diagnoses imported from here: see ``wrong_path_sum``."""

from __future__ import annotations

from autograder.former_names import make_former_name_lookup

_NAME = "try_describe_wrong_path_sum"

__getattr__ = make_former_name_lookup(__name__, {_NAME: f"autograder.diagnosis.wrong_path_sum.{_NAME}"})
