"""Which style does the stylesheet of a page give an element? The cascade, for the few elements that may be hidden.

Rules compete by importance, by what their selectors name and by their order, and an attribute `style` wins over all
but important ones (CSS Cascading and Inheritance Level 3, section 6). A rule that holds only in a state or on some
screens counts for one question: whether it shows what the others hide.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING

from spiders.parse.disguise.colours import is_clear, is_near, read_colour
from spiders.parse.disguise.selectors import Match, Work, read_selector
from spiders.parse.disguise.stylesheet import MAX_SHEET_CHARS, declared_styles, read_stylesheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from spiders.parse.disguise.colours import Colour
    from spiders.parse.disguise.selectors import Selector

MAX_NAMED = 20_000  # elements of a page with a class or an id
MAX_WORK = 50_000  # comparisons of elements with selectors on a page: half a second
MAX_VARIABLES = 5  # inside each other
CACHED_SHEETS = 16  # pages of a site mostly have the same
_SHORT = {"background-color": "background", "overflow-x": "overflow", "overflow-y": "overflow"}
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*(?:\([^()]*\))?[^()]*))?\)")
_ROOTS = frozenset({":root", "html", "body", "*"})
_MAY_HIDE = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|opacity:0*\.?0*%?;|:-\d{3}|:-[\d.]+r?em|translate|scale|clip"
    r"|(?:height|width):[01](?:px)?;|font:(?:[^;]*\s)?0(?:px)?[\s/]|font-size:(?:0|[1-3](?:\.\d+)?p|\.|1?\d(?:\.\d+)?%)"
)
_FONT = re.compile(r"(?:^|\s)([\d.]+(?:px|pt|em|rem|%)?)\s*(?:/|\s)")


_Rank = tuple[bool, int, tuple[int, int, int], int]  # by which a declaration wins


@dataclass(frozen=True, slots=True)
class _Rule:
    selector: Selector
    set_to: tuple[tuple[str, str], ...]
    conditional: bool
    order: int
    specificity: tuple[int, int, int]

    def ranked(self, origin: int) -> Iterator[tuple[_Rank, str, str]]:
        """Yield the declarations with their ranks; `origin` 0: a sheet, 1: an attribute, 2: what may come to hold."""
        for name, value in self.set_to:
            yield (_is_important(value), origin, self.specificity, self.order), name, value


def _is_important(value: str) -> bool:
    return value.endswith("!important")


class Sheet:
    """The rules of the stylesheets of a page, each under the last thing that its selector names."""

    def __init__(self, css: str) -> None:
        rules = read_stylesheet(css)
        variables = {
            name: value
            for rule in rules
            if rule.selector in _ROOTS and not rule.conditional
            for name, value in rule.set_to
            if name.startswith("--")
        }
        self.rules: dict[str, list[_Rule]] = defaultdict(list)
        for order, rule in enumerate(rules):
            if (selector := read_selector(rule.selector)) is not None:
                set_to = tuple(
                    (name, _resolved(value, variables)) for name, value in rule.set_to if not name.startswith("--")
                )
                self.rules[_key(selector)].append(
                    _Rule(selector, set_to, rule.conditional, order, selector.specificity)
                )
        colours = _Colours(rule for rules in self.rules.values() for rule in rules)
        self.hiding = {
            key: hiding
            for key, each in self.rules.items()
            if (hiding := [rule for rule in each if not rule.conditional and _may_hide(rule, colours)])
        }


class PageStyles:
    """What a sheet gives the elements of one page."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._work = Work(MAX_WORK)
        self._known: dict[int, str] = {}

    def may_hide(self, tree: LexborHTMLParser) -> Iterator[LexborNode]:
        """Yield the elements that a rule may hide, each once."""
        hiding = self._sheet.hiding
        names = ["[class]", "[id]"] if any(key[0] in "#." for key in hiding) else []
        seen: set[int] = set()
        for selector in (*names, *(key for key in hiding if key[0] not in "#.")):
            for node in tree.css(selector)[:MAX_NAMED]:
                if self._work.left <= 0:
                    return
                if node.mem_id not in seen and self._is_hit(node):
                    seen.add(node.mem_id)
                    yield node

    def _is_hit(self, node: LexborNode) -> bool:
        rules = self._rules_in(self._sheet.hiding, node)
        return any(rule.selector.matches(node, self._work) is Match.YES for rule in rules)

    def style_of(self, node: LexborNode) -> str:
        """Return the declarations that hold for an element, as an attribute `style` would have them."""
        if node.mem_id not in self._known:
            self._known[node.mem_id] = _written(self._cascade(node, perhaps=None))
        return self._known[node.mem_id]

    def other_styles_of(self, node: LexborNode) -> Iterator[str]:
        """Yield what holds for an element in each state, or on each screen, of which a rule speaks."""
        for rule in self._rules_in(self._sheet.rules, node):
            found = rule.selector.matches(node, self._work)
            if found is Match.PERHAPS or (found and rule.conditional):
                yield _written(self._cascade(node, perhaps=rule))

    def _rules_in(self, rules: Mapping[str, Sequence[_Rule]], node: LexborNode) -> Iterator[_Rule]:
        """Yield the rules that may be of an element, as long as there is work left for them."""
        for key in _keys(node):
            for rule in rules.get(key, ()):
                if self._work.left <= 0:
                    return
                yield rule

    def _cascade(self, node: LexborNode, perhaps: _Rule | None) -> dict[str, str]:
        """Return the winning declarations; those of a rule that may hold win over all that are not important."""
        found: list[tuple[_Rank, str, str]] = []
        for rule in self._rules_in(self._sheet.rules, node):
            if rule is perhaps or (not rule.conditional and rule.selector.matches(node, self._work) is Match.YES):
                found += rule.ranked(2 if rule is perhaps else 0)
        inline = declared_styles(node.attributes.get("style") or "")
        found += [
            ((_is_important(value), 1, (0, 0, 0), place), name, value) for place, (name, value) in enumerate(inline)
        ]
        winning: dict[str, str] = {}
        for _, name, value in sorted(found, key=itemgetter(0)):
            _set(winning, name, value.replace("!important", "").strip())
        return winning


