"""Which store is not split, and what is a store for that is being split? Each answer says what would work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from extensions.machines.jobs.splitting import split_all
from extensions.machines.store.epochs import kept
from extensions.machines.store.objects import StoreError
from extensions.machines.store.shared_store import SharedStore
from extensions.machines.store.versions import Versions
from extensions.machines.tasks.part_change import PartsInStore

if TYPE_CHECKING:
    from pathlib import Path

LEASE = 30.0


def a_place(folder: Path) -> PartsInStore:
    SharedStore.make(str(folder / "store"), 4)
    return PartsInStore(str(folder / "store"), Versions.here(), LEASE)


@pytest.mark.parametrize(
    ("parts", "why"), [(4, "it has as many"), (3, "never put together again"), (4_097, "too many")]
)
def test_a_number_of_parts_that_can_not_be_is_refused(parts: int, why: str, tmp_path: Path) -> None:
    place = a_place(tmp_path)
    with pytest.raises(StoreError, match=rf"in 4 parts and can't be split into {parts:,} \(.*{why}\): give 5 to 4,096"):
        split_all(place, parts, "", None, bool)
    assert SharedStore.open(place.store).parts == 4


def test_a_store_that_is_being_split_is_for_nothing_else(tmp_path: Path) -> None:
    place = a_place(tmp_path)
    SharedStore.open(place.store).begin_split(8)
    for other in (lambda: place.parts, lambda: SharedStore.make(place.store, 4)):
        with pytest.raises(StoreError, match=r"is being split into 8 parts, .* --job=split --parts 8 continues it"):
            other()
    with pytest.raises(StoreError, match="--parts 8 continues"):
        split_all(place, 12, "", None, bool)
    assert split_all(place, 8, "", None, bool) == 4, "no part has begun"
    assert {part.counts for part in place.parts} == {(4, 8)}
    with pytest.raises(StoreError, match=r"in 8 parts, which can't continue in 16: .* with --job split --parts 16"):
        SharedStore.make(place.store, 16)
    with pytest.raises(StoreError, match="or give another place"):
        SharedStore.make(place.store, 4)


def test_a_crawl_with_a_driver_is_not_split(tmp_path: Path) -> None:
    place = a_place(tmp_path)
    with (
        kept(SharedStore.open(place.store).drivers.claim("a driver", 0.5)),
        pytest.raises(StoreError, match="has a driver: a driver is at work on it"),
    ):
        split_all(place, 8, "", None, bool)
    assert SharedStore.open(place.store).parts == 4
