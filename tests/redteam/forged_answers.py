"""What a student's process may answer instead of the truth, and a small course to try it in."""

from __future__ import annotations

from hypothesis import strategies as st

tagged = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=5)
    | st.just("\ud800")
    | st.builds(lambda number: {"h": number, "k": "Value"}, st.integers(-2, 2**33))
    | st.builds(lambda text: {"i": text}, st.sampled_from(["f", "-1f", "zz", "", "9" * 4000, "1" * 3000]))
    | st.builds(lambda text: {"f": text}, st.sampled_from(["nan", "inf", "-inf", "1", 3]))
    | st.builds(lambda number: {"c": number}, st.integers(-1, 3)),
    lambda inner: (
        st.builds(lambda tag, items: {tag: items}, st.sampled_from("ltszdxhc"), st.lists(inner, max_size=4))
        | st.builds(lambda pairs: {"d": pairs}, st.lists(st.tuples(inner, inner).map(list), max_size=3))
        | st.dictionaries(st.sampled_from(["h", "k", "l", "i", "c", "e"]), inner, max_size=3)
        | st.lists(inner, max_size=3)
    ),
    max_leaves=12,
)
COURSE = """
limits: {cpu_seconds: 0.3, wall_seconds: 0.9, import_seconds: 1, submission_seconds: 4, memory_mb: 256}
assignments:
  engine:
    defines: [Value]
    concepts: {forward: 10}
"""
CONFTEST = """
import pytest

@pytest.fixture
def Value(student):
    return student.get("Value")
"""
