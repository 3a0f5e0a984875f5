"""A small collection with every case that a search distinguishes, and how to put it into an index of each engine."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from whoosh.analysis import StemmingAnalyzer  # type: ignore[attr-defined]  # exported by a star
from whoosh.fields import ID, TEXT, Schema
from whoosh.index import create_in, exists_in, open_dir

import indexer
from indexer.remote import VARIABLE
from indexer.segments.link_ranks import GraphState, LinkRanks
from indexer.segments.schema import url_key
from robots import PageControls
from urls.records import CanonicalUrl, Page
from urls.signals import Signal, SignalName

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.retrieval.results import Results
    from indexer.retrieval.searcher import Searcher

PAST = datetime(2026, 1, 1, tzinfo=UTC)
MENU = "home breads orders contact imprint"
LONG = " ".join(f"Line {n} tells of oats and of the mill by the river." for n in range(60))


def a_page(address: str, title: str, text: str, day: int = 1, **more: Any) -> Page:
    """A page as a crawl hands it over."""
    made: dict[str, Any] = {
        "language": "en",
        "fetched_at": datetime(2026, 11, day, tzinfo=UTC).timestamp(),
        "template_text": MENU,
    }
    return Page(CanonicalUrl(f"http://{address}"), title, text, **(made | more))


PAGES = (
    a_page("bakery.test/", "The bakery by the river", "We bake rye bread and wheat bread.", description="It bakes."),
    a_page(
        "bakery.test/rye", "Rye bread", "Rye bread keeps. Rye needs sourdough, and patience.", anchors=("rye loaf",)
    ),
    a_page("bakery.test/wheat", "Wheat", "Wheat bread is white; breads of rye are dark.", headings=("White bread",)),
    a_page("bakery.test/copy", "Rye bread again", "Rye bread keeps. Rye needs sourdough, patience.", cluster=7),
    a_page("bakery.test/copies", "Rye once more", "Rye bread keeps. Rye needs sourdough, and time.", cluster=7, day=3),
    a_page("bakery.test/old.pdf", "Price list", "Bread two, rolls one.", published=1e9, content_type="application/pdf"),
    a_page(
        "bakery.test/ended",
        "Offer",
        "Rye bread for less.",
        controls=PageControls(expires=PAST),
    ),
    a_page("bakery.test/hush", "Hush", "Hushed pretzels of rye.", controls=PageControls(snippet=0)),
    a_page("bakery.test/brief", "Brief", f"Salt. {LONG} The pretzel ends here.", controls=PageControls(snippet=40)),
    a_page(
        "mill.test/en/index.html", "The mill", LONG, description="Oats and flour.", anchors=("mill", "the old mill")
    ),
    a_page("mill.test/en/option.html", "Options", "The option -Fc and e-mail; os.path.join, getUserName and C++."),
    a_page(
        "mill.test/terms",
        "Terms",
        "Terms\nWords of the trade.\nHopper\nThe hopper holds the grain. It is wide.\nBolter\nA bolter sieves flour.",
        layout="hththts",
        sections=((0, 1, ""), (2, 7, "hopper"), (4, 2, "")),
    ),
    a_page("mill.test/de", "Die Mühle", "Das Brötchen, der Ofen und die Mühlen am Fluss.", language="de"),
    a_page("mill.test/ru", "Мельница", "Хлеб и мельница у реки, ржаной хлеб.", language="ru"),  # noqa: RUF001
    a_page("mill.test/ja", "パン屋", "東京のパン屋でライ麦パンを買う。", language="ja"),
    a_page(
        "mill.test/both", "Both", "Running water runs the mill.", languages=(("en", 0.6), ("de", 0.4)), published=1.7e9
    ),
    a_page("spam.test/", "Cheap bread", "Bread bread bread bread.", signals=(Signal(SignalName.STUFFING, 0.9, "x"),)),
    a_page(
        "spam.test/closed", "", "", anchors=("closed oven", "rye"), not_fetched="robots.txt forbids it", fetched_at=0.0
    ),
    *(a_page(f"mill.test/cakes/{n}", f"Cake {n}", f"Cake number {n}: sugar and butter.", cluster=9) for n in (1, 2)),
    *(a_page(f"oven.test/{n}", f"Oven {n}", f"Oven {n} bakes {'cake ' * n}slowly", day=n + 1) for n in range(1, 9)),
)
RANKS = {str(page.url): (0.2 + number % 5, number % 4) for number, page in enumerate(PAGES)}
QUESTIONS = (
    "rye bread", "bakery", "mill", "bread", "baked breads", '"rye bread"', '"rye bread" -wheat', '"bread keeps" oven',
    "rye site:bakery.test", "rye OR mill", "(rye OR oats) bread", "bread -(rye OR wheat)", "lang:de", "lang:de ofen",
    "intitle:rye bread", "inurl:cakes cake", "filetype:pdf", "bread before:2010", "bread after:2026-11-02", "site:oven",
    "pret*", "-site:bakery.test bread", "sourdouhg", "brotchen", "мельницы", "хлеб", "ライ麦パン", "os.path.join",
    "-Fc", "C++", "email", "getusername", "the mill by the river", "imprint", "orders rye", "closed oven", "cake",
    "hopper", "bolter flour",
    "http://bakery.test/rye", "bakery.test/none", "site:bakerx rye", "ryebread", "os.path.jion",
    "rye bered", "oats river", "of the and", "",
    "running", "does a mill by the river bake bread of rye, or who else runs an oven", "\ud800 rye", '"', "rye " * 70,
)  # fmt: skip


def ranks_of(pages: dict[str, tuple[float, int]]) -> LinkRanks:
    """Return PageRank and inlinks by URL as the index keeps them."""
    keys, ranks, inlinks = zip(*sorted((url_key(url), *told) for url, told in pages.items()), strict=True)
    arrays = np.array(keys, np.uint64), np.array(ranks, np.float32), np.array(inlinks, np.uint32)
    return LinkRanks(GraphState(1, 9, len(pages), 0.85), *arrays)


class Engine:
    """An index in a data folder."""

    address = ""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def chosen(self) -> Iterator[None]:
        """Let the setting name it."""
        before = os.environ.get(VARIABLE, "")
        os.environ[VARIABLE] = self.address
        try:
            yield
        finally:
            os.environ[VARIABLE] = before

    def writer(self, *, rebuild: bool = False) -> Any:
        """Open it for writing."""
        with self.chosen():
            return indexer.open_writer(self.folder, rebuild=rebuild)

    def write(self, *pages: Page, removed: tuple[str, ...] = (), ranks: LinkRanks | None = None) -> None:
        """Put pages, take others out, and commit."""
        with self.writer() as writer:
            for page in pages:
                writer.put(page)
            for url in removed:
                writer.remove(url)
            if ranks is not None:
                writer.put_ranks(ranks)

    def searcher(self, **options: Any) -> Searcher:
        """Open it for searching."""
        with self.chosen():
            return indexer.open_index(self.folder, **options)

    def drop(self) -> None:
        """Leave nothing behind elsewhere than in the folder."""


def marked_folder(folder: Path) -> None:
    """Make a folder with the mark of `crawl textbook`, so that its pickles are read without TRUST_PICKLES."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "made-by-breadcrumb").write_text(f"{folder.stat().st_ino}\n")


