"""Which results stand on a page of them? The ranking is gone through from the top, without what may not be shown.

Near copies stand under the page of their cluster that answers best. What is known of a page is unpacked only where the
page is shown, or where somebody must be asked whether it may be.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from indexer.retrieval.results import Hit
from indexer.segments.schema import URL, labelled
from indexer.snippets.hit_snippets import HitHighlighter

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.query.deadline import Deadline
    from indexer.ranking.candidates import Ranking
    from indexer.retrieval.corpus import Corpus
    from indexer.retrieval.folding import Folding
    from indexer.retrieval.sitelinks import Sitelink
    from indexer.segments.schema import StoredFields


Found = TypeVar("Found")


class FoundOut(Generic[Found]):
    """Finds something out when it is asked for, and once; to make a `functools.cache` takes five times as long."""

    __slots__ = ("_find", "_found")

    def __init__(self, find: Callable[[], Found]) -> None:
        self._find = find

    def __call__(self) -> Found:
        """Return what was found."""
        try:
            return self._found
        except AttributeError:
            self._found: Found = self._find()
            return self._found


class ShownHits:
    """The results of one ranking. `only`, a URL, asks for the result with it, or the one under which it stands."""

    def __init__(self, ranking: Ranking, folding: Folding, corpus: Corpus, deadline: Deadline, only: str = "") -> None:
        self._ranking, self._folding, self._corpus, self._deadline = ranking, folding, corpus, deadline
        self._quotation = HitHighlighter(ranking, deadline)
        self._only = only
        self.hidden: list[int] = []  # numbers of pages that answer and may not be shown, as far as they were met
        named = ranking.snapshot.numbers(URL, only).tolist() if only else []
        self._wanted = {number for number in named if ranking.answers[number]}
        self._wanted_clusters = {folding.cluster_of(number) for number in self._wanted} - {None}

    def within(self, window: slice) -> tuple[list[Hit], int]:
        """Return one page of results, and how many that would stand up to its end are hidden: blocked ones, copies."""
        hits: list[Hit] = []
        above: dict[str, int] = {}
        shown = hidden = 0
        folding, corpus = self._folding, self._corpus
        for number in self._ranking.best() if self._wanted or not self._only else ():
            if shown >= window.stop or (self._only and hits):
                break
            if shown and self._deadline.passed("results further down"):
                break
            cluster = folding.cluster_of(number)
            head = folding.head_of(cluster)
            if head is not None:
                if number in self._wanted:
                    hits.append(self._hit(number, *head))
                continue
            if corpus.shows_all and (shown < window.start or not self._may_be_wanted(number, cluster)):
                shown += 1
                folding.lead(cluster, shown)
                continue
            view, document = self._ranking.snapshot.place_of(number)
            stored = view.file.stored(document)
            twin = next((url for url in corpus.copies(stored.url) if url in above), "")
            if twin:
                hidden += 1
                folding.lead(cluster, above[twin], twin)
                continue
            if corpus.is_hidden(view, stored):
                hidden += folding.hide(cluster)
                self.hidden.append(number)
                continue
            shown = above[stored.url] = shown + 1
            others = folding.lead(cluster, shown, stored.url)
            if shown > window.start and (number in self._wanted or not self._only):
                hits.append(self._hit(number, shown, stored=stored, similar=others))
        return hits, hidden

    def _may_be_wanted(self, number: int, cluster: int | None) -> bool:
        return not self._only or number in self._wanted or cluster in self._wanted_clusters

    def _hit(
        self,
        number: int,
        rank: int,
        under: str = "",
        *,
        stored: StoredFields | None = None,
        similar: int = 0,
    ) -> Hit:
        view, document = self._ranking.snapshot.place_of(number)
        main: Callable[[], tuple[Sitelink, ...]] = tuple
        if stored is None:  # it stands under another one
            stored = view.file.stored(document)
        elif rank == 1:
            main = FoundOut(partial(self._corpus.sitelinks, self._ranking.snapshot, number))
        self._quotation.prefetch(number, stored)
        return Hit(
            url=stored.url,
            title=stored.title,
            site=stored.site,
            language=stored.language,
            fetched_at=stored.fetched_at,
            archive=stored.archive,
            rank=rank,
            _explain=FoundOut(partial(self._ranking.explain, number)),
            _snippet=FoundOut(partial(self._quotation.snippet, number, stored)),
            _marked_title=partial(self._quotation.title, number, stored),
            copies=self._corpus.copies(stored.url),
            published=stored.published or None,
            modified=stored.modified or None,
            similar=similar,
            under=under,
            lacks=self._ranking.matching.lacks(number),
            not_fetched=stored.not_fetched,
            added_fields=labelled(stored.added_fields),
            inlinks=int(view.inlinks[document]),
            _sitelinks=main,
            _has_added_parts=bool(self._ranking.added),
        )
