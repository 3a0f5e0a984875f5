"""What does a document contain? One parse, and one walk over its elements.

The walk sorts the elements by their use for a search engine: metadata, headings, links, blocks of text, and elements
without visible text. All else follows from these lists. The parser is Lexbor (through selectolax). It builds the
same tree as browsers, and runs no scripts.

A link such as "here" says nothing about its target; the words next to it in the same line do. Links with text of their
own need no more. An `iframe` of the same site is a link like any other. The others are advertisements, players
and maps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser, LexborNode, create_tag

from pages import head
from pages.bounds.safe_markup import made_safe
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

    from urls.records import NamedSheet


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
    """Read markup that `bounds.made_safe` has returned; `address` is where it was fetched.

    `known` are the stylesheets of its site, by URL.
    """
    octets = markup.encode(errors="ignore")  # what stands for no character
    tree = LexborHTMLParser(octets)
    found = _sorted_by_job(tree)
    base = head.first_base(found["base"], address) or address
    canonical, canonical_warnings = head.canonical(found["link"][:MAX_LINK_ELEMENTS], base)
    named, for_headers = head.read_metas(found["meta"])
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
    shown = [node for node in found["headings"][:MAX_HEADINGS] if not (disguise.hides and is_concealed(node))]
    headings = [words(node)[:MAX_TITLE_CHARS] for node in shown]
    noframes = "\n".join(node.text() for node in found["noframes"])
    title = _title(found["title"])
    refreshes = head.refreshes(for_headers)
    language = (found["html"][0].attributes.get("lang") or "") if found["html"] else ""
    ids = mark_sections(found["headings"] + found["blocks"], hides=disguise.hides)
    mark_links((node, href) for node, tag, href, _ in links if tag == "a")
    marked, warnings = extract_text(tree, lowered, found["unseen"], hides=b"hidden" in lowered or disguise.hides)
    document = HtmlDocument(
        title=title,
        lines=main_text(marked, ids),
        headings=tuple(filter(None, headings)),
        description=" ".join(about.get("description", "").split())[: head.MAX_DESCRIPTION_CHARS],
        keywords=head.keywords(about.get("keywords", "")),
        language=language or head.one_language(head.http_equiv_of("content-language", for_headers)),
        expires=head.http_equiv_of("expires", for_headers),
        metas=named,
        base=base,
        canonical=canonical,
        refresh=refreshes.first(base),
        anchors=anchors + refreshes.links(base),
        anchors_cut=max(0, len(found["links"]) - MAX_ANCHORS_READ),
        fields=fields,
        warnings=canonical_warnings
        + head.lost_refreshes(refreshes.contents, base)
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
    warning = f"{counted(untold, 'link stands', 'links stand')} where no reader looks: their words count for no page"
    return tuple(found), (warning,) if untold else ()


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


# ruff: noqa: RUF001 - letters of other scripts are what this is about


MAX_SIDE_CHARS = 80  # on each side of the link
MAX_STEPS = 6  # pieces of text on each side, and inline elements around the link, that are looked at
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
    for _ in range(MAX_STEPS):
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
    for _ in range(MAX_STEPS):
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
