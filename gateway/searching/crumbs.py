"""Where does a result stand? Its address as a trail of crumbs, each of which leads to what stands below it.

`http://bakery.example/bread/rye/old.html` is read `bakery.example`, `bread`, `rye`, `old.html`. The host leads to all
pages of its site, a folder to those whose address has its words in a row, as it has itself: a search by `site:` and
`inurl:`, which a reader can change. So what stands below is found, and seldom something beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote, urlencode, urlsplit

from gateway.template_filters import trail
from indexer.analysis.tokens import cut_token, raw_tokens
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
    found = [Crumb(shown[0], urlencode({"q": f"site:{site}"}))]
    for place, text in enumerate(shown[1:], 1):
        depth = len(folders) if place == len(shown) - 1 else place
        found.append(Crumb(text, urlencode({"q": below(site, folders[:depth])})))
    return tuple(found)


def below(site: str, folders: list[str]) -> str:
    """Return a question for all pages in a folder of a site, by as many words of its address as fit."""
    words: list[str] = []
    room = MAX_WORDS
    for folder in folders:
        more = raw_tokens(unquote(folder).replace('"', " "))
        room -= sum(len(cut_token(raw).row) for raw in more)
        if room < 0 or len(" ".join([*words, *more])) > MAX_CHARS:
            break
        words += more
    return f'site:{site} inurl:"{" ".join(words)}"' if words else f"site:{site}"
