"""Does a selector of a stylesheet match an element? Yes, no, or perhaps: in a state that the page may come into.

A compound is a tag, an id, classes and attributes (Selectors Level 3). A pseudo-class of a state (`:hover`, `:checked`)
may hold later, and what is not known here may hold too. So the question has three answers, and who asks decides what
"perhaps" means. Steps to parents and siblings are bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode


MAX_STEPS = 48  # to parents or siblings, for one combinator
MAX_COMPOUNDS = 6  # of a selector
CHARS_OF_ONE = 500  # of attributes, that are read and compared as one piece of work
_PART = re.compile(
    r"(?P<tag>\*|[a-zA-Z][\w-]*)|#(?P<id>[\w\\:/.%-]*?[\w-])(?=[#.\[:]|$)|\.(?P<class>(?:[\w-]|\\.)+)"
    r"|\[(?P<attribute>[^\]]*)\]|(?P<pseudo>::?[\w-]+)(?:\((?P<given>[^()]*(?:\([^()]*\)[^()]*)*)\))?"
)
_ALWAYS = re.compile(r":(?:is|where)\(\s*([^(),\s>+~]+)\s*\)|:nth(?:-last)?-(?:child|of-type)\(\s*n\s*\)")
_NONE_OF = re.compile(r":not\(([^()]*)\)")
_COMBINATOR = re.compile(r"\s*([>+~])\s*|\s+")
_ATTRIBUTE = re.compile(r"\s*([\w-]+)\s*(?:([~|^$*]?)=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']+))\s*[is]?)?\s*")
_ELEMENTS = frozenset({"::before", "::after", ":before", ":after", "::first-line", "::first-letter", "::marker"})


@dataclass(slots=True)
class Work:
    """The remaining number of comparisons of elements with compounds; at 0, nothing matches."""

    left: int


class Match(IntEnum):
    """Whether a selector matches; of several conditions the least decides."""

    NO = 0
    PERHAPS = 1
    YES = 2


@dataclass(frozen=True, slots=True)
class Compound:
    """The conditions between two combinators: one element fulfils all of them."""

    tag: str = ""  # "": any
    id: str = ""
    classes: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, str, str], ...] = ()  # name, operator, value; "": it is there
    without: tuple[Compound, ...] = ()
    is_state: bool = False  # a pseudo-class of a state, or one that is not known

    @property
    def specificity(self) -> tuple[int, int, int]:
        """How many ids, classes and tags it names."""
        return bool(self.id), len(self.classes) + len(self.attributes) + self.is_state, bool(self.tag)

    def matches(self, tag: str | None, attributes: dict[str, str | None]) -> Match:
        """Return whether an element with this tag and these attributes fulfils the conditions."""
        if (self.tag and self.tag != tag) or (self.id and self.id != attributes.get("id")):
            return Match.NO
        if self.classes and not self.classes <= frozenset((attributes.get("class") or "").split()):
            return Match.NO
        if not all(_has(attributes, *each) for each in self.attributes):
            return Match.NO
        if any(each.matches(tag, attributes) is Match.YES for each in self.without):
            return Match.NO
        return Match.PERHAPS if self.is_state else Match.YES


@dataclass(frozen=True, slots=True)
class Selector:
    """Compounds from the last, which is the element itself, to the first, each with the combinator before it."""

    compounds: tuple[tuple[str, Compound], ...]

    @property
    def last(self) -> Compound:
        """The conditions on the element itself."""
        return self.compounds[0][1]

    @property
    def specificity(self) -> tuple[int, int, int]:
        """By which one rule wins over another: ids, classes, tags."""
        each = [compound.specificity for _, compound in self.compounds]
        return sum(one[0] for one in each), sum(one[1] for one in each), sum(one[2] for one in each)

    @property
    def is_beside(self) -> bool:
        """Whether it depends on siblings before an element, and not only on its ancestors."""
        return any(combinator in "+~" for combinator, _ in self.compounds if combinator)

    def each_compound(self) -> Iterator[Compound]:
        """Yield the compounds, and those that a `:not` has."""
        for _, compound in self.compounds:
            yield compound
            yield from compound.without

    def matches(self, node: LexborNode, work: Work) -> Match:
        """Return whether the selector matches an element.

        Each compound takes the first element that fits it: few sheets depend on another one.
        """
        found = _compared(node, self.last, work)
        for (combinator, _), (_, compound) in zip(self.compounds, self.compounds[1:], strict=False):
            if not found:
                return found
            best = Match.NO
            for other in _reached(node, combinator):
                best = _compared(other, compound, work)
                if best:
                    node = other
                    break
            found = min(found, best)
        return found


def _compared(node: LexborNode, compound: Compound, work: Work) -> Match:
    """Return whether an element fulfils the conditions; one with long attributes takes more work."""
    attributes = node.attributes
    work.left -= 1 + sum(map(len, filter(None, attributes.values()))) // CHARS_OF_ONE
    return compound.matches(node.tag, attributes) if work.left >= 0 else Match.NO


def _reached(node: LexborNode, combinator: str) -> Iterator[LexborNode]:
    for _ in range(1 if combinator in ">+" else MAX_STEPS):
        other = node.parent if combinator in "> " else _before(node)
        if other is None or not other.is_element_node:
            return
        yield other
        node = other


def _before(node: LexborNode) -> LexborNode | None:
    before = node.prev
    while before is not None and not before.is_element_node:
        before = before.prev
    return before


def _has(attributes: dict[str, str | None], name: str, operator: str, value: str) -> bool:
    if name not in attributes:
        return False
    found = attributes[name] or ""
    return {
        "": not value or found == value,
        "=": found == value,
        "~": value in found.split(),
        "|": found == value or found.startswith(f"{value}-"),
        "^": bool(value) and found.startswith(value),
        "$": bool(value) and found.endswith(value),
        "*": bool(value) and value in found,
    }[operator]


@lru_cache(maxsize=4096)
def read_selector(written: str) -> Selector | None:
    """Read one selector; None for one that is of no element, too long, or can't be read."""
    compounds: list[tuple[str, Compound]] = []
    place, combinator = 0, ""
    while place < len(written):
        end = _end_of_compound(written, place)
        compound = _compound(written[place:end])
        if compound is None or len(compounds) == MAX_COMPOUNDS:
            return None
        compounds.insert(0, (combinator, compound))
        joint = _COMBINATOR.match(written, end)
        if joint is None:
            break
        combinator, place = joint[1] or " ", joint.end()
    return Selector(tuple(compounds)) if compounds and place < len(written) else None


