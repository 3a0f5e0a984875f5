"""How does a sitemap file become one `Sitemap`? Its first bytes show its form: XML, or a list with a URL a line.

A sitemap is the list of pages that a site makes itself (sitemaps.org, protocol 0.9). `read_sitemap` is the whole
interface: bytes in, one `Sitemap` out. It never raises, whatever the bytes. A file that is no sitemap, such as an error
page with status 200, comes back with no form, no entries, and a warning.

**Packed files.** Sitemaps are often served as `.xml.gz`. That is a packed file and no Content-Encoding, so the
downloader does not unpack it. The parser unpacks and reads one piece at a time, up to the size limit of a sitemap. If
the file breaks off, the pieces before the break count.

**Dates.** `lastmod` is a W3C date of any precision, or in a feed the date of a mail. `2026`, `2026-11`, `2026-11-21`
and `2026-11-21T08:00+01:00` are all dates. A day is a span, and the page may have changed at its very end. So its end
counts, or now if the day is not over. The parser drops a date in the future.

**Entries.** The parser keeps URLs with their dates, as many as a sitemap may have. It drops and counts a URL that is
missing or too long. If a date can't be read, it keeps the URL. It ignores `priority` and `changefreq`, since nearly
every site gives all its pages the same.

**XML.** Names count without their prefix, because real files declare none, a wrong one, or their own. The parser loads
no other file, and rejects a DOCTYPE: only an attack needs one here. If the file breaks off or breaks a rule of XML, the
entries before that count. The C parser's memory grows with depth and with distinct names, and its time with the length
of one tag. All three are bounded.
"""

from __future__ import annotations

import re
import zlib
from calendar import monthrange
from codecs import BOM_UTF8
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING
from xml.sax import SAXException
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.sax import make_parser

from pages.xml_events import pieces_of
from robots.freshness import http_date, validator
from robots.lines import UTF16_BYTE_ORDER_MARKS
from spiders.downloader.content_coding import GZIP_MAGIC, BrokenData, TooCostly, inflated
from urls.records import Sitemap, SitemapEntry
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from xml.sax.xmlreader import AttributesImpl

    from pages.http_headers import FetchedBody

MAX_SITEMAP_BYTES = 50 * 1024 * 1024  # of a sitemap, unpacked; sitemaps.org: 50 MB (52,428,800 bytes)
MAX_GZIP_MEMBERS = 1000  # gzip files may be joined; each costs a copy of the rest of a piece
_GZIP = zlib.MAX_WBITS | 16


