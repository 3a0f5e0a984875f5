"""Did the crawl find out what is true? The answer is a list of sentences, and an empty list means yes.

The facts are plain sets and mappings, so that any robot can be asked. What a robot does not tell is not judged: only
the keys that are there are compared.
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

# Words beside the truth's own that a robot may have for the same thing.
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
# Rules about URLs of listed sites that a robot must have met one by one, and has to have a word for.
RECORDED = frozenset({
    "robots", "noindex", "soft-404", "login-wall", "script-shell", "trap", "type", "document", "size",
})  # fmt: skip

ROBOTS_TXT = "/robots.txt"  # some robots count it among what they fetched, some do not


class Facts(TypedDict, total=False):
    """What a robot knows after a crawl: full canonical URLs, all keys optional.

    `fetched`: those it asked for in this round; `indexed`: those a query can find; `suppressed`: the rule's word for
    each that it left out; `requests`: how often each was asked for, from the server's log if one likes; `results`: for
    each query of the truth's ranks what is found, the best first; `clusters`: a number for pages that it shows as one
    result; `made_up`: addresses that it thought out itself to see what a site says of them; `unread`: endings of
    documents, such as "pdf", that it has no reader for: nobody expects of it what they say.
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
    """Return what differs from the truth, a sentence each, in the order of a crawl."""
    judged = (_asked, _made_up, _fetched, _suppressed, _indexed, _ranked)
    return list(chain.from_iterable(judge(truth, facts) for judge in judged))


def _asked(truth: Truth, facts: Facts) -> Iterator[str]:
    requests = facts.get("requests") or Counter(facts.get("fetched", ()))
    for url in sorted(set(requests) | set(facts.get("fetched", ()))):
        if truth.forbids(url):
            yield f"{url} was asked for and never may be{_because(truth, url)}"
    for prefix, most in truth.at_most.items():
        count = sum(times for url, times in requests.items() if url.startswith(prefix))
        if count > most:
            yield f"the trap {prefix} took {count} requests, {most} at most were expected"
    for url, spellings in truth.aliases.items():
        count = requests[url] + sum(requests[spelling] for spelling in spellings if spelling != url)
        if count > 1:
            yield f"{url} was asked for {count} times under its several spellings: once is enough"


def _made_up(truth: Truth, facts: Facts) -> Iterator[str]:
    real = truth.fetched.union(truth.indexed, truth.aliases, *truth.one_of, (refused.url for refused in truth.refused))
    for url in sorted(facts.get("made_up", ())):
        if truth.forbids(url):
            yield f"{url} was made up and never may be asked for{_because(truth, url)}"
        if url in real:
            yield f"{url} was made up, and the truth knows it: it tells nothing about what is not there"
        if url in facts.get("indexed", ()):
            yield f"{url} was made up and is in the index"


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
            yield f"{url} was fetched, and the truth does not know of it{_because(truth, url)}"


def _suppressed(truth: Truth, facts: Facts) -> Iterator[str]:
    if "suppressed" not in facts:
        return
    for refused in truth.refused:
        if _is_unread(facts, refused.url):
            continue
        word = facts["suppressed"].get(refused.url)
        if word is None and refused.rule in RECORDED:
            yield f"{refused.url} should have been left out by the rule {refused.rule}, and no rule is recorded for it"
        elif word is not None and word != refused.rule and word not in ALSO_CALLED.get(refused.rule, ()):
            yield f"{refused.url} was left out by the rule {word}, the truth says {refused.rule}: {refused.why}"


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
            yield f"{' and '.join(present)} are not known as similar: one result is enough for them"
    for url in sorted(indexed - truth.indexed.union(*truth.one_of)):
        if not truth.is_trap(url):
            yield f"{url} is in the index and should not be{_because(truth, url)}"


def _ranked(truth: Truth, facts: Facts) -> Iterator[str]:
    if "results" not in facts:
        return
    for ranks in truth.ranks:
        found = list(facts["results"].get(ranks.query, ()))
        for url in sorted(ranks.honest - set(found)):
            yield f"{url} is no result for “{ranks.query}”, and it is honest"
        behind = [found[:place] for place, url in enumerate(found) if url in ranks.honest]
        for cheat in sorted(ranks.cheats & set(behind[-1] if behind else ())):
            yield f"{cheat} stands before an honest page for “{ranks.query}”"


def _is_unread(facts: Facts, url: str) -> bool:
    return url.rpartition(".")[2] in facts.get("unread", ())


def _because(truth: Truth, url: str) -> str:
    refused = next((refused for refused in truth.refused if refused.url == url), None)
    return f": {refused.rule}, {refused.why}" if refused else ""


def _word(facts: Facts, url: str) -> str:
    word = facts.get("suppressed", {}).get(url)
    return f" (its record says: {word})" if word else ""
