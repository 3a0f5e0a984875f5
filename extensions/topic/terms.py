"""Which terms of a topic does a text hold, and where? Words match as the index matches them.

A word matches a term if it equals it or shares a form with it. A form is a stem in the language of its page, or the
word without accents (indexer/analysis/words.py). A run of Chinese, Japanese or Korean is its pairs of characters.
The terms of a token are cached.

The words around a link surround the first place of its own words in the text of the page. The stored text shows that as
well as a fetched page does, so a change of topic needs no fetch.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from extensions.topic.priority import TITLE, term_frequencies
from indexer.analysis.tokenizer import MAX_INDEXED_CHARS, analyze_token
from indexer.analysis.words import SNOWBALL, TOKEN_PATTERN, forms_of, is_unspaced

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extensions.topic.priority import Topic
    from urls.records import Page

AROUND_CHARS = 120  # on each side of a link
LOOKED_THROUGH = 100_000  # characters of a text in which the words of links are looked for
MAX_LINKS = 2_000  # of a page, for which the surrounding text is searched
_KEPT = 1 << 16  # tokens whose terms are kept

_Found = tuple[tuple[int, int], ...]  # (place within the token, terms as bits)


class TermFinder:
    """Finds the terms of one topic. A set of them is a number: bit n for term n."""

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        # The language of a page is unknown here: a term has a stem in each.
        self._bits: dict[str, int] = {}
        for number, term in enumerate(topic.terms):
            for key in (term.word, *forms_of(term.word, SNOWBALL)):
                self._bits[key] = self._bits.get(key, 0) | 1 << number
        self._of_token: dict[tuple[str, str], _Found] = {}

    def terms_in(self, text: str, language: str = "") -> int:
        """Return the terms in a short text, such as the words of a link."""
        return _together(bits for _, bits in self._places(text, language)[0])

    def terms_of_url(self, url: str) -> int:
        """Return the terms in the path and the query of a URL; its punctuation separates the words."""
        parts = urlsplit(url)
        return self.terms_in(unquote(f"{parts.path} {parts.query}").replace("/", " ").replace("=", " "))

    def frequencies(self, page: Page) -> bytes:
        """Return the saturation of each term in a page, a byte a term (`priority.term_frequencies`)."""
        found, words = self._places(page.text, page.language)
        said = Counter(number for _, bits in found for number in _numbers(bits))
        for number in _numbers(self.terms_in(page.title, page.language)):
            said[number] += TITLE
        return term_frequencies((said[number] for number in range(len(self.topic.terms))), words)

    def links(self, page: Page, words: Iterable[str]) -> list[tuple[int, int]]:
        """Return for each link of a page the terms in its words, and those in the text around them."""
        text = page.visible_text[:LOOKED_THROUGH]
        found, _ = self._places(text, page.language)
        places = [place for place, _ in found]
        texts: dict[str, tuple[int, int]] = {}

        def both(own: str) -> tuple[int, int]:
            if own not in texts:
                around = 0
                at = text.find(own) if own and found and len(texts) < MAX_LINKS else -1
                if at >= 0:
                    end = at + len(own)
                    around = _between(places, found, at - AROUND_CHARS, at)
                    around |= _between(places, found, end, end + AROUND_CHARS)
                texts[own] = self.terms_in(own, page.language), around
            return texts[own]

        return [both(each) for each in words]

    def _places(self, text: str, language: str) -> tuple[list[tuple[int, int]], int]:
        """Return the places of terms, as (character, terms), and the number of tokens in the text."""
        found: list[tuple[int, int]] = []
        count = 0
        for match in TOKEN_PATTERN.finditer(text[:MAX_INDEXED_CHARS]):
            count += 1
            begin = match.start()
            found += [(begin + offset, bits) for offset, bits in self._terms_of(match[0], language)]
        return found, count

    def _terms_of(self, raw: str, language: str) -> _Found:
        key = (raw, language)
        known = self._of_token.get(key)
        if known is None:
            if len(self._of_token) >= _KEPT:
                self._of_token.clear()
            known = self._of_token[key] = self._looked_up(raw, language)
        return known

    def _looked_up(self, raw: str, language: str) -> _Found:
        """Return the terms of a token: each term of a run at its place, all terms of a name at its beginning."""
        pieces = [(piece.offset, self._bits_of(piece.text, language)) for piece in analyze_token(raw).parts]
        if is_unspaced(raw):
            return tuple((offset, bits) for offset, bits in pieces if bits)
        bits = _together(bits for _, bits in pieces)
        return ((0, bits),) if bits else ()

    def _bits_of(self, word: str, language: str) -> int:
        return _together(self._bits.get(key, 0) for key in (word, *forms_of(word, (language,))))


def _together(sets: Iterable[int]) -> int:
    whole = 0
    for bits in sets:
        whole |= bits
    return whole


def _numbers(bits: int) -> list[int]:
    """Return the numbers of the terms of a set."""
    return [number for number in range(bits.bit_length()) if bits >> number & 1]


def _between(places: list[int], found: list[tuple[int, int]], begin: int, end: int) -> int:
    return _together(bits for _, bits in found[bisect_left(places, begin) : bisect_left(places, end)])
