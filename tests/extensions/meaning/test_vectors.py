"""Are vectors read back as they were written, and is damage reported?"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from extensions.meaning.vectors import DamagedVectors, VectorSlice, quantised, read_slice, write_slice

if TYPE_CHECKING:
    from pathlib import Path

WIDTH, FLIPS = 384, 1_000


def some(pages: int = 5, seed: int = 3) -> VectorSlice:
    numbers = np.random.default_rng(seed)
    counts = numbers.integers(0, 3, pages)
    vectors = numbers.normal(size=(counts.sum(), WIDTH)).astype(np.float32)
    return VectorSlice(
        numbers.integers(0, 256, (pages, 16)).astype(np.uint8),
        np.cumsum(counts).astype(np.uint32),
        *quantised(vectors / np.linalg.norm(vectors, axis=1, keepdims=True)),
        numbers.integers(0, 9_000, (len(vectors), 2)).astype(np.uint32),
    )


def arrays(found: VectorSlice) -> list[bytes]:
    return [getattr(found, name).tobytes() for name in VectorSlice.__slots__]


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    write_slice(tmp_path / "a-0.npz", "recipe", some())
    assert arrays(read_slice(tmp_path / "a-0.npz", "recipe", WIDTH)) == arrays(some())


def test_eight_bits_change_a_cosine_by_less_than_a_hundredth() -> None:
    vectors = np.random.default_rng(5).normal(size=(200, WIDTH)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    whole, factors = quantised(vectors)
    near = whole.astype(np.float32) * factors[:, None]
    assert np.abs(near @ vectors.T - vectors @ vectors.T).max() < 0.01


@pytest.mark.parametrize("file", ["b-0.npz", "a-512.npz"])
def test_a_file_under_another_name_is_not_believed(tmp_path: Path, file: str) -> None:
    write_slice(tmp_path / "a-0.npz", "recipe", some())
    (tmp_path / "a-0.npz").rename(tmp_path / file)
    with pytest.raises(DamagedVectors, match="other pages"):
        read_slice(tmp_path / file, "recipe", WIDTH)


def test_vectors_of_another_recipe_are_not_compared(tmp_path: Path) -> None:
    write_slice(tmp_path / "a-0.npz", "recipe", some())
    with pytest.raises(DamagedVectors, match="another recipe"):
        read_slice(tmp_path / "a-0.npz", "a better recipe", WIDTH)


def test_every_flipped_bit_and_every_cut_is_told(tmp_path: Path) -> None:
    path, dice = tmp_path / "a-0.npz", random.Random(7)
    write_slice(path, "recipe", some())
    content = path.read_bytes()
    for _ in range(FLIPS):
        damaged = bytearray(content)
        damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged if dice.random() < 0.8 else damaged[: dice.randrange(len(damaged))])
        with pytest.raises(DamagedVectors, match="not as it was written"):
            read_slice(path, "recipe", WIDTH)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(DamagedVectors, match="No such file"):
        read_slice(tmp_path / "a-0.npz", "recipe", WIDTH)
