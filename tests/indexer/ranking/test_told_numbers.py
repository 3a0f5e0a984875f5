"""Each number that explains a score is recomputed from the texts of the pages, by a second, plain computation."""

from __future__ import annotations

import math
import re
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import indexer
from indexer.analysis.words import STOP_WORDS
from tests.indexer.ranking.plain_scores import (
    ASKED_ONLY,
    FIELDS,
    NAMES,
    NEAR,
    PREFIX,
    WRITTEN,
    Asked,
    Collection,
    Computed,
    Drawn,
    Text,
    W,
)

NUMBER = r"\d+(?:\.\d+)?"
VALUE = r"(?P<value>-?\d+\.\d{4})  "
FIELD = r"(?P<field>body|headings|description|title(?P<name> as a name)?|anchors|template \(menus, header, footer\))"
SUM = rf"weight (?P<w>{NUMBER}) x (?P<sum>\d+\.\d{{3}}), the sum of weight x idf of "
EARNED = (
    r"(?P<n>\d+) (?P<who>pages? links?|other sites? links?) to it, "
    r"which earns (?P<a>\d+) / \((?P<b>\d+) \+ 10\) of what a name can give"
)
FEW = r": pages count, as fewer than 10 sites here link to others"
LINES = {
    kind: re.compile(VALUE + pattern)
    for kind, pattern in {
        "word": (
            rf"(?P<term>\S+) in {FIELD}: (?P<count>\d+) x (?P<each>{NUMBER})(?: \((?P<others>\d+) in another form\))? "
            rf"in (?P<length>\d+) words?, mean (?P<mean>\d+\.\d); weight (?P<w>{NUMBER})(?: \((?P<why>[^()]+)\))? "
            rf"x idf (?P<idf>\d+\.\d{{3}})(?: \(that of “(?P<lender>\S+)”\))? x cap (?P<cap>{NUMBER}) "
            r"x saturation (?P<filled>\d\.\d{3}) x share (?P<share>\d\.\d{3})"
        ),
        "pair": (
            rf"(?P<term>\S+ \S+) near each other in {FIELD}: idf (?P<idf>\d+\.\d{{3}}) \(that of “(?P<rarer>\S+)”\) "
            rf"x cap (?P<cap>{NUMBER}) x nearness (?P<filled>\d\.\d{{3}}) x share (?P<share>\d\.\d{{3}})"
        ),
        "section": (
            r"(?P<term>\S+) in its best section: section (?P<number>\d+) of (?P<count>\d+); "
            rf"weight (?P<w>{NUMBER}) x \(text (?P<text>\d+\.\d{{3}}) \+ heading (?P<heading>\d+\.\d{{3}})\)"
        ),
        "every": (
            r"all words: it has all (?:(?P<count>\d+) words|parts of the word) that the query ranks by: (?P<list>.+); "
            + SUM + "all these"
        ),
        "links": (
            r"links: (?:(?P<inlinks>\d+) pages? links? to it, and its PageRank is (?P<times>\d+\.\d\d) times the mean"
            rf"|links to it are not known yet, so it counts as a mean page); weight (?P<w>{NUMBER}) "
            r"x ln\(1 \+ (?P<rank>\d+\.\d\d)\)"
        ),
        "language": (
            rf"language: the query and the page are in the language “(?P<language>\w\w)”; weight (?P<w>{NUMBER})"
        ),
        "entrance": (
            r"entrance: the home page of a site that has “(?P<named>[^”]+)” in its name \((?P<where>[\w ,]+)\)"
            rf"(?:; {EARNED}(?P<few>{FEW})?)?; {SUM}these, x share (?P<share>\d\.\d{{3}}) of all words"
        ),
        "stuffing": (
            r"stuffing: it repeats itself; -\((?P<base>\d+\.\d{4}) x penalty (?P<penalty>0\.99) "
            r"x strength (?P<strength>\d\.\d\d)\)"
        ),
    }.items()
}  # fmt: skip


def shows(shown: str, number: float) -> bool:
    """Whether this is the number, rounded to the digits that are shown."""
    digits = len(shown.partition(".")[2])
    return abs(float(shown) - number) <= 0.5 * 10.0**-digits + 1e-6 * abs(number) + 1e-9


