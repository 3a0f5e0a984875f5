"""Looks the words of a query up in the index: options, prefixes, compounds, sites, and URLs of pages.

A query can be the URL of a page. `https://bakery.example/rye` is one in any case. Without a scheme, a name and a path
(`bakery.example/rye`) can be words too: it is a URL where the index has that page.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from indexer.analysis.tokenizer import analyze_token, raw_tokens
from indexer.segments.schema import INDEX_FIELDS, SITE, URL, IndexField
from urls.canonical import canonical_or_none, host_of_site

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.query.terms import Variants
    from indexer.segments.segment import SegmentReader

MAX_EXPANSIONS = 50  # words that a prefix matches: the most frequent ones
MAX_SCANNED = 2_000  # words with the prefix that are looked at, in one field of a segment, in dictionary order
MAX_COMPOUND_CHARS = 40  # of a compound that is split; each place costs a look into the dictionary
MIN_COMPOUND_PART = 4  # characters: shorter words are in most others by chance
MAX_SITES = 1_000  # that a part of a host name may match
MAX_URL_CHARS = 2_000  # a longer query is text
PREFIX_FIELDS = (IndexField.BODY, IndexField.TITLE, IndexField.URL)
_OUTSIDE_TEMPLATE = tuple(field for field in INDEX_FIELDS if field is not IndexField.TEMPLATE)
_FULL_URL = re.compile(r"https?://[^\s\"]+\Z", re.IGNORECASE)
_PARTIAL_URL = re.compile(r"(?:[\w-]+\.)+[\w-]+(?::\d+)?(?:/[^\s\"]*)?\Z|localhost(?::\d+)?/[^\s\"]*\Z", re.IGNORECASE)
_SCHEME = re.compile(r"https?://", re.IGNORECASE)


class Lexicon:
    """The words and sites of some segments."""

    def __init__(self, files: Sequence[SegmentReader]) -> None:
        self._files = files

    def knows_option(self, text: str) -> bool:
        """Return whether a page has `-Fc` as an option, written so, outside menus and footers."""
        words = [part.text for raw in raw_tokens(text)[:1] for part in analyze_token(raw).parts[-1:]]
        return any(word.startswith("-") and self.has(word) for word in words)

    def has(self, word: str) -> bool:
        """Return whether a page has the word, outside menus and footers."""
        return any(file.has(word, _OUTSIDE_TEMPLATE) for file in self._files)

    def reading_counts(self, readings: Iterable[str]) -> dict[str, int]:
        """Return how many pages have each of these readings, without those that none has."""
        counts = {one: sum(file.count_of(IndexField.READING, one) for file in self._files) for one in readings}
        return {one: count for one, count in counts.items() if count}

    def compound_parts(self, variants: Variants) -> tuple[str, ...]:
        """Return the two words of a compound that no page has: `brot`, `backofen` of brotbackofen; else ().

        Of several splits the one nearest to the middle wins. German may have an s between the two words.
        """
        word = variants.exact[0]
        if not word.isalpha() or len(word) > MAX_COMPOUND_CHARS or self._has_any(variants):
            return ()
        places = sorted(
            range(MIN_COMPOUND_PART, len(word) - MIN_COMPOUND_PART + 1), key=lambda place: abs(2 * place - len(word))
        )
        for place in places:
            first, second = word[:place], word[place:]
            for begin in (first, first.removesuffix("s")) if len(first) > MIN_COMPOUND_PART else (first,):
                if self.has(begin) and self.has(second):
                    return begin, second
        return ()

    def _has_any(self, variants: Variants) -> bool:
        if any(file.entries(word) for file in self._files for word in variants.exact):
            return True  # the usual case, without a look at its forms
        return any(file.entries(word) for file in self._files for word, _ in variants.words_in(file))

    def expand_prefix(self, letters: str) -> tuple[str, ...]:
        """Return the words with a prefix: the most frequent ones of those that were scanned."""
        pages: Counter[str] = Counter()
        for file in self._files:
            for field in PREFIX_FIELDS:
                pages.update(dict(islice(file.words([field], letters), MAX_SCANNED)))
        return tuple(sorted(pages, key=lambda word: (-pages[word], word))[:MAX_EXPANSIONS])

    def matching_sites(self, name: str) -> tuple[str, ...]:
        """Return the site with this name, else the sites whose host name contains it, else the name."""
        site = (name.lower().partition("://")[2] or name.lower()).partition("/")[0]
        if self._is_value(SITE, site):
            return (site,)
        hosts = {known: host_of_site(known) for known in self._known_sites()}
        for is_meant in (
            lambda host: host == site,
            lambda host: f".{site}." in f".{host}.",  # whole names between dots
            lambda host: site in host,
        ):
            if found := tuple(known for known, host in hosts.items() if is_meant(host)):
                return found
        return (site,)

    def pasted_urls(self, text: str) -> tuple[str, ...]:
        """Return the URLs of the pages whose URL the query is, else its canonical forms; () if it is no URL."""
        typed = text.strip()
        is_full = _FULL_URL.match(typed)
        if len(typed) > MAX_URL_CHARS or not (is_full or _PARTIAL_URL.match(typed)):
            return ()
        candidates = tuple(_candidate_urls(typed))
        return self.known_urls(candidates) or (candidates[:1] if is_full else ())

    def known_urls(self, candidates: Iterable[str]) -> tuple[str, ...]:
        """Return which of these URLs are pages of the index."""
        return tuple(url for url in candidates if self._is_value(URL, url))

    def _known_sites(self) -> Sequence[str]:
        return sorted({known for file in self._files for known in islice(file.terms(SITE), MAX_SITES)})

    def _is_value(self, field: str, value: str) -> bool:
        return any(file.postings(field, value) is not None for file in self._files)


def _candidate_urls(typed: str) -> dict[str, None]:
    """Return the canonical URLs that can be meant: with either scheme, with and without a slash at the end."""
    scheme = typed[: len(typed) - len(_SCHEME.sub("", typed))]
    rest = typed[len(scheme) :]
    ends = (rest, rest.removesuffix("/") if rest.endswith("/") else f"{rest}/")
    typed_forms = (begin + end for begin in (scheme.lower() or "https://", "https://", "http://") for end in ends)
    return dict.fromkeys(filter(None, map(canonical_or_none, typed_forms)))


NO_LEXICON = Lexicon(())
