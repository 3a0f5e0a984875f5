"""Which fields does the index keep of a page? Its words by field, and a record to show results from.

    anchors body description headings template title url_words         words, with their positions
    reading                                                            readings of its Japanese (analysis/readings.py)
    file_type language site url                                         exact values, for filters and look-ups

Each page also has columns: the length of each word field, dates, expiry, cluster, signals, and a number for its URL.

Results, snippets and their limits come from the stored record, so a search needs no crawl database. A record is JSON
followed by the text, compressed by zstd together. So nothing in it can run as code, and the text needs no escapes.

A record also has checkpoints: characters of its text between two words, each with the position of the word that
follows. A text has one for every few hundred characters, and where a section or the text below its heading begins. So
the place of a word is found by reading only these, not the whole text.
"""

from __future__ import annotations

import json
import re
import struct
import threading
from array import array
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import zstandard

from extension_points import added_fields
from urls.signals import SIGNAL_NAMES, SignalName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MAX_STORED_CHARS = 300_000  # of a page's text are kept for snippets and sections: 998 pages in 1,000 whole
MAX_RECORD_BYTES = 16_000_000  # unpacked: the kept text and description, each character escaped, and as much again
HEAD_LENGTH = struct.Struct("<I")  # bytes of the JSON; the text stands behind it
SignalRow = tuple[str, float, str]  # name, strength, evidence
SectionRow = tuple[int, int, int, str]  # characters at which its heading begins and ends in the text, level, id
_HUNDRED, _BYTE = 100, 8
NOT_FETCHED = 1 << 56  # marks a page that was never fetched, which only links describe


class IndexField(StrEnum):
    """A part of a page that queries search; its value is the name in the index.

    Fields that extensions add (`extension_points.index_fields`) are members too.
    """

    __hash__ = str.__hash__  # of an enumeration it is a function in Python, and a query looks up thousands

    _ignore_ = ["members", "added"]  # noqa: RUF012 - the enumeration reads it and drops it
    ANCHORS = "anchors"
    BODY = "body"
    DESCRIPTION = "description"
    HEADINGS = "headings"
    READING = "reading"  # a READING_MARK for a page whose Japanese was read, and one before each reading
    TEMPLATE = "template"  # menus, header, footer: all but the main text
    TITLE = "title"
    URL = "url_words"
    members = vars()
    for added in added_fields():
        members[added.name.upper()] = added.name


ADDED_FIELDS = {IndexField(added.name): added for added in added_fields()}
# The order inside a segment. Added fields come last, so the others have the same keys in every index.
INDEX_FIELDS = (*sorted(field for field in IndexField if field not in ADDED_FIELDS), *ADDED_FIELDS)
LANGUAGE, SITE, URL, FILE_TYPE = "language", "site", "url", "file_type"  # the exact fields
EXACT_FIELDS = (FILE_TYPE, LANGUAGE, SITE, URL)
FIELD_KEYS = {name: bytes([place]) for place, name in enumerate((*EXACT_FIELDS, *INDEX_FIELDS))}
COLUMNS = {
    "expires": "<f8",
    "dated": "<f8",
    "signals": "<u8",
    "cluster": "<i8",
    "url_key": "<u8",
    "sections": "<u4",
} | {f"{field}_length": "<u4" for field in INDEX_FIELDS}  # a number for each document: name and type


