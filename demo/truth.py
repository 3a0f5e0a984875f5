"""The truth about the practice web: each site has it in `sites/NAME/truth.json`.

A robot with the usual limits should end with exactly this. All keys of a file but the first three are optional. Paths
are relative to the site's origin, so the port may change.

- `shows`: one sentence for people. `lang`: ISO 639-1. `title`: the site's own name.
- `seeds`: paths to start from. The directory lists a site without seeds last, and a robot does not start there.
- `fetched`: paths that a robot must request. `indexed`: those of them that must be in the index.
- `refused`: objects with `path` (or a full URL), `rule` (a key of `RULES`) and `why`, a sentence for people.
- `never`: a path that no robot may request; with a slash at its end, everything below it.
- `at_most`: for traps, the largest number of requests for paths with this prefix. Any of these pages may be indexed.
- `one_of`: groups of `NAME.localhost/path`; exactly one of each group is in the index. No other key has such paths.
- `similar`: groups of such paths with nearly the same text: a result list shows one of those in the index.
- `aliases`: path: other spellings of it. Links may have them; a robot requests one of all spellings.
- `with_scripts`: `fetched` and `indexed` of a robot that runs scripts and starts at `/`, on a site without seeds.
- `ranks`: objects with a `query`, and the paths or full URLs of `honest` pages and of `cheats`. All honest pages are
  results, before each of the cheats.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SITES = Path(__file__).parent / "sites"
WRITTEN_PORT = 8400  # the port that full URLs in a truth name
RULES = MappingProxyType({
    "robots": "robots.txt disallows it",
    "noindex": "it asks to stay out of the index",
    "nofollow": "only links that ask not to be followed lead to it",
    "duplicate": "its text is known under another URL",
    "soft-404": "it answers 200 and is not there, by its words or by what its site says of any such page",
    "login-wall": "it asks for a password and says hardly more",
    "script-shell": "it is empty until a script fills it",
    "parked": "it offers its own name for sale",
    "trap": "its URL is too long, too deep, repeats itself, or is one of too many alike",
    "off-site": "it belongs to a site that is not on the list",
    "scheme": "it is not http or https",
    "port": "no robot speaks to that port",
    "address": "it is no address that could be fetched",
    "type": "it is not text",
    "document": "its file is damaged",
    "size": "it is too large",
    "moved": "it redirects",
    "gone": "it answers 404 or 410",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Refused:
    """A URL that must not be in the index, with its rule and a sentence with the reason."""

    url: str
    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class Ranks:
    """The pages that a query must find: every honest page, before each of the cheats."""

    query: str
    honest: frozenset[str]
    cheats: frozenset[str]


@dataclass(frozen=True, slots=True)
class SiteTruth:
    """The name, title and description of one site, for people."""

    name: str
    title: str
    shows: str
    lang: str
    listed: bool  # False: it has no seed


@dataclass(frozen=True, slots=True)
class Truth:
    """The truth about all sites, with full URLs for one port."""

    port: int
    sites: tuple[SiteTruth, ...]
    seeds: tuple[str, ...]
    fetched: frozenset[str]
    indexed: frozenset[str]
    refused: tuple[Refused, ...]
    never: tuple[str, ...]  # a URL, or a prefix where it ends in a slash
    at_most: Mapping[str, int]  # requests for URLs that begin so
    one_of: tuple[frozenset[str], ...]
    similar: tuple[frozenset[str], ...]
    aliases: Mapping[str, tuple[str, ...]]
    ranks: tuple[Ranks, ...]

    def forbids(self, url: str) -> bool:
        """Return whether no robot may request `url`."""
        return any(url == place or (place.endswith("/") and url.startswith(place)) for place in self.never)

    def is_trap(self, url: str) -> bool:
        """Return whether `url` is in a trap, where only the number of requests is certain."""
        return any(url.startswith(prefix) for prefix in self.at_most)


def load(port: int = WRITTEN_PORT) -> Truth:
    """Read the truth about every site, for a practice web on `port`."""
    files = sorted(SITES.glob("*/truth.json"))
    sites = {file.parent.name: json.loads(file.read_text("utf-8")) for file in files}

    def full(name: str, path: str) -> str:
        if path.startswith("/") and not path.startswith("//"):
            return f"http://{name}.localhost:{port}{path}"
        return with_port(path, port)

    def every(key: str) -> Iterable[tuple[str, Any]]:
        return ((name, row) for name, site in sites.items() for row in site.get(key, ()))

    def groups(key: str) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(_placed(member, port) for member in group) for _, group in every(key))

    return Truth(
        port=port,
        sites=tuple(_site(name, site) for name, site in sites.items()),
        seeds=tuple(full(name, path) for name, path in every("seeds")),
        fetched=frozenset(full(name, path) for name, path in every("fetched")),
        indexed=frozenset(full(name, path) for name, path in every("indexed")),
        refused=tuple(Refused(full(name, row["path"]), row["rule"], row["why"]) for name, row in every("refused")),
        never=tuple(full(name, path) for name, path in every("never")),
        at_most={full(name, path): sites[name]["at_most"][path] for name, path in every("at_most")},
        one_of=groups("one_of"),
        similar=groups("similar"),
        aliases={
            full(name, path): tuple(full(name, spelling) for spelling in sites[name]["aliases"][path])
            for name, path in every("aliases")
        },
        ranks=tuple(
            Ranks(row["query"], *(frozenset(full(name, path) for path in row[side]) for side in ("honest", "cheats")))
            for name, row in every("ranks")
        ),
    )


def _site(name: str, site: Mapping[str, Any]) -> SiteTruth:
    return SiteTruth(name, site["title"], site["shows"], site["lang"], listed=bool(site.get("seeds")))


def _placed(member: str, port: int) -> str:
    host, _, path = member.partition("/")
    return f"http://{host}:{port}/{path}"


def with_port(url: str, port: int) -> str:
    """Return a URL with this server's port in place of 8400."""
    return url.replace(f":{WRITTEN_PORT}", f":{port}").replace(f":0{WRITTEN_PORT}", f":0{port}")
