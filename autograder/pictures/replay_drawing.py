"""Make a small picture of each step of a replay, with the reference solution's step beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from autograder.diagnosis.model import Counterexample, Gradients, RecordedBackwardRun, Replay, format_number
from autograder.diagnosis.readings import Seen, are_readings_close
from autograder.diagnosis.replay import Changes, list_gradient_increments_by_step
from autograder.pictures.content import (
    EdgeKind,
    NodeTextLine,
    PictureContent,
    PictureEdge,
    PictureNode,
    choose_node_names_to_draw,
)
from autograder.pictures.graph_drawing import draw_pictures_with_same_layout
from autograder.text import join_with_and

MOST_BYTES = 90_000
"""The size of all pictures of a replay in bytes; the limit keeps a page small enough to be mailed."""


@dataclass(frozen=True, slots=True)
class DrawnReplayStep:
    """One step of a replay, as a page shows it."""

    number: int
    call: str
    """The call, ``c._backward()``, or else the line of the program."""
    said: str
    """What the step changes, in words, or that the student's run has no such step."""
    svg: str
    reference_said: str
    """What the reference solution does in that step, or that it has none, in words; empty if it does the same."""
    reference_svg: str
    """The picture of the reference solution's step; empty if it has no such step."""
    difference: str = ""
    """The difference in a sentence, for the first step that differs; empty for others."""