class WhooshEngine(Engine):
    """A folder that Whoosh's own writer fills with title, text and site of each page. We only read it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._index = folder / "theirs"
        self.address = f"whoosh:{self._index}"

    def write(self, *pages: Page, **_: Any) -> None:
        """Put pages, and commit: the folder has no ranks, and nothing is taken out."""
        marked_folder(self._index)
        words = {name: TEXT(StemmingAnalyzer(), stored=True) for name in ("title", "text")}
        schema, folder = Schema(url=ID(stored=True, unique=True), site=ID, **words), str(self._index)
        writer = (open_dir(folder) if exists_in(folder) else create_in(folder, schema)).writer()
        for page in pages:
            site = str(page.url).split("/")[2]
            writer.update_document(url=str(page.url), site=site, title=page.title, text=page.text)
        writer.commit()


def told(results: Results) -> dict[str, Any]:
    """Return all that a page of results says, but for times and numbers of commits."""
    said = ("total", "folded", "suggested_sites", "spelling", "word_pages", "unread", "understood", "address", "notice")
    hits = [
        {
            "url": hit.url,
            "rank": hit.rank,
            "score": hit.score,
            "explained": sorted(hit.explain().lines()),
            "parts": sorted(str(asdict(part)) for part in hit.explain().parts),
            "snippet": hit.snippet,
            "title": hit.marked_title,
            "similar": hit.similar,
            "under": hit.under,
            "lacks": hit.lacks,
            "not_fetched": hit.not_fetched,
            "inlinks": hit.inlinks,
            "sitelinks": hit.sitelinks,
            "sections": hit.sections,
            "dates": (hit.published, hit.modified, hit.fetched_at),
        }
        for hit in results.hits
    ]
    return {name: getattr(results, name) for name in said} | {"hits": hits, "facets": results.facets}
