"""Which state of an index in OpenSearch is searched, and which of its pages may be shown? Asked anew for each question.

The state is one small document. What is true of all pages is counted once a generation, and kept. Where the index goes
or a page is written anew while a question is answered, the question is asked once more.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

from extensions.machines.opensearch.retrieval.choosing import DOCUMENTS, read_candidates
from extensions.machines.opensearch.retrieval.collection import ChangedMeanwhile, Collection
from extensions.machines.opensearch.cluster import Cluster
from extensions.machines.opensearch.state import is_current, read_part_ranks, read_state
from indexer.faults import CorruptIndex, IndexFault
from indexer.retrieval.collector import LOOKED_AT, place_in_index, sitelinks
from indexer.retrieval.corpus import Corpus
from indexer.retrieval.results import PartState

if TYPE_CHECKING:
    from collections.abc import Callable

    from extensions.machines.opensearch.address import IndexAddress
    from extensions.machines.opensearch.state import IndexState
    from indexer.retrieval.collector import Sitelink
    from indexer.retrieval.corpus import Visibility
    from indexer.segments.link_ranks import LinkRanks
    from indexer.segments.schema import StoredFields
    from indexer.segments.snapshot import SegmentView, Snapshot

SECONDS = 10.0  # to be told the state, and what is true of all pages
Answer = TypeVar("Answer")
TRIES = 3  # of one question, where pages change under it; the last takes them as they are


class ClusterCorpus(Corpus):
    """The index at an address; threads may share it."""

    def __init__(self, address: IndexAddress, visibility: Visibility) -> None:
        super().__init__({}, visibility)
        self.cluster = Cluster(address, SECONDS)
        self._counting = threading.Lock()
        self._known: Collection | None = None
        self._ranks: dict[str, LinkRanks] = {}
        self._ranks_name: str | None = None

    def collection(self) -> Collection:
        """Return the generation that is current now. Raises NoIndex, IndexUnreachable and others."""
        return self.asked(lambda collection, _: collection)

    def _current(self) -> Collection:
        known = self._known
        if known is not None and is_current(self.cluster, known.state):
            return known
        state = read_state(self.cluster)
        with self._counting:
            if self._known is None or self._known.state != state:
                found = Collection(self.cluster, state, self._ranks_of(state))
                if found.notice:
                    return found  # it holds for the shards that answered
                self._known = found
            return self._known

    def _ranks_of(self, state: IndexState) -> dict[str, LinkRanks]:
        if self._ranks_name != state.ranks_name:
            self._ranks = {one.part: read_part_ranks(self.cluster, state.build, one) for one in state.parts}
            self._ranks_name = state.ranks_name
        return self._ranks

    def asked(self, ask: Callable[[Collection, bool], Answer]) -> Answer:
        """Ask the current generation; once more where it changes meanwhile. `ask` is told which try is the last."""
        for tried in range(1, TRIES + 1):
            try:
                return ask(self._current(), tried == TRIES)
            except (ChangedMeanwhile, CorruptIndex) as found:  # a part of it may just have gone
                fault = found
        raise fault

    def is_hidden(self, view: SegmentView, stored: StoredFields) -> bool:  # noqa: ARG002 - any part has the same databases
        """Return whether a page may not be shown."""
        return self._visibility.hides(stored)

    def parts_of(self, collection: Collection) -> tuple[PartState, ...]:
        """Return the parts of a divided crawl, each with how far its index is; empty where nothing is divided."""
        parts = [one for one in collection.state.parts if one.part]
        pages = collection.pages_of_part
        return tuple(PartState(one.part, one.generation, one.committed_at, pages.get(one.part, 0)) for one in parts)

    @property
    def parts(self) -> tuple[PartState, ...]:
        """The parts as of now."""
        return self.parts_of(self.collection())

    @property
    def _is_divided(self) -> bool:
        return self._known is not None and len(self._known.state.parts) > 1

    def sitelinks(self, snapshot: Snapshot, first: int) -> tuple[Sitelink, ...]:
        """Return the main pages of the site whose first page is the page `first`; of any other none."""
        collection, site = self._known, snapshot.home_pages.sites.get(first)
        if collection is None or site is None or snapshot.whole is None:
            return ()
        view, document = snapshot.place_of(first)
        url = view.file.stored(document).url
        on_site = {"bool": {"filter": [{"term": {"site": site}}, {"terms": {"url_key": collection.most_linked}}]}}
        queries = (1, {"term": {"url": url}}), (LOOKED_AT, on_site)
        try:
            answers = [collection.ask(DOCUMENTS | {"size": most, "query": query}) for most, query in queries]
            hits = {hit["_id"]: hit for answer in answers for hit in answer["hits"]["hits"]}
            some = read_candidates(collection, hits.values(), snapshot.whole, lenient=True).snapshot
            place = place_in_index(some, url)
            return sitelinks(some, some.starts[place[0]] + place[1], self.is_hidden) if place else ()
        except IndexFault:
            return ()  # the index changes just now: the result stands without them
