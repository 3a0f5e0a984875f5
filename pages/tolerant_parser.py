"""How does a tolerant parser read a page? With BeautifulSoup over lxml: some twenty times slower than Lexbor.

The crawl parses with Lexbor (html_document.py), which builds the same tree as browsers. This parser has four uses,
where the tree matters more than speed:

- it makes the cached copy,
- `why URL --parse` compares the two,
- it reads pages in which Lexbor finds no text,
- the tests compare one with the other (docs/decisions).

So the two share no rules, only the lists of tags and the limits. BeautifulSoup makes a Python object for each tag.
`burden` checks the characters before that, in linear time, and says why a page is too large for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bs4 import BeautifulSoup, CData, Tag
from bs4.element import NavigableString, PreformattedString

from pages import metadata
from pages.bounds.flat import MARKUP, TAG, after_declaration, closing
from pages.encoding import text_of
from pages.html_document import MAX_ANCHORS_READ, MAX_HEADINGS, MAX_TITLE_CHARS, HtmlDocument, truncated
from pages.links import MAX_BASE_CHARS, Anchor, BaseUrl
from pages.text.layout import plain_lines
from pages.text.visible_text import BLOCKS, CELLS, HEADINGS, UNSEEN, cut_text
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

# Between tags that no reader takes for anything else, there is nothing to be found.
TAGS_ALONE = re.compile(r"(?:\s++|<(?:/?[a-z]|!doctype\s)[^<>]*+>)*+", re.IGNORECASE)
MAX_SOUP_CHARS = 2_000_000  # of markup: a real page of that length takes a second and a half
MAX_SOUP_TAGS = 40_000  # start tags, end tags and comments: about half a second, and 30 MB
MAX_SOUP_TAG_CHARS = 16 * 1024  # of one tag, whose attributes become objects too
MAX_LONG_TAGS = 20  # that have more than a sixteenth of that
MAX_CAPTURES = 8  # headings and links that are open at a time: no reader sees more levels

_LINKS = {"a": "href", "area": "href", "frame": "src"}
_BREAKING = BLOCKS | frozenset(HEADINGS)
_XML_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,200}>")
_RAW = frozenset({"script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"})


def burden(markup: str) -> str:
    """Return why this reader would take too long for a page, or nothing where it may read it."""
    if len(markup) > MAX_SOUP_CHARS:
        return f"it has {counted(len(markup), 'character')}, and at most {MAX_SOUP_CHARS} are read twice"
    if markup.count("<") > MAX_SOUP_TAGS:
        return f"it has more than {MAX_SOUP_TAGS} tags, which is too many to be read twice"
    place = long_tags = 0
    while begin := MARKUP.search(markup, place):
        tag = TAG.match(markup, begin.start())
        if tag is None:
            place = after_declaration(markup, begin.start())
            continue
        place = tag.end()
        long_tags += len(tag[0]) > MAX_SOUP_TAG_CHARS // 16
        if len(tag[0]) > MAX_SOUP_TAG_CHARS or long_tags > MAX_LONG_TAGS:
            return f"it has tags of more than {MAX_SOUP_TAG_CHARS} characters, or too many long ones"
        if not tag[1] and (name := tag[2].lower()) in _RAW:
            place = closing(markup, name, place)
    return ""


def stored_markup(body: bytes, encoding: str) -> str:
    """Return a stored body as text; `encoding` is the web's name of it, as the crawl stored it with the page."""
    return text_of(truncated(body)[0], encoding or "utf-8").removeprefix("\ufeff").replace("\0", "")


def soup_of(markup: str) -> BeautifulSoup:
    """Return the tree of markup whose `burden` was found bearable."""
    begun = _XML_DECLARATION.match(markup)
    # The line break keeps BeautifulSoup from asking itself whether this is a file name.
    return BeautifulSoup("\n" + markup[begun.end() if begun else 0 :], "lxml", multi_valued_attributes=None)


