"""How deep and how large can the tree of this markup become? Upper bounds, proved from its tags before it is parsed.

A start tag adds a level to the tree. Its end tag removes the level if the two certainly belong together. They do if
they are well nested and nothing between them stays open. Some end tags close everything open in their element, as
`</div>` does (WHATWG HTML, 13.2.6.4.7). Open elements do not matter to these, unless one of them limits a scope. Every
other start tag counts as open until the end of the page. So the sum is never too small. For real markup it is small
enough: a `<li>` without `</li>` costs one level each, which a page can afford.

Formatting comes back: a `<b>` that is open when its block ends is opened again in the next one. So each tag may add as
many elements as there are such formatting tags. An end tag across blocks (the adoption agency, 13.2.6.4.7) adds up to
32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pages.bounds.tag_arrays import NUMBERS, OTHER, Tags

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Counts = NDArray[np.int64]

SELDOM = 8  # tags of a name for each that is missing
MANY = 2**15  # levels beyond what 16 bits hold, which numpy sorts several times as fast
ALWAYS = 4  # html, head or body, and room for a stray element
MAX_ROUNDS = 12  # in each at least one more name is found not to nest well
ADOPTED = 32  # elements that one end tag of formatting makes at most: 8 times a copy, and 3 of what is inside it
WRAPPED = 8  # levels that it adds to what is inside


def _flags(names: str) -> Flags:
    return np.asarray(np.isin(np.arange(len(NUMBERS) + 1), [NUMBERS[name] for name in names.split()]))


VOID = _flags(
    "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr"
)
FORMATTING = _flags("a b big code em font i nobr s small strike strong tt u")
TWICE = ("a", "nobr")
# Nothing of this closes formatting around it.
INLINE = FORMATTING | _flags(
    "abbr acronym bdi bdo br cite data del dfn img ins kbd label mark q samp span sub sup time var wbr"
)
# Their end tags close all that is still open in them, as long as no limit of a scope is among it.
CLOSING = _flags(
    "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer head header hgroup html li listing main marquee applet menu nav object ol p pre search section "
    "select summary table tbody td template tfoot th thead tr ul"
)
# Through these no end tag reaches. Cells and captions are missing: what opens one closes all up to its table first.
LIMITS = _flags(
    "applet button desc foreignobject marquee mi mn mo ms mtext object ol select table template title ul annotation"
)
DRAWN = _flags(
    "circle clippath defs ellipse g line lineargradient mask path polygon polyline radialgradient rect stop svg symbol "
    "text title tspan use"
)
MADE_BY_END = _flags("p br")  # `</p>` without `<p>` is an empty paragraph
_CELLS = _flags("td th tr col")  # may bring a row, a table body or a group of columns with them
_OPTIONS = _flags("option optgroup")
_ROOTS = _flags("html body")
_NOT_SIMPLE = _flags("math nobr frameset")  # to be looked at more closely
_READ_AGAIN = _flags("a area h1 h2 h3 h4 h5 h6")  # their text is taken for each of them
_WEIGHT = np.where(_flags("table"), 3, 1)  # tbody and tr come with a table, whether they are written or not


@dataclass(frozen=True, slots=True)
class TreeBounds:
    """Upper bounds of the tree of a page, and of the cost to build it."""

    depth: int  # elements inside each other
    elements: int
    attributes: int
    attributes_of_one: int
    steps: int  # of the parser from one open element to the next: each tag may look at all
    reread: int  # links and headings inside each other


def bound(tags: Tags) -> TreeBounds | None:
    """Return the bounds, or None where tags and text look the same."""
    if tags.is_ambiguous or tags.count("frameset"):
        return None
    drawing = _inside(tags, "svg") | _inside(tags, "math")
    if drawing.any() and (tags.has_sections or (drawing & (tags.name == NUMBERS["script"])).any()):
        return None
    pairs = _Pairs(tags, drawing)
    return pairs.bounds()


def simple_bound(tags: Tags) -> TreeBounds | None:
    """Return wider bounds in a quarter of the time, for a page whose formatting holds nothing but text and formatting.

    None where that can't be seen at once. The tags between two blocks are checked alone. If they are well
    nested, no formatting is open when a block begins or ends, so none comes back. Every block may be left open. In
    drawings is nothing but drawing.
    """
    name = tags.name
    starts = np.bincount(name[~tags.is_end], minlength=len(NUMBERS) + 1)
    if tags.is_ambiguous or starts[_NOT_SIMPLE].any():
        return None
    drawing = _inside(tags, "svg")
    if drawing.any() and (tags.has_sections or not DRAWN[name[drawing]].all()):
        return None
    links = tags.is_end[name == NUMBERS["a"]]
    if links[0::2].any() or not links[1::2].all():  # a link in a link would close the outer one
        return None
    rest = ~(VOID & INLINE)[name]
    name, is_end = name[rest], tags.is_end[rest]
    places = np.flatnonzero(INLINE[name])
    name, is_end = name[places], is_end[places]
    level = np.cumsum(np.where(is_end, -1, 1))
    closed = np.flatnonzero(np.diff(places, append=len(rest) + 1) > 1)  # behind these tags, a block begins or ends
    level_of_tag = level + is_end
    order = np.argsort(level_of_tag.astype(np.int16) if len(level) < MANY else level_of_tag, kind="stable")
    name, is_end, level_of_tag = name[order], is_end[order], level_of_tag[order]
    if (
        level[closed].any()
        or level.min(initial=0) < 0
        or is_end[0::2].any()
        or not is_end[1::2].all()
        or (name[0::2] != name[1::2]).any()
        or (level_of_tag[0::2] != level_of_tag[1::2]).any()
    ):
        return None
    written = starts * _WEIGHT * ~(VOID | INLINE)
    depth = int(written.sum()) + int(level.max(initial=0)) + ALWAYS
    count = len(tags.name)
    made = np.count_nonzero(tags.is_end & MADE_BY_END[tags.name])
    return TreeBounds(
        depth=depth,
        elements=int(starts.sum() + 2 * starts[_CELLS].sum() + made) + ALWAYS,
        attributes=int(tags.attributes.sum()),
        attributes_of_one=int(tags.attributes.max(initial=0)),
        steps=count * depth + _quadratic(tags),
        reread=int(starts[_READ_AGAIN & ~INLINE].sum()) + 1,
    )


def _inside(tags: Tags, name: str) -> Flags:
    """Return which tags stand between `<svg>` and `</svg>`, these two included."""
    ours = tags.name == NUMBERS[name]
    if not ours.any():
        return np.asarray(ours)
    inside = np.cumsum((ours & ~tags.is_end & ~tags.is_closed) * 1 - (ours & tags.is_end))
    # More end tags than start tags: who can say where it begins?
    return np.asarray((inside > 0) | ours if inside.min() >= 0 else np.ones(len(ours), bool))


class _Pairs:
    """Start and end tags that belong together, and what stays open: `nest` finds them, `bounds` adds them up."""

    def __init__(self, tags: Tags, drawing: Flags) -> None:
        self._tags = tags
        self._drawing = drawing
        void = VOID[tags.name]
        if drawing.any():
            # In a drawing only `/>` says that an element is empty; and only where nothing can lead out of the drawing.
            pure = bool(DRAWN[tags.name[drawing]].all() and not drawing.all())
            void = (void & ~drawing) | (tags.is_closed & drawing & pure)
        self._counts = ~void
        self._opening = ~void & ~tags.is_end
        self._nesting = ~void & ~tags.is_closed  # without those that are left open: see `nest`
        self._begin = self._end = np.zeros(0, np.int64)
        self.nest()

    def nest(self) -> None:
        """Leave tags out until the others are well nested, and find the pairs of these."""
        tags = self._tags
        self._nesting &= ~self._seldom_closed()[tags.name]
        for _ in range(MAX_ROUNDS):
            places = np.flatnonzero(self._nesting)
            name, is_end = tags.name[places], tags.is_end[places]
            # The level on which a tag opens or closes. On each level, start and end tags take turns.
            level = np.cumsum(np.where(is_end, -1, 1)) + is_end
            order = np.argsort(level.astype(np.int16) if len(level) < MANY else level, kind="stable")
            name, is_end, level = name[order], is_end[order], level[order]
            first = np.flatnonzero((level[:-1] == level[1:]) & (name[:-1] == name[1:]) & ~is_end[:-1])
            begin, end = places[order[first]], places[order[first + 1]]
            if 2 * len(first) == len(places):
                self._begin, self._end = begin, end
                return
            self._nesting[:] = False
            self._nesting[begin] = self._nesting[end] = True
        self._nesting[:] = False

    def _seldom_closed(self) -> Flags:
        """Return of which names so many end tags are missing that they would hide how all others nest."""
        tags, size = self._tags, len(NUMBERS) + 1
        starts = np.bincount(tags.name[self._nesting & ~tags.is_end], minlength=size)
        ends = np.bincount(tags.name[self._nesting & tags.is_end], minlength=size)
        seldom = starts + ends < SELDOM * np.abs(starts - ends)
        seldom[OTHER] = True  # who knows whether these are the same?
        forms = tags.is_end[tags.name == NUMBERS["form"]]
        if forms[0::2].any() or not forms[1::2].all():  # a form in a form is none, and its end tag ends the outer one
            seldom[NUMBERS["form"]] = True
        return np.asarray(seldom)

    def bounds(self) -> TreeBounds:
        """Add up the nested tags and the open ones."""
        tags, name = self._tags, self._tags.name
        count = len(name)
        left_open = self._opening & ~self._nesting
        left_open[self._begin[self._uncertain(left_open)]] = True
        adoptions = self._adoptions(left_open)
        returning = self._returning(left_open)
        lasting = left_open & FORMATTING[name]
        nested = np.where(self._nesting, np.where(tags.is_end, -1, 1), 0)
        level = np.cumsum(nested * _WEIGHT[name])
        back = np.cumsum(returning)
        reread = np.cumsum(nested * _READ_AGAIN[name])
        copies = int(back.sum()) + ADOPTED * adoptions
        most_copied = int(tags.attributes[(returning > 0) | lasting].max(initial=0))
        beyond = int(_WEIGHT[name[left_open]].sum() + lasting.sum()) + _most(back) + WRAPPED * adoptions + ALWAYS
        return TreeBounds(
            depth=_most(level) + beyond,
            elements=self._written() + copies + count * int(lasting.sum()) + ALWAYS,
            attributes=int(tags.attributes.sum() + count * tags.attributes[lasting].sum()) + copies * most_copied,
            attributes_of_one=int(tags.attributes.max(initial=0)),
            steps=int(level.sum()) + count * beyond + _quadratic(self._tags),
            reread=_most(reread) + int(_READ_AGAIN[name[left_open]].sum()),
        )

    def _uncertain(self, left_open: Flags) -> Flags:
        """Return which pairs may be left open, because something in them is."""
        name = self._tags.name
        begin, end = self._begin, self._end
        holds_open = _has(left_open, begin, end)
        holds_limit = _has(left_open & (LIMITS[name] | self._drawing), begin, end)
        uncertain = (holds_open & ~CLOSING[name[begin]]) | holds_limit
        if LIMITS[name[begin[uncertain]]].any():  # what is left open is a limit itself
            return holds_open
        return uncertain

    def _written(self) -> int:
        """Return how many elements the tags themselves make; rows, table bodies and paragraphs may come with them."""
        tags, name = self._tags, self._tags.name
        starts = np.count_nonzero(~tags.is_end | MADE_BY_END[name])
        return int(starts + 2 * np.count_nonzero(_CELLS[name] & ~tags.is_end))

    def _returning(self, left_open: Flags) -> Counts:
        """Return +1 and -1 where formatting begins and ends that something inside may close, so that it comes back."""
        name = self._tags.name
        closing = ~(INLINE[name] & (self._nesting | VOID[name])) | left_open
        for twice in TWICE:
            if len(self._closed_by_the_next(twice, left_open)):
                closing |= name == NUMBERS[twice]
        formatting = FORMATTING[name[self._begin]]
        begin, end = self._begin[formatting], self._end[formatting]
        closed = _has(closing, begin, end - 1)
        returning = np.zeros(len(name), np.int64)
        returning[begin[closed]], returning[end[closed]] = 1, -1
        return returning

    def _adoptions(self, left_open: Flags) -> int:
        """Return how many tags may let the adoption agency run over blocks."""
        tags, name = self._tags, self._tags.name
        crossing = FORMATTING[name] & tags.is_end & ~self._nesting
        most = int(crossing.sum() + (FORMATTING[name] & left_open & self._nesting).sum())
        return most + sum(len(self._closed_by_the_next(twice, left_open)) for twice in TWICE)

    def _closed_by_the_next(self, name: str, left_open: Flags) -> Counts:
        """Return which elements of this name the next one's start tag may close, because they are open then."""
        ours = self._tags.name == NUMBERS[name]
        pair = ours[self._begin]
        begin, end = self._begin[pair], self._end[pair]
        return np.concatenate([begin[_has(ours, begin, end - 1)], np.flatnonzero(ours & left_open)])


def _quadratic(tags: Tags) -> int:
    """Return steps that Lexbor takes over all options of a select, and over all attributes of a root, each time."""
    options = int(np.count_nonzero(_OPTIONS[tags.name] & ~tags.is_end))
    roots = int(tags.attributes[_ROOTS[tags.name]].sum())  # a second `<html a=1>` adds its attributes to the first
    return 3 * options * options + roots * roots


def _has(flags: Flags, begin: Counts, end: Counts) -> Flags:
    """Return which stretches have at least one flag."""
    before = np.cumsum(flags)
    return np.asarray(before[end] > before[begin])


def _most(counts: Counts) -> int:
    return int(counts.max(initial=0))
