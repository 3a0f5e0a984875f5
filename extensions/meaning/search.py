"""How much does similarity of meaning add to a score? A share of the best score by words, which grows with similarity.

    meaning = WEIGHT x share x best x (similarity - FLOOR) / (1 - FLOOR),  share = min(1, words / SENTENCE_WORDS) ** 2

`similarity` is the cosine between the query and the page's nearest passage, if above MIN_SIMILARITY. `best` is the
highest score by words among the results. So both readings are summands, and every part of a score can be shown. Such a
convex combination is better than joining ranks: Bruch, Gai and Ingber, "An analysis of fusion functions for hybrid
retrieval", 2023. The nearest pages are results even without any of the words. Filters hold for them too.

Only queries in English are read: for another language the network's numbers are meaningless.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from extensions.meaning.encoder import MeaningFault
from extensions.meaning.passages import LANGUAGE
from extensions.meaning.vectors import StoredVectors
from indexer.query.syntax import OPERATORS
from indexer.ranking.contribution import Contribution
from indexer.ranking.prior import language_of_query
from indexer.ranking.score import AddedPart
from indexer.ranking.weights import SENTENCE_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from extensions.meaning.encoder import Encoder
    from extensions.meaning.vectors import Nearest
    from indexer.query.deadline import Deadline
    from indexer.query.parser import Query
    from indexer.ranking.term_scorer import Amounts
    from indexer.segments.snapshot import Snapshot

NEAREST_PAGES = 400  # that get a part
OF_LENGTH = 2.0  # few words name a page: its title and the words of links match that better (decision 0026)
MIN_SIMILARITY = 0.25  # cosine of unrelated texts: most pairs are below, and get no part
FLOOR = 0.1  # the similarity that would add nothing; with MIN_SIMILARITY in its place, long needs lose .03 nDCG@10
ALONE = 1.0  # replaces the best score if it is 0: no page has a word of the query
QUESTION_TOKENS = 128  # read of a long query
KEPT_QUESTIONS = 256  # with cached vectors: the next page of results has the same query
FOREIGN = "Found by words alone: the query is in {}, and only English is read by meaning."
SHOWN_CHARS = 300  # of a passage
_FIELDS = "|".join(OPERATORS)
_OPERATOR = re.compile(rf"(?<!\S)-\S+|(?<!\S)-?(?:{_FIELDS}):\S+|[\"()]|(?<!\S)OR(?!\S)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MeaningPart(AddedPart):
    """The score of a passage with a similar meaning: `weight` x `best` x its share of the range above `floor`."""

    similarity: float  # cosine of the passage and the query
    floor: float  # the similarity that would add nothing
    weight: float  # grows with the share of a sentence that the query is
    best: float  # the highest score of the results without meaning, or ALONE
    passage: str

    @property
    def told(self) -> str:
        """The factors, and the passage."""
        above = f"({self.similarity:.3f} - {self.floor:g}) / {1 - self.floor:g}"
        best = f"best score without meaning {self.best:.4f} (1 where it is 0)"
        return f"weight {self.weight:.3f} x {best} x similarity {above}; “{self.passage}”"

    @property
    def found_by(self) -> tuple[str, str]:
        """The reason why a page without any of the words is found, and a quotation."""
        return "the meaning of", self.passage

    def of_result(self) -> dict[str, Any]:
        """Return the fields of a result for JSON."""
        return {"similarity": self.similarity, "passage": self.passage}


class Meaning(Contribution):
    """The meaning of one query, next to its words. `notice` says what is not read by meaning; else empty."""

    def __init__(
        self, snapshot: Snapshot, nearest: Nearest | None = None, weight: float = 0.0, notice: str = ""
    ) -> None:
        super().__init__(notice)
        self._snapshot, self._weight, self._best = snapshot, weight, ALONE
        above = nearest.above(MIN_SIMILARITY) if nearest else None
        rows = [above.of(segment) for segment in range(len(snapshot.views))] if above else []
        numbers = [start + near.documents.astype(np.intp) for start, near in zip(snapshot.starts, rows, strict=False)]
        self.pages = np.concatenate([np.zeros(0, np.intp), *numbers])  # that are near to the query
        self._likeness = np.concatenate([np.zeros(0, np.float32), *(near.similarities for near in rows)])
        self._spans = [span for near in rows for span in near.spans]

    def add_to(self, scores: Amounts, answers: NDArray[np.bool_]) -> None:
        """Add to the scores of the near pages a share of the best score that a result has by its words."""
        best = float(scores[answers].max(initial=0.0))
        self._best = best if best > 0 else ALONE
        scores[self.pages] += self._worth(self._likeness)

    def parts(self, page: int) -> Iterator[MeaningPart]:
        """Yield the parts of one page, not rounded."""
        for row in np.flatnonzero(self.pages == page):
            view, document = self._snapshot.place_of(page)
            stored = view.file.stored(document)
            begin, end = self._spans[row]
            shown = SHOWN_CHARS if stored.snippet is None else min(SHOWN_CHARS, stored.snippet)
            yield MeaningPart(
                term="meaning",
                field="passage",
                value=float(self._worth(self._likeness[row : row + 1])[0]),
                similarity=float(self._likeness[row]),
                floor=FLOOR,
                weight=self._weight,
                best=self._best,
                passage=_shortened(stored.text[begin:end], shown) if end else stored.title,
            )

    def _worth(self, similarities: NDArray[np.float32]) -> Amounts:
        return self._weight * self._best * (similarities.astype(np.float64) - FLOOR) / (1 - FLOOR)


class MeaningSearch:
    """Reads queries by meaning. The first query calls `load` for the encoder; threads may share it."""

    name, notice_key = "meaning", "not_read_by_meaning"
    elsewhere = "Found by words alone: an index in OpenSearch has no vectors to read by meaning."

    def __init__(self, load: Callable[[], Encoder]) -> None:
        self._load = load
        self._loading = threading.Lock()
        self._loaded: tuple[Encoder, StoredVectors] | MeaningFault | None = None
        self._vector = lru_cache(KEPT_QUESTIONS)(vector_of)

    def ask(self, query: Query, snapshot: Snapshot, weight: float, deadline: Deadline) -> Meaning:
        """Read a query, and find the nearest passages in a snapshot."""
        if deadline.passed("what the query means"):
            return Meaning(snapshot)
        text = " ".join(_OPERATOR.sub(" ", query.text).split())
        if not text or query.only_filters:
            return Meaning(snapshot)
        if language := _foreign(text, query, snapshot.languages):
            return Meaning(snapshot, notice=FOREIGN.format(language))
        with self._loading:  # takes a second: not for a query that is not read
            if self._loaded is None:
                self._loaded = self._open()
        if isinstance(self._loaded, MeaningFault):
            return Meaning(snapshot, notice=f"Found by words alone: {self._loaded}.")
        encoder, stored = self._loaded
        vectors = stored.of(snapshot)
        near = vectors.passages.nearest(self._vector(encoder, text), NEAREST_PAGES)
        share = min(1.0, len(text.split()) / SENTENCE_WORDS) ** OF_LENGTH
        return Meaning(snapshot, near, weight * share, vectors.notice)

    def _open(self) -> tuple[Encoder, StoredVectors] | MeaningFault:
        try:
            encoder = self._load()
        except MeaningFault as fault:
            return fault
        return encoder, StoredVectors(encoder)


def vector_of(encoder: Encoder, text: str) -> NDArray[np.float32]:
    """Return the vector of a query."""
    found: NDArray[np.float32] = encoder.vectors([encoder.pieces(text).tokens[:QUESTION_TOKENS]])[0]
    return found


def _foreign(text: str, query: Query, spoken: frozenset[str]) -> str:
    """Return the language or script of a query that is not English; "" if it is, or may be."""
    letters = [letter for letter in text if letter.isalpha()]
    latin = sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    if 2 * latin < len(letters):
        return "another script"
    language = language_of_query(query, spoken | {LANGUAGE})
    return "" if language in {"", LANGUAGE} else f"another language ({language})"


def _shortened(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: max(most - 1, 0)].rsplit(' ', 1)[0]}…"
