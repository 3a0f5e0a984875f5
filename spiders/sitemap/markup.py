"""Which addresses stand in a sitemap of XML? They are taken as they come by; no tree is built, nothing is looked up.

Names count without their prefix, since real files declare none, a wrong one, or their own. A DOCTYPE is refused: only
an attack needs one here. Where the file breaks off or breaks a rule of XML, what stood before that is kept. The
C parser's memory grows with depth and with distinct names, its time with the length of one tag: all three are bounded.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax import SAXException  # the exception: what parses is defusedxml
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.sax import make_parser

from spiders.sitemap.listing import MAX_URL_CHARS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from xml.sax.xmlreader import AttributesImpl

    from spiders.sitemap.listing import Listing

MAX_DEPTH = 50  # elements within each other; sitemaps have three, with pictures and translations five
MAX_NAMES = 1000  # distinct names of elements and attributes; real files have under 30
MAX_SILENCE = 1024 * 1024  # bytes without the end of a tag: longer ones are read again with each piece


@dataclass(frozen=True, slots=True)
class Grammar:
    """Where a form has its entries: the path of one, and the names of its address and its date."""

    form: str
    entry: tuple[str, ...]
    address: str
    date: str


GRAMMARS = {
    "urlset": Grammar("urlset", ("urlset", "url"), "loc", "lastmod"),
    "sitemapindex": Grammar("index", ("sitemapindex", "sitemap"), "loc", "lastmod"),
    "rss": Grammar("rss", ("rss", "channel", "item"), "link", "pubDate"),
    "feed": Grammar("atom", ("feed", "entry"), "link", "updated"),
}


class _Enough(Exception):
    """Reading on would cost too much, or bring nothing; the message says why."""


def read_markup(pieces: Iterable[bytes], listing: Listing) -> None:
    """Read a file of XML into `listing`; what is wrong with it becomes a warning."""
    reader = _Reader(listing)
    try:
        _parse(pieces, reader)
    except _Enough as enough:
        listing.warn(str(enough))
    except DefusedXmlException:
        listing.warn("it has a DOCTYPE, which no sitemap needs: it is refused from there on")
    except SAXException as error:
        listing.warn(f"its XML is broken ({error.getMessage()}): what stands before that is taken")
    except (ValueError, LookupError) as error:  # of an encoding that is none
        listing.warn(f"its encoding can't be read: {str(error)[:100]}")


def _parse(pieces: Iterable[bytes], reader: _Reader) -> None:
    parser = make_parser()
    parser.forbid_dtd = True
    parser.setContentHandler(reader)
    silence, events = 0, 0
    for piece in pieces:
        parser.feed(piece)
        silence = silence + len(piece) if reader.events == events else 0
        events = reader.events
        if silence > MAX_SILENCE:
            raise _Enough(f"a tag or a comment has over {MAX_SILENCE} bytes: the rest is not read")
    parser.close()


class _Reader(ContentHandler):
    def __init__(self, listing: Listing) -> None:
        super().__init__()
        self.events = 0
        self._listing = listing
        self._grammar: Grammar | None = None
        self._path: list[str] = []
        self._names: Counter[str] = Counter()
        self._texts: dict[str, str] = {}  # of the entry that is being read: its address and its date

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 - SAX names it
        self.events += 1
        local = name.rpartition(":")[2]
        self._path.append(local)
        self._bound(name, attrs)
        if self._grammar is None:
            self._grammar = GRAMMARS.get(local)
            if self._grammar is None:
                raise _Enough(f"its first element is <{local[:40]}>: that is no sitemap")
            self._listing.form = self._grammar.form
        elif tuple(self._path) == self._grammar.entry:
            self._texts = {}
        elif local == "link" and self._in_entry() and attrs.get("rel", "alternate") == "alternate":
            self._texts.setdefault("link", attrs.get("href", "")[: MAX_URL_CHARS + 1])  # Atom has it in an attribute

    def characters(self, content: str) -> None:
        self.events += 1
        if self._path and self._in_entry():
            said = self._texts.get(self._path[-1], "")
            if len(said) <= MAX_URL_CHARS:
                self._texts[self._path[-1]] = said + content[: MAX_URL_CHARS + 1]

    def endElement(self, name: str) -> None:  # noqa: ARG002, N802 - SAX names it
        self.events += 1
        grammar = self._grammar
        if grammar and tuple(self._path) == grammar.entry:
            self._listing.add(self._texts.get(grammar.address, ""), self._texts.get(grammar.date, ""))
            self._texts = {}
        self._path.pop()

    def _in_entry(self) -> bool:
        """Whether the element at hand is a child of an entry, and one that is read."""
        grammar = self._grammar
        return (
            grammar is not None
            and self._path[-1] in {grammar.address, grammar.date}
            and tuple(self._path[:-1]) == grammar.entry
        )

    def _bound(self, name: str, attrs: AttributesImpl) -> None:
        if len(self._path) > MAX_DEPTH:
            raise _Enough(f"its elements stand more than {MAX_DEPTH} deep within each other: the rest is not read")
        self._names[name] += 1
        if len(attrs):
            self._names.update(attrs.getNames())
        if len(self._names) > MAX_NAMES:
            raise _Enough(f"it has more than {MAX_NAMES} names of elements and attributes: the rest is not read")
