"""What of a page does the index keep, and in which fields? Its words by field, and one stored record to show it from.

    anchors body description headings template title url_words         words, with their positions
    reading                                                            how its Japanese is spoken (analysis/readings.py)
    file_type language site url                                         exact values of a page, to filter and find it by

Beside these eight and four fields each page has columns: its packed record, the length of each word field, when it
ends, its cluster, and a number for its URL.

The stored record makes the index stand alone: results, snippets and their limits work with the crawl database taken
away.

[[ How is the record of a page kept? Its fields as JSON, behind them its text as it is, both packed by zstd.

So nothing that is read from disk can run as code, and no line of the text is escaped and read as JSON for a snippet. ]]

[[ How does the index keep the strengths of a page's signals? As one number of 64 bits, a byte a signal, in hundredths.

So a ranking reads them of all pages at once, as it reads when pages end; the evidence is in a page's record. The last
byte is no signal: it marks a page that was never fetched, of which only links tell. ]]
"""

from __future__ import annotations

import json
import re
import struct
import threading
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import zstandard

from extension_points import added_fields
from indexer.analysis.offsets import validated_checkpoints
from indexer.analysis.readings import readings_of
from urls.signals import SIGNAL_NAMES, SignalName
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urls.records import Page

MAX_STORED_CHARS = 100_000  # of a page's text are kept for snippets: 99 pages in 100 whole
MAX_INDEXED_ANCHORS = 200  # distinct anchor texts of one page that are indexed
MAX_INDEXED_PHRASES = 500  # headings or words of pictures of one page that are indexed
MUCH = 0.3  # of a page's text: in what language that is, in that language it is found too
_ENDING = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,7})\Z")
_CALLED = {  # media types as people name them
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": "txt",
    "text/markdown": "md",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.presentation": "odp",
}


class IndexField(StrEnum):
    """A part of a page in which words are looked for; its value is the name inside the index.

    Fields that extensions add (`extension_points.index_fields`) are members too.
    """

    _ignore_ = ["members", "added"]  # noqa: RUF012 - the enumeration reads it and drops it
    ANCHORS = "anchors"
    BODY = "body"
    DESCRIPTION = "description"
    HEADINGS = "headings"
    READING = "reading"  # a READING_MARK for a page whose Japanese was read, and one before each reading
    TEMPLATE = "template"  # menus, header, footer: what the page says beside its main text
    TITLE = "title"
    URL = "url_words"
    members = vars()
    for added in added_fields():
        members[added.name.upper()] = added.name


ADDED_FIELDS = {IndexField(added.name): added for added in added_fields()}
# The order inside a segment. Added fields come last, so that the others have the same keys in every index.
INDEX_FIELDS = (*sorted(field for field in IndexField if field not in ADDED_FIELDS), *ADDED_FIELDS)
LANGUAGE, SITE, URL, FILE_TYPE = "language", "site", "url", "file_type"  # the exact fields
EXACT_FIELDS = (FILE_TYPE, LANGUAGE, SITE, URL)
FIELD_KEYS = {name: bytes([place]) for place, name in enumerate((*EXACT_FIELDS, *INDEX_FIELDS))}
COLUMNS = {"expires": "<f8", "dated": "<f8", "signals": "<u8", "cluster": "<i8", "url_key": "<u8"} | {
    f"{field}_length": "<u4" for field in INDEX_FIELDS
}  # a number of each document, and how it is kept


