"""How does a program written for Whoosh search our index, and how do we search one that Whoosh wrote?

    with indexer.open_whoosh(data_dir).searcher() as searcher:
        query = QueryParser("content", searcher.schema).parse("two words")
        hits = searcher.search(query)

`index.py` opens the index and adds pages to it. `schema.py` has its fields, and `reader.py` reads one generation of our
segments. `matcher.py` iterates over the postings of a term. `searcher.py` adds up queries of many terms, hides pages,
and ranks by our formula. `comparison.py` ranks one query by Whoosh's formulas. Decision 0041 has the reasons.

`folders/` searches a folder that Whoosh wrote. `textbook_crawl.py` is `crawl textbook`, which makes such a folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from extension_points import AddedCrawl, extends

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scrapy.settings import Settings

    from extension_points import ForeignIndex
    from indexer.libraries import IndexLibrary
    from indexer.remote import IndexEngine
    from spiders.setting_values import ReadableSettings


@extends
def index_libraries() -> list[IndexLibrary]:
    """Add Whoosh."""
    from extensions.whoosh.comparison import whoosh_columns
    from extensions.whoosh.index import PageIndex
    from indexer.libraries import IndexLibrary

    differences = "It has no stemming, does not group near copies, and ranks by title and text only."
    return [IndexLibrary("whoosh", "Whoosh", PageIndex, whoosh_columns, differences)]


@extends
def settings() -> dict[str, object]:
    """Add what the folder of another program needs: the names of its fields, and trust in it."""
    return {"WHOOSH_FIELDS": [], "TRUST_PICKLES": False}


@extends
def settings_chosen(settings: ReadableSettings) -> None:
    """Take these settings for this process and its children."""
    from extensions.whoosh.folders.folder import use_whoosh_settings

    use_whoosh_settings(settings.getlist("WHOOSH_FIELDS"), trusted=settings.getbool("TRUST_PICKLES"))


@extends
def index_engines() -> list[IndexEngine]:
    """Add folders that Whoosh wrote."""
    from extensions.whoosh.folders.index import WHOOSH_FOLDERS

    return [WHOOSH_FOLDERS]


@extends
def foreign_indexes(data_dir: Path) -> list[ForeignIndex]:
    """Return the Whoosh folder of INDEX, or that of a textbook crawl in the data folder."""
    from extensions.whoosh.folders.folder import SCHEME, whoosh_folder

    if (folder := whoosh_folder(data_dir)) is None:
        return []
    from extensions.whoosh.folders.index import WhooshFolder

    return [WhooshFolder(f"{SCHEME}{folder}")]


@extends
def report_crawls() -> list[AddedCrawl]:
    """Add `crawl textbook`."""

    def run(settings: Settings, arguments: Mapping[str, str], assignments: Sequence[str]) -> int:
        from extensions.whoosh.textbook_crawl import crawl_textbook  # with datasketch, BeautifulSoup and Whoosh

        return crawl_textbook(settings, arguments, assignments)

    return [AddedCrawl("textbook", "use the small engine of textbook/", run=run)]
