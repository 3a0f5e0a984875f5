"""`crawl textbook`: runs the small engine of `textbook/` from seeds, into a folder of its own.

`-s` replaces its components, for example by parts of the main engine:

    -s ITEM_PIPELINES='{"textbook.index.WhooshWriter": null, "indexer.item_pipeline.IndexPipeline": 400}'

A name with a number is added, a name with null is removed, and the others stay. Scrapy treats its own components so.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from scrapy.extensions.closespider import CloseSpider
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import default_settings
from scrapy.utils.misc import load_object

from commands.crawling.feeds import STDOUT
from commands.crawling.start import check_owner_is_known
from commands.crawling.words import switches
from commands.frame.command_settings import read_crawl_settings
from commands.frame.data_folder import base_folder, folder_option
from commands.frame.exits import DONE, INTERRUPTED, NO, CommandError
from commands.frame.terminal import pasteable, print_last
from crawldb.database import FILE_NAME
from crawldb.folders import make_private
from crawldb.lock import CrawlLock
from extensions.whoosh.folders.folder import mark_as_ours
from reports.wording import counted
from spiders.arguments import SpiderArguments
from spiders.downloader.address_policy import is_loopback
from textbook.crawl import SETTINGS, crawl
from textbook.index import FOLDER, WhooshWriter
from textbook.spider import Page
from urls.canonical import host_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from scrapy import Request, Spider
    from scrapy.http import Response
    from scrapy.settings import Settings

COMPONENTS = ("ITEM_PIPELINES", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES")


def exchanged(own: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, dict[type, int | None]]:
    """Return the components of each setting that is `given`. Raises `CommandError` for an invalid one."""
    return {name: own.get(name, {}) | _read(name, given[name]) for name in COMPONENTS if name in given}


def _read(name: str, text: str) -> dict[type, int | None]:
    places = json.loads(text)  # a JSON object: the crawl's words have been checked for that
    if not all(_is_place(place) for place in places.values()):
        raise CommandError(
            f'-s {name}={text}: give each class its place: {{"folder.file.Class": 200}}; null takes it out'
        )
    return {_component(name, path): place for path, place in places.items()}


def _is_place(place: object) -> bool:
    return place is None or (isinstance(place, int) and not isinstance(place, bool))


def _component(name: str, path: str) -> type:
    try:
        found = load_object(path)
    except (ImportError, NameError, ValueError) as error:
        raise CommandError(f"-s {name}: there is no class {path} ({error})") from error
    if not isinstance(found, type):
        raise CommandError(f"-s {name}: {path} is no class")
    return found


NAME = "textbook"
ARGUMENTS = ("seeds", "pages")
OURS = frozenset({"DATA_DIR", "CONTACT", "BOT_URL", "PRODUCT"})
UNHURRIED = {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 8}  # on this machine no other person is disturbed
COLUMNS = ["url", "title", "text"]  # of a feed (-o)
# What Scrapy raises at the start for a value.
UNUSABLE = (ValueError, TypeError, ImportError, AttributeError, NameError)
DROPPED = {"NoIndex": "noindex", "SameText": "exact copies", "NearDuplicate": "near copies"}


class PageLimit(CloseSpider):
    """Ends a crawl at a number of pages. Scrapy's own extension counts each robots.txt as a page."""

    def page_count(self, response: Response, request: Request, spider: Spider) -> None:
        """Count a response, unless a middleware requested it."""
        if request.callback is not NO_CALLBACK:
            super().page_count(response, request, spider)


PAGE_LIMIT = {"scrapy.extensions.closespider.CloseSpider": None, PageLimit: 0}