def parse_tolerantly(markup: str, address: BaseUrl) -> HtmlDocument:
    """Read markup whose `burden` was found bearable; `address` is where it was fetched."""
    soup = soup_of(markup)
    base = base_of(soup, address)
    metas = soup.find_all("meta")
    about = {attribute(meta, "name").strip().lower(): attribute(meta, "content") for meta in reversed(metas)}
    reading = _Reading()
    reading.read(soup)
    text, warnings = cut_text("\n".join(reading.lines))
    canonical, several = metadata.only_one(_canonical(soup, base))
    # But for places on the page itself, as the first reader.
    anchors = [anchor for anchor in reading.anchors if not (base.is_page and anchor.href.startswith("#"))]
    return HtmlDocument(
        title=_title(soup),
        lines=plain_lines(text),
        headings=tuple(filter(None, reading.headings))[:MAX_HEADINGS],
        description=" ".join(about.get("description", "").split())[: metadata.MAX_DESCRIPTION_CHARS],
        keywords=metadata.keywords(about.get("keywords", "")),
        language=attribute(soup.html, "lang") if soup.html else "",
        metas=tuple(
            (attribute(meta, "name").strip(), attribute(meta, "content")) for meta in metas if meta.get("name")
        ),
        base=base,
        canonical=canonical,
        refresh=metadata.Refreshes(tuple(_refreshes(metas))).first(base),
        anchors=tuple(anchors[:MAX_ANCHORS_READ]),
        anchors_cut=max(0, len(anchors) - MAX_ANCHORS_READ),
        warnings=several + warnings,
    )


def parse_again(document: HtmlDocument, body: bytes, encoding: str) -> HtmlDocument:
    """Return what this reader makes of a page in which the fast one found no word, if it finds any; with a warning."""
    markup = stored_markup(body, encoding)
    if "<" not in markup or TAGS_ALONE.fullmatch(markup) or burden(markup):
        return document
    tolerant = parse_tolerantly(markup, document.base)
    if not tolerant.text:
        return document
    words = counted(len(tolerant.text.split()), "word")
    warning = f"the fast reader found no word in it, BeautifulSoup over lxml {words}: its reading counts"
    metas = tuple(dict.fromkeys((*document.metas, *tolerant.metas)))  # whoever saw a noindex is believed
    warnings = (*document.warnings, warning, *tolerant.warnings)
    return replace(tolerant, metas=metas, base=document.base, fields=document.fields, warnings=warnings)


def attribute(tag: Tag, name: str) -> str:
    """Return the value of an attribute, empty where there is none."""
    value = tag.get(name)
    return value if isinstance(value, str) else ""


def base_of(soup: BeautifulSoup, address: BaseUrl) -> BaseUrl:
    """Return what references are relative to: the first `<base href>` that can be used, or the page's own address."""
    base = soup.find("base", href=True)
    target = address.resolve(attribute(base, "href")) if isinstance(base, Tag) and attribute(base, "href") else None
    if not isinstance(target, str) or len(target) > MAX_BASE_CHARS:
        return address
    return BaseUrl.of(target.partition("#")[0], is_page=False, codec=address.codec)


def is_shown_text(node: object) -> bool:
    """Return whether a node is text, and no comment, declaration or instruction."""
    return isinstance(node, NavigableString) and (isinstance(node, CData) or not isinstance(node, PreformattedString))


def is_hidden(tag: Tag) -> bool:
    """Return whether browsers hide an element by its attribute alone."""
    return (
        tag.name not in {"html", "body"}
        and attribute(tag, "hidden").lower() != "until-found"
        and tag.has_attr("hidden")
    )


