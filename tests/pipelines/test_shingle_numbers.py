"""The numbers of shingles are the CRC-32 of the result of `shingles`, for any text."""

from __future__ import annotations

import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.content.similarity import shingles
from pipelines.duplicates import LONGEST, shingle_numbers

_WORD = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
_TEXTS = st.lists(_WORD | st.sampled_from(["漢字", "한글", "a\xa0b", "a\x1fb", "İ", "ß"]), max_size=120).map(" ".join)


@given(_TEXTS, st.integers(1, 40))
def test_each_shingle_has_its_checksum(text: str, least: int) -> None:
    members = shingles(text)
    expected = {zlib.crc32(member) for member in members} if len(members) >= least else set()
    assert set(shingle_numbers(text, least).tolist()) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("one two three four " * 50, id="many words, few shingles: too short to compare"),
        pytest.param(" ".join(f"{number:0{LONGEST}d}" for number in range(40)), id="the longest words of the tables"),
        pytest.param(" ".join(f"{number:0{LONGEST + 1}d}" for number in range(40)), id="longer words"),
        pytest.param(" ".join(map(str, range(100_100))), id="more shingles than are taken"),
        pytest.param("".join(chr(0x4E00 + number * number % 20_011) for number in range(100_100)), id="… in Chinese"),
    ],
)
def test_long_texts_have_the_same_numbers(text: str) -> None:
    members = shingles(text)
    expected = {zlib.crc32(member) for member in members} if len(members) >= 30 else set()
    assert set(shingle_numbers(text, 30).tolist()) == expected


def test_the_characters_behind_the_last_shingle_take_no_memory() -> None:
    shingle_numbers("a b c d", 1)  # what is made once, at the first text
    text = "漢" * 2_000_000
    tracemalloc.start()
    try:
        shingle_numbers(text, 1)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 50_000_000  # 34 MB; each character as a string and as bytes would take 183
