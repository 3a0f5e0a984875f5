"""Packed fields, frequencies and positions of a term are read from all documents at once."""

from __future__ import annotations

from base64 import b64decode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.machines.opensearch.documents import EMPTY, SHARED, page_documents
from extensions.machines.opensearch.forward import ForwardRecords
from indexer.segments.postings import unpack_numbers, unpack_positions
from indexer.writing.documents import document_of
from indexer.writing.inversion import Vocabulary
from urls.records import CanonicalUrl, Page

TEXTS = st.text("ab \u00e4\u0436\u30d1\U0001f35e-._'", max_size=60)


@given(texts=st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=6))
@settings(max_examples=60, deadline=None)
def test_the_words_of_several_documents_are_those_of_each(texts: list[tuple[str, str, str]]) -> None:
    pages = [
        Page(CanonicalUrl(f"http://a.test/{n}"), title, text, headings=(heading,), language="en")
        for n, (title, text, heading) in enumerate(texts)
    ]
    sources = [source for _, source, _ in page_documents(map(document_of, pages), Vocabulary())]
    records = ForwardRecords([b64decode(source["forward"]) for source in sources])
    standing: dict[tuple[str, str], dict[int, list[int]]] = {}
    for number, source in enumerate(sources):
        for field in ("title", "body", "headings", "url_words"):
            for place, slot in enumerate(source[field].split(" ") if field in source else ()):
                for word in slot.split(SHARED) if slot != EMPTY else ():
                    standing.setdefault((word, field), {}).setdefault(number, []).append(place)
    found = {}
    for word in {word for word, _ in standing}:
        for field, (documents, frequencies, positions) in records.lists_of(word.encode()):
            counts = unpack_numbers(b"".join(frequencies))
            places = np.split(unpack_positions(b"".join(positions), counts), np.cumsum(counts)[:-1])
            found[word, str(field)] = {n: some.tolist() for n, some in zip(documents, places, strict=True)}
    assert found == standing
    assert list(records.lists_of(b"none")) == []
    assert len(records.columns) == len(sources)


@pytest.mark.parametrize("damage", [b"", b"not packed", b"\x28\xb5\x2f\xfd\x00\x00\x01\x00\x00"])
def test_a_record_that_can_be_none_is_refused(damage: bytes) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever zstd finds
        ForwardRecords([damage])
