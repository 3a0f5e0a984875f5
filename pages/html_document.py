"""What does a document contain? It is made safe for the parser, parsed once, and its elements are walked over once.

HTML parsers promise nothing about cost. Measured on Lexbor (through selectolax): n attributes on one tag take about n²
nanoseconds, and so do n nested elements. A parser reopens unclosed formatting tags in every later paragraph: 14 KB of
`<b id=…>` and `<p>` make a million nodes (200 MB). So a document is checked in linear time beforehand. Either of two
tests proves that it is harmless: it has few tags, or its tree can't become deep or large (bounds/tree_bounds.py). Other
documents are rewritten without any nesting (bounds/flat.py), with all that a search engine reads.

Lexbor builds the same tree as browsers, and runs no scripts. The walk sorts the elements by their use for a search
engine: metadata, headings, links, blocks of text, and elements without visible text. All else follows from these lists.

A link such as "here" says nothing about its target; the words next to it in the same line do. Links with text of their
own need no more. An `iframe` of the same site is a link like any other. The others are advertisements, players
and maps.
"""

# ruff: noqa: RUF001 - letters of other scripts are what this is about

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser, LexborNode, create_tag

from pages import metadata
from pages.bounds.flat import MAX_FLAT_CHARS, Flattening
from pages.hidden.hidden_text import HiddenLinks, find_hidden_text, runs
from pages.hidden.stylesheet import sheets_of
from pages.links import MAX_LINKS, Anchor, BaseUrl
from pages.metadata import MAX_LINK_ELEMENTS, PageFields, read_fields
from pages.text.layout import TextLines
from pages.text.main_text import main_text
from pages.text.visible_text import (
    BLOCKS,
    CELLS,
    HEADINGS,
    MARK,
    MARK_CHARS,
    UNSEEN,
    extract_text,
    is_concealed,
    mark_blocks,
    mark_links,
    mark_sections,
    words,
)
from urls.records import NO_SHEETS
from urls.signals import NO_DISGUISE, Disguise
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pages.bounds.tree_bounds import TreeBounds
    from urls.records import NamedSheet


MAX_DOCUMENT_BYTES = 10 * 1024 * 1024  # of one document; the largest manuals have 6 MB

# Within these limits the parser needs 0.2 s and 110 MB at the very worst, whatever the tags are.
SMALL_CHARS = 16 * 1024
SMALL_COPIES = 2_000_000  # tags times characters: each tag may bring formatting back, with all attributes of the page
_LONG_TAG = re.compile(r"<[a-zA-Z][^>]{600}")
_HIDDEN_END = re.compile(
    r"""=[ \t\n\f\r]*+(?:"[^">]*+>|'[^'>]*+>)"""
)  # a value with a `>` in it: the tag may be longer

# What a larger page may have at most to be parsed as it is.
MAX_MARKS = 150_000  # `<`: the arrays of the proof take 200 bytes for each
MAX_DEPTH = 5000  # elements inside each other
MAX_ELEMENTS = 150_000  # real manuals have up to 70,000
MAX_ATTRIBUTES = 500_000  # 100 MB
MAX_ATTRIBUTES_OF_ONE = 400  # each is compared with all others of its tag
MAX_STEPS = 100_000_000  # 0.1 to 0.2 s
MAX_REREAD_CHARS = 50_000_000  # of text inside links and headings that stand inside each other: 0.3 s


