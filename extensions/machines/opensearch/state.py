"""Up to where has an index in a cluster followed the crawl? Its build has a state document for each part.

Writing that document is the commit: it has the part's position in its feed, and its ranks by links. The index is
refreshed just before, so searches find everything up to the position. OpenSearch replaces a document only if it is the
one that was read (its sequence number). If two writers share a part, the second commit fails.

Ranks are kept packed in pieces, as next to the segments: PageRank in each page's document would reindex all pages.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import asdict, dataclass, field, replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any
from zlib import crc32

from extensions.machines.opensearch.builds import Build, current_build
from extensions.machines.opensearch.bulk import BulkAction
from extensions.machines.opensearch.mapping import MAPPING_FORMAT
from indexer.faults import CorruptIndex, IndexFault, NoIndex, OutdatedIndex
from indexer.segments.link_ranks import GraphState, LinkRanks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extensions.machines.opensearch.cluster import Cluster

MAX_PARTS = 5_000  # that are read; a crawl has at most 4,096
CHUNK_BYTES = 3_000_000  # bytes of ranks in one document
RANKS_SECONDS = 120.0  # to read all of them
_OF_PARTS = {"query": {"exists": {"field": "position"}}, "size": MAX_PARTS, "seq_no_primary_term": True}
_ALL_SHARDS = {"allow_partial_search_results": False}  # a part on a lost shard must not look as if it never existed


@dataclass(frozen=True, slots=True)
class PartOfIndex:
    """The state of one part of a crawl in the index. A whole crawl is one part, without a label."""

    part: str = ""  # "2/3"
    owner: str = ""
    position: int = 0  # the last row of its feed in the index
    last: int = 0  # the highest number of a change written
    generation: int = 0  # commits
    epoch: int = 0  # how often the part was rewritten in place
    committed_at: float = 0.0  # seconds since the epoch
    ranks: str = ""  # the name of the pieces of its LinkRanks
    pieces: int = 0
    checksum: int = 0
    graph: GraphState = field(default_factory=GraphState)
    token: str = ""  # of the commit
    crawl: str = ""  # the identity of the crawl database; "": written before there was one
    place: tuple[int, int] | None = field(default=None, compare=False)  # OpenSearch's own number for this document


@dataclass(frozen=True, slots=True)
class IndexState:
    """The state of an index as searches see it: names of its indexes, and the sums over its parts."""

    build: Build
    parts: tuple[PartOfIndex, ...]

    @property
    def index(self) -> str:
        """The index of pages."""
        return self.build.pages

    @property
    def words(self) -> str:
        """The index of words."""
        return self.build.words

    @property
    def generation(self) -> int:
        """Commits of all parts."""
        return sum(one.generation for one in self.parts)

    @property
    def position(self) -> int:
        """The positions of all parts together."""
        return sum(one.position for one in self.parts)

    @property
    def committed_at(self) -> float:
        """The time of the oldest of the parts' commits, in seconds since the epoch."""
        return min(one.committed_at for one in self.parts)

    @property
    def ranks_name(self) -> str:
        """The names of all parts' ranks."""
        return " ".join(one.ranks for one in self.parts)


def read_state(cluster: Cluster) -> IndexState:
    """Return the current state. Raises NoIndex, OutdatedIndex, CorruptIndex and the cluster's faults."""
    build = current_build(cluster)
    if build is None:
        raise NoIndex(cluster.address)
    if build.format != MAPPING_FORMAT:
        finding = f"it has format {build.format}, and this version reads format {MAPPING_FORMAT}"
        raise OutdatedIndex(cluster.address, finding)
    parts = _with_pages(parts_in_state(cluster, build))
    if not parts:
        raise NoIndex(cluster.address)
    return IndexState(build, parts)


def is_current(cluster: Cluster, state: IndexState) -> bool:
    """Return whether a state is surely still current, in one request. Raises the faults of a cluster."""
    a_page = {"size": 1, "terminate_after": 1, "track_total_hits": False, "_source": False}
    where_parts = {"index": state.build.state, **_ALL_SHARDS}
    pages, parts = cluster.ask_all([({"index": cluster.address.name}, a_page), (where_parts, _OF_PARTS)])
    if "error" in pages or "error" in parts:
        return False  # the next full read finds out why
    led_to = {hit["_index"] for hit in pages["hits"]["hits"]}
    return led_to == {state.index} and state.parts == _with_pages(_parts_of(cluster, parts))


def parts_in_state(cluster: Cluster, build: Build) -> list[PartOfIndex]:
    """Return the state of each part in a build, committed or begun."""
    try:
        return _parts_of(cluster, cluster.ask("POST", f"/{build.state}/_search", _OF_PARTS, **_ALL_SHARDS))
    except KeyError:
        raise CorruptIndex(cluster.address, f"there is no {build.state}") from None


