"""Is the picture of a link graph whole? As tests/gateway/test_plots.py asks of every plot."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.course.inside.link_graph import MAX_NODES, Node, graph_plot, layout
from tests.gateway.test_plots import NAMES, drawn


@settings(max_examples=30)  # each is some thousand steps of a layout
@given(st.data(), st.integers(1, 12))
def test_any_graph_is_drawn_inside_its_box(data: st.DataObject, count: int) -> None:
    ends = st.integers(0, count - 1)
    edges = data.draw(st.sets(st.tuples(ends, ends), max_size=20))
    weights = data.draw(st.lists(st.floats(0, allow_infinity=False), min_size=count, max_size=count))
    nodes = [Node(data.draw(NAMES), weight, "/inside/links?url=x&y") for weight in weights]
    picture = drawn(graph_plot(nodes, edges, title="Some", name="page", unit="links"))
    assert len(list(picture.iter("circle"))) == count
    assert len(list(picture.iter("path"))) == len({(a, b) for a, b in edges if a != b})


def test_without_pages_there_is_a_sentence() -> None:
    assert "No numbers yet" in graph_plot([], [], title="Some", name="page", unit="links").picture


def test_names_are_text_whatever_they_hold() -> None:
    evil = "<script>alert(1)</script>\"'&\x00\ud800"
    table = graph_plot([Node(evil, 1, f"/inside/links?url={evil}")], [], title="Some", name="page", unit="links").rows
    assert "<script" not in str(table[0][1])


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_what_is_no_finite_number_is_refused(odd: float) -> None:
    with pytest.raises(ValueError, match="finite number"):
        graph_plot([Node("a", odd)], [], title="Some", name="page", unit="links")


def test_the_same_links_are_the_same_picture_and_neighbours_stand_near() -> None:
    chain = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    place = layout(6, chain)
    assert (place == layout(6, chain)).all()
    near = sum(math.dist(place[a], place[b]) for a, b in chain) / len(chain)
    assert math.dist(place[0], place[5]) > 2 * near


@pytest.mark.parametrize(
    ("nodes", "edges", "told"),
    [(MAX_NODES + 1, [], "at most 60"), (2, [(0, 2)], "does not exist"), (2, [(-1, 0)], "does not exist")],
)
def test_a_graph_that_cannot_be_drawn_is_refused(nodes: int, edges: list[tuple[int, int]], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        graph_plot([Node("a")] * nodes, edges, title="Some", name="page", unit="links")
