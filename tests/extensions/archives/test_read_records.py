"""Records of archives: found wherever they are packed, at their places, and behind any damage."""

from __future__ import annotations

import gzip
import random
from io import BytesIO

import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from extensions.archives.captures import DamagedStretch
from extensions.archives.importing.reader import (
    MAX_HEAD_BYTES,
    PIECE_BYTES,
    ArchivedRecord,
    DamagedError,
    Members,
    Records,
    is_archive,
)
from extensions.archives.tables import RecordPlace
from tests.extensions.archives.made_archives import arc, http, packed, page, record, response

URLS = [f"http://a.example/{number}" for number in range(4)]
RECORDS = [response(url, http(page(f"Page {url}"))) for url in URLS]
PLAIN = b"".join(RECORDS)
OFFSETS = [sum(map(len, RECORDS[:number])) for number in range(4)]
PACKED = packed(RECORDS)
DICTIONARY = zstandard.train_dictionary(1024, [each * 3 for each in RECORDS * 20])


def frames(dictionary: zstandard.ZstdCompressionDict | None = None) -> bytes:
    compressor = zstandard.ZstdCompressor(dict_data=dictionary, write_checksum=True)
    return b"".join(map(compressor.compress, RECORDS))


def without_skipped_frames(data: bytes) -> bytes:
    while data[1:4] == b"\x2a\x4d\x18" and data[0] >> 4 == 5 and len(data) >= 8:
        data = data[8 + int.from_bytes(data[4:8], "little") :]
    return data


def turned(data: bytes, at: int, bits: int = 255) -> bytes:
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :]


def with_dictionary(data: bytes) -> bytes:
    return b"\x5d\x2a\x4d\x18" + len(data).to_bytes(4, "little") + data + frames(DICTIONARY)


def read(data: bytes, start: RecordPlace | None = None) -> list[tuple[RecordPlace, str, bytes] | DamagedStretch]:
    """What an archive holds: place, URL and block of each record, and each damage."""
    members = Members(BytesIO(data))
    if start is not None:
        members.go_to(start)
    found: list[tuple[RecordPlace, str, bytes] | DamagedStretch] = []
    for each in Records(members):
        if isinstance(each, ArchivedRecord):
            try:
                body = each.read_up_to(1_000_000)
                each.finish()
            except DamagedError as damage:
                each.damage = damage  # it is told next
            else:
                found.append((each.place, each.url, body))
        else:
            found.append(each)
    return found


def blocks(data: bytes) -> list[bytes]:
    return [each[2] for each in read(data) if not isinstance(each, DamagedStretch)]


def damages(data: bytes) -> list[DamagedStretch]:
    return [each for each in read(data) if isinstance(each, DamagedStretch)]


WHOLE = blocks(PLAIN)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(PLAIN, id="not packed"),
        pytest.param(PACKED, id="a gzip member a record"),
        pytest.param(gzip.compress(PLAIN), id="one gzip member for all"),
        pytest.param(b"".join(gzip.compress(PLAIN[at : at + 700]) for at in range(0, len(PLAIN), 700)), id="by blocks"),
        pytest.param(frames(), id="a zstd frame a record"),
        pytest.param(with_dictionary(DICTIONARY.as_bytes()), id="zstd with its dictionary in front"),
        pytest.param(
            with_dictionary(zstandard.ZstdCompressor().compress(DICTIONARY.as_bytes())), id="a packed dictionary"
        ),
    ],
)
def test_each_packing_has_the_same_records_and_any_of_them_can_be_begun_at(data: bytes) -> None:
    found = read(data)
    assert blocks(data) == WHOLE
    assert not damages(data)
    assert is_archive(BytesIO(data))
    for number, each in enumerate(found):
        assert not isinstance(each, DamagedStretch)
        assert read(data, each[0]) == found[number:]


@pytest.mark.parametrize("left", range(-2, 14))
def test_a_member_may_end_wherever_a_piece_of_the_file_does(left: int) -> None:
    """The last octets of a member are its checksum: they may be read without bringing anything."""
    noise = random.Random(4711).randbytes(2 * PIECE_BYTES)

    def first(size: int) -> bytes:
        return packed([response(URLS[0], http(noise[:size]))])

    size = PIECE_BYTES - 400
    size += PIECE_BYTES - left - len(first(size))
    assert abs(len(first(size)) - (PIECE_BYTES - left)) <= 1
    assert blocks(first(size) + PACKED)[1:] == WHOLE
    assert not damages(first(size) + PACKED)