def _parts_of(cluster: Cluster, answer: dict[str, Any]) -> list[PartOfIndex]:
    return sorted((_part(cluster, hit) for hit in answer["hits"]["hits"]), key=lambda one: one.part)


def read_part(cluster: Cluster, build: Build, part: str) -> PartOfIndex:
    """Return the last written state of a part; an empty one if there is none."""
    try:
        return _part(cluster, cluster.ask("GET", f"/{build.state}/_doc/{_name(part)}"))
    except KeyError:
        return PartOfIndex(part)


def write_part(cluster: Cluster, build: Build, part: PartOfIndex) -> PartOfIndex:
    """Replace the state that this one was made from, if it is still there: this is the commit.

    Each state has its own token, so it may be written again if the first result is unknown.
    """
    own = {"part", "position", "place"}  # these have fields of their own, or are OpenSearch's
    kept = {name: value for name, value in asdict(part).items() if name not in own}
    document = {"part": part.part, "position": part.position, "state": kept}
    place: dict[str, Any] = {"op_type": "create"}  # only if there is none yet
    if part.place is not None:
        place = {"if_seq_no": part.place[0], "if_primary_term": part.place[1]}
    try:
        done = cluster.ask("PUT", f"/{build.state}/_doc/{_name(part.part)}", document, refresh=True, **place)
    except IndexFault:
        found = read_part(cluster, build, part.part)  # the response may be lost although the write was done
        if found.token == part.token:
            return found
        raise
    return replace(part, place=(done["_seq_no"], done["_primary_term"]))


def rank_actions(build: Build, part: PartOfIndex, ranks: LinkRanks) -> tuple[PartOfIndex, Iterator[BulkAction]]:
    """Return the state with these ranks, and the actions that write them into the index."""
    content = ranks.dump()
    starts = range(0, len(content), CHUNK_BYTES)
    following = replace(part, ranks=token_hex(8), pieces=len(starts), checksum=crc32(content), graph=ranks.state)
    chunks = (b64encode(content[start : start + CHUNK_BYTES]).decode() for start in starts)
    return following, (
        BulkAction(
            "index", build.state, _piece(following, number), {"chunk": chunk, "of": following.ranks, "part": part.part}
        )
        for number, chunk in enumerate(chunks)
    )


def read_part_ranks(cluster: Cluster, build: Build, part: PartOfIndex) -> LinkRanks:
    """Return the link ranks of a part's pages. Raises CorruptIndex."""
    if not part.ranks:
        return LinkRanks()
    names = [_piece(part, number) for number in range(part.pieces)]
    found = []
    for name in names:
        try:
            found.append(cluster.ask("GET", f"/{build.state}/_doc/{name}", seconds=RANKS_SECONDS)["_source"]["chunk"])
        except KeyError:
            raise CorruptIndex(cluster.address, f"a piece of the ranks of links is missing in {build.state}") from None
    content = b"".join(map(b64decode, found))
    if crc32(content) != part.checksum:
        raise CorruptIndex(cluster.address, f"the ranks of links in {build.state} are not as they were written")
    return LinkRanks.load(content)


def forget_other_ranks(cluster: Cluster, build: Build, part: PartOfIndex) -> None:
    """Delete the ranks of a part that its state does not name."""
    other = {"must_not": [{"term": {"of": part.ranks}}]} if part.ranks else {}
    query = {"bool": {"filter": [{"term": {"part": part.part}}, {"exists": {"field": "of"}}]} | other}
    cluster.ask("POST", f"/{build.state}/_delete_by_query", {"query": query}, conflicts="proceed", refresh=True)


def _with_pages(parts: list[PartOfIndex]) -> tuple[PartOfIndex, ...]:
    return tuple(one for one in parts if one.generation)


def _name(part: str) -> str:
    return f"part-{part.replace('/', '-of-')}"


def _piece(part: PartOfIndex, number: int) -> str:
    return f"ranks-{part.ranks}-{number}"


def _part(cluster: Cluster, found: dict[str, Any]) -> PartOfIndex:
    try:
        kept = dict(found["_source"]["state"])
        kept["graph"] = GraphState(**kept["graph"])
        place = (found["_seq_no"], found["_primary_term"])
        return PartOfIndex(found["_source"]["part"], position=found["_source"]["position"], place=place, **kept)
    except (KeyError, TypeError) as error:
        raise CorruptIndex(cluster.address, f"{found.get('_id')} says of no part how far it is: {error}") from error
