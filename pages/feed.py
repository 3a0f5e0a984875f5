"""Which pages does a feed announce? RSS 0.9 to 2.0, RSS 1.0 (RDF) and Atom: links, with the entries' titles.

A page links to a feed, or the feed is a seed. For people a feed is a list of links to pages, and the crawl reads it so:
it follows the entries. The feed itself is no result, because its words are those of its pages.

Real feeds have bare ampersands, undeclared entities and control characters. Each of these ends the reading of XML, so
they are repaired first. Behind any other error nothing is read.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from dataclasses import dataclass, field, replace
from html import unescape
from typing import TYPE_CHECKING

from pages.language import identify
from pages.links import MAX_LINKS, Anchor, BaseUrl, collect_links
from pages.xml_events import UnreadableXml, XmlEvents
from urls.records import Refusal
from urls.rules import Rule
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urls.records import Page

MAX_NAME_CHARS = 512  # of the title of a feed or an entry
MAX_ADDRESS_CHARS = 4096
_FORMS = {"rss": "RSS", "RDF": "RSS 1.0", "feed": "Atom"}
_CDATA = b"<![CDATA["
_BARE = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)")
_CONTROLS = bytes([*range(9), 0x0B, 0x0C, *range(0x0E, 0x20)])  # XML 1.0, 2.2: no characters of XML
_TAGS = re.compile(r"<[^<>]{0,1000}>")


@dataclass(slots=True)
class FeedReading:
    """The content of a feed; `form` is empty where a file is none."""

    form: str = ""
    title: str = ""
    language: str = ""
    base: str = ""
    anchors: list[Anchor] = field(default_factory=list)
    cut: int = 0  # entries beyond the limit, which were counted and not kept
    warnings: list[str] = field(default_factory=list)
    elements: int = 0  # read so far


def repaired(body: bytes) -> bytes:
    """Return a file with its bare ampersands escaped, without control characters and text before its markup.

    CDATA stays as it is: there an ampersand needs no escape.
    """
    if b"\0" in body[:4]:
        return body  # UTF-16 or UTF-32, which hardly a feed is in
    plain, *sections = body.translate(None, _CONTROLS).removeprefix(BOM_UTF8).lstrip().split(_CDATA)
    pieces = [_BARE.sub(b"&amp;", plain)]
    for section in sections:
        inside, end, after = section.partition(b"]]>")
        pieces.append(_CDATA + inside + end + _BARE.sub(b"&amp;", after))
    return b"".join(pieces)


class _NoFeedError(Exception):
    """The first element is that of another format."""


def read_feed(body: bytes) -> FeedReading:
    """Read a file of XML; it never raises, whatever the bytes."""
    events = _FeedEvents()
    try:
        events.read(repaired(body))
    except UnreadableXml as fault:
        events.feed.warnings.append(f"{fault}: what stands before that is taken")
    except _NoFeedError:
        pass
    return events.feed


def page_of_feed(bare: Page) -> Page:
    """Return a page of XML with its links where it is a feed, refused as no result of its own; else as it is."""
    feed = read_feed(bare.body)
    if not feed.form:
        return replace(bare, warnings=(*bare.warnings, *feed.warnings))
    base = BaseUrl.of(bare.url)
    named = base.resolve(feed.base) if feed.base else None
    base = BaseUrl.of(named, is_page=False) if isinstance(named, str) else base
    collected = collect_links(feed.anchors, base, follow=bare.controls.follow, cut=feed.cut)
    entries = counted(len(collected.links), "link")
    reason = f"{feed.form}: a feed of {entries}, which are followed; its words are those of its pages"
    return replace(
        bare,
        title=feed.title,
        language=identify("", declared=feed.language),
        links=collected.links,
        links_cut=collected.cut,
        warnings=(*bare.warnings, *feed.warnings, *collected.warnings),
        refusals=(Refusal(Rule.FEED, reason),),
    )


class _FeedEvents(XmlEvents):
    def __init__(self) -> None:
        super().__init__()
        self.feed = FeedReading()
        self._text = ""  # of the element that was opened last
        self._of_entry: dict[str, str] = {}
        self._in_entry = 0  # the depth of the entry that is open; 0: none is

    def opened(self, name: str, attributes: Mapping[str, str]) -> None:
        feed, depth = self.feed, len(self.path)
        self._text = ""
        if depth == 1:
            if name not in _FORMS:
                raise _NoFeedError
            feed.form = _FORMS[name]
            feed.base, feed.language = attributes.get("base", ""), attributes.get("lang", "")
        elif name in {"item", "entry"} and not self._in_entry:
            self._in_entry, self._of_entry = depth, {}
        elif name == "link" and attributes.get("href") and attributes.get("rel", "alternate") == "alternate":
            self._link(attributes["href"])  # Atom has it in an attribute, RSS as text
        elif name == "guid" and attributes.get("isPermaLink", "true") != "true":
            self._of_entry["guid"] = ""

    def said(self, text: str) -> None:
        self._text += text[: MAX_ADDRESS_CHARS - len(self._text)]

    def closed(self, name: str) -> None:
        feed, depth, text = self.feed, len(self.path), " ".join(self._text.split())
        if depth == self._in_entry:
            self._in_entry = 0
            self._take()
        elif self._in_entry and depth == self._in_entry + 1:
            if name == "title":
                self._of_entry.setdefault("title", _plain(text))
            elif name == "link" and text:
                self._link(text)
            elif name == "guid":
                self._of_entry.setdefault("guid", text)
        elif not self._in_entry and self.path[-2:-1] in (["channel"], ["feed"]):
            if name == "title":
                feed.title = feed.title or _plain(text)
            elif name == "language":
                feed.language = feed.language or text[:20]
            elif name == "link" and text:
                self._link(text)
        self._text = ""

    def _link(self, target: str) -> None:
        if self._in_entry:
            self._of_entry.setdefault("link", target)
        elif len(self.path) <= len(("rss", "channel", "link")):
            self.feed.anchors.append(Anchor(target, self.feed.title))

    def _take(self) -> None:
        target = self._of_entry.get("link") or self._of_entry.get("guid", "")
        if not target:
            return
        if len(self.feed.anchors) >= MAX_LINKS:
            self.feed.cut += 1
        else:
            self.feed.anchors.append(Anchor(target, self._of_entry.get("title", "")))


def _plain(text: str) -> str:
    """Return a title in one line; it may have markup in it, as text."""
    return " ".join(unescape(_TAGS.sub("", text)).split())[:MAX_NAME_CHARS]
