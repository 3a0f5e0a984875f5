"""Which of Scrapy's settings does a crawl not follow, and which name of ours does the same?

A crawl replaces many components of Scrapy, and ours don't read the settings of those. A setting without effect is
reported at the start, with the name that works. A setting that would replace one of our components is an error. Without
the robots middleware, for example, a crawl would fetch URLs that a robots.txt forbids.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Protocol

from spiders.own_settings import OURS, scrapys_settings, value_from_text
from spiders.setting_values import SettingError
from urls.records import MAX_HOPS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Names, where * matches the rest of a name, and what holds instead; the first match counts.
UNHEEDED = {
    "RETRY_TIMES": "RETRY_ATTEMPTS says how often a URL is requested in a round, the first time included",
    "RETRY_*": "a failure is tried again, or not, by its kind: RETRY_ATTEMPTS and RETRY_DELAY say how often and when",
    "REDIRECT_*": f"the target of a redirect becomes a URL of its own, at most {MAX_HOPS} in a row",
    "METAREFRESH_*": f"the target of a refresh becomes a URL of its own, at most {MAX_HOPS} in a row",
    "ROBOTSTXT_OBEY": "a crawl always keeps to robots.txt",
    "ROBOTSTXT_PARSER": "a crawl reads robots.txt itself; `robots --dialect` shows what others make of a file",
    "ROBOTSTXT_USER_AGENT": "PRODUCT is the robot's name in a robots.txt",
    "AUTOTHROTTLE_*": "ADAPTIVE_DELAY leaves a slow host alone for longer, at most for MAX_CRAWL_DELAY",
    "COOKIES_*": "every page is fetched as a stranger sees it",
    "HTTPAUTH_*": "every page is fetched as a stranger sees it",
    "HTTPPROXY_*": "the IP address that is checked must be the one of the connection",
    "HTTPCACHE_*": "a stored page is requested again with its validators, and `reparse` parses it without a fetch",
    "COMPRESSION_ENABLED": "compressed answers are always read, up to DOWNLOAD_MAXSIZE",
    "DEPTH_PRIORITY": "PRIORITY says which URL of a host is next",
    "DEPTH_*": "MAX_DEPTH says how many links from a seed a page may be",
    "URLLENGTH_LIMIT": "a URL of more than 1,024 characters is rejected",
    "DUPEFILTER_*": "a URL is known by its canonical form",
    "REQUEST_FINGERPRINTER_CLASS": "a URL is known by its canonical form",
    "SCHEDULER_*": "the frontier says which URL is next: PRIORITY chooses the order",
    "JOBDIR": "DATA_DIR keeps the state of a crawl, and the same command continues it",
    "HTTPERROR_*": "every status is read, and follows its own rule",
    "REFERER_*": "the Referer is the page on which the frontier knows a URL to be linked",
    "REFERRER_*": "the Referer is the page on which the frontier knows a URL to be linked",
    "USER_AGENT": "PRODUCT, CONTACT and BOT_URL make the User-Agent",
    "FEED_FORMAT": "the ending of the file of -o is the format",
    "FEED_STORAGE_*": "feeds are written to files",
    "FEED_TEMPDIR": "feeds are written to files",
    "TELNETCONSOLE_*": "a crawl lets no other user of this machine in",
    "REMOTE_CONTROL_*": "a crawl lets no other user of this machine in",
    "STATSMAILER_RCPTS": "`report --json` has the numbers of a run",
    "PERIODIC_LOG_*": "the progress lines show the state of a run",
    "MEMDEBUG_ENABLED": "MEMUSAGE_LIMIT_MB ends a crawl that grows beyond it",
    "CRAWLSPIDER_*": "SCOPE, MAX_DEPTH and the page itself say which links are followed",
    "FILES_*": "LOOKED_AT_ENDINGS names the files of which only the header lines are read; none is kept",
    "IMAGES_*": "LOOKED_AT_ENDINGS names the files of which only the header lines are read; none is kept",
    "FTP_*": "only http and https are fetched",
    "HTTP2_*": "every request is HTTP/1.1",
    "HTTPX_*": "every request is HTTP/1.1",
    "AWS_*": "everything is kept in DATA_DIR",
    "GCS_*": "everything is kept in DATA_DIR",
}
_A_URL_AGAIN = "a redirect's target, and a URL that failed, are URLs of the frontier, which judges and counts them"
_RESOLVER = "it is our resolver that refuses private addresses"
# A crawl needs these: each name has our value, or a class derived from it, for the reason next to it.
FIXED: dict[str, tuple[object, str]] = {
    "REDIRECT_ENABLED": (False, _A_URL_AGAIN),
    "METAREFRESH_ENABLED": (False, _A_URL_AGAIN),
    "RETRY_ENABLED": (False, _A_URL_AGAIN),
    "SCHEDULER": ("spiders.site.LeaseScheduler", "the frontier says which URL is next"),
    "SPIDER_MIDDLEWARES_BASE": ({}, "yours go into SPIDER_MIDDLEWARES"),
    "DOWNLOADER_MIDDLEWARES_BASE": (OURS["DOWNLOADER_MIDDLEWARES_BASE"], "yours go into DOWNLOADER_MIDDLEWARES"),
    "DOWNLOADER": ("scrapy.core.downloader.Downloader", "its slots keep the pace of each host"),
    "ITEM_PROCESSOR": ("scrapy.pipelines.ItemPipelineManager", "it is what hands each page to be stored"),
    "TWISTED_DNS_RESOLVER": (OURS["TWISTED_DNS_RESOLVER"], _RESOLVER),
    "DNS_RESOLVER": (OURS["TWISTED_DNS_RESOLVER"], _RESOLVER),
    "FEED_URI": (None, "-o and -O name a file, and FEEDS names several"),
}
_CLASS = re.compile(r"[a-z]+(\.\w+)+")  # the path of one, as Scrapy's defaults have it
# … and these lists may have more than ours, and no less.
KEPT = ("DOWNLOADER_MIDDLEWARES", "DOWNLOAD_HANDLERS", "ITEM_PIPELINES", "EXTENSIONS")


class SettingsReader(Protocol):
    """The part of Scrapy's settings that is read here."""

    def __getitem__(self, name: str) -> Any: ...
    def getdict(self, name: str) -> dict[Any, Any]:
        """Return names with their values."""