class Check:
    """The lines of one page's explanation against what is computed."""

    def __init__(self, asked: Computed, number: int) -> None:
        self.asked, self.number, self.page = asked, number, asked.pages[number]
        self.terms = {term.text: term for term in asked.terms}
        self.gained = 0.0  # by the lines above 0, which come first

    def line(self, line: str) -> tuple[str, str, str]:
        """Check all numbers of a line; return its kind, its term and its field."""
        found = [(kind, match) for kind, pattern in LINES.items() if (match := pattern.fullmatch(line))]
        assert len(found) == 1, f"unknown words: {line}"
        [(kind, match)] = found
        told = match.groupdict()
        value = getattr(self, kind)(told)
        assert abs(float(told["value"]) - value) <= 1e-4 + 1e-6, (line, value)
        self.gained += value
        return kind, told.get("term", ""), told.get("field", "")

    def expected(self) -> set[tuple[str, str, str]]:
        """The lines of words in fields, and of all words."""
        asked, page = self.asked, self.page
        shown = {(False, "template"): "template (menus, header, footer)", (True, "title"): "title as a name"}
        found = {
            ("word", term.text, shown.get((called, name), name))
            for term in asked.terms
            if asked.has(page, term)
            for called in (False, True)
            for name in FIELDS
            if asked.weighed(page, term, name, called=called)
        }
        if 1 < len(asked.terms) <= 4 and all(asked.has(page, term) for term in asked.terms):
            found.add(("every", "", ""))
        return found

    def word(self, told: dict[str, str]) -> float:
        name = told["field"].partition(" ")[0]
        called = bool(told["name"]) or name == "anchors"
        term, asked, page = self.terms[told["term"]], self.asked, self.page
        idf, lender = asked.idf(term)
        total, filled = asked.filled(page, term, called=called)
        share = asked.weighed(page, term, name, called=called) / total
        cap = asked.name if called else 1.0
        assert (int(told["count"]), int(told["others"] or 0)) == asked.frequency(page, term, name)
        assert shows(told["each"], asked.weight(name, called=called))
        assert int(told["length"]) == page.texts[name].length
        assert shows(told["mean"], asked.all.mean(name))
        assert shows(told["w"], term.weight)
        assert (told["why"] or "") == term.reasons
        assert shows(told["idf"], idf)
        assert (told["lender"] or "") == lender
        assert shows(told["cap"], cap)
        assert shows(told["filled"], filled)
        assert shows(told["share"], share)
        return term.weight * idf * cap * filled * share

    def pair(self, told: dict[str, str]) -> float:
        name, asked = told["field"], self.asked
        pair = asked.pairs[told["term"]]
        called = name in NAMES
        idfs = {term.text: asked.idf(term)[0] for term in pair[:2]}
        near = {each: asked.nearness(self.page, pair, each) for each in NEAR if (each in NAMES) is called}
        filled = sum(near.values()) / (sum(near.values()) + W.near)
        cap = W.near_name if called else W.near_text
        share = near[name] / sum(near.values())
        assert shows(told["idf"], max(idfs.values()))
        assert idfs[told["rarer"]] == max(idfs.values())
        assert shows(told["cap"], cap)
        assert shows(told["filled"], filled)
        assert shows(told["share"], share)
        return max(idfs.values()) * cap * filled * share

    def section(self, told: dict[str, str]) -> float:
        number = int(told["number"]) - 1
        best = self.asked.best_section(self.page)
        text, heading = self.asked.in_section(self.page, best, self.terms[told["term"]])
        assert (number, int(told["count"])) == (best, len(self.page.sections))
        assert shows(told["w"], W.section)
        assert shows(told["text"], text)
        assert shows(told["heading"], heading)
        return W.section * (text + heading)

    def every(self, told: dict[str, str]) -> float:
        asked = self.asked
        assert all(asked.has(self.page, term) for term in asked.terms)
        typed: dict[str, list[str]] = {}
        for term in asked.terms:
            for _, word, _ in term.sources:
                if term.text not in typed.setdefault(word, []):
                    typed[word].append(term.text)
        listed = [
            word if found == [word.lower()] else f"{word} (as {', '.join(found)})" for word, found in typed.items()
        ]
        assert told["list"] == ", ".join(listed)
        assert int(told["count"] or 1) == len(typed)
        assert shows(told["w"], W.all_words)
        assert shows(told["sum"], asked.sum_of(asked.terms))
        return W.all_words * asked.sum_of(asked.terms)

    def links(self, told: dict[str, str]) -> float:
        rank = float(np.float32(self.page.rank))
        if told["inlinks"]:
            assert int(told["inlinks"]) == self.page.inlinks
            assert shows(told["times"], rank)
        else:
            assert (rank, self.page.inlinks) == (1, 0)
        assert shows(told["rank"], rank)
        assert shows(told["w"], W.pagerank)
        return W.pagerank * math.log1p(rank)

    def language(self, told: dict[str, str]) -> float:
        language = told["language"]
        assert self.page.language == language
        assert any(term.text in STOP_WORDS[language] for term in self.asked.typed)
        assert shows(told["w"], W.language)
        return W.language

    def entrance(self, told: dict[str, str]) -> float:
        asked, all_ = self.asked, self.asked.all
        by_others = asked.known_links and all_.linking_sites >= 10
        labels = set(re.split(r"\W", all_.site))
        first = Text.of(self.page.sections[0][0]) if self.page.sections else Text.of(())

        def is_named(term: Asked) -> bool:
            has = {name for name in FIELDS if asked.frequency(self.page, term, name)[0]}
            headed = "headings" in has and any(term.counts(word) for word, _ in first.places)
            return term.text in labels or ("anchors" in has if by_others else "title" in has or headed)

        named = list(filter(is_named, asked.terms))
        earned = 1.0
        if told["n"]:
            linked = self.page.other_sites if by_others else self.page.inlinks
            assert {int(told["n"]), int(told["a"]), int(told["b"])} == {linked}
            assert told["who"].startswith("other") is by_others is not bool(told["few"])
            earned = linked / (linked + 10)
        assert bool(told["n"]) is asked.known_links
        assert self.number == 0
        assert told["named"] == " ".join(term.text for term in named)
        assert told["where"] == ("host or words of links" if by_others else "host, title or first heading")
        share = min(asked.sum_of(named) / asked.sum_of(asked.terms), 1.0)
        assert shows(told["w"], W.entrance)
        assert shows(told["sum"], asked.sum_of(named))
        assert shows(told["share"], share)
        return W.entrance * asked.sum_of(named) * share * earned

    def stuffing(self, told: dict[str, str]) -> float:
        assert shows(told["strength"], self.page.strength)
        assert shows(told["base"], self.gained)
        return -self.gained * 0.99 * self.page.strength


