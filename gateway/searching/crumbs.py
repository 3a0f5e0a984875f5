"""Where does a result stand? Its address as a trail of crumbs, each of which leads to what stands below it.

`http://bakery.example/bread/rye/old.html` is read `bakery.example`, `bread`, `rye`, `old.html`. The host leads to all
pages of its site, a folder to those whose address has its words in a row, as it has itself: a search by `site:` and
`inurl:`, which a reader can change. So what stands below is found, and seldom something beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote_plus, unquote, urlsplit

from gateway.template_filters import trail
from indexer.analysis.tokenizer import analyze_token, raw_tokens
from urls.canonical import UnusableUrl, canonicalize
from urls.site import site_of

MAX_WORDS = 12  # of an address in a question: fewer than a phrase may have
MAX_CHARS = 300  # of them; a question has room for a thousand


@dataclass(frozen=True, slots=True)
class Crumb:
    """A part of an address as it is shown, and the query of the search for what stands below it; empty: none."""

    text: str
    parameters: str = ""


@lru_cache(maxsize=2_000)  # a tenth of the time of a page of results, which shows the same ones again and again
def crumbs(url: str) -> tuple[Crumb, ...]:
    """Return the parts of an address that are shown (`template_filters.trail`), each with its search."""
    shown = trail(url)
    try:
        site = site_of(canonicalize(url))
        folders = [part for part in urlsplit(url).path.split("/") if part]
    except (UnusableUrl, ValueError):
        return tuple(map(Crumb, shown))
    below = [f"q={quote_plus(question)}" for question in questions_below(site, folders)]
    last = len(shown) - 1
    return tuple(Crumb(text, below[len(folders) if place == last else place]) for place, text in enumerate(shown))


def questions_below(site: str, folders: list[str]) -> list[str]:
    """Return a question for all pages of a site, and one for those in each folder, by as many words as fit."""
    questions = [f"site:{site}"]
    words, taken = "", 0
    for folder in folders:
        more, length = _words_of(folder)
        taken += length
        longer = f"{words} {more}".strip()
        if taken > MAX_WORDS or len(longer) > MAX_CHARS:
            taken = MAX_WORDS + 1  # nor do the folders below it fit
        else:
            words = longer
        questions.append(f'site:{site} inurl:"{words}"' if words else questions[0])
    return questions


@lru_cache(maxsize=10_000)  # the upper folders of a site are those of most of its pages
def _words_of(folder: str) -> tuple[str, int]:
    """Return the words of a folder's name as they are asked for, and how many a phrase counts them as."""
    words = raw_tokens(unquote(folder).replace('"', " "))
    return " ".join(words), sum(len(analyze_token(raw).sequence) for raw in words)