def _key(selector: Selector) -> str:
    """Return by what elements are found that a selector may match: an id, a class, a tag, or "*"."""
    last = selector.last
    if last.id:
        return f"#{last.id}"
    return f".{min(last.classes)}" if last.classes else last.tag or "*"


def _keys(node: LexborNode) -> Iterator[str]:
    attributes = node.attributes
    if name := attributes.get("id"):
        yield f"#{name}"
    yield from {f".{each}" for each in (attributes.get("class") or "").split()}
    yield node.tag or ""
    yield "*"


def _set(winning: dict[str, str], name: str, value: str) -> None:
    """Let a declaration win over what was set before, shorthands over what they stand for."""
    if name == "background-image":
        if value not in ("none", "initial"):
            winning["background"] = "a picture"
    elif name == "font":
        if size := _FONT.search(value):
            winning["font-size"] = size[1]
    else:
        winning[_SHORT.get(name, name)] = value


def _written(style: dict[str, str]) -> str:
    return "".join(f"{name}:{value};" for name, value in style.items())


def _resolved(value: str, variables: dict[str, str]) -> str:
    for _ in range(MAX_VARIABLES):
        found = _VARIABLE.search(value)
        if found is None:
            break
        value = f"{value[: found.start()]}{variables.get(found[1], found[2] or '')[:100]}{value[found.end() :]}"
    return " ".join(value.split())


class _Colours:
    """The colours of letters and of grounds that the rules set: letters may be hidden only where one is both."""

    def __init__(self, rules: Iterable[_Rule]) -> None:
        letters: set[Colour] = {(0, 0, 0)}
        grounds: set[Colour] = {(255, 255, 255)}
        for rule in rules:
            for name, value in rule.set_to:
                if name in ("color", "background", "background-color") and (found := read_colour(value)):
                    (letters if name == "color" else grounds).add(found)
        self._letters, self._grounds = letters, grounds

    def may_hide(self, name: str, value: str) -> bool:
        """Return whether a colour is also one of what it may stand before or behind."""
        if name == "color" and is_clear(value):
            return True
        found = read_colour(value)
        return found is not None and any(
            is_near(found, other) for other in (self._grounds if name == "color" else self._letters)
        )


def _may_hide(rule: _Rule, colours: _Colours) -> bool:
    if _MAY_HIDE.search("".join(f"{name}:{value};" for name, value in rule.set_to)):
        return True
    return any(
        name in ("color", "background", "background-color") and colours.may_hide(name, value)
        for name, value in rule.set_to
    )


def styles_of(sheets: Sequence[str]) -> PageStyles | None:
    """Return the styles of a page; None where its sheets hide nothing."""
    whole = "\n".join(sheets)[:MAX_SHEET_CHARS]
    sheet = _read(whole) if whole else None
    return PageStyles(sheet) if sheet and sheet.hiding else None


@lru_cache(maxsize=CACHED_SHEETS)
def _read(css: str) -> Sheet:
    return Sheet(css)