@dataclass(frozen=True, slots=True)
class StoredFields:
    """The record of a page. `expires` is in seconds since the epoch, 0: never."""

    url: str
    site: str
    title: str
    text: str
    description: str
    language: str
    fetched_at: float
    expires: float
    archive: bool  # a cached copy may be shown
    snippet: int | None  # characters; None: no limit
    terms: Mapping[str, int] = field(default_factory=dict)  # the most frequent words of its text, and how often
    languages: tuple[str, ...] = ("",)  # its own, and others with a large share of its text
    published: float = 0.0  # in seconds since the epoch, as the page says; 0: unknown
    modified: float = 0.0
    signals: tuple[SignalRow, ...] = ()  # of spoofing
    reading_checkpoints: tuple[int, ...] = ()  # checkpoints of the text, with positions in the readings
    checkpoints: tuple[int, ...] = ()  # of the text; none: it differs from the indexed text
    cluster: int = 0  # near copies share a number; 0: not compared
    not_fetched: str = ""  # why it was never fetched, a clause; then `description` has the words of links to it
    file_types: tuple[str, ...] = ()  # by the end of its URL and by its media type: "pdf"
    added_fields: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of extensions: name and values
    sections: tuple[SectionRow, ...] = ()

    @property
    def dated(self) -> float:
        """The date of the page in seconds since the epoch: published, else modified, else fetched."""
        return self.published or self.modified or self.fetched_at

    def pack(self) -> bytes:
        """Return the record as bytes."""
        values = {name: getattr(self, name) for name in self.__slots__ if name != "text"}
        values["terms"] = list(self.terms.items())
        if not self.added_fields:
            del values["added_fields"]  # as in records without fields of extensions
        return pack_record(values, self.text)

    @classmethod
    def unpack(cls, packed: bytes) -> StoredFields:
        """Read what `pack` wrote. Raises ValueError and others for anything else."""
        values, values["text"] = unpack_record(packed)
        values["languages"] = tuple(map(str, values["languages"]))
        values["terms"] = {str(term): int(count) for term, count in values["terms"]}
        values["file_types"] = tuple(map(str, values["file_types"]))
        added = values.get("added_fields", ())
        values["added_fields"] = tuple((str(name), tuple(map(str, each))) for name, each in added)
        values["signals"] = checked_rows(values["signals"])
        values["sections"] = checked_sections(values["sections"])
        for name in ("fetched_at", "expires", "published", "modified"):
            values[name] = float(values[name])
        values["cluster"] = int(values["cluster"])
        values["snippet"] = None if values["snippet"] is None else int(values["snippet"])
        values["checkpoints"] = validated_checkpoints(values["checkpoints"])
        values["reading_checkpoints"] = validated_checkpoints(values["reading_checkpoints"])
        found = cls(**values)
        texts = (found.url, found.site, found.title, found.text, found.description, found.language, found.not_fetched)
        if set(map(type, texts)) != {str} or not isinstance(found.archive, bool):
            raise ValueError("a record of other fields")
        return found


