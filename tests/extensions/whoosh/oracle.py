"""The oracle of the door: a plain Whoosh index of the same texts, and random queries of all kinds.

The texts are made of words that try the analysis: names with hyphens and dots, CamelCase, accents, Chinese. Frequent
words are as frequent as in a language (Zipf): queries of several words then find something.
"""
# mypy: disable-error-code="attr-defined,no-untyped-call,misc,arg-type"

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from whoosh import query, scoring
from whoosh.fields import ID, TEXT, Schema
from whoosh.index import create_in

import indexer
from extensions.whoosh.schema import PageAnalyzer
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from whoosh.index import Index
    from whoosh.query import Query
    from whoosh.searching import Results, Searcher

ODD_WORDS = (
    "e-mail",
    "getUserName",
    "C++",
    "os.path.join",
    "sqlite's",
    "café",
    "漢字文書",
    "-O2",
    "URLs",
    "x_y",
    "3.11",
)
SYLLABLES = ("ba", "be", "cra", "do", "fin", "gol", "ka", "lem", "mo", "ne", "pol", "ri", "sta", "tu")
FIELDS = ("body", "title")
SITES = ("http://a.test", "http://b.test", "http://c.test:8080")


def plain_words(chance: random.Random, size: int = 400) -> list[str]:
    """Return made-up words."""
    return [*dict.fromkeys("".join(chance.choices(SYLLABLES, k=chance.randint(1, 3))) for _ in range(size))]


def vocabulary(chance: random.Random, size: int = 400) -> list[str]:
    """Return made-up words, and odd ones between them."""
    words = plain_words(chance, size)
    for word in ODD_WORDS:
        words.insert(chance.randrange(min(len(words), 60)), word)
    return words


def pages(chance: random.Random, words: list[str], numbers: Iterable[int], longest: int = 300) -> list[Page]:
    """Return pages with these numbers in their URLs."""
    often = [1 / (place + 3) for place in range(len(words))]

    def text(most: int) -> str:
        return " ".join(chance.choices(words, often, k=chance.randint(0, most)))

    return [
        Page(CanonicalUrl(f"{SITES[number % 3]}/p{number}"), text(8), text(longest), fetched_at=float(number + 1))
        for number in numbers
    ]


def plain_index(folder: Path, texts: Iterable[dict[str, Any]]) -> Index:
    """Return a plain Whoosh index of texts (url, site, title, body), in their order."""
    words = {name: TEXT(PageAnalyzer(), stored=True, multitoken_query="phrase", sortable=True) for name in FIELDS}
    schema = Schema(url=ID(stored=True, unique=True, sortable=True), site=ID(stored=True, sortable=True), **words)
    folder.mkdir()
    index = create_in(str(folder), schema)
    writer = index.writer()
    for one in texts:
        writer.add_document(**{name: one[name] for name in ("url", "site", *FIELDS)})
    writer.commit()
    return index


class Queries:
    """Random queries over the terms of a vocabulary."""

    def __init__(self, chance: random.Random, words: list[str]) -> None:
        self.chance = chance
        self.terms = sorted({token.text for word in words for token in PageAnalyzer()(word)})
        self.common = [token.text for word in words[:80] for token in PageAnalyzer()(word)]
        self.kinds: dict[str, Callable[[], Query]] = {
            "term": self.term,
            "and": lambda: query.And(self.some()),
            "or": lambda: query.Or(self.some()),
            "not": lambda: query.And([self.term(), query.Not(self.term())]),
            "and maybe": lambda: query.AndMaybe(self.term(), self.term()),
            "require": lambda: query.Require(self.term(), self.term()),
            "phrase": lambda: query.Phrase(self.field(), self.row(), slop=self.chance.randint(1, 3)),
            "prefix": lambda: query.Prefix(self.field(), self.beginning()),
            "wildcard": lambda: query.Wildcard(self.field(), f"{self.beginning()}?*{self.word()[-1]}"),
            "regex": lambda: query.Regex(self.field(), f"{self.beginning()}[a-m]+"),
            "fuzzy": lambda: query.FuzzyTerm(self.field(), self.word(), maxdist=self.chance.randint(1, 2)),
            "range": lambda: query.TermRange(self.field(), *sorted((self.word(), self.word()))),
            "every": lambda: query.Every(self.chance.choice(["title", "site", None])),
            "near": lambda: query.SpanNear(*self.near(), slop=self.chance.randint(1, 8)),
            "best of": lambda: query.DisjunctionMax(self.some()),
            "nested": lambda: query.And([query.Or(self.some()), query.Or(self.some())]),
        }

    def one(self) -> tuple[str, Query]:
        """Return a query, and of which kind it is."""
        kind = self.chance.choice([*self.kinds])
        return kind, self.kinds[kind]()

    def field(self) -> str:
        return self.chance.choice(["body", "body", "title"])

    def word(self) -> str:
        return self.chance.choice(self.chance.choice([self.terms, self.common]))

    def row(self) -> list[str]:
        return self.chance.choices(self.common[:30], k=2)

    def beginning(self) -> str:
        word = self.word()
        return "".join(letter for letter in word[: self.chance.randint(1, 3)] if letter.isalnum()) or "ba"

    def term(self) -> Query:
        return query.Term(self.field(), self.word(), boost=self.chance.choice([1.0, 1.0, 2.5]))

    def some(self) -> list[Query]:
        return [self.term() for _ in range(self.chance.randint(2, 4))]

    def near(self) -> list[Query]:
        return [query.Term("body", word) for word in self.row()]


WEIGHTINGS = [scoring.BM25F(), scoring.BM25F(B=0.3, K1=2.0, title_B=1.0), scoring.TF_IDF(), scoring.PL2()]


class Both:
    """A searcher of each index, over the same texts."""

    def __init__(self, data_dir: Path, oracle: Path, weighting: Any = scoring.BM25F) -> None:
        self.ours = indexer.open_whoosh(data_dir).searcher(weighting=weighting)
        stored = list(self.ours.all_stored_fields())
        self.plain = plain_index(oracle, stored).searcher(weighting=weighting)

    def each(self) -> tuple[Searcher, Searcher]:
        """Return ours and the plain one."""
        return self.ours, self.plain

    def weigh_by(self, weighting: Any) -> None:
        """Let both rank by a formula."""
        for searcher in self.each():
            searcher.weighting = weighting
            searcher._idf_cache.clear()  # it holds what another weighting gave


def scores(results: Results) -> dict[str, float]:
    """Return the score of each page."""
    return {hit["url"]: hit.score for hit in results}


def urls(results: Any) -> list[str]:
    """Return the pages in their order."""
    return [hit["url"] for hit in results]


def compare(both: Both, queries: Queries, count: int) -> Counter[str]:
    """Ask both so many random queries, by each formula in turn; return how many queries of each kind had results."""
    found: Counter[str] = Counter()
    for number in range(count):
        weighting = WEIGHTINGS[number % len(WEIGHTINGS)]
        both.weigh_by(weighting)
        kind, asked = queries.one()
        ours, plain = (scores(searcher.search(asked, limit=None)) for searcher in both.each())
        assert ours == pytest.approx(plain, abs=1e-6), (kind, asked, weighting)
        found[kind] += bool(ours)
    return found