def _end_of_compound(written: str, place: int) -> int:
    depth = 0
    for end in range(place, len(written)):
        letter = written[end]
        depth += (letter in "([") - (letter in ")]")
        if depth <= 0 and letter in " >+~\t\n" and written[end - 1] != "\\":
            return end
    return len(written)


def _compound(written: str) -> Compound | None:
    compound, place, written = Compound(), 0, _without_lists(written)
    while place < len(written):
        part = _PART.match(written, place)
        added = _with_part(compound, part) if part and part.end() > place else None
        if part is None or added is None or (part["tag"] and place):
            return None
        compound, place = added, part.end()
    return compound


def _without_lists(written: str) -> str:
    """Return a compound without what always holds, and with a pseudo-class for each selector of a list in `:not`."""
    written = _ALWAYS.sub(lambda found: found[1] or "", written)
    return _NONE_OF.sub(lambda found: "".join(f":not({one.strip()})" for one in found[1].split(",")), written)


def _with_part(compound: Compound, part: re.Match[str]) -> Compound | None:
    """Return a compound with one more condition; None for one that can't be read, or that no element fulfils."""
    if part["tag"]:
        return replace(compound, tag="" if part["tag"] == "*" else part["tag"].lower())
    if part["id"]:
        return replace(compound, id=part["id"].replace("\\", ""))
    if part["class"]:
        return replace(compound, classes=compound.classes | {part["class"].replace("\\", "")})
    if part["pseudo"]:
        return _with_pseudo_class(compound, part["pseudo"], (part["given"] or "").strip())
    found = _ATTRIBUTE.fullmatch(part["attribute"])
    if found is None:
        return None
    operator = found[2] or ("=" if "=" in part["attribute"] else "")
    one = found[1].lower(), operator, found[3] or found[4] or found[5] or ""
    return replace(compound, attributes=(*compound.attributes, one))


def _with_pseudo_class(compound: Compound, name: str, given: str) -> Compound | None:
    if name in _ELEMENTS:
        return None  # what stands before or after an element is none
    if name == ":root":
        return replace(compound, tag="html")
    if name == ":not" and (other := _compound(given)) and not other.is_state:
        return replace(compound, without=(*compound.without, other))
    return replace(compound, is_state=True)