def labelled(added: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the labels of added fields with the values of a page; a field without a label has its name."""
    known = {str(name): field for name, field in ADDED_FIELDS.items()}
    return tuple((known[name].label or name, values) for name, values in added if name in known)


def url_key(url: str) -> int:
    """Return the number that represents a URL: BLAKE2b, 64 bits."""
    return int.from_bytes(blake2b(url.encode("utf-8", "backslashreplace"), digest_size=8).digest(), "little")


class _Packing(threading.local):
    """The compressor of one thread: two threads can't share one, and making one takes as long as using it."""

    def __init__(self) -> None:
        self.pack = zstandard.ZstdCompressor().compress
        self.unpack = zstandard.ZstdDecompressor().decompress


PACKING = _Packing()


def pack_record(fields: dict[str, Any], text: str) -> bytes:
    """Return a record as bytes."""
    head = json.dumps(fields, separators=(",", ":")).encode()
    return PACKING.pack(HEAD_LENGTH.pack(len(head)) + head + text.encode("utf-8", "surrogatepass"))


def unpack_record(packed: bytes) -> tuple[Any, str]:
    """Return fields and text of a record. Raises ValueError and others for bytes that are none."""
    size = zstandard.frame_content_size(packed)  # -1: unknown
    if size not in range(HEAD_LENGTH.size, MAX_RECORD_BYTES):
        raise ValueError("a record of no size, or of more than one can have")
    content = PACKING.unpack(packed)
    end = HEAD_LENGTH.size + HEAD_LENGTH.unpack_from(content)[0]
    return json.loads(content[HEAD_LENGTH.size : end]), str(memoryview(content)[end:], "utf-8", "surrogatepass")


def pack_signals(signals: Iterable[SignalRow]) -> int:
    """Return the strengths of signals, packed into 64 bits: a byte for each, in hundredths; 0: none."""
    strengths = {name: strength for name, strength, _ in signals}
    return sum(round(_HUNDRED * strengths.get(name, 0.0)) << (_BYTE * place) for place, name in enumerate(SIGNAL_NAMES))


def unpack_signals(packed: int) -> dict[SignalName, float]:
    """Return the strengths in a packed number; none is above 1, whatever the number."""
    found = ((name, packed >> (_BYTE * place) & 0xFF) for place, name in enumerate(SIGNAL_NAMES))
    return {name: min(hundredths / _HUNDRED, 1.0) for name, hundredths in found if hundredths}


def checked_sections(rows: Iterable[Iterable[object]]) -> tuple[SectionRow, ...]:
    """Return the sections of a record. Raises ValueError for other rows."""
    found = []
    for start, end, level, anchor in rows:
        if (
            not isinstance(start, int)
            or not isinstance(end, int)
            or not isinstance(level, int)
            or not 0 <= start <= end
        ):
            raise ValueError("a section of other numbers")
        found.append((start, end, level, str(anchor)))
    return tuple(found)


def checked_rows(rows: Iterable[Iterable[object]]) -> tuple[SignalRow, ...]:
    """Return the signals of a record. Raises ValueError for other rows."""
    found = []
    for name, strength, evidence in rows:
        found.append((str(SignalName(str(name))), float(str(strength)), str(evidence)))
    return tuple(found)


CHECKPOINT_CHARS = 256  # from one checkpoint to the next, at least
# No word has one of these: blanks, and the marks between sentences of scripts without blanks.
_BETWEEN_WORDS = re.compile(r"[\s\u3000-\u3002\uff0c\uff0e\uff1f\uff01]")
_MAX_VALUE = 1 << 30  # of a character or position

Checkpoints = tuple[tuple[int, ...], tuple[int, ...]]  # ascending characters, and the position after each


def text_blocks(text: str, cuts: Iterable[int] = ()) -> Iterator[tuple[int, str]]:
    """Split a text between words into blocks of at least `CHECKPOINT_CHARS` characters; yield each with its start.

    A block also begins at each of `cuts`, which ascend and lie between words.
    """
    start, further = 0, iter(cuts)
    known = next(further, len(text))
    while start < len(text):
        while known <= start:
            known = next(further, len(text))
        cut = _BETWEEN_WORDS.search(text, start + CHECKPOINT_CHARS, known)
        end = cut.start() if cut else min(known, len(text))
        yield start, text[start:end]
        start = end


def pack_checkpoints(checkpoints: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Return checkpoints as the differences from each to the next: characters and positions in turn."""
    steps = [(after[0] - before[0], after[1] - before[1]) for before, after in pairwise([(0, 0), *checkpoints])]
    return tuple(step for pair in steps for step in pair)


def unpack_checkpoints(packed: tuple[int, ...]) -> Checkpoints:
    """Return the checkpoints that `pack_checkpoints` packed."""
    return tuple(accumulate(packed[0::2])), tuple(accumulate(packed[1::2]))


def validated_checkpoints(packed: Iterable[Any]) -> tuple[int, ...]:
    """Return the packed checkpoints of a record. Raises ValueError if they are invalid."""
    found = tuple(packed)
    try:
        total = sum(array("I", found))
    except (TypeError, OverflowError) as error:
        raise ValueError("invalid checkpoints") from error
    if len(found) % 2 or total > _MAX_VALUE:
        raise ValueError("invalid checkpoints")
    return found
