"""What does a page say, and what does it say about itself? One parse, and one walk over its elements.

The walk sorts the elements by the job that they do for a search engine: metadata, headings, links, blocks of text, and
what no reader sees. Everything else follows from these lists. The parser is Lexbor (through selectolax), which builds
the tree that browsers build; scripts are not run.

Which words does a reader see? The text between the tags, one line for each block, without what is hidden. A NUL, which
no decoded document holds, is set before and after each block. Then the text of the whole body is taken in one call and
cut at those marks. Walking the text nodes in Python would cost several times as much. `data-nosnippet` (Google: on
span, div and section only) hides words from snippets, never from the index.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser, LexborNode

from spiders.parse import head
from spiders.parse.bounds import BLOCKS, CELLS, MAX_TEXT_CHARS, made_safe
from spiders.parse.outlinks import MAX_LINKS, Anchor
from spiders.parse.reference import BaseUrl

if TYPE_CHECKING:
    from collections.abc import Iterable


MAX_TITLE_CHARS = 512  # what a results page could ever show, several times over
MAX_HEADINGS = 500  # a page
MAX_ANCHORS_READ = 4 * MAX_LINKS  # of a page: pages repeat their navigation, so fewer distinct links remain
NO_BASE = BaseUrl("")
MARK = "\0"  # stands before and after each block of text
# Code, and words that browsers show only without scripts, frames, or the right plug-in.
UNSEEN = frozenset({"script", "style", "template", "noscript", "iframe", "noembed", "datalist"})
_ALSO_UNSEEN = frozenset({"title", "noframes"})  # read by themselves, and not as part of the text
_JOBS = {
    **{tag: tag for tag in ("title", "meta", "base", "link", "noframes", "html")},
    **dict.fromkeys(("a", "area", "frame"), "links"),
    **dict.fromkeys(CELLS, "cells"),
    **dict.fromkeys(BLOCKS, "blocks"),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "headings"),
    **dict.fromkeys(UNSEEN, "unseen"),
}
_NOFRAMES = re.compile("<noframes", re.IGNORECASE)
_NO_SNIPPET = "span[data-nosnippet], div[data-nosnippet], section[data-nosnippet]"

NodesByJob = dict[str, list[LexborNode]]


@dataclass(frozen=True, slots=True)
class HtmlDocument:
    """What stands in a document, before it is judged."""

    title: str = ""
    text: str = ""
    snippet_text: str | None = None
    headings: tuple[str, ...] = ()
    description: str = ""
    keywords: tuple[str, ...] = ()
    language: str = ""  # as declared
    metas: tuple[tuple[str, str], ...] = ()
    base: BaseUrl = NO_BASE
    canonical: str | None = None
    refresh: tuple[int, str] | None = None
    anchors: tuple[Anchor, ...] = ()
    anchors_cut: int = 0  # beyond MAX_ANCHORS_READ: counted and not read
    warnings: tuple[str, ...] = ()


def read_html(markup: str, address: BaseUrl) -> HtmlDocument:
    """Read markup that `bounds.made_safe` has returned; `address` is where it was fetched."""
    tree = LexborHTMLParser(markup)
    found = _sorted_by_job(tree)
    base = head.first_base(found["base"], address) or address
    canonical, canonical_warnings = head.canonical(found["link"], base)
    named = head.named_metas(found["meta"])
    about = dict(reversed([(name.lower(), content) for name, content in named]))  # the first of a name counts

    # First the marks, so that the words of two blocks inside one link or heading stay apart. Then single elements are
    # read. Only then are elements removed from the tree.
    mark_blocks(found["blocks"] + found["headings"], found["cells"])
    anchors = tuple(filter(None, map(_anchor, found["links"][:MAX_ANCHORS_READ])))
    headings = [words(node)[:MAX_TITLE_CHARS] for node in found["headings"][:MAX_HEADINGS]]
    noframes = "\n".join(node.text() for node in found["noframes"])
    title = _title(found["title"])
    refresh = head.first_refresh(found["meta"], base)
    language = (found["html"][0].attributes.get("lang") or "") if found["html"] else ""
    text, snippet_text, warnings = take_text(tree, markup.lower(), found["unseen"])
    document = HtmlDocument(
        title=title,
        text=text,
        snippet_text=snippet_text,
        headings=tuple(filter(None, headings)),
        description=" ".join(about.get("description", "").split())[: head.MAX_DESCRIPTION_CHARS],
        keywords=head.keywords(about.get("keywords", "")),
        language=language,
        metas=named,
        base=base,
        canonical=canonical,
        refresh=refresh,
        anchors=anchors,
        anchors_cut=max(0, len(found["links"]) - MAX_ANCHORS_READ),
        warnings=canonical_warnings + head.lost_refreshes(head.refreshes(found["meta"]), base) + warnings,
    )
    return _with_noframes(document, noframes) if noframes else document


def _sorted_by_job(tree: LexborHTMLParser) -> NodesByJob:
    found: NodesByJob = {job: [] for job in _JOBS.values()}
    if tree.root is None:
        return found
    for node in tree.root.traverse(include_text=False):
        job = _JOBS.get(node.tag or "")
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


def _anchor(node: LexborNode) -> Anchor | None:
    attributes = node.attributes
    href = attributes.get("src" if node.tag == "frame" else "href")
    if href is None:
        return None
    text = words(node)
    if not text:
        image = node.css_first("img[alt]") if node.tag == "a" else node
        text = (image.attributes.get("alt") or image.attributes.get("title") or "") if image else ""
    return Anchor(href, text, attributes.get("rel") or "")


def _with_noframes(document: HtmlDocument, markup: str) -> HtmlDocument:
    """Add what a frameset says to readers without frames: to a robot that is the page (the book, 9.1 and 9.4)."""
    # The parser took this markup for one text, so it has to be bounded now. A noframes inside it becomes a div.
    inner = read_html(made_safe(_NOFRAMES.sub("<div", markup))[0], document.base)
    return replace(
        document,
        title=document.title or inner.title,
        text="\n".join(filter(None, (document.text, inner.text))),
        headings=document.headings + inner.headings,
        anchors=document.anchors + inner.anchors,
    )


def mark_blocks(blocks: Iterable[LexborNode], cells: Iterable[LexborNode]) -> None:
    """Set the marks at which `take_text` cuts."""
    for node in blocks:
        node.insert_before(MARK)
        if node.tag != "br":  # it is always empty
            node.insert_after(MARK)
    for node in cells:
        node.insert_before(" ")


def take_text(
    tree: LexborHTMLParser, lowered: str, unseen: list[LexborNode]
) -> tuple[str, str | None, tuple[str, ...]]:
    """Remove the unseen from the tree; return text, snippet text, warnings. `lowered`: the markup in lower case."""
    _remove(unseen)
    if "hidden" in lowered:  # most pages need no query
        _remove([node for node in tree.css("[hidden]") if node.attributes.get("hidden") != "until-found"])
    text, warnings = _lines(tree)
    if "data-nosnippet" not in lowered:
        return text, None, warnings
    withheld = tree.css(_NO_SNIPPET)
    _remove(withheld)
    return text, _lines(tree)[0] if withheld else None, warnings


def cut_text(text: str) -> tuple[str, tuple[str, ...]]:
    """Cut a text that is too long, and say so."""
    if len(text) <= MAX_TEXT_CHARS:
        return text, ()
    return text[:MAX_TEXT_CHARS], (f"the text has more than {MAX_TEXT_CHARS} characters: the rest was left out",)


def _remove(nodes: list[LexborNode]) -> None:
    for node in reversed(nodes):  # children before parents: removing a node frees what is inside it
        node.decompose()


def _lines(tree: LexborHTMLParser) -> tuple[str, tuple[str, ...]]:
    raw, warnings = cut_text(tree.body.text() if tree.body is not None else "")
    lines = map(str.strip, " ".join(raw.split()).split(MARK))
    return "\n".join(filter(None, lines)), warnings


def words(node: LexborNode) -> str:
    """Return the text of one element on one line."""
    return " ".join(node.text().replace(MARK, " ").split())
