"""What does a page say, and what does it say about itself? One parse, and one walk over its elements.

The walk sorts the elements by the job that they do for a search engine: metadata, headings, links, blocks of text, and
what no reader sees. Everything else follows from these lists. The parser is Lexbor (through selectolax), which builds
the tree that browsers build; scripts are not run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser, LexborNode, create_tag

from pages import head
from pages.bounds.safe_markup import made_safe
from pages.content.layout import TextLines
from pages.disguise.hidden_text import HiddenLinks, find_disguise, is_concealed
from pages.disguise.linked_sheets import sheets_of
from pages.fields.page_fields import MAX_LINK_ELEMENTS, PageFields, read_fields
from pages.links.frames import frames_of_the_site
from pages.links.link_words import MAX_SILENT_LINKS, says_nothing, words_around
from pages.links.outlinks import MAX_LINKS, Anchor
from pages.links.reference import BaseUrl
from pages.main_text.judgement import main_text
from pages.visible_text import BLOCKS, CELLS, HEADINGS, UNSEEN, mark_blocks, mark_links, take_text, words
from urls.counted import counted
from urls.signals import NO_DISGUISE, Disguise
from urls.stylesheet_record import NO_SHEETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from urls.stylesheet_record import NamedSheet


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
    """What stands in a document, before it is judged."""

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
    scripted = any(node.tag == "script" for node in found["unseen"])
    sheets = sheets_of(tree, found["link"], styles, (base, address), known, scripted=scripted)
    disguise, unseen_links = find_disguise(tree, lowered, found["unseen"], sheets, has_font=bool(found["font"]))
    anchors, untold = _anchors(links[:MAX_ANCHORS_READ], base, unseen_links)
    anchors += frames_of_the_site(found["iframes"], base, address)
    shown = [node for node in found["headings"][:MAX_HEADINGS] if not (disguise.hides and is_concealed(node))]
    headings = [words(node)[:MAX_TITLE_CHARS] for node in shown]
    noframes = "\n".join(node.text() for node in found["noframes"])
    title = _title(found["title"])
    refreshes = head.refreshes(for_headers)
    language = (found["html"][0].attributes.get("lang") or "") if found["html"] else ""
    mark_links((node, href) for node, tag, href, _ in links if tag == "a")
    marked, warnings = take_text(tree, lowered, found["unseen"], hides=b"hidden" in lowered or disguise.hides)
    document = HtmlDocument(
        title=title,
        lines=main_text(marked),
        headings=tuple(filter(None, headings)),
        description=" ".join(about.get("description", "").split())[: head.MAX_DESCRIPTION_CHARS],
        keywords=head.keywords(about.get("keywords", "")),
        language=language or head.one_language(head.in_place_of("content-language", for_headers)),
        expires=head.in_place_of("expires", for_headers),
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
        if silent and says_nothing(text):
            silent -= 1
            around = words_around(node, text)
        if (unseen.sure or unseen.menus) and text and _is_unseen(node, href, base, unseen):
            text, around, untold = "", "", untold + 1
        found.append(Anchor(href, text, rel, around))
    told = f"{counted(untold, 'link stands', 'links stand')} where no reader looks: their words count for no page"
    return tuple(found), (told,) if untold else ()


def _is_unseen(node: LexborNode, href: str, base: BaseUrl, unseen: HiddenLinks) -> bool:
    """Return whether a link is hidden for sure, or leads to another site from what may be a menu of this one."""
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
