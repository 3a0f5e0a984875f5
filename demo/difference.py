"""Does a crawl agree with the truth? `compare` returns a sentence for each difference; an empty list means yes.

The facts are plain sets and mappings, so any robot can give them. Only the keys that are present are compared.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import chain, filterfalse
from types import MappingProxyType
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from demo.truth import Truth

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