def drawn_page(dice: Random) -> Drawn:
    def some(least: int, most: int) -> list[str]:
        return dice.choices(sorted(WRITTEN), k=dice.randint(least, most))

    sections = [(some(1, 3), some(1, 12)) for _ in range(dice.choice((0, 0, 2, 4)))]
    body = [word for section in sections for line in section for word in line] or some(1, 25)
    fields = {"body": body, "title": some(1, 4), "template": some(0, 4)}
    fields |= {name: some(0, 3) for name in ("headings", "description", "anchors")}
    ranks = dice.choice(((1.0, 0, 0), (0.25, 3, 1), (2.625, 40, 12)))
    return Drawn(fields, sections, dice.choice(("en", "en", "de")), *ranks, dice.choice((0.0, 0.0, 0.25, 0.9)))


def drawn_query(dice: Random) -> list[str]:
    words = [
        *WRITTEN,
        *ASKED_ONLY,
        PREFIX,
        '"rye bread"',
        '"send email"',
        "pre commit",
        "hook",
        "bread",
        "send",
        "email",
    ]
    return dice.choices(words, k=dice.randint(1, 4))


@settings(deadline=None, max_examples=12, phases=(Phase.generate,))  # a seed can't be shrunk
@given(st.integers(0, 2**32))
def test_each_number_in_the_words_of_a_score_is_what_the_texts_give(seed: int) -> None:
    dice = Random(seed)
    site = dice.choice(("rye.test", "pre-commit.test"))
    pages = [drawn_page(dice) for _ in range(5)]
    collection = Collection(site, pages, dice.random() < 0.7, dice.choice((0, 10)))
    with TemporaryDirectory() as folder:
        collection.write(Path(folder))
        searcher = indexer.open_index(Path(folder))
        for query in [drawn_query(dice) for _ in range(4)]:
            asked = Computed(collection, query)
            for hit in searcher.search(" ".join(query), exact=True).hits:
                check = Check(asked, len(hit.url.rpartition("/")[2]))
                first, *lines = (str(line) for line in hit.explain().lines())
                assert first == f"{hit.score:.4f}  = the sum of:"
                found = {check.line(line.strip()) for line in lines}
                assert {each for each in found if each[0] in {"word", "every"}} == check.expected()
                assert abs(check.gained - hit.score) < 6e-5, (query, hit.url)