def truncated(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Cut a document that is too long, and say so."""
    if len(body) <= MAX_DOCUMENT_BYTES:
        return body, ()
    return body[:MAX_DOCUMENT_BYTES], (f"{len(body)} bytes long: only the first {MAX_DOCUMENT_BYTES} were read",)


def is_small(markup: str) -> bool:
    """Return whether it can't hurt a parser: not long, few tags, no long tag, no tag with a `>` in a value."""
    if len(markup) > SMALL_CHARS:
        return False
    tags = markup.count("<") - markup.count("</")
    return tags * len(markup) <= SMALL_COPIES and not _LONG_TAG.search(markup) and not _HIDDEN_END.search(markup)


def is_harmless(markup: str) -> bool:
    """Return whether its tree is proved to be within the limits."""
    if is_small(markup):
        return True
    if len(markup) > MAX_FLAT_CHARS or markup.count("<") > MAX_MARKS:
        return False
    from pages.bounds.tag_arrays import read_tags  # loads numpy, 0.1 s
    from pages.bounds.tree_bounds import bound, simple_bound

    tags = read_tags(markup)
    if tags is None:
        return False
    found = (find(tags) for find in (simple_bound, bound))
    return any(most is not None and _is_within_limits(most, len(markup)) for most in found)


def _is_within_limits(most: TreeBounds, chars: int) -> bool:
    return (
        most.depth <= MAX_DEPTH
        and most.elements <= MAX_ELEMENTS
        and most.attributes <= MAX_ATTRIBUTES
        and most.attributes_of_one <= MAX_ATTRIBUTES_OF_ONE
        and most.steps <= MAX_STEPS
        and most.reread * chars <= MAX_REREAD_CHARS
    )


def made_safe(markup: str) -> tuple[str, tuple[str, ...]]:
    """Return markup that is safe to parse, and a sentence for each kind of thing that was lost."""
    if is_harmless(markup):
        return markup, ()
    flattening = Flattening(markup)
    return "".join(flattening.pieces()), flattening.warnings()


MAX_TITLE_CHARS = 512  # what a results page could ever show, several times over
MAX_HEADINGS = 500  # a page
MAX_ANCHORS_READ = 4 * MAX_LINKS  # of a page: pages repeat their navigation, so fewer distinct links remain
NO_BASE = BaseUrl("")
_ALSO_UNSEEN = frozenset({"title", "noframes", "iframes"})  # read by themselves, and not as part of the text
_JOBS = {
    **{tag: tag for tag in ("title", "meta", "base", "link", "noframes", "html", "font", "time")},
    **dict.fromkeys(("a", "area", "frame"), "links"),
    "img": "images",
    **dict.fromkeys(CELLS, "cells"),
    **dict.fromkeys(BLOCKS, "blocks"),
    **dict.fromkeys(HEADINGS, "headings"),
    **dict.fromkeys(UNSEEN, "unseen"),
    "iframe": "iframes",
}
_JOB_OF = {create_tag(tag).tag_id: job for tag, job in _JOBS.items()}  # numbers of tags are had sooner than names
_NOFRAMES = re.compile("<noframes", re.IGNORECASE)

NodesByJob = dict[str, list[LexborNode]]


@dataclass(frozen=True, slots=True)
class HtmlDocument:
    """The parts of a document, before any decision."""

    title: str = ""
    lines: TextLines = field(default_factory=TextLines)  # what a reader sees
    headings: tuple[str, ...] = ()
    description: str = ""
    keywords: tuple[str, ...] = ()
    language: str = ""  # as declared
    metas: tuple[tuple[str, str], ...] = ()
    base: BaseUrl = NO_BASE
    canonical: str | None = None
    refresh: tuple[int, str] | None = None
    expires: str = ""  # as declared
    anchors: tuple[Anchor, ...] = ()
    anchors_cut: int = 0  # beyond MAX_ANCHORS_READ: counted and not read
    fields: PageFields = field(default_factory=PageFields)
    warnings: tuple[str, ...] = ()
    disguise: Disguise = NO_DISGUISE
    sheets: tuple[NamedSheet, ...] = ()  # in files of its own site

    @property
    def text(self) -> str:
        """All that a reader sees, main text or not."""
        return "\n".join(self.lines.lines)


def read_html(markup: str, address: BaseUrl, known: Mapping[str, str] = NO_SHEETS) -> HtmlDocument:
    """Read markup that `made_safe` has returned; `address` is where it was fetched.

    `known` are the stylesheets of its site, by URL.
    """
    octets = markup.encode(errors="ignore")  # what stands for no character
    tree = LexborHTMLParser(octets)
    found = _sorted_by_job(tree)
    base = metadata.first_base(found["base"], address) or address
    canonical, canonical_warnings = metadata.canonical(found["link"][:MAX_LINK_ELEMENTS], base)
    named, for_headers = metadata.read_metas(found["meta"])
    about = dict(reversed([(name.lower(), content) for name, content in named]))  # the first of a name counts

    # First the marks, so that the words of two blocks inside one link or heading stay apart. Then single elements are
    # read. Only then are elements removed from the tree.
    mark_blocks(found["blocks"] + found["headings"], found["cells"])
    lowered = octets.lower()
    fields = read_fields(tree, lowered, found, base)
    links = [(node, *_reference(node)) for node in found["links"]]
    styles = [node for node in found["unseen"] if node.tag == "style"]
    scripted = any(map(runs, found["unseen"]))
    sheets = sheets_of(tree, found["link"], styles, (base, address), known, scripted=scripted)
    disguise, unseen_links = find_hidden_text(tree, lowered, found["unseen"], sheets, has_font=bool(found["font"]))
    anchors, untold = _anchors(links[:MAX_ANCHORS_READ], base, unseen_links)
    anchors += frames_of_the_site(found["iframes"], base, address)
    concealed: dict[int, bool] = {}
    shown = [
        node for node in found["headings"][:MAX_HEADINGS] if not (disguise.hides and is_concealed(node, concealed))
    ]
    headings = [words(node)[:MAX_TITLE_CHARS] for node in shown]
    noframes = "\n".join(node.text() for node in found["noframes"])
    title = _title(found["title"])
    refreshes = metadata.refreshes(for_headers)
    language = (found["html"][0].attributes.get("lang") or "") if found["html"] else ""
    ids = mark_sections(found["headings"] + found["blocks"], hides=disguise.hides)
    mark_links((node, href) for node, tag, href, _ in links if tag == "a")
    marked, warnings = extract_text(tree, lowered, found["unseen"], hides=b"hidden" in lowered or disguise.hides)
    document = HtmlDocument(
        title=title,
        lines=main_text(marked, ids),
        headings=tuple(filter(None, headings)),
        description=" ".join(about.get("description", "").split())[: metadata.MAX_DESCRIPTION_CHARS],
        keywords=metadata.keywords(about.get("keywords", "")),
        language=language or metadata.one_language(metadata.http_equiv_of("content-language", for_headers)),
        expires=metadata.http_equiv_of("expires", for_headers),
        metas=named,
        base=base,
        canonical=canonical,
        refresh=refreshes.first(base),
        anchors=anchors + refreshes.links(base),
        anchors_cut=max(0, len(found["links"]) - MAX_ANCHORS_READ),
        fields=fields,
        warnings=canonical_warnings
        + metadata.lost_refreshes(refreshes.contents, base)
        + warnings
        + fields.warnings
        + untold,
        disguise=disguise,
        sheets=sheets.named,
    )
    return _with_noframes(document, noframes) if noframes else document


def _sorted_by_job(tree: LexborHTMLParser) -> NodesByJob:
    found: NodesByJob = {job: [] for job in _JOBS.values()}
    if tree.root is None:
        return found
    for node in tree.root.traverse(include_text=False):
        job = _JOB_OF.get(node.tag_id)
        if job is not None:
            found[job].append(node)
            if job in _ALSO_UNSEEN:
                found["unseen"].append(node)
    return found


def _title(titles: list[LexborNode]) -> str:
    """Return the first title of the document itself: an `svg` has titles of its own."""
    for node in titles:
        if node.parent is not None and node.parent.tag in ("head", "body"):
            return words(node)[:MAX_TITLE_CHARS].rstrip()
    return ""


def _reference(node: LexborNode) -> tuple[str, str | None, str]:
    """Return the name of a link's element, where it leads, and its rel."""
    tag, attributes = node.tag or "", node.attributes
    return tag, attributes.get("src" if tag == "frame" else "href"), attributes.get("rel") or ""


def _anchors(
    links: Iterable[tuple[LexborNode, str, str | None, str]], base: BaseUrl, unseen: HiddenLinks
) -> tuple[tuple[Anchor, ...], tuple[str, ...]]:
    """Return the links, and a warning where no reader sees their words: these tell nothing of where they lead."""
    found: list[Anchor] = []
    silent, is_page, untold = MAX_SILENT_LINKS, base.is_page, 0
    for node, tag, href, rel in links:
        if href is None or (is_page and href.startswith("#")):
            continue  # a place on the page itself: of a manual's links, half are
        text, around = words(node) or _words_of_picture(node, tag), ""
        if silent and is_generic(text):
            silent -= 1
            around = text_around(node, text)
        if (unseen.sure or unseen.menus) and text and _is_unseen(node, href, base, unseen):
            text, around, untold = "", "", untold + 1
        found.append(Anchor(href, text, rel, around))
    if not untold:
        return tuple(found), ()
    links_stand = counted(untold, "link stands", "links stand")
    return tuple(found), (f"{links_stand} where no reader looks: their words count for no page",)


def _is_unseen(node: LexborNode, href: str, base: BaseUrl, unseen: HiddenLinks) -> bool:
    """Return whether a link is surely hidden, or links to another site from a possible menu."""
    if node.mem_id in unseen.sure:
        return True
    return node.mem_id in unseen.menus and not str(base.resolve(href)).startswith(f"{base.origin}/")


def _words_of_picture(node: LexborNode, tag: str) -> str:
    image = node.css_first("img[alt]") if tag == "a" else node
    return (image.attributes.get("alt") or image.attributes.get("title") or "") if image else ""


def _with_noframes(document: HtmlDocument, markup: str) -> HtmlDocument:
    """Add what a frameset says to readers without frames: to a robot that is the page (the book, 9.1 and 9.4)."""
    # The parser took this markup for one text, so it has to be bounded now. A noframes inside it becomes a div.
    inner = read_html(made_safe(_NOFRAMES.sub("<div", markup))[0], document.base)
    return replace(
        document,
        title=document.title or inner.title,
        lines=document.lines + inner.lines,
        headings=document.headings + inner.headings,
        anchors=document.anchors + inner.anchors,
    )


MAX_IFRAMES = 50  # of a page that are looked at


def frames_of_the_site(nodes: list[LexborNode], base: BaseUrl, address: BaseUrl) -> tuple[Anchor, ...]:
    """Return the iframes that show a page of the site of `address`, as links with their titles as words."""
    frames = [(node.attributes.get("src") or "", node.attributes.get("title") or "") for node in nodes[:MAX_IFRAMES]]
    return tuple(Anchor(source, title) for source, title in frames if source and _is_of_the_site(source, base, address))


def _is_of_the_site(source: str, base: BaseUrl, address: BaseUrl) -> bool:
    target = base.resolve(source)
    return isinstance(target, str) and target.startswith(f"{address.origin}/")


MAX_SIDE_CHARS = 80  # on each side of the link
MAX_PIECES = 6  # pieces of text on each side, and inline elements around the link, that are looked at
MAX_SILENT_LINKS = 100  # of a page whose surroundings are looked at
_EDGES = BLOCKS | {"html", "head", "body", "a", "img"}  # where the line of a link ends; a cell has a mark
_NOTHING = frozenset(
    line.strip()
    for line in """
    here|click here|this|this page|this link|link|more|read more|learn more|see more|more info|details|download|pdf
    continue reading|hier|hier klicken|mehr|weiterlesen|mehr lesen|ici|cliquez ici|lire la suite|en savoir plus
    aquí|aqui|haga clic aquí|más|leer más|clique aqui|saiba mais|leia mais|qui|clicca qui|leggi tutto
    tutaj|więcej|czytaj dalej|zde|více|buraya|devamı|здесь|тут|сюда|подробнее|далее|ещё|докладніше|читать далее
    こちら|ここ|詳細|続きを読む|もっと見る|여기|여기를 클릭|더 보기|자세히
    这里|點這裡|点击这里|更多|詳情|详情|هنا|المزيد
    """.replace("\n", "|").split("|")
    if line.strip()  # signs alone say something: `>>` is an operator
)


def is_generic(text: str) -> bool:
    """Return whether the words of a link say nothing of where it leads."""
    if not text:
        return True
    return len(text) <= MAX_SIDE_CHARS and text.strip(" \t.:;!…«»‹›<>→[]()").casefold() in _NOTHING


def text_around(node: LexborNode, text: str) -> str:
    """Return `text`, the words of a link, between its neighbours in the line; empty where it has none."""
    place = node
    for _ in range(MAX_PIECES):
        before, after = _beside(place, forward=False), _beside(place, forward=True)
        if before or after:
            return " ".join(filter(None, (before, text, after)))
        parent = place.parent
        if parent is None or parent.tag in _EDGES:
            return ""
        place = parent
    return ""


def _beside(node: LexborNode, *, forward: bool) -> str:
    """Return the words before or behind an element, up to the edge of its line, cut at a blank."""
    found = ""
    sibling = node.next if forward else node.prev
    for _ in range(MAX_PIECES):
        if sibling is None or len(found) > MAX_SIDE_CHARS or sibling.tag in _EDGES:
            break
        piece = sibling.text()
        edge = piece.find(MARK) if forward else piece.rfind(MARK)
        if edge >= 0:
            piece = piece[:edge] if forward else piece[edge + MARK_CHARS :]
        found = found + piece if forward else piece + found
        if edge >= 0:
            break
        sibling = sibling.next if forward else sibling.prev
    return _cut(
        " ".join(found[: 4 * MAX_SIDE_CHARS].split() if forward else found[-4 * MAX_SIDE_CHARS :].split()),
        forward=forward,
    )


def _cut(text: str, *, forward: bool) -> str:
    if len(text) <= MAX_SIDE_CHARS:
        return text
    if forward:
        return text[:MAX_SIDE_CHARS].rpartition(" ")[0] or text[:MAX_SIDE_CHARS]
    return text[-MAX_SIDE_CHARS:].partition(" ")[2] or text[-MAX_SIDE_CHARS:]