@dataclass(frozen=True, slots=True)
class StoredFields:
    """What a result is shown from. `expires` is in seconds since the epoch, 0: never."""

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
    terms: tuple[tuple[str, int], ...] = ()  # the most frequent words of its text
    languages: tuple[str, ...] = ("",)  # it is found by: its own, and any other that much of it is in
    published: float = 0.0  # in seconds since the epoch, by its own word; 0: not known
    modified: float = 0.0
    signals: tuple[SignalRow, ...] = ()  # of spoofing
    reading_marks: tuple[int, ...] = ()  # landmarks of the text, with positions among the readings
    landmarks: tuple[int, ...] = ()  # of the text (indexer/analysis/offsets.py); none: it is not as it was indexed
    cluster: int = 0  # pages that say nearly the same have one number; 0: it was not compared
    not_fetched: str = ""  # why it never was, a clause: then `description` is what those who link to it call it
    file_types: tuple[str, ...] = ()  # what its address ends in, and what its server calls it: "pdf"
    added_fields: tuple[tuple[str, tuple[str, ...]], ...] = ()  # of extensions: name and values

    @property
    def dated(self) -> float:
        """When it is from, in seconds since the epoch: published, else changed, else fetched."""
        return self.published or self.modified or self.fetched_at

    def pack(self) -> bytes:
        """Return the record as bytes."""
        values = {name: getattr(self, name) for name in self.__slots__ if name != "text"}
        if not self.added_fields:
            del values["added_fields"]  # as records are where no extension adds a field
        return packed_record(values, self.text)

    @classmethod
    def unpack(cls, packed: bytes) -> StoredFields:
        """Read what `pack` wrote. Raises ValueError and others for anything else."""
        values, values["text"] = unpacked_record(packed)
        values["languages"] = tuple(map(str, values["languages"]))
        values["terms"] = tuple([(str(term), int(count)) for term, count in values["terms"]])
        values["file_types"] = tuple(map(str, values["file_types"]))
        added = values.get("added_fields", ())
        values["added_fields"] = tuple((str(name), tuple(map(str, each))) for name, each in added)
        values["signals"] = checked_rows(values["signals"])
        for name in ("fetched_at", "expires", "published", "modified"):
            values[name] = float(values[name])
        values["cluster"] = int(values["cluster"])
        values["snippet"] = None if values["snippet"] is None else int(values["snippet"])
        values["landmarks"] = validated_checkpoints(values["landmarks"])
        values["reading_marks"] = validated_checkpoints(values["reading_marks"])
        found = cls(**values)
        texts = (found.url, found.site, found.title, found.text, found.description, found.language, found.not_fetched)
        if not all(isinstance(text, str) for text in texts) or not isinstance(found.archive, bool):
            raise ValueError("a record of other fields")
        return found


@dataclass(frozen=True, slots=True)
class Document:
    """A page ready for the index: the texts of each field, and the record.

    `is_quotable` says that the record has the beginning of the main text, as it is indexed.
    """

    stored: StoredFields
    texts: dict[IndexField, tuple[str, ...]]
    is_quotable: bool = False


def document_of(page: Page) -> Document:
    """Return what of a page goes into the index; the most frequent terms are told when it is inverted."""
    stored, texts = _stored(page), _texts(page)
    if spoken := readings_of(page.text, page.title, stored.languages):
        texts[IndexField.READING], stored = spoken.texts, replace(stored, reading_marks=spoken.checkpoints)
    return Document(stored, texts, page.snippet_text is None and page.controls.snippet != 0)


