"""Does a record come back as it was, whatever its text, and is one that can't be believed refused?"""

from __future__ import annotations

import json
from dataclasses import replace
from threading import Barrier, Thread

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from indexer.segments.schema import HEAD_LENGTH, MAX_RECORD_BYTES, StoredFields

ANY_TEXT = st.text(st.characters() | st.just("\ud800"))  # a lone surrogate is in it now and then
NUMBERS = st.floats(0, 4e9)
RECORDS = st.builds(
    StoredFields,
    url=ANY_TEXT,
    site=ANY_TEXT,
    title=ANY_TEXT,
    text=ANY_TEXT,
    description=ANY_TEXT,
    language=ANY_TEXT,
    fetched_at=NUMBERS,
    expires=NUMBERS,
    archive=st.booleans(),
    snippet=st.none() | st.integers(0, 1_000),
    terms=st.dictionaries(ANY_TEXT, st.integers(0, 9)),
    languages=st.lists(ANY_TEXT).map(tuple),
    published=NUMBERS,
    modified=NUMBERS,
    cluster=st.integers(-(2**62), 2**62),
)


@given(RECORDS)
def test_a_record_comes_back_as_it_was(record: StoredFields) -> None:
    assert StoredFields.unpack(record.pack()) == record


def record_of(head: bytes, text: bytes = b"", length: int | None = None) -> bytes:
    found = HEAD_LENGTH.pack(len(head) if length is None else length) + head + text
    return zstandard.ZstdCompressor().compress(found)


def head_of(record: StoredFields, **changed: object) -> bytes:
    content = zstandard.ZstdDecompressor().decompress(record.pack())
    (length,) = HEAD_LENGTH.unpack_from(content)
    return json.dumps(json.loads(content[HEAD_LENGTH.size :][:length]) | changed).encode()


@given(st.binary(max_size=200), st.binary(max_size=50), st.none() | st.integers(0, 2**32 - 1))
def test_what_is_no_record_is_refused(head: bytes, text: bytes, length: int | None) -> None:
    for evil in (head, record_of(head, text, length)):
        with pytest.raises((ValueError, TypeError, KeyError, AttributeError, zstandard.ZstdError)):
            StoredFields.unpack(evil)


PAGE = StoredFields("http://a.test/", "a.test", "A", "text", "", "en", 1.0, 0.0, archive=True, snippet=None)


@pytest.mark.parametrize(
    "changed",
    [{"url": 1}, {"archive": "yes"}, {"snippet": "all"}, {"fetched_at": None}, {"terms": [1]}, {"more": 1}],
    ids=str,
)
def test_fields_of_another_kind_are_refused(changed: dict[str, object]) -> None:
    assert StoredFields.unpack(record_of(head_of(PAGE), b"text")) == PAGE
    with pytest.raises((ValueError, TypeError)):
        StoredFields.unpack(record_of(head_of(PAGE, **changed), b"text"))


def test_a_record_that_unpacks_to_more_than_one_can_have_is_refused_before_it_is_unpacked() -> None:
    bomb = zstandard.ZstdCompressor().compress(bytes(MAX_RECORD_BYTES))
    assert len(bomb) < 10_000
    with pytest.raises(ValueError, match="more than one can have"):
        StoredFields.unpack(bomb)
    untold = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(MAX_RECORD_BYTES))
    with pytest.raises(ValueError, match="more than one can have"):
        StoredFields.unpack(untold)


def test_threads_read_records_at_once() -> None:
    texts = ["x" * number * 999 for number in range(8)]
    packed = [replace(PAGE, text=text).pack() for text in texts]
    right: list[bool] = []
    start = Barrier(len(packed))

    def read(number: int) -> None:
        start.wait()
        right.extend(StoredFields.unpack(packed[number]).text == texts[number] for _ in range(300))

    threads = [Thread(target=read, args=(number,)) for number in range(len(packed))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(right) == len(packed) * 300
    assert all(right)
