"""Pages that people wrote: the practice web, this project's documents, or a collection that a variable names.

    BREADCRUMB_PAGES=FOLDER[:FOLDER…] pytest -m long tests/extensions/whoosh

Each FOLDER has a `docs.jsonl.gz` (id, title, text), as for `bench/index`.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from extensions.whoosh.schema import PageAnalyzer
from pages import FetchedBody, parse_page
from urls.records import CanonicalUrl, Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PROJECT = Path(__file__).resolve().parents[3]
VARIABLE = "BREADCRUMB_PAGES"
MAX_CHARS = 50_000  # of a text: the index stores 100,000, and the oracle is made of what is stored
HOSTS = ("http://a.test", "http://b.test", "http://c.test:8080")
MOST_WORDS = 4_000  # of a vocabulary, the most frequent ones


def project_pages() -> Iterator[Page]:
    """Yield the pages of the practice web, in several languages, and each section of this project's documents."""
    for place, path in enumerate(sorted((PROJECT / "demo" / "sites").rglob("*.html"))):
        url = CanonicalUrl(f"{HOSTS[place % 3]}/{place}")
        yield replace(parse_page(FetchedBody(path.read_bytes(), url, [("Content-Type", "text/html")])), url=url)
    for path in sorted(PROJECT.rglob("*.md")):
        name = path.relative_to(PROJECT).as_posix()
        if not name.startswith((".", "data/", "node_modules/")):
            for place, section in enumerate(re.split(r"^#+ ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)):
                title, _, text = section.partition("\n")
                yield Page(CanonicalUrl(f"{HOSTS[place % 3]}/{name}/{place}"), title, text[:MAX_CHARS], language="en")


def named_pages(count: int) -> list[Page]:
    """Return pages of the collections that the variable names, from all over them; without it, the project's."""
    named = os.environ.get(VARIABLE, "")
    if not named:
        return [*islice(project_pages(), count)]
    rows = [row for folder in named.split(":") for row in _rows(Path(folder))]
    step = max(1, len(rows) // count)
    return [
        Page(CanonicalUrl(f"{HOSTS[place % 3]}/{place}"), row["title"], row["text"][:MAX_CHARS])
        for place, row in enumerate(rows[::step][:count])
    ]


def _rows(folder: Path) -> Iterator[dict[str, str]]:
    with gzip.open(folder / "docs.jsonl.gz", "rt", encoding="utf-8") as rows:
        yield from map(json.loads, rows)


def words_of(pages: Iterable[Page]) -> list[str]:
    """Return the words of pages, the most frequent first."""
    counts: dict[str, int] = {}
    for page in pages:
        for token in PageAnalyzer()(f"{page.title} {page.text}"):
            counts[token.text] = counts.get(token.text, 0) + 1
    return sorted(counts, key=lambda word: (-counts[word], word))[:MOST_WORDS]
