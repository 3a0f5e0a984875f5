"""Which indexes of a cluster belong to one name? A build of three: pages, words and states; an alias says which counts.

    NAME                 the alias; switching it is the commit of a rebuild
    NAME-000001          pages
    NAME-000001-words    the words of all pages, for corrections and completions
    NAME-000001-state    how far each part of the crawl is, and what links say

Whose build it is stands in its mapping: a crawl sweeps away the unfinished builds of its own, and touches no other.
Which builds there are and where the name leads is read in one request, which OpenSearch answers from one state: of two,
the first may come before a manager that has just started has read its state, and the second after that.
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

UNFINISHED_FILE = "opensearch.unfinished"  # in the folder of the index: which run has found which builds unfinished
RUN = token_hex(8)  # this process


@dataclass(frozen=True, slots=True)
class Build:
    """Three indexes of one state. `owner` names the crawl whose it is; "" where it is that of several parts."""

    pages: str
    format: str = MAPPING_FORMAT
    owner: str = ""
    current: bool = False  # the alias leads to it
    uuid: str = field(default="", compare=False)  # OpenSearch's own for the index of pages: never given twice

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
    """Return all builds of a name, in order. Raises IndexTaken where the name is that of something else."""
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
    """Return the build that the name leads to."""
    return next((build for build in builds_of(cluster) if build.current), None)


def check_owner(cluster: Cluster, current: Build | None, owner: str) -> None:
    """Raise IndexTaken where a build is another's; `owner` is the mark of a whole crawl, "" for that of parts."""
    if current is not None and current.owner != owner:
        what = "another crawl" if current.owner and owner else ("a crawl in parts" if owner else "a whole crawl")
        raise IndexTaken(cluster.address, f"it holds the pages of {what}")


def make_build(cluster: Cluster, owner: str, *, current: bool, after: str = "") -> Build:
    """Make an empty build behind the last one; with `current` the name leads to it at once."""
    name = cluster.address.name
    number = int(after[-6:]) + 1 if after else 1
    build = Build(f"{name}-{number:06}", owner=owner, current=current)
    # The index of pages comes last: without it there is no build, and what is left is swept away.
    for index, plan in ((build.state, state_index()), (build.words, word_index()), (build.pages, page_index())):
        aliases: dict[str, Any] = {own_alias(index): {"is_hidden": True}}
        if index == build.pages:
            plan["mappings"]["_meta"] = {META: {"format": MAPPING_FORMAT, "owner": owner}}
            aliases |= {name: {}} if current else {}
        try:
            if not cluster.has(index):
                cluster.ask("PUT", f"/{index}", plan | {"aliases": aliases}, wait_for_active_shards=1)
        except IndexFault:
            if not cluster.has(index):  # another part was quicker
                raise
    return build


def switch(cluster: Cluster, build: Build) -> None:
    """Let the name lead to a build, and to no other, at once; then delete those of the same crawl that it replaces."""
    replaced = [one for one in builds_of(cluster) if one.current or one.owner == build.owner]
    lead_to(cluster, build, away_from=[one for one in replaced if one.current])
    current = current_build(cluster)
    if current is not None and current.pages == build.pages:  # else whatever else there is may be needed
        for one in replaced:
            if one.pages != build.pages:
                delete_build(cluster, one)


def lead_to(cluster: Cluster, build: Build, away_from: Iterable[Build] = ()) -> None:
    """Let the name lead to a build, and away from others, at once."""
    name = cluster.address.name
    others = [one.pages for one in away_from if one.pages != build.pages]
    actions: list[Any] = [{"remove": {"index": one, "alias": name, "must_exist": False}} for one in others]
    cluster.ask("POST", "/_aliases", {"actions": [*actions, {"add": {"index": build.pages, "alias": name}}]})


def sweep_unfinished(cluster: Cluster, builds: Iterable[Build], owner: str, folder: Path) -> None:
    """Delete what killed rebuilds of a crawl have left, if an earlier run has found the same: one look may mislead.

    A file in the folder of the index names what this run has found. Where the name leads nowhere, nothing is deleted.
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
    """Delete all that is left of a build. What is gone already is no error."""
    cluster.ask("DELETE", f"/{','.join(build.all)}", ignore_unavailable=True)