@dataclass(frozen=True, slots=True)
class DrawnReplay:
    """The steps of a replay that a page shows."""

    frames: tuple[DrawnReplayStep, ...]
    total: int
    """How many steps the replay has in all."""
    sees_calls: bool
    cut: bool
    """Whether the run went on after the last step that was recorded."""
    has_own_orders: bool = False
    """Whether each run goes its own way, because the student's calls come in a wrong order."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """A step of one run, or the end of the run."""

    node: str
    line: int
    before: Gradients
    after: Gradients
    changes: Changes


def draw_replay(counterexample: Counterexample, replay: Replay) -> DrawnReplay:
    """Return the drawn steps of a replay.

    If a page has no room for all of them, return those around the first step that differs.
    """
    student, reference, difference = _list_moments(replay.student), _list_moments(replay.reference), replay.difference
    pairs = _pair_in_own_orders(student, reference) if has_wrong_order(replay) else _pair_by_call(replay)
    last_grads = replay.student.steps[-1].grads if replay.student.steps else replay.student.before
    drawn = [
        (student[at] if at >= 0 else _Moment("", reference[other].line, last_grads, last_grads, {}), other)
        for at, other in pairs
    ]
    same = [reference[at] if at >= 0 else None for at in replay.beside]
    student_svgs = draw_pictures_with_same_layout(
        [
            _make_picture(counterexample, moment, same[at] if at >= 0 else reference[other])
            for (at, other), (moment, _) in zip(pairs, drawn, strict=True)
        ],
        "replay",
    )
    own = [reference[other] if other >= 0 else None for _, other in pairs]
    reference_svgs = draw_pictures_with_same_layout(
        [
            _make_picture(counterexample, beside or moment, beside)
            for beside, (moment, _) in zip(own, drawn, strict=True)
        ],
        "reference",
    )
    marked = next(
        (at for at, (own_at, _) in enumerate(pairs) if difference and own_at == difference.step), len(student)
    )
    frames = []
    for at, ((moment, _), beside) in enumerate(zip(drawn, own, strict=True)):
        happens = pairs[at][0] >= 0
        called = moment if happens or beside is None else beside
        said, reference_said = _describe_changes(moment), _describe_changes(beside) if beside else NOTHING
        if beside and happens and (beside.line, beside.node) != (moment.line, moment.node):
            reference_said = f"calls {beside.node}._backward() here: it {reference_said}"
        frames.append(
            DrawnReplayStep(
                number=at + 1,
                call=f"{called.node}._backward()" if called.node else counterexample.program[called.line],
                said=said if happens else "does not happen",
                svg=student_svgs[at],
                reference_said=reference_said if reference_said != said else "",
                reference_svg=reference_svgs[at] if beside else "",
                difference=difference.sentence if difference and at == marked else "",
            )
        )
    frames_around = _cut_around(frames, marked if difference else 0)
    return DrawnReplay(
        frames_around, len(frames), replay.student.sees_calls, replay.student.cut, has_wrong_order(replay)
    )


def has_wrong_order(replay: Replay) -> bool:
    """Return whether the first step that differs is a call that comes too early."""
    return replay.difference is not None and replay.difference.kind == "early"


def _pair_by_call(replay: Replay) -> list[tuple[int, int]]:
    """Return each of the student's steps with the reference's that does the same, then what is missing; -1: none."""
    return [*enumerate(replay.beside), *((-1, at) for at in replay.missing)]


def _pair_in_own_orders(student: Sequence[_Moment], reference: Sequence[_Moment]) -> list[tuple[int, int]]:
    """Return the steps of both runs side by side, line by line of the program, each in its own order; -1: none."""
    pairs: list[tuple[int, int]] = []
    for line in sorted({moment.line for moment in (*student, *reference)}):
        own, right = ([at for at, moment in enumerate(run) if moment.line == line] for run in (student, reference))
        pairs += zip_longest(own, right, fillvalue=-1)
    return pairs


NOTHING = "has no such step"


def _cut_around(frames: Sequence[DrawnReplayStep], middle: int) -> tuple[DrawnReplayStep, ...]:
    """Return the frames around the one at ``middle``, as many as fit in ``MOST_BYTES``."""
    bytes_left, start, end = MOST_BYTES, min(middle, len(frames)), min(middle, len(frames))
    while bytes_left > 0 and (start > 0 or end < len(frames)):
        if end < len(frames):
            bytes_left -= _compute_size(frames[end])
            end += bytes_left > 0
        if start > 0 and bytes_left > 0:
            bytes_left -= _compute_size(frames[start - 1])
            start -= bytes_left > 0
    return tuple(frames[start:end])


def _compute_size(frame: DrawnReplayStep) -> int:
    return len(frame.svg) + len(frame.reference_svg)


def _list_moments(run: RecordedBackwardRun) -> list[_Moment]:
    return [
        _Moment(step.node, step.line, before, step.grads, changes)
        for step, before, changes in zip(
            run.steps, run.list_gradients_before_each_step(), list_gradient_increments_by_step(run), strict=True
        )
    ]


def _describe_changes(moment: _Moment) -> str:
    """Return what a step changes, in words that follow its call."""
    if not moment.node:
        changes = [f"{name}.grad to {_format_seen(moment.after[name])}" for name in moment.changes]
        return f"sets {join_with_and(changes)}" if changes else "changes nothing"
    changes = [
        f"{'?' if change is None else format_number(change)} to {name}.grad"
        for name, change in moment.changes.items()
    ]
    return f"adds {join_with_and(changes)}" if changes else "adds nothing"


def _make_picture(story: Counterexample, moment: _Moment, reference_moment: _Moment | None) -> PictureContent:
    drawn_names = choose_node_names_to_draw(story)
    return PictureContent(
        title="",
        nodes=tuple(_make_node(node.name, moment) for node in story.nodes if node.name in drawn_names),
        edges=tuple(
            _make_edge(node.name, operand, uses, moment, reference_moment)
            for node in story.nodes
            for operand, uses in Counter(node.operands).items()
            if {node.name, operand} <= drawn_names
        ),
    )


def _make_node(name: str, moment: _Moment) -> PictureNode:
    if name not in moment.after:
        line = NodeTextLine("not made yet")
    elif name in moment.changes:
        line = NodeTextLine(
            f"{_format_seen(moment.before.get(name))} → {_format_seen(moment.after[name])}", "changed"
        )
    else:
        line = NodeTextLine(f"grad {_format_seen(moment.after[name])}")
    return PictureNode(name=name, heading=name, lines=(line,), tone="called" if name == moment.node else "plain")


def _make_edge(user: str, operand: str, uses: int, moment: _Moment, reference_moment: _Moment | None) -> PictureEdge:
    if user != moment.node:
        return PictureEdge(user, operand, uses)
    got = moment.changes.get(operand, 0.0)
    right = reference_moment.changes.get(operand, 0.0) if reference_moment else None
    kind: EdgeKind = "right" if are_readings_close(got, right) else "missing" if got == 0 else "wrong"
    label = "?" if got is None else f"+{format_number(got, right)}".replace("+-", "−")
    return PictureEdge(user, operand, uses, kind, (label,))


def _format_seen(seen: Seen) -> str:
    return format_number(float(seen) if isinstance(seen, int) else seen)