def test_places_are_those_of_the_file() -> None:
    assert [str(each[0]) for each in read(PLAIN) if not isinstance(each, DamagedStretch)] == [
        f"offset {offset:,}" for offset in OFFSETS
    ]
    inside = read(gzip.compress(PLAIN))[1]
    assert not isinstance(inside, DamagedStretch)
    assert inside[0] == RecordPlace(0, OFFSETS[1])
    assert "bytes into what it unpacks to" in str(inside[0])


def test_an_archive_of_the_last_century_is_read() -> None:
    found = read(arc("http://old.example/", page("Old")))
    assert [each[1] for each in found if not isinstance(each, DamagedStretch)] == ["", "http://old.example/"]


@pytest.mark.parametrize(
    ("data", "lost"),
    [
        pytest.param(PLAIN.replace(b"Content-Length", b"Content-Lentgh", 2), [0, 1], id="a head without a length"),
        pytest.param(PLAIN[: OFFSETS[2]] + b"rubbish\n" * 9000 + PLAIN[OFFSETS[2] :], [], id="rubbish between records"),
        pytest.param(
            packed(RECORDS[:1]) + packed([RECORDS[1]])[:-30] + packed(RECORDS[2:]), [1], id="a member that is cut"
        ),
        pytest.param(
            packed(RECORDS[:2]) + gzip.compress(RECORDS[2][:-100]) + packed(RECORDS[3:]), [2], id="a record that is cut"
        ),
        pytest.param(turned(frames(), 400), [1], id="a damaged frame"),
    ],
)
def test_behind_a_damage_the_rest_is_read_and_the_damage_told(data: bytes, lost: list[int]) -> None:
    assert blocks(data) == [block for number, block in enumerate(WHOLE) if number not in lost]
    told = damages(data)
    assert len(told) == max(1, len(lost))
    assert all(each.end is not None and each.end > each.place and each.reason for each in told)


def test_behind_the_last_record_nothing_is_looked_for() -> None:
    (told,) = damages(PACKED[:-20])
    assert told.end is None
    assert "ends in the middle" in told.reason


def test_a_head_without_an_end_is_bounded() -> None:
    endless = record("response", b"", f"http://a.example/{'x' * MAX_HEAD_BYTES}")
    (told,) = damages(endless + PLAIN)
    assert "head is longer" in told.reason
    assert blocks(endless + PLAIN) == WHOLE


def test_a_bomb_is_unpacked_in_pieces() -> None:
    """A member of a gigabyte would take seconds: its first pieces show how it is read."""
    bomb = gzip.compress(record("response", bytes(8_000_000), "http://a.example/"))
    members = Members(BytesIO(bomb))
    for each in Records(members):
        assert isinstance(each, ArchivedRecord)
        assert 0 < len(each.read(10_000_000)) <= PIECE_BYTES


@given(st.binary(max_size=400))
@example(b"WARC/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n")
@example(b"WARC/1.0\r\nContent-Length: 5\r\n\r\n")
@example(b"\x1f\x8b\x08" + bytes(20))
@example(b"\x28\xb5\x2f\xfd" + b"\xff" * 20)
@example(b"\x50\x2a\x4d\x18\xff\xff\xff\xff")
@example(b"\x5d\x2a\x4d\x18\x04\0\0\0abcd")
def test_any_bytes_are_read_or_told(data: bytes) -> None:
    for first in (b"", b"WARC/1.0\r\n", b"\x1f\x8b\x08\0", b"\x28\xb5\x2f\xfd", b"http://a.example/ 1.2.3.4 "):
        found = read(first + data)
        assert is_archive(BytesIO(first + data)) in {True, False}
        assert found or not without_skipped_frames(first + data).strip(b"\r\n")


@given(st.integers(0, len(PACKED) - 1), st.integers(1, 255))
@example(908, 25)  # the body is whole by its length, and the checksum comes behind something else
def test_no_turned_byte_of_a_packed_archive_goes_unnoticed(at: int, bits: int) -> None:
    data = turned(PACKED, at, bits)
    assert blocks(data) == WHOLE or damages(data)
    assert [block for block in blocks(data) if block not in WHOLE] == []


@given(st.integers(1, len(PACKED) - 1))
def test_no_cut_of_a_packed_archive_goes_unnoticed(length: int) -> None:
    left = blocks(PACKED[:length])
    assert left == WHOLE[: len(left)]
    ends_at_a_member = packed(RECORDS[: len(left)]) == PACKED[:length]
    assert ends_at_a_member is not bool(damages(PACKED[:length]))
