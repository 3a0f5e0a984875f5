"""Which text do the readers of a page never see? Words that its own markup hides, and a script that redirects them.

Hidden words are neither text nor snippet, and their number is a signal of spoofing (urls/signals.py). Most hiding
is honest: a menu, a tab or a dialog waits for a click, a label is for screen readers. So an element is skipped if
something can show it: if it has controls or a role, an id that the page names elsewhere, or an id or class that a
script could find. Only text that repeats one word over and over is never an honest menu.

The stylesheets in `<style>` elements and in files of the same site are read (stylesheet.py, page_styles.py). Their
rules for other states count too: on hover, in an open tab, on paper. An unread sheet may give an element with a class
any colour, so such an element counts only if it repeats itself. The work is bounded, and a page without a sign in its
markup costs next to nothing.

A script may do nothing but redirect (`location = "…"`, perhaps after a moment). Then robots read the page's own text,
and readers never do (Wu and Davison, "Cloaking and Redirection", 2005). A script with a condition first (browser,
language, frame) is usually honest, and is ignored.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from pages.hidden.page_styles import styles_of
from pages.hidden.styles import (
    BY_STYLE,
    COLOUR,
    FAR_AWAY,
    TINY,
    HiddenElement,
    ancestors_of,
    hidden_by_sheets,
    is_unreadable,
    way_of,
)
from pages.text.visible_text import words as words_of
from urls.signals import MIN_TOKENS, NO_DISGUISE, Disguise, is_stuffed, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pages.hidden.stylesheet import PageSheets


MAX_LOOKED_AT = 500  # elements of a page
MAX_CHARS = 500_000  # of their text
MAX_WITHIN = 3  # elements inside each other, that something can show
MAX_NAMED_IN = 200_000  # bytes of markup, in which the id of an element is looked for
LABEL_WORDS = 8  # fewer in one element may be a label for screen readers
SPOKEN_WORDS = 50  # fewer in one that a stylesheet puts off the screen may describe a chart or a table to them
MAX_SPOKEN = 150  # words of a page in such elements
NOVEL_SHARE = 0.3  # of hidden words, that the page does not show: a copy for other screens has hardly any
SAMPLE_WORDS = 6
MAX_STYLE_CHARS = 400  # of one element
MAX_STYLES = 20_000  # of a page, whose different ones are looked through
# One begins after its quote; of a longer one, as much as is looked at; without quotes, up to a blank.
_STYLE = re.compile(rb"""style=(?:"[^"]{0,400}+"?|'[^']{0,400}+'?|[^\s>]{0,400}+)""")
_MAY_HIDE = re.compile(
    rb"display\s*:\s*none|visibility|opacity|color|font-size|:[^;]*-\s*\d{3}|(?:left|right|indent)\s*:\s*\d{3}|trans|scale|clip"
    rb"|(?:height|width|size)\s*:\s*[01.](?:[^1-9;]*|px\s*)(?:[;!\"']|$)|zoom"
)
_ROLES = frozenset(
    (
        "alert", "alertdialog", "combobox", "dialog", "grid", "listbox", "menu", "menubar", "navigation", "region",
        "search", "status", "tabpanel", "tooltip", "tree",
    )
)  # fmt: skip
_OPENED = frozenset({"details", "dialog", "form", "menu", "nav", "select", "svg", "math"})
_CONTROLS = "button, input, select, textarea, form, iframe"
_INLINE, _ATTRIBUTE, _FROM_AIDS = "[style], font[color]", "[hidden]", "[aria-hidden=true]"
ATTRIBUTE, NOSCRIPT, FROM_AIDS = "the hidden attribute", "noscript", "aria-hidden"
_NOT_SHOWN = (COLOUR, TINY, NOSCRIPT)  # by what is hidden so that nothing shows it
MAX_REDIRECT_CHARS = 500  # of a script that does nothing else
_RUNS = re.compile(r"\s*(?:module|(?:text|application)/(?:x-)?(?:java|ecma|j|live)script[\d.]*)?\s*", re.IGNORECASE)
_WINDOW = r"(?:(?:window|self|top|document|parent)\s*\.\s*)*"
_JUMP = re.compile(
    rf"""{_WINDOW}location(?:\s*\.\s*href)?\s*(?:=|\.\s*(?:replace|assign)\s*\()\s*["']([^"'\s]{{1,400}})["']\s*\)?\s*;?"""
)
_LATER = re.compile(
    r"""(?:window\s*\.\s*)?setTimeout\s*\(\s*(?:function\s*\(\s*\)\s*\{|\(\s*\)\s*=>\s*\{?|["'`])\s*(.{1,450}?)\s*[}"'`]?"""
    r"\s*,\s*\d{1,4}\s*\)\s*;?",
    re.DOTALL,
)


