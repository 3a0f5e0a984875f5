"""Are the nearest passages found, and the same ones each time?"""

from __future__ import annotations

import numpy as np
import pytest

from extensions.meaning.vectors import (
    CANDIDATES,
    PassageVectors,
    VectorSlice,
    quantised,
    side_by_side_passages,
    signs_of,
)

WIDTH = 384


def unit(count: int, seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, WIDTH)).astype(np.float32)
    even: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return even


def passages(vectors: np.ndarray, per_page: int = 1) -> PassageVectors:
    whole, factors = quantised(vectors)
    count = len(vectors)
    documents = np.arange(count, dtype=np.uint32) // per_page
    spans = np.stack([np.arange(count), np.arange(count) + 1], axis=1).astype(np.uint32)
    return PassageVectors(np.zeros(count, np.uint32), documents, whole, factors, spans)


def test_few_passages_are_compared_exactly() -> None:
    vectors, question = unit(500, 1), unit(1, 2)[0]
    found = passages(vectors).nearest(question, 50)
    exact = vectors @ question
    assert found.documents.tolist()[:10] == np.argsort(-exact)[:10].tolist()
    assert found.similarities == pytest.approx(exact[found.documents], abs=0.01)


def test_a_page_counts_once_with_its_best_passage() -> None:
    vectors = unit(40, 3)
    question = vectors[17]
    found = passages(vectors, per_page=4).nearest(question, 10)
    assert found.documents[0] == 17 // 4
    assert found.spans[0].tolist() == [17, 18]
    assert len(set(found.documents.tolist())) == len(found.documents) == 10


def test_among_many_passages_those_that_are_really_near_are_found() -> None:
    """Texts that mean nearly the same have cosines from .5 up; strangers, as here, hardly any."""
    question = unit(1, 4)[0]
    strangers, near = unit(CANDIDATES * 20, 5), unit(100, 6)
    share = np.linspace(0.45, 0.9, 100, dtype=np.float32)[:, None]
    near = share * question + np.sqrt(1 - share**2) * near
    everything = np.concatenate([strangers, near])
    found = passages(everything).nearest(question, 100)
    exact = set(np.argsort(-(everything @ question))[:100].tolist())
    assert len(exact & set(found.documents.tolist())) >= 97


def test_equal_passages_keep_their_order_however_often_one_asks() -> None:
    vectors = np.repeat(unit(1, 7), CANDIDATES * 3, axis=0)
    every = passages(vectors)
    assert every.nearest(vectors[0], 20).documents.tolist() == list(range(20))


def test_signs_are_packed_whatever_the_width() -> None:
    vectors = unit(3, 8)[:, :70]
    assert signs_of(vectors).shape == (2, 3)
    different = np.bitwise_count(signs_of(vectors)[:, 0] ^ signs_of(vectors)[:, 1]).sum()
    assert different == ((vectors[0] > 0) != (vectors[1] > 0)).sum()


def test_slices_are_joined_with_their_pages_numbers() -> None:
    def part(counts: list[int], seed: int) -> VectorSlice:
        whole, factors = quantised(unit(sum(counts), seed))
        spans = np.zeros((sum(counts), 2), np.uint32)
        digests = np.ones((len(counts), 16), np.uint8)
        return VectorSlice(digests, np.cumsum(counts).astype(np.uint32), whole, factors, spans)

    every = side_by_side_passages([(0, 0, part([2, 0, 1], 1)), (0, 512, part([1], 2)), (1, 0, part([0, 2], 3))], WIDTH)
    assert every.segments.tolist() == [0, 0, 0, 0, 1, 1]
    assert every.documents.tolist() == [0, 0, 2, 512, 1, 1]


def test_where_nothing_was_read_nothing_is_near() -> None:
    assert len(side_by_side_passages([], WIDTH).nearest(unit(1, 1)[0], 10).documents) == 0
