"""Which style do the stylesheets of a page give an element? The cascade, for the few elements that may be hidden.

Rules compete by importance, then by the specificity of their selectors and their order. An attribute `style` wins over
all but important ones (CSS Cascading and Inheritance Level 3, section 6). A rule for a state or for some screens
matters for one question only: does it show what the others hide?
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, product
from operator import itemgetter
from typing import TYPE_CHECKING

from pages.hidden.selectors import Match, Work, read_selector
from pages.hidden.styles import NEARLY, WHITE, is_clear, may_hide, read_colour
from pages.hidden.stylesheet import MAX_SHEET_CHARS, declared_styles, read_stylesheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pages.hidden.selectors import Selector
    from pages.hidden.styles import Colour


MAX_NAMED = 20_000  # elements of a page with a class or an id
MAX_WORK = 50_000  # elements of a page, and comparisons of their kinds with selectors: half a second
MAX_VARIABLES = 5  # inside each other
CACHED_SHEETS = 16  # pages of a site mostly have the same
_SHORT = {"background-color": "background", "overflow-x": "overflow", "overflow-y": "overflow"}
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*(?:\([^()]*\)[^()]*)?))?\)")
_ROOTS = frozenset({":root", "html", "body", "*"})
_LETTERS = frozenset({"color", "-webkit-text-fill-color"})
_COLOURED = _LETTERS | {"background", "background-color"}
_STYLING = frozenset({"style", "color", "bgcolor", "background"})  # attributes that say how an element looks
_FONT_OF_NOTHING = re.compile(r"font:(?:[^:;]*\s)?[01](?:px)?[\s/]")
_FONT = re.compile(r"(?:^|\s)([\d.]+(?:px|pt|em|rem|%)?)\s*(?:/|\s)")


_Said = tuple[str, str]  # a property and its value
_Rank = tuple[bool, int, tuple[int, int, int], int]  # by which a declaration wins


@dataclass(frozen=True, slots=True)
class _Rule:
    selector: Selector
    set_to: tuple[tuple[str, str], ...]
    conditional: bool
    order: int
    specificity: tuple[int, int, int]
    named: frozenset[str]  # what a page must have for it to be of any element: tags, "#id" and ".class"

    def ranked(self, origin: int) -> Iterator[tuple[_Rank, str, str]]:
        """Yield the declarations with their ranks; `origin` 0: a sheet, 1: an attribute, 2: what may come to hold."""
        for name, value in self.set_to:
            yield (_is_important(value), origin, self.specificity, self.order), name, value


def _is_important(value: str) -> bool:
    return value.endswith("!important")


class SheetRules:
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
        self._rules: dict[str, list[_Rule]] = defaultdict(list)
        for order, rule in enumerate(rules):
            if (selector := read_selector(rule.selector)) is not None:
                known = variables | dict(rule.set_to)
                set_to = tuple(
                    (name, _resolved(value, known)) for name, value in rule.set_to if not name.startswith("--")
                )
                self._rules[_key(selector)].append(
                    _Rule(selector, set_to, rule.conditional, order, selector.specificity, _named(selector))
                )
        self.names = frozenset(name for rules in self._rules.values() for rule in rules for name in rule.named)

    def of_page(self, names: frozenset[str], inline: frozenset[_Said]) -> Sheet:
        """Return the rules of elements that a page has; `names` are those of the sheets that they have."""
        rules = {key: [rule for rule in self._rules[key] if rule.named <= names] for key in self._rules}
        return Sheet({key: each for key, each in rules.items() if each}, inline)


class Sheet:
    """The rules of stylesheets that may be of an element of a page, each under the last thing that it names.

    A sheet of some site-wide style has hundreds of rules, and a page has elements for a few of them.
    """

    def __init__(self, rules: Mapping[str, Sequence[_Rule]], inline: frozenset[_Said]) -> None:
        self.rules = rules
        each_rule = [rule for each in rules.values() for rule in each]
        colours = _Colours(chain(inline, (one for rule in each_rule for one in rule.set_to)))
        self.hiding = {
            key: hiding
            for key, each in rules.items()
            if (hiding := [rule for rule in each if not rule.conditional and _may_hide(rule, colours)])
        }
        self.beside = {
            key: beside for key, each in rules.items() if (beside := [r for r in each if r.selector.is_beside])
        }
        compounds = [each for rule in each_rule for each in rule.selector.each_compound()]
        self._ids = frozenset(each.id for each in compounds)
        self._classes = frozenset(name for each in compounds for name in each.classes)
        self._attributes = _STYLING | {name for each in compounds for name, _, _ in each.attributes}

    def named_of(self, node: LexborNode) -> tuple[object, ...]:
        """Return all of an element itself that a selector names, or that says how it looks."""
        attributes = node.attributes
        if not attributes:
            return (node.tag,)
        identifier, classes = attributes.get("id"), attributes.get("class")
        return (
            node.tag,
            "id" in attributes or "class" in attributes,
            identifier if identifier in self._ids else None,
            self._classes.intersection(classes.split()) if classes else None,
            *((name, value) for name, value in attributes.items() if name in self._attributes),
        )


class PageStyles:
    """The styles that a sheet gives the elements of one page.

    Elements are of one kind if all that selectors name is the same of them and of what they stand in. They have
    one style, so each kind is computed once: a manual has thousands of elements of some fifty kinds.
    """

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._work = Work(MAX_WORK)
        self._kinds: dict[int, int] = {}  # of elements
        self._numbers: dict[tuple[object, ...], int] = {}  # of kinds, by what they are made of
        self._hit: dict[int, bool] = {}
        self._styles: dict[int, str] = {}

    def kind_of(self, node: LexborNode) -> int:
        """Return the number of an element's kind."""
        line: list[LexborNode] = []
        above: LexborNode | None = node
        while above is not None and above.mem_id not in self._kinds:
            line.append(above)
            above = above.parent
        kind = 0 if above is None else self._kinds[above.mem_id]
        for each in reversed(line):
            self._work.left -= 1
            # What stands before an element is not in its kind: rules that name it are asked for each element.
            beside = tuple(rule.selector.matches(each, self._work) for rule in self._rules_in(self._sheet.beside, each))
            parts = (kind, beside, *self._sheet.named_of(each))
            kind = self._kinds[each.mem_id] = self._numbers.setdefault(parts, len(self._numbers) + 1)
        return kind

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
        if self._sheet.hiding.keys().isdisjoint(_keys(node)):
            return False
        kind = self.kind_of(node)
        if kind not in self._hit:
            rules = self._rules_in(self._sheet.hiding, node)
            self._hit[kind] = any(rule.selector.matches(node, self._work) is Match.YES for rule in rules)
        return self._hit[kind]

    def style_of(self, node: LexborNode) -> str:
        """Return the declarations that hold for an element, as an attribute `style` would have them."""
        kind = self.kind_of(node)
        if kind not in self._styles:
            self._styles[kind] = _written(self._cascade(node, perhaps=None))
        return self._styles[kind]

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


