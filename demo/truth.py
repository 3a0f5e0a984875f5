"""The truth about the practice web, and does a crawl agree with it? Each site has it in `sites/NAME/truth.json`.

`compare` returns a sentence for each difference; an empty list means that the crawl agrees. The facts are plain sets
and mappings, so any robot can give them. Only the keys that are present are compared.

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
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import chain, filterfalse
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

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


# Names that a robot may give to a rule of the truth.
ALSO_CALLED = MappingProxyType({
    "trap": {
        "url-length", "depth", "repeated-path", "far-date", "query", "no-yield", "made-up", "pattern-budget",
        "site-budget", "host-budget",
    },
    "soft-404": {"duplicate"},  # the second apology is a copy of the first
    "moved": {"redirect-loop", "redirect-limit", "off-site"},  # where it leads to, or does not
    "address": {"host", "scheme"},
    "type": {"binary"},
})  # fmt: skip
# Rules about URLs of listed sites for which a robot must have a record of each URL.
RECORDED = frozenset({
    "robots", "noindex", "soft-404", "login-wall", "script-shell", "trap", "type", "document", "size",
})  # fmt: skip

ROBOTS_TXT = "/robots.txt"  # some robots count it as fetched, some do not


class Facts(TypedDict, total=False):
    """The outcome of a crawl, in full canonical URLs; all keys are optional.

    - `fetched`: requested in this round; `indexed`: found by a query
    - `suppressed`: the rule by which a URL was left out
    - `requests`: the number of requests for each URL, perhaps from the server's log
    - `results`: the results for each query of `Truth.ranks`, best first
    - `clusters`: the same number for pages that share a result
    - `made_up`: URLs that the robot generated, to learn how a site responds to them
    - `unread`: file name endings, such as "pdf", for which it has no reader; no text of these is expected
    """

    fetched: AbstractSet[str]
    indexed: AbstractSet[str]
    suppressed: Mapping[str, str]
    requests: Counter[str]
    results: Mapping[str, Sequence[str]]
    clusters: Mapping[str, int]
    made_up: AbstractSet[str]
    unread: AbstractSet[str]


def compare(truth: Truth, facts: Facts) -> list[str]:
    """Return a sentence for each difference from the truth, in the order of a crawl."""
    checks = (_requested, _made_up, _fetched, _suppressed, _indexed, _ranked)
    return list(chain.from_iterable(check(truth, facts) for check in checks))


def _requested(truth: Truth, facts: Facts) -> Iterator[str]:
    requests = facts.get("requests") or Counter(facts.get("fetched", ()))
    for url in sorted(set(requests) | set(facts.get("fetched", ()))):
        if truth.forbids(url):
            yield f"{url} was requested, which is forbidden{_because(truth, url)}"
    for prefix, most in truth.at_most.items():
        count = sum(times for url, times in requests.items() if url.startswith(prefix))
        if count > most:
            yield f"the trap {prefix} got {count} requests, at most {most} were expected"
    for url, spellings in truth.aliases.items():
        count = requests[url] + sum(requests[spelling] for spelling in spellings if spelling != url)
        if count > 1:
            yield f"{url} was requested {count} times in several spellings: once is enough"


def _made_up(truth: Truth, facts: Facts) -> Iterator[str]:
    real = truth.fetched.union(truth.indexed, truth.aliases, *truth.one_of, (refused.url for refused in truth.refused))
    for url in sorted(facts.get("made_up", ())):
        if truth.forbids(url):
            yield f"{url} was generated, and no robot may request it{_because(truth, url)}"
        if url in real:
            yield f"{url} was generated, but exists: it shows nothing about missing pages"
        if url in facts.get("indexed", ()):
            yield f"{url} was generated and is in the index"


def _fetched(truth: Truth, facts: Facts) -> Iterator[str]:
    if "fetched" not in facts:
        return
    fetched = facts["fetched"]
    for url in sorted(truth.fetched - fetched):
        yield f"{url} was not fetched{_word(facts, url)}"
    by_name = {refused.url for refused in truth.refused if refused.rule == "type"}  # some ask for the header lines
    expected = truth.fetched.union(*truth.one_of, by_name)
    for url in sorted(fetched - expected):
        if not (truth.is_trap(url) or truth.forbids(url) or url.endswith(ROBOTS_TXT)):
            yield f"{url} was fetched, but is not in the truth{_because(truth, url)}"


def _suppressed(truth: Truth, facts: Facts) -> Iterator[str]:
    if "suppressed" not in facts:
        return
    for refused in truth.refused:
        if _is_unread(facts, refused.url):
            continue
        word = facts["suppressed"].get(refused.url)
        if word is None and refused.rule in RECORDED:
            yield f"{refused.url} should have been left out by the rule {refused.rule}, but has no rule"
        elif word is not None and word != refused.rule and word not in ALSO_CALLED.get(refused.rule, ()):
            yield f"{refused.url} was left out by the rule {word}, but the truth is {refused.rule}: {refused.why}"


def _indexed(truth: Truth, facts: Facts) -> Iterator[str]:
    if "indexed" not in facts:
        return
    indexed = facts["indexed"]
    for url in filterfalse(partial(_is_unread, facts), sorted(truth.indexed - indexed)):
        yield f"{url} is not in the index{_word(facts, url)}"
    for group in truth.one_of:
        present = sorted(group & indexed)
        if not present:
            yield f"none of {', '.join(sorted(group))} is in the index: one should be"
        elif len(present) > 1:
            yield f"{' and '.join(present)} are both in the index: they are copies, one is enough"
    for group in truth.similar if "clusters" in facts else ():
        present = sorted(group & indexed)
        numbers = {facts["clusters"].get(url) for url in present}
        if len(numbers) > 1 or None in numbers:
            yield f"{' and '.join(present)} are not in one cluster: one result is enough for them"
    for url in sorted(indexed - truth.indexed.union(*truth.one_of)):
        if not truth.is_trap(url):
            yield f"{url} is in the index and should not be{_because(truth, url)}"


def _ranked(truth: Truth, facts: Facts) -> Iterator[str]:
    if "results" not in facts:
        return
    for ranks in truth.ranks:
        found = list(facts["results"].get(ranks.query, ()))
        for url in sorted(ranks.honest - set(found)):
            yield f"{url} is an honest page, but no result for “{ranks.query}”"
        behind = [found[:place] for place, url in enumerate(found) if url in ranks.honest]
        for cheat in sorted(ranks.cheats & set(behind[-1] if behind else ())):
            yield f"{cheat} ranks before an honest page for “{ranks.query}”"


def _is_unread(facts: Facts, url: str) -> bool:
    return url.rpartition(".")[2] in facts.get("unread", ())


def _because(truth: Truth, url: str) -> str:
    refused = next((refused for refused in truth.refused if refused.url == url), None)
    return f": {refused.rule}, {refused.why}" if refused else ""


def _word(facts: Facts, url: str) -> str:
    word = facts.get("suppressed", {}).get(url)
    return f" (its record says: {word})" if word else ""