def events(root: Tag) -> Iterator[tuple[Tag | NavigableString, bool]]:
    """Yield each node below `root` as in the document; a tag again at its end, with True. It does not recurse."""
    levels = [iter(root.contents)]
    opened: list[Tag] = []
    while levels:
        node = next(levels[-1], None)
        if node is None:
            levels.pop()
            if opened:
                yield opened.pop(), True
        elif isinstance(node, Tag):
            yield node, False
            opened.append(node)
            levels.append(iter(node.contents))
        elif isinstance(node, NavigableString):
            yield node, False


@dataclass(slots=True)
class _Capture:
    """The words of a heading or a link while it is open."""

    tag: Tag
    pieces: list[str] = field(default_factory=list)
    alternative: str = ""  # of its first picture

    def words(self) -> str:
        return " ".join("".join(self.pieces).split())


class _Reading:
    """One walk: lines of text, headings and links."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.headings: list[str] = []
        self.anchors: list[Anchor] = []
        self._line: list[str] = []
        self._captures: list[_Capture] = []
        self._unseen: Tag | None = None  # the outermost unseen element that is open

    def read(self, soup: BeautifulSoup) -> None:
        """Read the whole tree."""
        for node, at_end in events(soup):
            if isinstance(node, Tag):
                if self._unseen is None or node is self._unseen:
                    (self._end if at_end else self._start)(node)
            elif self._unseen is None and is_shown_text(node):
                self._add(str(node))
        self._break()

    def _start(self, tag: Tag) -> None:
        if tag.name in UNSEEN or tag.name in {"title", "noframes"} or is_hidden(tag):
            self._unseen = tag
            return
        if tag.name in _BREAKING:
            self._break()
        elif tag.name in CELLS:
            self._add(" ")
        if tag.name == "img":
            for capture in self._captures:
                capture.alternative = capture.alternative or attribute(tag, "alt") or attribute(tag, "title")
        if (tag.name in HEADINGS or tag.has_attr(_LINKS.get(tag.name, ""))) and len(self._captures) < MAX_CAPTURES:
            self._captures.append(_Capture(tag))

    def _end(self, tag: Tag) -> None:
        if tag is self._unseen:
            self._unseen = None
            return
        if tag.name in _BREAKING:
            self._break()
        if self._captures and self._captures[-1].tag is tag:
            self._take(self._captures.pop())

    def _take(self, capture: _Capture) -> None:
        tag, words = capture.tag, capture.words()
        if tag.name in HEADINGS:
            self.headings.append(words[:MAX_TITLE_CHARS])
        else:
            own = attribute(tag, "alt") or attribute(tag, "title") if tag.name == "area" else ""
            self.anchors.append(
                Anchor(attribute(tag, _LINKS[tag.name]), words or capture.alternative or own, attribute(tag, "rel"))
            )

    def _add(self, text: str) -> None:
        self._line.append(text)
        for capture in self._captures:
            capture.pieces.append(text)

    def _break(self) -> None:
        line = " ".join("".join(self._line).split())
        if line:
            self.lines.append(line)
        self._line.clear()
        for capture in self._captures:
            capture.pieces.append(" ")


def _title(soup: BeautifulSoup) -> str:
    for title in soup.find_all("title"):
        if title.parent is not None and title.parent.name in {"head", "body", "html"}:
            return " ".join(title.get_text().split())[:MAX_TITLE_CHARS].rstrip()
    return ""


def _canonical(soup: BeautifulSoup, base: BaseUrl) -> set[str]:
    if soup.head is None:
        return set()
    links = [link for link in soup.head.find_all("link") if "canonical" in attribute(link, "rel").lower().split()]
    plain = [link for link in links if not any(link.has_attr(name) for name in ("hreflang", "lang", "media", "type"))]
    targets = [base.resolve(attribute(link, "href")) for link in plain if attribute(link, "href")]
    return {target for target in targets if isinstance(target, str)}


def _refreshes(metas: list[Tag]) -> Iterator[str]:
    for meta in metas:
        if attribute(meta, "http-equiv").strip().lower() == "refresh" and meta.find_parent("noscript") is None:
            yield attribute(meta, "content")