def ignored_settings(given: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each of Scrapy's settings that does nothing in a crawl; `given` has the place by name."""
    for name, place in given.items():
        instead = instead_of(name)
        if instead:
            yield f"{place}: Scrapy's {name} means nothing to Breadcrumb: {instead}"


def instead_of(name: str) -> str:
    """Return what holds in a crawl instead of a setting of Scrapy's; "" where Scrapy's own holds."""
    if name in FIXED or name not in scrapys_settings():
        return ""
    return next((instead for names, instead in UNHEEDED.items() if fnmatchcase(name, names)), "")


def check_parts(settings: SettingsReader, given: Mapping[str, str]) -> None:
    """Raise `SettingError` where a setting that was given would take one of its own parts from the crawl."""
    for name, place in given.items():
        try:
            reason = _reason_to_refuse(settings, name)
        except (ValueError, TypeError, ImportError, AttributeError) as error:
            raise SettingError(f"{place}: {error}") from error
        if reason:
            raise SettingError(f"{place}: {reason}")


def check_classes(settings: SettingsReader, given: Mapping[str, str]) -> None:
    """Raise `SettingError` for a given setting that should name a class for Scrapy, but names none."""
    for name, place in given.items():
        usual, value = scrapys_settings().get(name), settings[name]
        if not (isinstance(usual, str) and _CLASS.fullmatch(usual) and isinstance(value, str)):
            continue
        try:
            found = resolve_name(value)
        except (ValueError, ImportError, AttributeError) as error:
            raise SettingError(f"{place}: {error}. Give the path of a class, such as {usual}") from error
        if not callable(found):
            raise SettingError(f"{place}: that is no class. Give the path of one, such as {usual}")


def _reason_to_refuse(settings: SettingsReader, name: str) -> str:
    if name in FIXED:
        value, reason = FIXED[name]
        return "" if _is_kept(settings, name, value) else f"{name} can't be changed for a crawl: {reason}"
    if name in KEPT:
        there = settings.getdict(name)
        for key, part in OURS[name].items():
            if isinstance(part, str):  # a part for each scheme
                needed, candidates = part, [there.get(key)]
            else:  # parts with their places
                needed, candidates = key, [other for other, place in there.items() if place is not None]
            if part is not None and not any(_is_one(other, needed) for other in candidates):
                return f"{name} leaves out {needed}, without which there is no crawl: name it next to yours"
    return ""


def _is_kept(settings: SettingsReader, name: str, value: object) -> bool:
    """Say whether a given setting has the fixed value, or names a class derived from ours."""
    if isinstance(value, bool):
        return value_from_text(name, str(settings[name])) == value
    if isinstance(value, dict):
        return settings.getdict(name) == value
    return settings[name] == value if value is None else _is_one(settings[name], str(value))


def _is_one(other: object, part: str) -> bool:
    """Say whether `other` names the class that `part` names, or a class derived from it."""
    found = resolve_name(other) if isinstance(other, str) else other
    return isinstance(found, type) and issubclass(found, resolve_name(part))
