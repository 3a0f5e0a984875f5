"""Which indexes of a cluster belong to one name? A build has pages, words and states; an alias marks the current build.

    NAME                 the alias; a rebuild commits by switching it
    NAME-000001          pages
    NAME-000001-words    the words of all pages, for corrections and completions
    NAME-000001-state    the position of each part of the crawl, and the ranks by links

The mapping of a build names its owner: a crawl deletes its own unfinished builds, and touches no others. The builds and
the alias are read in one request, which OpenSearch answers from one cluster state. With two requests, a new manager
could answer the first before it has read its state, and the second after that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from extensions.machines.opensearch.bulk import own_alias
from extensions.machines.opensearch.mapping import MAPPING_FORMAT, META, page_index, state_index, word_index
from indexer.faults import IndexFault, IndexTaken

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from extensions.machines.opensearch.cluster import Cluster

UNFINISHED_FILE = "opensearch.unfinished"  # in the folder of the index: a run, and the builds that it found unfinished
RUN = token_hex(8)  # this process


@dataclass(frozen=True, slots=True)
class Build:
    """Three indexes of one state. `owner` names its crawl; "" for a crawl in several parts."""

    pages: str
    format: str = MAPPING_FORMAT
    owner: str = ""
    current: bool = False  # the alias points to it
    uuid: str = field(default="", compare=False)  # OpenSearch's id of the index of pages: never used twice

    @property
    def words(self) -> str:
        """The index of words."""
        return f"{self.pages}-words"

    @property
    def state(self) -> str:
        """The index of states."""
        return f"{self.pages}-state"

    @property
    def all(self) -> tuple[str, str, str]:
        """All three."""
        return self.pages, self.words, self.state


def builds_of(cluster: Cluster) -> list[Build]:
    """Return all builds of a name, sorted. Raises IndexTaken if something else has the name."""
    name = cluster.address.name
    found = cluster.indexes(name, f"{name}-*")
    direct = {index for index, one in found.items() if index == name or name in one.get("aliases", ())}
    builds = []
    for index, one in sorted(found.items()):
        meta = one.get("mappings", {}).get("_meta", {}).get(META)
        if index in direct and (index == name or not meta or len(direct) > 1):
            what = "an index of this name was not made by Breadcrumb" if index == name else f"an alias leads to {index}"
            raise IndexTaken(cluster.address, what)
        if meta and re.fullmatch(re.escape(name) + r"-[0-9]{6}", index):
            kept = str(meta.get("format")), str(meta.get("owner", "")), index in direct
            builds.append(Build(index, *kept, uuid=one["settings"]["index"]["uuid"]))
    return builds


def current_build(cluster: Cluster) -> Build | None:
    """Return the build that the alias points to."""
    return next((build for build in builds_of(cluster) if build.current), None)


def check_owner(cluster: Cluster, current: Build | None, owner: str) -> None:
    """Raise IndexTaken if a build has another owner; `owner` is the mark of a whole crawl, "" for one in parts."""
    if current is not None and current.owner != owner:
        what = "another crawl" if current.owner and owner else ("a crawl in parts" if owner else "a whole crawl")
        raise IndexTaken(cluster.address, f"it holds the pages of {what}")


def make_build(cluster: Cluster, owner: str, *, current: bool, after: str = "") -> Build:
    """Make an empty build after the last one; with `current` the alias points to it at once."""
    name = cluster.address.name
    number = int(after[-6:]) + 1 if after else 1
    build = Build(f"{name}-{number:06}", owner=owner, current=current)
    # The index of pages comes last: without it there is no build, and the rest is removed later.
    for index, plan in ((build.state, state_index()), (build.words, word_index()), (build.pages, page_index())):
        aliases: dict[str, Any] = {own_alias(index): {"is_hidden": True}}
        if index == build.pages:
            plan["mappings"]["_meta"] = {META: {"format": MAPPING_FORMAT, "owner": owner}}
            aliases |= {name: {}} if current else {}
        try:
            if not cluster.has(index):
                cluster.ask("PUT", f"/{index}", plan | {"aliases": aliases}, wait_for_active_shards=1)
        except IndexFault:
            if not cluster.has(index):  # another part made it first
                raise
    return build


def switch(cluster: Cluster, build: Build) -> None:
    """Point the alias to a build only, in one step; then delete the builds of the same crawl that it replaces."""
    replaced = [one for one in builds_of(cluster) if one.current or one.owner == build.owner]
    lead_to(cluster, build, away_from=[one for one in replaced if one.current])
    current = current_build(cluster)
    if current is not None and current.pages == build.pages:  # else the other builds may be needed
        for one in replaced:
            if one.pages != build.pages:
                delete_build(cluster, one)


def lead_to(cluster: Cluster, build: Build, away_from: Iterable[Build] = ()) -> None:
    """Point the alias to a build, and away from others, in one step."""
    name = cluster.address.name
    others = [one.pages for one in away_from if one.pages != build.pages]
    actions: list[Any] = [{"remove": {"index": one, "alias": name, "must_exist": False}} for one in others]
    cluster.ask("POST", "/_aliases", {"actions": [*actions, {"add": {"index": build.pages, "alias": name}}]})


def sweep_unfinished(cluster: Cluster, builds: Iterable[Build], owner: str, folder: Path) -> None:
    """Delete what killed rebuilds of a crawl left, if an earlier run also found it: one look may mislead.

    A file in the folder of the index lists the builds found. If the alias points nowhere, nothing is deleted.
    """
    builds, path = list(builds), folder / UNFINISHED_FILE
    if not any(one.current for one in builds):
        return
    unfinished = [one for one in builds if not one.current and one.owner == owner]
    run, *found = path.read_text("ascii", "replace").split() or [RUN] if path.exists() else [RUN]
    for one in unfinished:
        if run != RUN and one.uuid in found:
            delete_build(cluster, one)
    path.write_text("\n".join([RUN, *(one.uuid for one in unfinished)]), "ascii")


def delete_build(cluster: Cluster, build: Build) -> None:
    """Delete what is left of a build. Missing indexes are no error."""
    cluster.ask("DELETE", f"/{','.join(build.all)}", ignore_unavailable=True)