def _named(selector: Selector) -> frozenset[str]:
    """Return the tags, ids and classes without which a selector matches nothing."""
    named: set[str] = set()
    for _, compound in selector.compounds:
        named.update(f".{name}" for name in compound.classes)
        named.update(filter(None, (compound.tag, compound.id and f"#{compound.id}")))
    return frozenset(named)


def _keys(node: LexborNode) -> Iterator[str]:
    attributes = node.attributes
    if name := attributes.get("id"):
        yield f"#{name}"
    yield from {f".{each}" for each in (attributes.get("class") or "").split()}
    yield node.tag or ""
    yield "*"


def _set(winning: dict[str, str], name: str, value: str) -> None:
    """Let a declaration win over earlier ones, and a shorthand over its parts."""
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
    """The text and background colours that a page sets: text may be hidden only where one colour is both.

    A grid of cells holds the colours, since a page may have thousands. Similar ones are in the same or the next cell.
    """

    def __init__(self, said: Iterable[_Said]) -> None:
        letters: set[Colour] = {(0, 0, 0)}
        grounds: set[Colour] = {_cell(WHITE)}
        self._named_letters, self._named_grounds = {"currentcolor"}, set[str]()  # those that can't be read
        for name, value in set(said):
            if name in _COLOURED and (found := read_colour(value)):
                (letters if name in _LETTERS else grounds).add(_cell(found))
            elif name in _COLOURED:
                (self._named_letters if name in _LETTERS else self._named_grounds).add(value)
        self._near_letters, self._near_grounds = _with_neighbours(letters), _with_neighbours(grounds)

    def may_hide(self, name: str, value: str) -> bool:
        """Return whether a colour is also one of what it may stand before or behind."""
        is_text = name in _LETTERS
        if is_text and is_clear(value):
            return True
        found = read_colour(value)
        if found is None:
            return value in (self._named_grounds if is_text else self._named_letters)
        return _cell(found) in (self._near_grounds if is_text else self._near_letters)


def _cell(colour: Colour) -> Colour:
    red, green, blue = colour
    return red // (NEARLY + 1), green // (NEARLY + 1), blue // (NEARLY + 1)


def _with_neighbours(cells: Iterable[Colour]) -> set[Colour]:
    return {(red + i, green + j, blue + k) for red, green, blue in cells for i, j, k in product((-1, 0, 1), repeat=3)}


def _may_hide(rule: _Rule, colours: _Colours) -> bool:
    written = "".join(f"{name}:{value};" for name, value in rule.set_to)
    if may_hide(written) or _FONT_OF_NOTHING.search(written):
        return True
    return any(name in _COLOURED and colours.may_hide(name, value) for name, value in rule.set_to)


def styles_of(sheets: Sequence[str], tree: LexborHTMLParser) -> PageStyles | None:
    """Return the styles of a page; None where its sheets hide nothing of what it has."""
    whole = "\n".join(sheets)[:MAX_SHEET_CHARS]
    sheet = _sheet(whole, _read(whole).names.intersection(_names_of(tree)), frozenset(_inline_colours(tree)))
    return PageStyles(sheet) if sheet.hiding else None


def _names_of(tree: LexborHTMLParser) -> set[str]:
    """Return the tags, ids and classes of the elements of a page, as keys have them."""
    attributes = [node.attributes for node in tree.css("[class], [id]")]
    classes = {each.get("class") or "" for each in attributes}
    names = {node.tag or "" for node in tree.css("*")}
    names.update(f"#{each['id']}" for each in attributes if each.get("id"))
    names.update(f".{name}" for each in classes for name in each.split())
    return names


def _inline_colours(tree: LexborHTMLParser) -> Iterator[_Said]:
    """Yield the text and background colours of the markup itself."""
    for node in tree.css("[style], [color], [bgcolor]"):
        attributes = node.attributes
        for name, value in declared_styles(attributes.get("style") or ""):
            if name in _COLOURED:
                yield name, value
        for attribute, name in (("color", "color"), ("bgcolor", "background")):
            if written := attributes.get(attribute):
                yield name, written.lower()


@lru_cache(maxsize=CACHED_SHEETS)
def _sheet(css: str, names: frozenset[str], inline: frozenset[_Said]) -> Sheet:
    return _read(css).of_page(names, inline)


@lru_cache(maxsize=CACHED_SHEETS)
def _read(css: str) -> SheetRules:
    return SheetRules(css)
