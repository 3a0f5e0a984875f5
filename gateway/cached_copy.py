"""How does a page look again, without anything active in it? Each tag of a copy is written again, from a list.

BeautifulSoup over lxml reads the stored markup. The output is not that markup with parts removed: every `<` in it is
written here, for elements and attributes in the lists below, and all text is escaped. So no script, handler, form,
style, picture or frame of a stranger can be in it. Nothing loads, and the server of the site learns nothing. Links have
absolute URLs, and links inside the page lead to their place in the copy. Pictures are replaced by their alternative
text. The words of the query are highlighted. The policy of the response (`browser_guard`) is a second defence.

A page that would take too long (`burden`), plain text, and other files are shown in paragraphs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bs4 import Tag
from markupsafe import Markup, escape

from pages.tolerant_parser import attribute, base_of, events, is_hidden, is_shown_text, soup_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pages.links import BaseUrl

MAX_COPY_DEPTH = 200  # nested elements; browsers stop at 512, real pages have 30
MAX_SPAN = {
    "colspan": 100,
    "rowspan": 1000,
    "span": 100,
}  # cells: HTML allows 1,000 and 65,534, which are slow in a browser
MAX_NUMBER_CHARS = 9  # of a list's number
PLACE = "copy-"  # the prefix of anchors, so that none is one of our own

_ELEMENTS = (
    "a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details dfn "
    "div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd li main menu nav ol p pre q rp "
    "rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var wbr"
)
_WRITTEN = frozenset(_ELEMENTS.split())
_VOID = frozenset({"br", "col", "hr", "wbr"})
# The content of a form without the form; the only <main> of a document is the one around the copy.
_AS_DIV = frozenset({"fieldset", "form", "search", "dialog", "center", "main"})
# Active content, graphics and content for other browsers: left out with everything inside.
_ACTING = (
    "script style template noscript noembed noframes svg canvas audio video datalist select textarea title head object "
    "applet embed frame iframe"
)
_LEFT_OUT = frozenset(_ACTING.split())
_FRAMES = frozenset({"frame", "iframe"})
_WORDS_ONLY = {"dir": {"ltr", "rtl", "auto"}, "scope": {"row", "col", "rowgroup", "colgroup"}}
_ALIGNED = {"align": {"left", "right", "center", "justify"}, "valign": {"top", "middle", "bottom", "baseline"}}
_NUMBERED = {"ol": ("start",), "li": ("value",)}
_CELLS = frozenset({"td", "th", "col", "colgroup", "tr", "table", "thead", "tbody", "tfoot", "p", "div"})
_LANGUAGE = re.compile(r"[A-Za-z0-9-]{1,35}")
_NUMBER = re.compile(r"-?[0-9]{1,9}")
_UNDISPLAYED = re.compile(r"(?:^|;)\s*display\s*:\s*none\b", re.IGNORECASE)


def copy_of(markup: str, address: BaseUrl, highlighted: Callable[[str], Markup] = escape) -> Markup:
    """Return the body of a page as safe markup; `highlighted` escapes text and marks the words of the query."""
    soup = soup_of(markup)
    return Markup("").join(_Copy(address, base_of(soup, address), highlighted).pieces(soup))


class _Copy:
    def __init__(self, address: BaseUrl, base: BaseUrl, highlighted: Callable[[str], Markup]) -> None:
        self._address = address
        self._base = base
        self._marked = highlighted

    def pieces(self, root: Tag) -> Iterator[Markup]:
        """Yield the copy in pieces, each safe by itself."""
        left_out: Tag | None = None
        ends: list[Markup] = []  # end tags of the open elements; empty for those that are not written
        depth = 0
        for node, at_end in events(root):
            if not isinstance(node, Tag):
                if left_out is None and is_shown_text(node):
                    yield self._marked(str(node))
            elif at_end:
                if node is left_out:
                    left_out = None
                elif left_out is None:
                    end = ends.pop()
                    depth -= bool(end)
                    yield end
            elif left_out is None:
                if node.name in _LEFT_OUT:
                    yield self._framed(node)
                    left_out = node
                    continue
                start, end = self._written(node) if depth < MAX_COPY_DEPTH else (Markup(""), Markup(""))
                ends.append(end)
                depth += bool(end)
                yield start

    def _written(self, tag: Tag) -> tuple[Markup, Markup]:
        """Return the start and end tag of an element; both are empty where only its content is written."""
        name = "div" if tag.name in _AS_DIV else tag.name
        if name == "img":
            words = attribute(tag, "alt").strip()
            return (Markup('<span class="picture">{}</span>').format(words) if words else Markup("")), Markup("")
        if name not in _WRITTEN:
            return Markup(""), Markup("")
        attributes = Markup("").join(
            Markup(' {}="{}"').format(key, value) for key, value in self._attributes(tag, name)
        )
        hidden = Markup(" hidden") if is_hidden(tag) or _UNDISPLAYED.search(attribute(tag, "style")) else Markup("")
        start = Markup("<{}{}{}>").format(name, attributes, hidden)  # the name is one of the list
        return start, Markup("") if name in _VOID else Markup("</{}>").format(name)

    def _framed(self, tag: Tag) -> Markup:
        """Return a link to the page in a frame; nothing for any other element."""
        target = self._base.resolve(attribute(tag, "src")) if tag.name in _FRAMES and attribute(tag, "src") else None
        link = Markup('<p><a href="{0}" rel="noopener noreferrer nofollow">{0}</a></p>')
        return link.format(target) if isinstance(target, str) else Markup("")

    def _attributes(self, tag: Tag, name: str) -> Iterator[tuple[str, str]]:
        place = attribute(tag, "id") or (attribute(tag, "name") if name == "a" else "")
        if place:
            yield "id", PLACE + place
        if title := attribute(tag, "title"):
            yield "title", title
        if _LANGUAGE.fullmatch(language := attribute(tag, "lang")):
            yield "lang", language
        yield from _chosen(tag, _WORDS_ONLY)
        if name in _CELLS:
            yield from _chosen(tag, _ALIGNED)
            yield from _spans(tag)
        for key in _NUMBERED.get(name, ()):
            if _NUMBER.fullmatch(value := attribute(tag, key).strip()):
                yield key, value
        if name == "a":
            yield from self._link(attribute(tag, "href"))

    def _link(self, reference: str) -> Iterator[tuple[str, str]]:
        target = self._base.resolve(reference) if reference.strip() else None
        if not isinstance(target, str):
            return
        page, sharp, place = target.partition("#")
        if sharp and page == self._address.url.partition("#")[0]:
            yield "href", f"#{PLACE}{place}"
        else:
            yield "href", target
            yield "rel", "noopener noreferrer nofollow"


def _chosen(tag: Tag, allowed: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    for key, words in allowed.items():
        if (value := attribute(tag, key).strip().lower()) in words:
            yield key, value


def _spans(tag: Tag) -> Iterator[tuple[str, str]]:
    for key, most in MAX_SPAN.items():
        value = attribute(tag, key).strip()[:MAX_NUMBER_CHARS]
        if value.isascii() and value.isdecimal():
            yield key, str(min(int(value), most))