def crawl_textbook(settings: Settings, arguments: Mapping[str, str], assignments: Sequence[str]) -> int:
    """Crawl, print the summary, and return the exit code. Raises `CommandError` and what else `open_crawl` raises."""
    given = dict(assignment.partition("=")[::2] for assignment in assignments)
    _check(arguments, given)
    components = exchanged(SETTINGS, given)
    crawl_settings = read_crawl_settings(settings, SpiderArguments.of(arguments))
    if not crawl_settings.seeds:
        raise CommandError("the textbook engine stores no seeds: give -a seeds=URL")
    check_owner_is_known(crawl_settings, crawl_settings.seeds)
    data_dir = crawl_settings.data_dir if crawl_settings.data_dir != base_folder() else base_folder() / NAME
    if (data_dir / FILE_NAME).exists():
        raise CommandError(f"{data_dir} holds a crawl of the engine: give the textbook engine another with --data NAME")
    make_private(data_dir)
    if components.get("ITEM_PIPELINES", SETTINGS["ITEM_PIPELINES"]).get(WhooshWriter) is not None:
        mark_as_ours(data_dir / FOLDER)  # so that this index is searched, and not its replacement
    lock = CrawlLock(data_dir)
    chosen: dict[str, Any] = {"USER_AGENT": crawl_settings.identity.user_agent, "DATA_DIR": str(data_dir)}
    chosen["DEFAULT_REQUEST_HEADERS"] = default_settings.DEFAULT_REQUEST_HEADERS | crawl_settings.identity.headers
    if all(is_loopback(host_of(seed)) for seed in crawl_settings.seeds):
        chosen |= UNHURRIED
    if crawl_settings.pages:
        # Scrapy ends only when all requests under way have, so there is one.
        chosen |= {"CLOSESPIDER_PAGECOUNT": crawl_settings.pages, "CONCURRENT_REQUESTS": 1, "EXTENSIONS": PAGE_LIMIT}
    chosen |= {name: value for name, value in (given | switches(assignments)).items() if name not in OURS}
    chosen |= components
    feeds = settings.getdict("FEEDS")
    chosen |= {"FEEDS": {uri: options | {"item_classes": [Page]} for uri, options in feeds.items()}}
    chosen.setdefault("FEED_EXPORT_FIELDS", COLUMNS)
    try:
        stats = crawl(list(crawl_settings.seeds), data_dir, crawl_settings.identity.product, chosen)
    except UNUSABLE as error:
        scrapys = [f"-s {name}={text}" for name, text in given.items() if name not in OURS]
        if not scrapys:
            raise
        raise CommandError(f"{' '.join(scrapys)}: {error}") from error
    finally:
        lock.release()
    summary = pasteable(_summary(stats, data_dir))
    print_last(summary, sys.stderr if STDOUT in feeds else sys.stdout)
    # A page that its server fails to give is an error of that server, and the crawl goes on.
    if stats.get("log_count/ERROR", 0) > stats.get("retry/max_reached", 0):
        print("crawl: the crawl had errors, see the lines above", file=sys.stderr)
        return NO
    if stats.get("finish_reason") == "shutdown":
        return INTERRUPTED
    return DONE if stats.get("item_scraped_count") else NO


def _check(arguments: Mapping[str, str], given: Mapping[str, str]) -> None:
    for name in arguments:
        if name not in ARGUMENTS:
            raise CommandError(f"-a {name}: the textbook engine takes {' and '.join(ARGUMENTS)}; crawl site takes more")
    for name in given:
        if name not in OURS and not hasattr(default_settings, name):
            raise CommandError(
                f"-s {name}: the textbook engine takes Scrapy's settings, and {', '.join(sorted(OURS))} of ours; "
                "DEPTH_LIMIT and CLOSESPIDER_PAGECOUNT bound it"
            )


def _summary(stats: Mapping[str, Any], data_dir: Path) -> str:
    counts = {words: stats.get(f"item_dropped_reasons_count/{kind}", 0) for kind, words in DROPPED.items()}
    indexed, all_dropped = (stats.get(f"item_{which}_count", 0) for which in ("scraped", "dropped"))
    fetched = indexed + all_dropped
    if others := all_dropped - sum(counts.values()):
        counts["dropped otherwise"] = others  # by filters that -s put in
    dropped = [f"{count} {words}" for words, count in counts.items()]
    forbidden, closed = (stats.get(f"robotstxt/{which}", 0) for which in ("forbidden", "closed"))
    became = ", ".join([f"{indexed} indexed", *dropped])
    asked = counted(stats.get("downloader/request_count", 0), "request")
    lines = [
        f"Fetched {counted(fetched, 'page')} with {asked}: {became}. robots.txt forbids {counted(forbidden, 'URL')}."
    ]
    if closed:
        lines.append(f"{counted(closed, 'URL')} not fetched, because robots.txt could not be read.")
    if stats.get("finish_reason") == "closespider_pagecount":
        lines.append("The crawl stopped at its limit of pages. The remaining URLs are not stored.")
    if indexed:
        lines.append(f"Search them: ./breadcrumb search WORDS{folder_option(data_dir)}")
    return "\n".join(lines)
