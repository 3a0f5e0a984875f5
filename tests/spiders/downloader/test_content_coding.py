"""Content codings: bodies are unpacked within bounds, and broken ones are reported."""

import gzip
import time
import zlib
from collections.abc import Callable
from functools import partial

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from spiders.downloader.content_coding import Unreadable, unpack

LIMIT = 10_000
TEXT = b"<p>a page of some words</p>" * 50

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": partial(brotli.compress, quality=1),
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


def test_all_zstd_frames_are_read_and_those_to_be_skipped_are_skipped() -> None:
    pack, skipped = PACKERS["zstd"], b"\x50\x2a\x4d\x18\x04\0\0\0note"
    assert unpack(pack(b"one ") + skipped + pack(b"two") + bytes(8), ["zstd"], LIMIT) == b"one two"
    problem = unpack(pack(b"one ") + pack(bytes(range(256)) * 30)[:50], ["zstd"], LIMIT)
    assert isinstance(problem, Unreadable)
    assert problem.rule == "broken-off"


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_what_is_joined_of_pieces_without_end_is_refused_soon(coding: str) -> None:
    before = time.process_time()
    problem = unpack(PACKERS[coding](b"") * 100_000, [coding], LIMIT)
    assert isinstance(problem, Unreadable)
    assert (problem.rule, "more than 10000 pieces" in problem.reason) == ("coding", True)
    assert time.process_time() - before < 2.0, "copying the rest for each piece takes ten seconds and more"


def test_a_window_that_takes_too_much_memory_is_refused() -> None:
    gigabytes = b"\x28\xb5\x2f\xfd\x00\xa8" + b"\x02\x00\x10\x20" + b"\x01\x00\x00"  # 2 GiB for 128 KiB of blanks
    problem = unpack(gigabytes, ["zstd"], 1_000_000)
    assert isinstance(problem, Unreadable)
    assert (problem.rule, "window" in problem.reason) == ("coding", True)


@given(st.binary(max_size=200), st.integers(0, 300), st.sampled_from([-15, 15, 31]))
def test_what_is_packed_comes_back_whole_however_it_falls_into_pieces(text: bytes, times: int, wbits: int) -> None:
    text *= times * 20  # up to a megabyte, of which matches run over each boundary
    packer = zlib.compressobj(wbits=wbits)
    packed = packer.compress(text) + packer.flush()
    assert unpack(packed, ["gzip" if wbits > 15 else "deflate"], 2_000_000) == text


def test_an_unknown_coding_is_named_and_identity_is_none() -> None:
    problem = unpack(TEXT, ["x-evil"], LIMIT)
    assert isinstance(problem, Unreadable)
    assert "'x-evil'" in problem.reason
    assert unpack(TEXT, ["identity"], LIMIT) == TEXT


@given(st.binary(), st.lists(st.sampled_from([*PACKERS, "identity", ""]), max_size=3))
def test_no_bytes_raise(body: bytes, codings: list[str]) -> None:
    assert isinstance(unpack(body, codings, LIMIT), (bytes, Unreadable))