def labelled(added: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the labels of added fields with the values of a page; a field without a label goes by its name."""
    known = {str(name): field for name, field in ADDED_FIELDS.items()}
    return tuple((known[name].label or name, values) for name, values in added if name in known)


def url_key(url: str) -> int:
    """Return the number that stands for a URL: BLAKE2b, 64 bits."""
    return int.from_bytes(blake2b(url.encode("utf-8", "backslashreplace"), digest_size=8).digest(), "little")


def _texts(page: Page) -> dict[IndexField, tuple[str, ...]]:
    return {
        IndexField.ANCHORS: page.anchors[:MAX_INDEXED_ANCHORS],
        IndexField.BODY: (page.text, *page.pictures[:MAX_INDEXED_PHRASES]),
        IndexField.DESCRIPTION: (page.description,),
        IndexField.HEADINGS: page.headings[:MAX_INDEXED_PHRASES],
        IndexField.TEMPLATE: (page.template_text,),
        IndexField.TITLE: (page.title,),
        IndexField.URL: _url_words(page.url),
    } | {field: values for field in ADDED_FIELDS if (values := dict(page.added_fields).get(field.value))}


def _url_words(url: str) -> tuple[str, ...]:
    """Return path and query in readable form. The host is left out: it stands in every URL of a site."""
    parts = urlsplit(url)
    return (unquote(parts.path), unquote(parts.query.replace("+", " ")))


def _description(page: Page) -> str:
    """Return what a page says of itself, or of one that was never fetched what others call it, in their own words."""
    return ", ".join(f"“{text}”" for text in page.anchors) if page.not_fetched else page.description


def _stored(page: Page) -> StoredFields:
    controls, languages = page.controls, page_languages(page)
    shown = controls.snippet != 0  # nothing may be shown: then nothing is kept to show
    text = page.text if page.snippet_text is None else page.snippet_text
    return StoredFields(
        url=page.url,
        site=site_of(page.url),
        title=page.title,
        text=text[:MAX_STORED_CHARS] if shown else "",
        description=_description(page)[:MAX_STORED_CHARS] if shown else "",
        language=languages[0],
        fetched_at=page.fetched_at,
        expires=controls.expires.timestamp() if controls.expires else 0.0,
        archive=controls.archive,
        snippet=controls.snippet,
        languages=languages,
        published=page.published or 0.0,
        modified=page.modified or 0.0,
        signals=tuple((each.name.value, each.value, each.evidence) for each in page.signals),
        cluster=page.cluster or 0,
        not_fetched=page.not_fetched,
        file_types=file_types_of(page),
        added_fields=page.added_fields if shown else (),
    )


def page_languages(page: Page) -> tuple[str, ...]:
    """Return the languages of a page as ISO 639-1, without regions, its own first: "" where that is not known."""
    own = page.language.replace("_", "-").partition("-")[0].strip().lower()
    return tuple(dict.fromkeys((own, *(language for language, share in page.languages if share >= MUCH))))


def file_types_of(page: Page) -> tuple[str, ...]:
    """Return the types under which a page can be asked for, in lower case."""
    ending = _ENDING.search(urlsplit(page.url).path)
    called = _CALLED.get(page.content_type.partition(";")[0].strip().lower())
    return tuple(dict.fromkeys(kind for kind in (ending and ending[1].lower(), called) if kind))


MAX_RECORD_BYTES = 16_000_000  # unpacked: the kept text and description, each character escaped, and as much again
HEAD_LENGTH = struct.Struct("<I")  # bytes of the JSON; the text stands behind it


class _Packing(threading.local):
    """Packs and unpacks for one thread: two calls at once would disturb each other, and making one takes as long."""

    def __init__(self) -> None:
        self.pack = zstandard.ZstdCompressor().compress
        self.unpack = zstandard.ZstdDecompressor().decompress


PACKING = _Packing()


def packed_record(fields: dict[str, Any], text: str) -> bytes:
    """Return a record as bytes."""
    head = json.dumps(fields, separators=(",", ":")).encode()
    return PACKING.pack(HEAD_LENGTH.pack(len(head)) + head + text.encode("utf-8", "surrogatepass"))


def unpacked_record(packed: bytes) -> tuple[Any, str]:
    """Return what was packed. Raises ValueError and others for what no record can be."""
    size = zstandard.frame_content_size(packed)  # -1: it does not tell
    if size not in range(HEAD_LENGTH.size, MAX_RECORD_BYTES):
        raise ValueError("a record of no size, or of more than one can have")
    content = PACKING.unpack(packed)
    end = HEAD_LENGTH.size + HEAD_LENGTH.unpack_from(content)[0]
    return json.loads(content[HEAD_LENGTH.size : end]), content[end:].decode("utf-8", "surrogatepass")


SignalRow = tuple[str, float, str]  # name, strength, evidence: as a page's record has them
_HUNDRED, _BYTE = 100, 8
NOT_FETCHED = 1 << 56


def packed_signals(signals: Iterable[SignalRow]) -> int:
    """Return the strengths of signals as one number; 0: there is none."""
    strengths = {name: strength for name, strength, _ in signals}
    return sum(round(_HUNDRED * strengths.get(name, 0.0)) << (_BYTE * place) for place, name in enumerate(SIGNAL_NAMES))


def strengths_in(packed: int) -> dict[SignalName, float]:
    """Return what `packed_signals` has packed; whatever the number, no strength is above 1."""
    found = ((name, packed >> (_BYTE * place) & 0xFF) for place, name in enumerate(SIGNAL_NAMES))
    return {name: min(hundredths / _HUNDRED, 1.0) for name, hundredths in found if hundredths}


def checked_rows(rows: Iterable[Iterable[object]]) -> tuple[SignalRow, ...]:
    """Return the signals of a record as they are kept. Raises ValueError for what can't be any."""
    found = []
    for name, strength, evidence in rows:
        found.append((str(SignalName(str(name))), float(str(strength)), str(evidence)))
    return tuple(found)
