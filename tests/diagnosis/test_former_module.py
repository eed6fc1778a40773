"""A course's diagnosis that imports a module by its former name still works."""

from __future__ import annotations

from importlib import import_module

import pytest

from autograder.diagnosis import try_describe_wrong_path_sum


def test_the_explanation_of_a_wrong_path_sum_is_found_in_its_former_module() -> None:
    former = import_module("autograder.diagnosis.path_weight_decoding")
    with pytest.warns(DeprecationWarning, match=r"now called autograder\.diagnosis\.wrong_path_sum"):
        assert former.try_describe_wrong_path_sum is try_describe_wrong_path_sum