def runs(node: LexborNode) -> bool:
    """Return whether an element is a script that a browser runs: neither data for programs nor empty."""
    if node.tag != "script" or not _RUNS.fullmatch(node.attributes.get("type") or ""):
        return False
    return "src" in node.attributes or bool(node.text().strip())


class HiddenLinks(NamedTuple):
    """Links that no reader sees, by the ids of their nodes; those of `menus` may be shown by a stylesheet."""

    sure: frozenset[int] = frozenset()
    menus: frozenset[int] = frozenset()


@dataclass(slots=True)
class _Findings:
    elements: list[LexborNode] = field(default_factory=list)  # to be taken out of the text
    hidden: list[LexborNode] = field(default_factory=list)  # these, and what is no text in any case
    menus: list[LexborNode] = field(default_factory=list)  # that only a stylesheet can show
    ways: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    spoken: int = 0  # words for screen readers

    def note(self, each: HiddenElement, said: list[str]) -> None:
        short = len(said) < LABEL_WORDS
        if each.way == FAR_AWAY and (short or (each.by_sheet and self._is_spoken(said))):
            return  # a label for screen readers, which stays
        (self.labels if short else self.words).extend(said)
        self.ways.append(each.way)
        self.hidden.append(each.node)
        if each.way not in (ATTRIBUTE, NOSCRIPT):  # both are no text in any case
            self.elements.append(each.node)

    def _is_spoken(self, said: list[str]) -> bool:
        self.spoken += len(said)
        return len(said) < SPOKEN_WORDS and self.spoken <= MAX_SPOKEN and not is_stuffed(said)

    def telling(self, shown: Sequence[str]) -> list[str]:
        """Return the hidden words if they are a sign of something; `shown` are all words of the page."""
        words = self.words + (self.labels if is_stuffed(self.labels) else [])
        if len(words) < MIN_TOKENS or is_stuffed(words):
            return words if len(words) >= MIN_TOKENS else []
        left = Counter(shown) - Counter(words)
        return words if sum(word not in left for word in words) >= NOVEL_SHARE * len(words) else []


def find_hidden_text(
    tree: LexborHTMLParser, lowered: bytes, unseen: Sequence[LexborNode], sheets: PageSheets, *, has_font: bool
) -> tuple[Disguise, HiddenLinks]:
    """Give the elements whose words no reader sees the attribute `hidden`; return them and their links.

    `lowered` is the markup in lower case, `unseen` the elements that are never text: all are still there.
    `sheets` are its stylesheets. `has_font`: there is a font element.
    """
    scripts = [node for node in unseen if runs(node)]
    target = script_target(node.text() for node in scripts)
    noscripts = [node for node in unseen if node.tag == "noscript"]
    selectors = tuple(_selectors(lowered, has_font=has_font))
    styles = styles_of(sheets.texts, tree) if sheets.texts else None
    if tree.body is None or not (noscripts or selectors or styles):
        return Disguise(leads_to=target) if target else NO_DISGUISE, HiddenLinks()
    candidates = chain(
        _candidates(tree, lowered, selectors, noscripts, scripted=bool(scripts)),
        hidden_by_sheets(tree, lowered, styles, scripted=bool(scripts), unread=sheets.unread) if styles else (),
    )
    named = _without_sheets(lowered) if styles else lowered
    found = _findings(candidates, named, scripted=bool(scripts))
    for node in found.elements:
        node.attrs["hidden"] = ""  # visible_text.py takes them out with those that have it already
    enough = len(found.words) + len(found.labels) >= MIN_TOKENS
    words = found.telling(tokens(words_of(tree.body)[:MAX_CHARS])) if enough else []
    ways = ", ".join(dict.fromkeys(found.ways)) if words else ""
    disguise = Disguise(len(words), ways, " ".join(words[:SAMPLE_WORDS]), target, hides=bool(found.elements))
    return disguise, HiddenLinks(_links_in(found.hidden), _links_in(found.menus))


def _links_in(nodes: list[LexborNode]) -> frozenset[int]:
    return frozenset(link.mem_id for node in nodes for link in node.css("a, area"))


def _has_style(lowered: bytes) -> bool:
    """Return whether an inline style may hide something: most pages have none that does, and drawings thousands."""
    if b"style =" in lowered or lowered.count(b"style=") > MAX_STYLES:
        return True
    styles = set(_STYLE.findall(lowered))
    return any(_MAY_HIDE.search(style) for style in styles)


def _selectors(lowered: bytes, *, has_font: bool) -> Iterator[str]:
    """Yield selectors of possible hiding, by the words in the markup: each search of it costs as much as a query."""
    if has_font or _has_style(lowered):
        yield _INLINE
    if b"hidden" in lowered:
        if b" hidden" in lowered:
            yield _ATTRIBUTE
        if b"aria-hidden" in lowered:
            yield _FROM_AIDS


