"""What does the index know of the words of a question? Which are options, what begins so, which sites are meant."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from indexer.analysis.tokenizer import analyze_token, raw_tokens
from indexer.segments.schema import INDEX_FIELDS, SITE, URL, IndexField

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.query.terms import Variants
    from indexer.segments.segment import SegmentFile

MAX_EXPANSIONS = 50  # words that stand for one beginning: the most frequent ones
LOOKED_THROUGH = 2_000  # words that begin so, in one field of a segment, in the order of the alphabet
MAX_COMPOUND_CHARS = 40  # letters of a word that is taken apart; each place costs a look into the dictionary
MIN_COMPOUND_PART = 4  # letters: shorter words are in most others by chance
MAX_SITES = 1_000  # that a part of a host may stand for
_SAID = tuple(field for field in INDEX_FIELDS if field is not IndexField.TEMPLATE)
PREFIX_FIELDS = (IndexField.BODY, IndexField.TITLE, IndexField.URL)


class Lexicon:
    """The words and sites of some segments."""

    def __init__(self, files: Sequence[SegmentFile]) -> None:
        self._files = files

    def knows_option(self, text: str) -> bool:
        """Return whether a page names `-Fc` as an option: written so, outside menus and footers."""
        pieces = [piece.text for raw in raw_tokens(text)[:1] for piece in analyze_token(raw).pieces[-1:]]
        return any(word.startswith("-") and self.has(word) for word in pieces)

    def has(self, word: str) -> bool:
        """Return whether a page has the word, outside menus and footers."""
        return any(file.has(word, _SAID) for file in self._files)

    def reading_counts(self, readings: Iterable[str]) -> dict[str, int]:
        """Return on how many pages these readings stand, those that none has left out."""
        counts = {one: sum(file.count_of(IndexField.READING, one) for file in self._files) for one in readings}
        return {one: count for one, count in counts.items() if count}

    def compound_parts(self, variants: Variants) -> tuple[str, ...]:
        """Return the two words that a compound is made of which no page has: `brot`, `backofen` of brotbackofen.

        Of several ways to take it apart the one next to its middle is taken; German may have an s between them.
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
        return any(file.entries(word) for file in self._files for word in variants.exact) or any(
            file.entries(word) for file in self._files for word, _ in variants.words_in(file)
        )

    def beginning(self, letters: str) -> tuple[str, ...]:
        """Return the words that begin so, the most frequent ones of those that were looked through."""
        pages: Counter[str] = Counter()
        for file in self._files:
            for field in PREFIX_FIELDS:
                pages.update(dict(islice(file.words([field], letters), LOOKED_THROUGH)))
        return tuple(sorted(pages, key=lambda word: (-pages[word], word))[:MAX_EXPANSIONS])

    def sites(self, name: str) -> tuple[str, ...]:
        """Return the sites that a name stands for: the one of that name, else those whose host has it as a part."""
        site = (name.lower().partition("://")[2] or name.lower()).partition("/")[0]
        if self._is_value(SITE, site):
            return (site,)
        known = self._known_sites()
        hosts = {known: _host(known) for known in known}
        for is_meant in (
            lambda host: host == site,
            lambda host: f".{site}." in f".{host}.",  # whole names between dots
            lambda host: site in host,
        ):
            if found := tuple(known for known, host in hosts.items() if is_meant(host)):
                return found
        return (site,)

    def addresses(self, candidates: Iterable[str]) -> tuple[str, ...]:
        """Return which of these URLs are pages of the index."""
        return tuple(url for url in candidates if self._is_value(URL, url))

    def _known_sites(self) -> Sequence[str]:
        return sorted({known for file in self._files for known in islice(file.terms(SITE), MAX_SITES)})

    def _is_value(self, field: str, value: str) -> bool:
        return any(file.postings(field, value) is not None for file in self._files)


def _host(site: str) -> str:
    """Return a site without its port; an IPv6 address stands in brackets."""
    host, colon, port = site.rpartition(":")
    return host if colon and port.isdecimal() else site


NO_LEXICON = Lexicon(())
