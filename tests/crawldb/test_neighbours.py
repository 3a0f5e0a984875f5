"""The table of bands finds what is alike, and a flood of strangers does not make it slow or blind."""

import random

import pytest

from crawldb import neighbours
from crawldb.neighbours import CHUNK, MAX_CANDIDATES, Neighbours
from pages.content.similarity import ORDERS, banding

DRAW = random.Random(7)


def like(signature: bytes, share: float) -> bytes:
    """A signature that agrees with another one in a share of its orders."""
    others = DRAW.sample(range(ORDERS), round((1 - share) * ORDERS))
    return bytes(byte ^ 1 if place in others else byte for place, byte in enumerate(signature))


@pytest.mark.parametrize("count", [0, 10, CHUNK, 5 * CHUNK + 3])
def test_the_like_one_is_found_among_many_wherever_it_stands(count: int) -> None:
    table = Neighbours(*banding())
    wanted = DRAW.randbytes(ORDERS)
    table.add(1_000_000, like(wanted, 0.6))
    for cluster in range(count):
        table.add(cluster, DRAW.randbytes(ORDERS))
    best, alike = table.nearest(wanted)[0]
    assert (best, len(table)) == (1_000_000, count + 1)
    assert alike == pytest.approx(0.6, abs=0.01)


def test_the_most_alike_comes_first_and_the_oldest_of_equals() -> None:
    table = Neighbours(*banding())
    wanted = DRAW.randbytes(ORDERS)
    table.add_all([(5, like(wanted, 0.7)), (4, wanted), (3, wanted)])
    assert [cluster for cluster, _ in table.nearest(wanted)] == [3, 4, 5]
    assert [cluster for cluster, _ in table.nearest(wanted, 0.8)] == [3, 4]


def test_runs_are_merged_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "MAX_RUN", 4 * CHUNK)
    table = Neighbours(*banding())
    signatures = [DRAW.randbytes(ORDERS) for _ in range(11 * CHUNK)]
    table.add_all(enumerate(signatures))
    assert [len(run.clusters) // CHUNK for run in table._runs] == [4, 4, 2, 1]
    assert all(table.nearest(signatures[place])[0] == (place, 1.0) for place in range(0, 11 * CHUNK, 97))


def test_strangers_that_share_a_band_are_not_all_compared() -> None:
    """A site's template in every page puts a band of it into many pages."""
    table = Neighbours(*banding())
    wanted, (_, rows) = DRAW.randbytes(ORDERS), banding()
    for cluster in range(4 * CHUNK):
        table.add(cluster, wanted[:rows] + DRAW.randbytes(ORDERS - rows))
    for cluster in range(4 * CHUNK, 8 * CHUNK):
        table.add(cluster, like(wanted, 0.6) if cluster == 6 * CHUNK else DRAW.randbytes(ORDERS))
    found = table.nearest(wanted)
    assert found[0][0] == 6 * CHUNK
    assert len(found) <= MAX_CANDIDATES


def test_a_signature_takes_no_more_memory_than_is_said() -> None:
    table = Neighbours(*banding())
    table.add_all((number, DRAW.randbytes(ORDERS)) for number in range(16 * CHUNK))
    assert table.size < 500 * 16 * CHUNK  # 50 MB for 100,000