def _findings(candidates: Iterator[HiddenElement], lowered: bytes, *, scripted: bool) -> _Findings:
    found, inside, shown_around, left = _Findings(), set[int](), set[int](), MAX_CHARS
    for each in islice(candidates, MAX_LOOKED_AT):
        above = list(ancestors_of(each.node))
        if left <= 0 or any(node.mem_id in inside for node in (each.node, *above)):
            continue
        if sum(node.mem_id in shown_around for node in above) >= MAX_WITHIN:
            continue  # all that is inside would be looked through again and again
        text = words_of(each.node)
        left -= len(text)
        said = tokens(text)
        if not said:
            inside.add(each.node.mem_id)  # where there are no words either
            continue
        hidden = each.sure and not _can_be_shown(each, above, lowered, scripted=scripted)
        is_menu = hidden and each.way not in _NOT_SHOWN and _is_menu(each.node)
        if is_stuffed(said) or (hidden and not is_menu):
            inside.add(each.node.mem_id)
            found.note(each, said)
        else:
            shown_around.add(each.node.mem_id)
            if is_menu:
                found.menus.append(each.node)
    return found


def _candidates(
    tree: LexborHTMLParser, lowered: bytes, selectors: tuple[str, ...], noscripts: list[LexborNode], *, scripted: bool
) -> Iterator[HiddenElement]:
    styled = b"stylesheet" in lowered or b"<style" in lowered
    for selector in selectors:
        for node in tree.css(selector):
            if node.tag in ("html", "body"):
                continue
            if selector is not _INLINE:
                attribute = selector is _ATTRIBUTE
                yield HiddenElement(node, ATTRIBUTE if attribute else FROM_AIDS, sure=attribute)
            elif way := _way(node, styled=styled):
                yield HiddenElement(node, *way)
    for node in noscripts:
        yield HiddenElement(node, NOSCRIPT, sure=not scripted)


def _without_sheets(lowered: bytes) -> bytes:
    """Return the markup without its style elements: a rule that names an element does not show it."""
    return b"".join(part.rpartition(b"</style")[2] for part in lowered.split(b"<style"))


def _way(node: LexborNode, *, styled: bool) -> tuple[str, bool] | None:
    """Return how an element hides its words by what it says inline, and whether that is sure."""
    style = (node.attributes.get("style") or "").lower()
    way = (way_of if len(style) <= MAX_STYLE_CHARS else way_of.__wrapped__)(style)
    if way in (BY_STYLE, FAR_AWAY):
        return way, True
    if way == TINY:
        return way, not _has_styled_parts(node)  # which may have a size of their own
    if way == COLOUR or node.tag == "font":
        same, sure = is_unreadable(node, ancestors_of(node), styled=styled)
        if same:
            return COLOUR, sure and not _has_styled_parts(node)
    return None


def _has_styled_parts(node: LexborNode) -> bool:
    # Each search ends at the first one: elements inside each other would else be looked through again for each.
    return any(part.css_first("[class], [style], font") is not None for part in node.iter())


def _can_be_shown(each: HiddenElement, above: Sequence[LexborNode], lowered: bytes, *, scripted: bool) -> bool:
    """Return whether a click or a script may show an element, or it is no text of the page in the first place."""
    if each.way in _NOT_SHOWN:
        return False
    attributes = each.node.attributes
    aside = each.way == FAR_AWAY and attributes.get("aria-hidden") == "true"  # neither for eyes nor for ears
    name = (attributes.get("id") or "").encode().lower()
    if scripted and (name or attributes.get("class")) and not aside:
        return True
    if name and (len(lowered) > MAX_NAMED_IN or _is_named_again(name, lowered)):
        return True
    if any((node.attributes.get("role") or "") in _ROLES or node.tag in _OPENED for node in (each.node, *above)):
        return True
    return each.node.css_first(_CONTROLS) is not None


def _is_named_again(name: bytes, lowered: bytes) -> bool:
    whole = re.finditer(rb"(?<![\w-])" + re.escape(name) + rb"(?![\w-])", lowered)
    return sum(1 for _ in islice(whole, 2)) > 1


def _is_menu(node: LexborNode) -> bool:
    """Return whether most words of an element are those of links; a link alone is no menu."""
    if node.tag == "a":
        return False
    links = node.css("a")
    if len(links) > MAX_LOOKED_AT:
        return True
    linked = sum(len(words_of(link)) for link in links)
    return 2 * linked > len(words_of(node))


def script_target(scripts: Iterable[str]) -> str:
    """Return where a script leads that does nothing else, as it is written; "" where none does."""
    for script in scripts:
        said = script.strip().removeprefix("<!--").removesuffix("-->").removesuffix("//").strip()
        if len(said) > MAX_REDIRECT_CHARS or "location" not in said:
            continue
        said = " ".join(said.split())  # the patterns try all shares of a run of blanks
        later = _LATER.fullmatch(said)
        jump = _JUMP.fullmatch(later[1].strip().rstrip("}").strip() if later else said)
        if jump:
            return jump[1]
    return ""
