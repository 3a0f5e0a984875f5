"""Content codings: what is packed is unpacked within bounds, and what is broken is told."""

import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from spiders.coding.codings import Unreadable, unpack

LIMIT = 10_000
TEXT = b"<p>a page of some words</p>" * 50

PACKERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("coding", PACKERS)
def test_each_coding_is_undone(coding: str) -> None:
    assert unpack(PACKERS[coding](TEXT), [coding.upper()], LIMIT) == TEXT


@pytest.mark.parametrize("coding", PACKERS)
def test_a_bomb_is_stopped_at_the_limit(coding: str) -> None:
    problem = unpack(PACKERS[coding](bytes(50_000_000)), [coding], LIMIT)
    assert isinstance(problem, Unreadable)
    assert problem.rule == "size"


@pytest.mark.parametrize("coding", PACKERS)
def test_where_nobody_reads_on_the_beginning_of_a_bomb_is_enough(coding: str) -> None:
    packed = PACKERS[coding](TEXT + bytes(50_000_000))
    assert unpack(packed, [coding], LIMIT, cut=True) == (TEXT + bytes(LIMIT))[:LIMIT]


@pytest.mark.parametrize("coding", PACKERS)
def test_a_body_that_breaks_off_is_not_taken_for_a_whole_one(coding: str) -> None:
    packed = PACKERS[coding](bytes(range(256)) * 30)
    problem = unpack(packed[: len(packed) // 2], [coding], LIMIT)
    assert isinstance(problem, Unreadable)
    assert problem.rule == "broken-off"


def test_a_corrupt_tail_is_told() -> None:
    problem = unpack(gzip.compress(bytes(range(256)) * 30)[:-20] + b"garbage" * 5, ["gzip"], LIMIT)
    assert isinstance(problem, Unreadable)
    assert problem.rule == "broken-off"


def test_bare_deflate_data_is_read_as_well() -> None:
    packer = zlib.compressobj(wbits=-15)
    assert unpack(packer.compress(TEXT) + packer.flush(), ["deflate"], LIMIT) == TEXT


def test_two_codings_are_undone_and_three_refused() -> None:
    twice = brotli.compress(gzip.compress(TEXT))
    assert unpack(twice, ["gzip", " br "], LIMIT) == TEXT
    problem = unpack(gzip.compress(twice), ["gzip", "br", "gzip"], LIMIT)
    assert isinstance(problem, Unreadable)
    assert (problem.rule, "3 times" in problem.reason) == ("coding", True)


def test_plain_text_labelled_gzip_is_read_as_it_is() -> None:
    assert unpack(TEXT, ["gzip"], LIMIT) == TEXT


def test_several_gzip_members_and_padding_are_read() -> None:
    assert unpack(gzip.compress(b"one ") + gzip.compress(b"two") + bytes(8), ["gzip"], LIMIT) == b"one two"


def test_an_unknown_coding_is_named_and_identity_is_none() -> None:
    problem = unpack(TEXT, ["x-evil"], LIMIT)
    assert isinstance(problem, Unreadable)
    assert "'x-evil'" in problem.reason
    assert unpack(TEXT, ["identity"], LIMIT) == TEXT


@given(st.binary(), st.lists(st.sampled_from([*PACKERS, "identity", ""]), max_size=3))
def test_no_bytes_raise(body: bytes, codings: list[str]) -> None:
    assert isinstance(unpack(body, codings, LIMIT), (bytes, Unreadable))
