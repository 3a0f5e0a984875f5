"""The formulas of the ranking a second time, computed page by page from lists of words."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import indexer
from indexer.analysis.words import is_stop_word
from indexer.ranking.proximity import BACKWARD, WINDOW
from indexer.ranking.weights import Weights
from indexer.segments.link_ranks import GraphState, LinkRanks
from indexer.segments.schema import url_key
from pages.text.layout import LineKind, TextLines, with_lines
from urls.records import CanonicalUrl, Page
from urls.signals import Signal, SignalName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

W = Weights()
WORD, PART, SPLIT = "for “{}”", "for a part of “{}”", "for a part of “{}”, which no page has"


class Piece(NamedTuple):
    """A term of a written word: its place in it, and whether it has the place for itself."""

    text: str
    at: int = 0
    alone: bool = True
    kind: str = WORD

    @property
    def weight(self) -> float:
        return 1.0 if self.kind == WORD or self.text == "state" else 0.5  # the longest part of a name without a whole


def parts(*texts: str) -> tuple[Piece, ...]:
    return tuple(Piece(text, at, kind=PART) for at, text in enumerate(texts))


# What each word of the pages and queries stands for, by hand.
WRITTEN: dict[str, tuple[Piece, ...]] = {
    **{word: (Piece(word),) for word in ("rye", "bread", "breads", "hook", "commit", "send", "email", "sendemail")},
    **{word: (Piece(word),) for word in ("the", "der")},
    "Pre-Commit": (*parts("pre", "commit"), Piece("precommit", 0, alone=False)),
    "e-mail": (*parts("e", "mail"), Piece("email", 0, alone=False)),
    "os.path.join": (*parts("os", "path", "join"), Piece("os.path.join", 0, alone=False)),
    "C++": (*parts("c"), Piece("c++", 0, alone=False)),
    "getUserName": (
        Piece("getusername"),
        *(Piece(text, 0, alone=False, kind=PART) for text in ("get", "user", "name")),
    ),
    "東京都": (Piece("東京"), Piece("京都", 1)),
    "state-of-the-art": parts("state", "of", "the", "art"),
}
ASKED_ONLY = {word: (Piece(word),) for word in ("breadhook", "pre")}
SPLITS = {"breadhook": ("bread", "hook"), "sendemail": ("send", "email")}
PREFIX = "hoo*"
WIDE = {"東京", "京都"}
STEMS = {"breads": "bread"}
OUTSIDE = ("body", "headings", "description", "title", "anchors")
FIELDS = (*OUTSIDE, "template")
NAMES = {"title", "anchors"}
NEAR = ("anchors", "body", "headings", "title")


def stem(text: str) -> str:
    return STEMS.get(text, text)


@dataclass
class Text:
    """A text by its words, each with its place."""

    places: list[tuple[str, int]] = field(default_factory=list)
    length: int = 0

    @classmethod
    def of(cls, words: Iterable[str]) -> Text:
        text = cls()
        for word in words:
            text.places += [(piece.text, text.length + piece.at) for piece in WRITTEN[word]]
            text.length += 1 + max(piece.at for piece in WRITTEN[word])
        return text


@dataclass
class Asked:
    """A term of the query."""

    text: str
    exact: set[str]
    sources: list[tuple[str, str, float]]  # kind, what was typed, weight
    places: list[int]
    is_stop: bool = False
    joined: set[str] = field(default_factory=set)  # words that it makes together with a neighbour
    is_prefix: bool = False

    @property
    def weight(self) -> float:
        return sum(weight for *_, weight in self.sources)

    @property
    def reasons(self) -> str:
        if len(self.sources) == 1 and self.sources[0][0] == WORD:
            return ""
        return ", ".join(
            f"{f'{n} x ' if n > 1 else ''}{weight:g} {kind.format(typed)}"
            for (kind, typed, weight), n in Counter(self.sources).items()
        )

    def counts(self, word: str) -> bool:
        return word in self.exact | self.joined or (not self.is_prefix and stem(word) == stem(self.text))


@dataclass
class Drawn:
    """A page."""

    fields: Mapping[str, Sequence[str]]  # the words of each field
    sections: Sequence[tuple[Sequence[str], Sequence[str]]]  # of the body: heading and text
    language: str
    rank: float
    inlinks: int
    other_sites: int
    strength: float  # of a signal

    @cached_property
    def texts(self) -> dict[str, Text]:
        return {name: Text.of(words) for name, words in self.fields.items()}

    def page(self, site: str, number: int) -> Page:
        written = {name: " ".join(words) for name, words in self.fields.items()}
        page = Page(
            CanonicalUrl(f"http://{site}/{'-' * number}"),
            written["title"],
            "",
            headings=(written["headings"],),
            description=written["description"],
            anchors=(written["anchors"],),
            language=self.language,
            signals=(Signal(SignalName.STUFFING, self.strength, "it repeats itself"),) if self.strength else (),
        )
        lines = [" ".join(line) for section in self.sections for line in section] or [written["body"]]
        kinds = "ht" * len(self.sections) or LineKind.TEXT
        begins = tuple((2 * number, 2, "x") for number in range(len(self.sections)))
        return with_lines(page, TextLines((*lines, written["template"]), kinds + LineKind.SIGNED_LINKS, (), begins))


@dataclass
class Collection:
    """Pages of a site, and what a query is worth on each."""

    site: str
    pages: list[Drawn]
    has_ranks: bool
    linking_sites: int

    def write(self, folder: Path) -> None:
        pages = [page.page(self.site, number) for number, page in enumerate(self.pages)]
        rows = sorted(
            (url_key(page.url), d.rank, d.inlinks, d.other_sites) for page, d in zip(pages, self.pages, strict=True)
        )
        kinds = np.uint64, np.float32, np.uint32, np.uint32
        arrays = [np.array(column, kind) for column, kind in zip(zip(*rows, strict=True), kinds, strict=True)]
        with indexer.open_writer(folder) as writer:
            for page in pages:
                writer.put(page)
            if self.has_ranks:
                writer.put_ranks(LinkRanks(GraphState(1, 9, len(pages), 0.85, self.linking_sites), *arrays))

    @cached_property
    def languages(self) -> frozenset[str]:
        return frozenset(page.language for page in self.pages)

    @cached_property
    def words(self) -> dict[str, set[str]]:
        return {name: {word for p in self.pages for word, _ in p.texts[name].places} for name in FIELDS}

    def has(self, word: str) -> bool:
        return any(word in self.words[name] for name in OUTSIDE)

    def mean(self, name: str) -> float:
        lengths = [length for page in self.pages if (length := page.texts[name].length)]
        return sum(lengths) / len(lengths) if lengths else 0.0


class Computed:
    """One query on a collection, computed page by page."""

    def __init__(self, collection: Collection, query: Sequence[str]) -> None:
        self.all, self.pages = collection, collection.pages
        self._idfs: dict[str, tuple[float, str]] = {}
        terms = self._merged(list(self._terms(query)))
        places = {place: term.text in WIDE for term in terms for place in term.places}
        content = [term for term in terms if not term.is_stop] or terms
        self.typed = terms
        self.terms = terms if len(places) <= 4 else content
        length = sum(0.5 if wide else 1.0 for wide in places.values())
        share = min(max((length - 4) / 4, 0.0), 1.0)
        self.half = W.said + share * (W.sentence_said - W.said)
        self.name = W.name + share * (W.sentence_name - W.name)
        self.other_form = W.other_form + share * (W.sentence_form - W.other_form)
        self.known_links = collection.has_ranks and any(page.rank != 1 for page in collection.pages)

    def _terms(self, query: Sequence[str]) -> Iterator[Asked]:
        place, before = 0, None
        for unit in query:
            typed = unit.strip('"')
            if typed == PREFIX:
                exact = {"hook"} & (self.all.words["body"] | self.all.words["title"])
                yield Asked(typed, exact, [(WORD, typed, 1.0)], [place], is_prefix=True)
                place += 1
                continue
            for word in typed.split():
                pieces = (WRITTEN | ASKED_ONLY)[word]
                for piece in pieces:
                    places = [place + piece.at] if piece.alone else []
                    is_stop = is_stop_word(piece.text, self.all.languages)
                    source = piece.kind, word, piece.weight
                    term = Asked(piece.text, {piece.text}, [source], places, is_stop)
                    yield term
                    if not places or piece.text in WIDE:
                        continue
                    if not any(stem(piece.text) == stem(each) for some in self.all.words.values() for each in some):
                        split = SPLITS.get(piece.text, ())
                        for part in split if all(map(self.all.has, split)) else ():
                            yield Asked(part, {part}, [(SPLIT, piece.text, 1.0)], [])
                    if before is not None and before.places[0] + 1 == places[0]:
                        joined = before.text + piece.text
                        if joined.isalpha() and not before.is_stop and not is_stop and self.all.has(joined):
                            before.joined.add(joined)
                            term.joined.add(joined)
                    before = term
                place += 1 + max(piece.at for piece in pieces)

    @staticmethod
    def _merged(terms: Iterable[Asked]) -> list[Asked]:
        found: dict[str, Asked] = {}
        for term in terms:
            known = found.setdefault(stem(term.text), term)
            if known is not term:
                known.exact |= term.exact
                known.joined |= term.joined
                known.sources += term.sources
                known.places += term.places
        return list(found.values())

    def frequency(self, page: Drawn, term: Asked, name: str) -> tuple[int, int]:
        """How often a field has a term: in all, and in another form."""
        words = [word for word, _ in page.texts[name].places if term.counts(word)]
        return len(words), sum(word not in term.exact for word in words)

    def norm(self, page: Drawn, name: str) -> float:
        b = getattr(W, f"{name}_length")
        return float(1 - b + b * page.texts[name].length / (self.all.mean(name) or 1.0))

    def weight(self, name: str, *, called: bool) -> float:
        if name == "title" and not called:
            return W.title_said
        return float(getattr(W, name)) if (name in NAMES) is called else 0.0

    def weighed(self, page: Drawn, term: Asked, name: str, *, called: bool) -> float:
        some, others = self.frequency(page, term, name)
        counted = some - others + self.other_form * others
        return self.weight(name, called=called) * counted / self.norm(page, name)

    def filled(self, page: Drawn, term: Asked, *, called: bool) -> tuple[float, float]:
        """The weighted frequency in all fields of a kind, and its saturation."""
        total = sum(self.weighed(page, term, name, called=called) for name in FIELDS)
        return total, total / (total + (W.called if called else self.half))

    def has(self, page: Drawn, term: Asked) -> bool:
        fields = OUTSIDE if self.outside(term) else ("template",)
        return any(self.frequency(page, term, name)[0] for name in fields)

    def outside(self, term: Asked) -> int:
        return sum(any(self.frequency(page, term, name)[0] for name in OUTSIDE) for page in self.pages)

    def idf(self, term: Asked) -> tuple[float, str]:
        """The idf, and the word that lends it."""
        if term.text not in self._idfs:
            self._idfs[term.text] = self._idf(term)
        return self._idfs[term.text]

    def _idf(self, term: Asked) -> tuple[float, str]:
        n = self.outside(term) or sum(self.frequency(page, term, "template")[0] > 0 for page in self.pages)
        own = math.log(1 + (len(self.pages) - n + 0.5) / (n + 0.5))
        others = [each for each in self.terms if not each.is_stop]
        if term.is_stop and others:
            commonest = min(others, key=lambda each: self.idf(each)[0])
            if (lent := self.idf(commonest)[0]) < own:
                return lent, commonest.text
        return own, ""

    def sum_of(self, terms: Iterable[Asked]) -> float:
        return sum(term.weight * self.idf(term)[0] for term in terms)

    def places(self, page: Drawn, term: Asked, name: str) -> list[int]:
        return sorted(place for word, place in page.texts[name].places if term.counts(word))

    def nearness(self, page: Drawn, pair: tuple[Asked, Asked, int], name: str) -> float:
        first, second = (self.places(page, term, name) for term in pair[:2])
        total = 0.0
        for place in first:
            ahead = min((other - place for other in second if other > place), default=99)
            behind = min((place - other for other in second if other < place), default=99)
            forward = 1 / (1 + abs(ahead - pair[2])) if ahead <= WINDOW else 0.0
            total += max(forward, BACKWARD / behind if behind <= WINDOW else 0.0)
        return total * self.weight(name, called=name in NAMES) / self.norm(page, name)

    @cached_property
    def pairs(self) -> dict[str, tuple[Asked, Asked, int]]:
        order = sorted((place, number) for number, term in enumerate(self.terms) for place in term.places)
        found: dict[str, tuple[Asked, Asked, int]] = {}
        for (here, first), (there, second) in pairwise(order):
            if first != second and 0 < there - here <= 2:
                one, other = self.terms[first], self.terms[second]
                found.setdefault(f"{one.text} {other.text}", (one, other, there - here))
        return found

    def in_section(self, page: Drawn, number: int, term: Asked) -> tuple[float, float]:
        """What a section brings by its text and by its heading."""
        heading, text = page.sections[number]
        begin, end = Text.of(heading), Text.of([*heading, *text])
        if not self.has(page, term):
            of_page = of_names = 0.0
        else:
            of_page, of_names = (self.filled(page, term, called=called)[1] for called in (False, True))
        both = []
        for part, usual, half in ((end, 130, self.half), (begin, 4, W.called)):
            b = W.section_length
            f = sum(term.counts(word) for word, _ in part.places) / (1 - b + b * max(part.length, 1) / usual)
            both.append(f / (f + half))
        factor = term.weight * self.idf(term)[0]
        more = max(both[0] - of_page, 0.0), max(W.section_name * both[1] - self.name * of_names, 0.0)
        return factor * more[0], factor * more[1]

    def best_section(self, page: Drawn) -> int:
        brings = [sum(sum(self.in_section(page, n, t)) for t in self.terms) for n in range(len(page.sections))]
        return brings.index(max(brings))
