"""Which pages are the searches timed on? Pages of real manuals, repeated with other numbers until there are enough.

Our own reader parses the HTML files, once. A collection keeps them; bench/index and bench/relevance read it too.
A repeated page has the same words but other
numbers. So the index grows in pages, postings and text as with more manuals, but not in words.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from itertools import chain, islice
from itertools import count as counting
from typing import TYPE_CHECKING, Any

from bench.harness.collection import ROOT, write_rows
from bench.harness.program import MIN_BYTES, html_files
from pages import FetchedBody, parse_page
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

MOST_ANCHORS = 20  # of one page
PASSAGE_WORDS = 60  # of a short document
QUESTION_WORDS = 6  # at most, of a heading used as a query
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]{3,}")
Row = dict[str, Any]  # a line of the collection


def write_collection(kept: Path, manuals: Sequence[Path], count: int) -> None:
    """Read the HTML files below some folders and write `count` pages, in an order that mixes the manuals."""
    pages = [page for folder in manuals for page in _read_manual(folder)]
    if not pages:
        raise SystemExit(f"{', '.join(map(str, manuals))}: no HTML files of {MIN_BYTES} bytes or more below")
    random.Random(0).shuffle(pages)
    turns = (divmod(number, len(pages)) for number in range(count))
    write_rows(kept, (_renumbered(pages[place], turn) for turn, place in turns))


def _read_manual(folder: Path) -> list[Row]:
    """Return the pages of one manual, each with the words of the links to it."""
    pages: dict[str, Page] = {}
    anchors: dict[str, set[str]] = defaultdict(set)
    for path in html_files(folder):
        body = path.read_bytes()
        url = CanonicalUrl(f"{ROOT}{folder.name}/{path.relative_to(folder)}")
        page = pages[url] = parse_page(FetchedBody(body, url, [("Content-Type", "text/html")]))
        for link in page.links:
            found = anchors[link.url.partition("#")[0]]
            if link.words and len(found) < MOST_ANCHORS:
                found.add(link.words)
    return [
        {
            "id": url.removeprefix(ROOT),
            "title": page.title,
            "text": page.text,
            "headings": page.headings,
            "anchors": sorted(anchors[url]),
            "template": page.template_text,
            "language": page.language,
        }
        for url, page in pages.items()
    ]


def _renumbered(page: Row, turn: int) -> Row:
    """Return a page with other numbers, under a URL of its own."""
    if not turn:
        return page
    return page | {"id": f"{turn}/{page['id']}", "text": _with_other_numbers(page["text"], turn)}


def _with_other_numbers(text: str, turn: int) -> str:
    return _NUMBER.sub(lambda found: f"{turn}{found[0]}", text) if turn else text


def passages(read: Callable[[], Iterable[Page]], count: int) -> Iterator[Page]:
    """Yield `count` short documents: runs of words of the pages, with the page's title.

    If the pages have fewer, they are read again, and have other numbers each time.
    """
    return islice(chain.from_iterable(_cut(read(), turn) for turn in counting()), count)


def _cut(pages: Iterable[Page], turn: int) -> Iterator[Page]:
    for page in pages:
        words = _with_other_numbers(page.text, turn).split()
        for start in range(0, len(words), PASSAGE_WORDS):
            text = " ".join(words[start : start + PASSAGE_WORDS])
            url = CanonicalUrl(f"{page.url}/{turn}/{start // PASSAGE_WORDS}")
            yield Page(url, page.title, text, language=page.language)


def questions_on(pages: Iterable[Page], count: int) -> dict[str, list[str]]:
    """Return queries of three kinds that the pages match, `count` of each, always the same ones.

    Headings, as people type them; two words of one page, anywhere; and two or three consecutive words, in quotes.
    """
    chance = random.Random(0)
    kept: list[Page] = []
    for number, page in enumerate(pages):  # a sample of all, without holding all (Vitter's algorithm R)
        if len(kept) < 4 * count:
            kept.append(page)
        elif (place := chance.randrange(number + 1)) < len(kept):
            kept[place] = page
    found: dict[str, list[str]] = {"headings": [], "two words": [], "phrases": []}
    for page in kept:
        words = _WORD.findall(page.text)
        if len(set(words)) < QUESTION_WORDS:
            continue
        heading = _WORD.findall(chance.choice([page.title, *page.headings]))[:QUESTION_WORDS]
        start = chance.randrange(len(words) - 2)
        row = " ".join(words[start : start + chance.choice((2, 3))])
        if heading:
            found["headings"].append(" ".join(heading))
        found["two words"].append(" ".join(chance.sample(words, 2)))
        if row in page.text:  # without punctuation between its words
            found["phrases"].append(f'"{row}"')
    return {kind: list(dict.fromkeys(texts))[:count] for kind, texts in found.items()}
