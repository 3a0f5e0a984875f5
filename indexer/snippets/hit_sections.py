"""Which sections of a result answer the query? Those whose heading has a word of it, and that have all its words.

A section of a result is shown by its heading, the first sentence below it, and a link to its place on the page. Where
a heading has no id, the link is a text fragment (`#:~:text=`, WICG Scroll to Text Fragment), which browsers find by the
words of the heading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from indexer.snippets.sentences import cut_before, excerpt_from, line_around, skip_blanks
from indexer.snippets.snippet import highlight_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.ranking.sections import SectionMatch
    from indexer.segments.schema import StoredFields
    from indexer.snippets.sentences import Snippet
    from indexer.snippets.snippet import HighlightTerms

MOST = 3  # sections of one result
MAX_TITLE_CHARS = 120
MAX_SENTENCE_CHARS = 200
SUFFIX_CHARS = 60  # after a heading, if its words are not the first such ones of the page
_ID_CHARS = "!$&'()*+,;=:@/?-._~"  # of a fragment, not escaped (RFC 3986, 3.5)


@dataclass(frozen=True, slots=True)
class HitSection:
    """A section of a result. `leads`: the title of the result leads to it, since it answers better than the page."""

    url: str
    title: Snippet
    snippet: Snippet
    leads: bool


def answering_sections(
    stored: StoredFields, matches: Sequence[SectionMatch], terms: int, highlight: HighlightTerms
) -> tuple[HitSection, ...]:
    """Return the sections of a page that answer a query of so many terms; `matches` has the best first.

    The first section of a page is the page itself, under its title. It stands under no result.
    """
    most = max((each.terms for each in matches), default=0)
    found = [each for each in matches if each.number and each.named and each.terms == most][:MOST]
    return tuple(
        _section(stored, each.number, highlight, leads=each is matches[0] and each.terms >= terms and each.brings > 0)
        for each in found
        if each.number < len(stored.sections) and stored.sections[each.number][1] <= len(stored.text)
    )


def _section(stored: StoredFields, number: int, highlight: HighlightTerms, *, leads: bool) -> HitSection:
    start, heading_end, _, anchor = stored.sections[number]
    end = stored.sections[number + 1][0] if number + 1 < len(stored.sections) else len(stored.text)
    heading = stored.text[start:heading_end]
    fragment = quote(anchor, safe=_ID_CHARS) if anchor else _text_fragment(stored.text, start, heading_end)
    return HitSection(
        f"{stored.url.partition('#')[0]}#{fragment}",
        highlight_terms(_cut(heading.strip(), MAX_TITLE_CHARS), highlight),
        highlight_terms(_first_sentence(stored, heading_end, end), highlight),
        leads,
    )


def _text_fragment(text: str, start: int, end: int) -> str:
    """Return the fragment that leads to a heading by its words, and by what follows it if they stand before it too."""
    words = text[start:end].strip()
    below = skip_blanks(text, end)
    suffix = cut_before(text, below, min(line_around(text, below)[1], below + SUFFIX_CHARS)) if words else below
    is_ambiguous = below < suffix and 0 <= text.find(words) < start
    return f":~:text={_directive(words)}" + f",-{_directive(text[below:suffix])}" * is_ambiguous


def _directive(words: str) -> str:
    return quote(words, safe="").replace("-", "%2D")  # a "-" would make it the words before or after


def _first_sentence(stored: StoredFields, start: int, end: int) -> str:
    """Return the first sentence of a part of a text, or its beginning if that is longer, within the page's limit."""
    most = MAX_SENTENCE_CHARS if stored.snippet is None else min(stored.snippet, MAX_SENTENCE_CHARS)
    start = skip_blanks(stored.text, start)
    if start >= end or most <= 0:
        return ""
    excerpt = excerpt_from(stored.text, start, most, end)
    return excerpt._replace(parts=excerpt.parts[:1]).snippet(stored.text, ()).text


def _cut(text: str, most: int) -> str:
    """Cut a text between words."""
    if len(text) <= most:
        return text
    return f"{text[: most - 1].rsplit(' ', 1)[0]}…" if most > 1 else ""