class SitemapBytes:
    """The bytes of a sitemap file, unpacked where it is packed. `warning` says at the end why there are no more."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self.warning = ""

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self._unpacked() if self._body.startswith(GZIP_MAGIC) else pieces_of(self._body):
            yield piece[: MAX_SITEMAP_BYTES - size]
            size += len(piece)
            if size > MAX_SITEMAP_BYTES:
                self.warning = (
                    f"larger than the {MAX_SITEMAP_BYTES} bytes that a sitemap may have: the rest is not read"
                )
                return

    def _unpacked(self) -> Iterator[bytes]:
        try:
            yield from filter(None, inflated(self._body, _GZIP, MAX_GZIP_MEMBERS))
        except BrokenData as error:
            self.warning = f"its gzip data is broken: {error}"
        except TooCostly as error:
            self.warning = f"its gzip data {error}"


_BLANKS = b" \t\r\n\f"
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|div|p)\b", re.IGNORECASE)
_ADDRESS_LINE = re.compile(rb"^[ \t]*https?://", re.IGNORECASE | re.MULTILINE)
_COMMENTS = re.compile(rb"(?:<\?xml[^>]{0,200}\?>|<!--.{0,1000}?-->|\s)*", re.DOTALL)


def read_sitemap(fetched: FetchedBody) -> Sitemap:
    """Read one response."""
    listing = Listing(fetched.fetched_at)
    pieces = SitemapBytes(fetched.body)
    _read_form(iter(pieces), listing)
    if pieces.warning:
        listing.warn(pieces.warning)
    entries, is_index = listing.entries_in_order(), listing.form == "index"
    return Sitemap(
        fetched.url,
        listing.form,
        entries=() if is_index else entries,
        children=entries if is_index else (),
        beyond=listing.beyond,
        warnings=listing.all_warnings(),
        fetched_at=fetched.fetched_at,
        status=fetched.status,
        etag=validator(fetched.headers, "etag"),
        last_modified=validator(fetched.headers, "last-modified"),
        seconds=fetched.seconds,
        size=len(fetched.body),
    )


def _read_form(pieces: Iterable[bytes], listing: Listing) -> None:
    pieces = iter(pieces)
    first = next(pieces, b"")
    start = first.removeprefix(BOM_UTF8).lstrip(_BLANKS)
    if not start:
        listing.warn("it is empty: no sitemap")
    elif _HTML.match(start, _end_of_comments(start)):
        listing.warn("it is HTML: no sitemap")
    elif start.startswith(b"<"):
        read_markup(chain([start], pieces), listing)
    elif first.startswith(UTF16_BYTE_ORDER_MARKS):
        read_markup(chain([first], pieces), listing)
    elif _ADDRESS_LINE.search(start):
        _read_lines(chain([start], pieces), listing)
    else:
        listing.warn("it is neither XML nor a list of addresses: no sitemap")


def _end_of_comments(start: bytes) -> int:
    match = _COMMENTS.match(start)
    return match.end() if match else 0


def _read_lines(pieces: Iterable[bytes], listing: Listing) -> None:
    listing.form = "text"
    others, rest = 0, b""
    for piece in chain(pieces, [b"\n"]):
        *lines, rest = (rest + piece).replace(b"\r", b"\n").split(b"\n")
        for line in filter(None, map(bytes.strip, lines)):
            if _ADDRESS_LINE.match(line):
                listing.add(line.decode("utf-8", "replace"))
            else:
                others += 1
        rest = rest[: 4 * MAX_URL_CHARS]  # a longer text is no URL, however it continues
    if others:
        listing.warn(counted(others, "line is no address", "lines are no addresses"))


MAX_DATE_CHARS = 64  # the longest form in use has 35
_MIDNIGHT = 24
_W3C = re.compile(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]*)?)?\s?"
    r"(Z|[+-][0-9]{2}:?[0-9]{2})?)?)?)?",
    re.IGNORECASE,
)


def moment_of(text: str, now: float) -> float | None:
    """Return the latest moment that a date may mean, in seconds since the epoch; None for no date, or a future one."""
    text = text.strip()
    if not text or len(text) > MAX_DATE_CHARS:
        return None
    try:
        span = _w3c(text)
    except (ValueError, OverflowError):
        return None
    if span is None:
        mailed = http_date(text)
        if mailed is None:
            return None
        span = mailed, mailed
    start, end = span[0].timestamp(), span[1].timestamp()
    return None if start > now else min(end, now)


def _w3c(text: str) -> tuple[datetime, datetime] | None:
    """Return the first and the last second that a W3C date covers; raise ValueError for the 31st of February."""
    match = _W3C.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, zone = match.groups()
    date = datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC)
    start = date.replace(hour=int(hour or 0) % _MIDNIGHT, minute=int(minute or 0), second=int(second or 0))
    start -= _offset(zone)
    if hour:
        return start, start + timedelta(seconds=0 if second else 59)
    days = 1 if day else monthrange(int(year), int(month))[1] if month else 365
    return start, start + timedelta(days=days, seconds=-1)


def _offset(zone: str | None) -> timedelta:
    if not zone or zone in "Zz":
        return timedelta()
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return timedelta(minutes=-minutes if zone[0] == "-" else minutes)


MAX_ENTRIES = 50_000  # of one file; sitemaps.org
MAX_URL_CHARS = 2048  # of one address; sitemaps.org: less than 2,048


@dataclass(slots=True)
class Listing:
    """The entries of one sitemap; `now` is when it was fetched, in seconds since the epoch."""

    now: float
    form: str = ""  # a form of SITEMAP_FORMS, or "text"; empty: it is no sitemap
    entries: dict[str, float | None] = field(default_factory=dict)
    beyond: int = 0  # entries that were too many
    unusable: int = 0  # entries without a usable address
    warnings: list[str] = field(default_factory=list)

    def add(self, address: str, date: str = "") -> None:
        """Add an entry, as it is written."""
        address = address.strip()
        if not address or len(address) > MAX_URL_CHARS:
            self.unusable += 1
        elif len(self.entries) >= MAX_ENTRIES and address not in self.entries:
            self.beyond += 1
        else:
            self.entries[address] = moment_of(date[: MAX_DATE_CHARS + 1], self.now)

    def warn(self, sentence: str) -> None:
        """Note what is wrong with the file."""
        self.warnings.append(sentence)

    def entries_in_order(self) -> tuple[SitemapEntry, ...]:
        """Return the entries in the order of the file, each address once."""
        return tuple(SitemapEntry(address, lastmod) for address, lastmod in self.entries.items())

    def all_warnings(self) -> tuple[str, ...]:
        """Return what is wrong with the file, a sentence each, counts last."""
        sums = []
        if self.unusable:
            without = counted(self.unusable, "entry has", "entries have")
            sums.append(f"{without} no address of up to {MAX_URL_CHARS} characters")
        if self.beyond:
            beyond = counted(self.beyond, "was", "were")
            sums.append(f"more than {MAX_ENTRIES} entries: {beyond} counted and not kept")
        return (*self.warnings, *sums)


MAX_XML_DEPTH = 50  # elements within each other; sitemaps have three, with pictures and translations five
MAX_XML_NAMES = 1000  # distinct names of elements and attributes; real files have under 30
MAX_TAG_BYTES = 1024 * 1024  # bytes without the end of a tag: longer ones are read again with each piece


@dataclass(frozen=True, slots=True)
class SitemapForm:
    """Where a form of sitemap has its entries: the path of an entry, and the names of its address and its date."""

    name: str
    entry: tuple[str, ...]
    address: str
    date: str


SITEMAP_FORMS = {
    "urlset": SitemapForm("urlset", ("urlset", "url"), "loc", "lastmod"),
    "sitemapindex": SitemapForm("index", ("sitemapindex", "sitemap"), "loc", "lastmod"),
    "rss": SitemapForm("rss", ("rss", "channel", "item"), "link", "pubDate"),
    "feed": SitemapForm("atom", ("feed", "entry"), "link", "updated"),
}


class _StopReading(Exception):
    """Unreachable on would cost too much, or bring nothing; the message says why."""


def read_markup(pieces: Iterable[bytes], listing: Listing) -> None:
    """Read a file of XML into `listing`; what is wrong with it becomes a warning."""
    reader = _EntryHandler(listing)
    try:
        _parse(pieces, reader)
    except _StopReading as stop:
        listing.warn(str(stop))
    except DefusedXmlException:
        listing.warn("it has a DOCTYPE, which no sitemap needs: it is refused from there on")
    except SAXException as error:
        listing.warn(f"its XML is broken ({error.getMessage()}): what stands before that is taken")
    except (ValueError, LookupError) as error:  # its encoding is unknown
        listing.warn(f"its encoding can't be read: {str(error)[:100]}")


def _parse(pieces: Iterable[bytes], reader: _EntryHandler) -> None:
    parser = make_parser()
    parser.forbid_dtd = True
    parser.setContentHandler(reader)
    silence, events = 0, 0  # bytes since the last event
    for piece in pieces:
        parser.feed(piece)
        silence = silence + len(piece) if reader.events == events else 0
        events = reader.events
        if silence > MAX_TAG_BYTES:
            raise _StopReading(f"a tag or a comment has over {MAX_TAG_BYTES} bytes: the rest is not read")
    parser.close()


class _EntryHandler(ContentHandler):
    def __init__(self, listing: Listing) -> None:
        super().__init__()
        self.events = 0
        self._listing = listing
        self._form: SitemapForm | None = None
        self._path: list[str] = []
        self._names: Counter[str] = Counter()
        self._texts: dict[str, str] = {}  # of the entry that is being read: its address and its date

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        self.events += 1
        local = name.rpartition(":")[2]
        self._path.append(local)
        self._bound(name, attrs)
        if self._form is None:
            self._form = SITEMAP_FORMS.get(local)
            if self._form is None:
                raise _StopReading(f"its first element is <{local[:40]}>: that is no sitemap")
            self._listing.form = self._form.name
        elif tuple(self._path) == self._form.entry:
            self._texts = {}
        elif local == "link" and self._in_entry() and attrs.get("rel", "alternate") == "alternate":
            self._texts.setdefault("link", attrs.get("href", "")[: MAX_URL_CHARS + 1])  # Atom has it in an attribute

    def characters(self, content: str) -> None:
        self.events += 1
        if self._path and self._in_entry():
            text = self._texts.get(self._path[-1], "")
            if len(text) <= MAX_URL_CHARS:
                self._texts[self._path[-1]] = text + content[: MAX_URL_CHARS + 1]

    def endElement(self, name: str) -> None:  # noqa: ARG002 - SAX passes it
        self.events += 1
        form = self._form
        if form and tuple(self._path) == form.entry:
            self._listing.add(self._texts.get(form.address, ""), self._texts.get(form.date, ""))
            self._texts = {}
        self._path.pop()

    def _in_entry(self) -> bool:
        """Whether the present element is a child of an entry, and one that is read."""
        form = self._form
        return form is not None and self._path[-1] in {form.address, form.date} and tuple(self._path[:-1]) == form.entry

    def _bound(self, name: str, attrs: AttributesImpl) -> None:
        if len(self._path) > MAX_XML_DEPTH:
            raise _StopReading(
                f"its elements stand more than {MAX_XML_DEPTH} deep within each other: the rest is not read"
            )
        self._names[name] += 1
        if len(attrs):
            self._names.update(attrs.getNames())
        if len(self._names) > MAX_XML_NAMES:
            raise _StopReading(
                f"it has more than {MAX_XML_NAMES} names of elements and attributes: the rest is not read"
            )
