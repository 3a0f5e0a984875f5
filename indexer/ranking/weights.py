"""How much does each thing count? The numbers of the ranking, with their reasons; the setting RANKING changes them.

Change one and watch `bench/relevance`. All were tuned on development collections: texts (claims with abstracts,
questions with paragraphs in three languages) and manuals that were crawled, where a name finds its page. The search
changed one number at a time. `bench/relevance weights` shows the result for queries that it was not tuned on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

from extension_points import added_weights
from indexer.ranking.demotion import Penalty
from indexer.segments.schema import ADDED_FIELDS, IndexField

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.ranking.contribution import Contributions, ScoreContributor

NAME_WORDS = 4  # a query of so few words names something: names of pages count in full
SENTENCE_WORDS = 8  # a query of so many words is a sentence: texts count more than names


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of one occurrence, shares of a length, and the caps of the summands of a score."""

    # Text. One occurrence of a word in a field of mean length:
    body: float = 1.0  # the unit
    headings: float = 0.5  # the body has them, too, so they count one and a half times
    description: float = 0.5  # it is written for search engines, and often the same on every page of a site
    reading: float = 1.0  # of a Japanese reading (the setting READINGS): readings are terms of their own
    template: float = 0.5  # it names what the site has, or in a table of contents what the page has
    title_said: float = 2.0  # a title is a sentence of the text too: with 1 or 3, abstracts lose .003
    # Names, by the page itself and by others:
    title: float = 1.0  # 1.5 costs manuals .004: most words of a title stand in the words of links as well
    anchors: float = 2.5  # the words of links to the page; with 1, SQLite's manual loses .02
    url_words: float = 1.5  # its words are few and chosen; the host's name is not among them
    # How far the frequency is divided by the length of the field: 0 not at all, 1 in proportion.
    body_length: float = 0.75  # the usual value; with .5 abstracts lose .004
    headings_length: float = 0.5
    reading_length: float = 0.75  # as for the text that it is read from
    description_length: float = 0.5
    template_length: float = 0.75
    title_length: float = 0.8  # with .5 abstracts and paragraphs lose .001
    anchors_length: float = 0.4  # many links are good: with .6 manuals lose .005
    url_words_length: float = 0.5
    # The frequency in a field of mean length that adds half of the cap.
    said: float = 0.8  # with the usual 1.2 abstracts lose .01
    sentence_said: float = 1.2  # the same in a sentence: topical collections gain .004, though abstracts lose .005
    called: float = 1.0
    spoken: float = 0.5  # the cap of a reading: other words have the same one
    name: float = 1.0  # the cap of names; that of text is 1; with .6 manuals lose
    sentence_name: float = 0.6  # the same for a query that is a sentence; with 1 abstracts lose .005
    other_form: float = 0.9  # "run" for the query "running"; the word itself counts 1
    sentence_form: float = 1.0  # the same in a sentence, where grammar chooses the form; with .9 abstracts lose .0015
    # The caps of words together, in idf of the rarer one (proximity.py):
    near_text: float = 0.4  # without it abstracts lose .006
    near_name: float = 0.3  # without it SQLite's manual loses .01
    near: float = 1.0  # so much nearness adds half of the cap: twice side by side adds two thirds
    # The best section of the page (sections.py). Without it, MRR falls from .941 to .938 for known items, from .875 to
    # .862 for everyday queries.
    section: float = 0.8  # with 1 known items lose .0015
    section_name: float = 0.8  # the cap of its heading, where that of names is 1: a title counts more
    section_length: float = 0.75
    # Priors (prior.py):
    all_words: float = 0.2  # in idf of all words: without it known items lose .001, abstracts .004
    link_text: float = 0.5  # in idf of all words: short queries gain .03, chosen on a half of them (decision 0053)
    entrance: float = 2.0  # in idf of the words of its name: more than any text or title adds
    pagerank: float = 0.05  # little: at .3 relevance falls
    language: float = 0.3  # set by hand: between equal pages, prefer the one in the language of the query
    for _added in added_weights():  # one for each, after those above
        __annotations__[_added.name], vars()[_added.name] = "float", _added.default

    def of(self, name: IndexField, *, called: bool) -> float:
        """Return the weight of one occurrence in a field, as a name of the page or as its text."""
        if name is IndexField.TITLE and not called:
            return self.title_said
        if name in ADDED_FIELDS:
            return ADDED_FIELDS[name].weight if ADDED_FIELDS[name].is_name is called else 0.0
        return float(getattr(self, name)) if (name in CALLED) is called else 0.0

    def for_question(self, words: float) -> Weights:
        """Return the weights for a question of so many words: of few words it names a page, of many it is a sentence.

        From NAME_WORDS to SENTENCE_WORDS it becomes one by equal steps.
        """
        share = min(max((words - NAME_WORDS) / (SENTENCE_WORDS - NAME_WORDS), 0.0), 1.0)
        return replace(
            self,
            said=self.said + share * (self.sentence_said - self.said),
            name=self.name + share * (self.sentence_name - self.name),
            other_form=self.other_form + share * (self.sentence_form - self.other_form),
        )

    def length_of(self, name: IndexField) -> float:
        """Return how much the length of a field counts, from 0 to 1."""
        return ADDED_FIELDS[name].length if name in ADDED_FIELDS else float(getattr(self, f"{name}_length"))


CALLED = frozenset(
    {IndexField.TITLE, IndexField.ANCHORS, IndexField.URL}
)  # the names of a page; other fields are its text


@dataclass(frozen=True, slots=True)
class Formula:
    """The numbers of a ranking: weights, penalties for spoofing, and what extensions add to scores."""

    weights: Weights = field(default_factory=Weights)
    penalty: Penalty = field(default_factory=Penalty)
    contributors: tuple[ScoreContributor, ...] = ()

    def notices_of(self, added: Contributions) -> dict[str, str]:
        """Return the sentences of contributors on what they could not search, each under its key in JSON."""
        keys = [contributor.notice_key for contributor in self.contributors]
        return {key: each.notice for key, each in zip(keys, added, strict=True) if each.notice}


MAX_WEIGHT = 1_000.0
MIN_HALF = 0.01  # of a saturation: with 0 it would not matter how often a word stands there
_HALVES = {"said", "sentence_said", "called", "near"}
NAMES = tuple(each.name for each in fields(Weights))


def weights_from(changes: Iterable[str]) -> Weights:
    """Return the weights with some of them changed: "anchors=2". Raises ValueError that says what is valid."""
    changed: dict[str, float] = {}
    for change in changes:
        name, _, given = change.partition("=")
        if name not in NAMES:
            raise ValueError(f"RANKING={change}: give name=number, and as a name one of {', '.join(NAMES)}")
        try:
            changed[name] = float(given)
        except ValueError:
            changed[name] = math.nan
        least, most = (MIN_HALF if name in _HALVES else 0.0), (1.0 if name.endswith("_length") else MAX_WEIGHT)
        if not least <= changed[name] <= most:
            raise ValueError(f"RANKING={change}: give {name} as a number from {least:g} to {most:g}")
    return replace(Weights(), **changed)


def changes_in(weights: Weights) -> tuple[str, ...]:
    """Return the changes from the defaults in these weights, as `weights_from` takes them: "anchors=2"."""
    usual = Weights()
    changed = ((name, float(getattr(weights, name))) for name in NAMES)
    return tuple(f"{name}={value!r}".removesuffix(".0") for name, value in changed if value != getattr(usual, name))
