"""PageRank is what its equation says: compared with the solved equation, and with graphs of known result."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from indexer.links import LinkMatrix, components, hubs_and_authorities, pagerank

GRAPHS = st.integers(1, 12).flatmap(
    lambda pages: st.tuples(
        st.lists(st.tuples(st.integers(0, pages - 1), st.integers(0, pages - 1), st.floats(0.01, 9)), max_size=40),
        st.lists(st.booleans(), min_size=pages, max_size=pages),
    )
)


def matrix(pages: int, links: Sequence[tuple[int, int, float]]) -> LinkMatrix:
    entries = {(source, target): weight for source, target, weight in links}
    sources, targets = np.array(list(entries), np.int64).reshape(-1, 2).T
    return LinkMatrix(sources, targets, np.array(list(entries.values()), np.float64), pages)


def in_scipy(links: LinkMatrix) -> sparse.csr_array:
    """The same matrix in a library: the oracle."""
    return sparse.csr_array((links.weights, (links.sources, links.targets)), shape=(links.pages, links.pages))


def solved(links: LinkMatrix, roots: NDArray[np.bool_], damping: float) -> NDArray[np.float64]:
    """The equation as numpy solves it: the oracle, for a dozen pages."""
    dense = in_scipy(links).toarray()
    pages = len(dense)
    start = roots / roots.sum() if roots.any() else np.full(pages, 1 / pages)
    rows = [row / row.sum() if row.any() else start for row in dense]
    found = np.linalg.solve(np.eye(pages) - damping * np.array(rows).T, (1 - damping) * start)
    return np.asarray(found / found.sum())


@given(GRAPHS, st.sampled_from([0.0, 0.5, 0.85, 0.95]))
def test_it_is_the_solution_of_its_equation(
    graph: tuple[list[tuple[int, int, float]], list[bool]], damping: float
) -> None:
    links, chosen = graph
    roots = np.array(chosen)
    weighed = matrix(len(roots), links)
    found = pagerank(weighed, roots, damping)
    assert found == pytest.approx(solved(weighed, roots, damping), abs=1e-7)
    assert found.sum() == pytest.approx(1)


@given(GRAPHS, st.randoms(use_true_random=False))
def test_its_products_are_those_of_a_library(
    graph: tuple[list[tuple[int, int, float]], list[bool]], chance: random.Random
) -> None:
    links = matrix(len(graph[1]), graph[0])
    values = np.array([chance.random() for _ in range(links.pages)])
    assert links.product()(values) == pytest.approx(in_scipy(links) @ values)
    assert links.transposed_product()(values) == pytest.approx(in_scipy(links).T @ values)
    assert links.given == pytest.approx(in_scipy(links).sum(axis=1))


@given(GRAPHS)
def test_what_is_joined_has_the_least_number_of_its_kind(
    graph: tuple[list[tuple[int, int, float]], list[bool]],
) -> None:
    links = matrix(len(graph[1]), graph[0])
    _, kinds = connected_components(in_scipy(links), directed=False)
    least = [int(np.flatnonzero(kinds == kind)[0]) for kind in kinds]
    assert components(np.stack([links.sources, links.targets], axis=1), links.pages).tolist() == least


def test_in_a_ring_all_are_alike() -> None:
    ring = matrix(5, [(page, (page + 1) % 5, 1) for page in range(5)])
    assert pagerank(ring) == pytest.approx(np.full(5, 0.2))


def test_in_a_star_the_middle_has_what_the_formula_says() -> None:
    star = matrix(5, [(page, 0, 1) for page in range(1, 5)] + [(0, page, 1) for page in range(1, 5)])
    middle = (1 + 4 * 0.85) / (5 * (1 + 0.85))  # from x = .15/5 + .85 (1 - x)
    assert pagerank(star)[0] == pytest.approx(middle)


def test_the_example_of_the_paper() -> None:
    """Page and others, 1999, figure 3: A links to B and C, B to C, C to A; without damping .4, .2 and .4."""
    links = matrix(3, [(0, 1, 1), (0, 2, 1), (1, 2, 1), (2, 0, 1)])
    assert pagerank(links, damping=0.999) == pytest.approx([0.4, 0.2, 0.4], abs=1e-3)


def test_a_page_that_no_way_leads_to_from_the_root_set_has_none() -> None:
    links = matrix(3, [(0, 1, 1), (2, 1, 1)])
    assert pagerank(links, np.array([True, False, False]))[2] == 0


def test_a_link_of_half_the_weight_passes_on_half_as_much() -> None:
    found = pagerank(matrix(3, [(0, 1, 1), (0, 2, 0.5)]), np.array([True, False, False]))
    assert found[1] == pytest.approx(2 * found[2])


def test_no_page_has_no_rank() -> None:
    assert pagerank(matrix(0, [])).size == 0


def test_hubs_and_authorities_are_the_singular_vectors() -> None:
    links = matrix(5, [(0, 2, 1), (0, 3, 1), (1, 2, 1), (1, 3, 1), (1, 4, 1)])
    hubs, authorities = hubs_and_authorities(links)
    left, _, right = np.linalg.svd(in_scipy(links).toarray())
    assert hubs == pytest.approx(np.abs(left[:, 0]) / np.abs(left[:, 0]).sum(), abs=1e-6)
    assert authorities == pytest.approx(np.abs(right[0]) / np.abs(right[0]).sum(), abs=1e-6)


def test_without_links_nothing_is_a_hub() -> None:
    hubs, authorities = hubs_and_authorities(matrix(2, []))
    assert (hubs.sum(), authorities.sum()) == (0, 0)
