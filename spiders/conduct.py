"""How is this crawl to be done? All settings of the spider, read once, checked, and held as values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlsplit

from crawldb.frontier.host import DEFAULT_PORTS
from crawldb.frontier.scope import Breadth
from crawldb.frontier.traps import Limits
from crawldb.session import Plan, Session
from spiders.address import AddressPolicy
from spiders.answer import Retries
from spiders.identity import Identity
from spiders.pace import Pace, Paces
from spiders.seeds import read_seeds

if TYPE_CHECKING:
    from collections.abc import Callable

    from crawldb import CanonicalUrl

Number = TypeVar("Number", int, float)

PROJECT = 20  # Scrapy's priority of settings.py: what is higher was given for this run
ROOT = Path(__file__).resolve().parent.parent


class Settings(Protocol):
    """The part of Scrapy's settings that is read here."""

    def __getitem__(self, name: str) -> Any: ...
    def getint(self, name: str) -> int:
        """Return a whole number."""

    def getfloat(self, name: str) -> float:
        """Return a number."""

    def getlist(self, name: str) -> list[Any]:
        """Return a list; text is split at commas."""

    def getpriority(self, name: str) -> int | None:
        """Return how near to the command line the value was given."""


class SettingError(ValueError):
    """A setting or argument can't be used; the message says what was given and what would do."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """What the spider does by. `pages` is 0 where the run is no trial."""

    data_dir: Path
    seeds: tuple[CanonicalUrl, ...]
    pages: int
    identity: Identity
    plan: Plan
    paces: Paces
    retries: Retries
    concurrency: int
    wait_seconds: float
    addresses: AddressPolicy

    @classmethod
    def read(cls, settings: Settings, seeds: str, pages: str = "") -> Conduct:
        """Read the settings, the spider's `seeds` and its `pages`; raise `SettingError` for what can't be used."""
        if pages and not (pages.isascii() and pages.isdecimal() and int(pages)):
            raise SettingError(f"pages={pages!r} is no number of pages: give one from 1 up, or leave it out")
        given = read_seeds(seeds) if seeds else ()
        identity = Identity(settings["PRODUCT"], settings["CONTACT"], settings["BOT_URL"])
        whole = partial(_number, settings.getint)
        number = partial(_number, settings.getfloat)
        limits = Limits(
            max_url_length=whole("MAX_URL_LENGTH"),
            max_depth=whole("MAX_DEPTH"),
            path_repeats=whole("PATH_REPEATS"),
            pattern_pages=whole("PATTERN_PAGES"),
            site_pages=whole("SITE_PAGES"),
            skipped_endings=frozenset(end.strip(" .").lower() for end in settings.getlist("SKIPPED_ENDINGS")),
        )
        try:
            breadth = Breadth(settings["SCOPE"])
        except ValueError:
            raise SettingError(f"SCOPE={settings['SCOPE']!r}: choose host or domain") from None
        ports = frozenset(_number(int, port, "ALLOWED_PORTS") for port in settings.getlist("ALLOWED_PORTS"))
        return cls(
            data_dir=ROOT / settings["DATA_DIR"],
            seeds=given,
            pages=int(pages or 0),
            identity=identity,
            plan=Plan(given, breadth, limits, ports, whole("STALE_AFTER")),
            paces=_paces(settings),
            retries=Retries(whole("RETRY_ATTEMPTS"), number("RETRY_DELAY")),
            concurrency=_at_least_one(settings, "CONCURRENT_REQUESTS"),
            wait_seconds=number("WAIT_SECONDS"),
            addresses=AddressPolicy((), identified=identity.complete),
        )

    def open_session(self) -> Session:
        """Open the data folder for this run; its seeds' hosts and ports are then permitted wherever they are."""
        session = Session(self.data_dir, self.plan)
        self.addresses.permit_seeds(host_and_port(url) for url in session.seed_urls)
        return session


def _paces(settings: Settings) -> Paces:
    elsewhere = Pace(
        _number(settings.getfloat, "DOWNLOAD_DELAY"), _at_least_one(settings, "CONCURRENT_REQUESTS_PER_DOMAIN")
    )
    given = any(
        (settings.getpriority(name) or 0) > PROJECT for name in ("DOWNLOAD_DELAY", "CONCURRENT_REQUESTS_PER_DOMAIN")
    )
    return Paces(elsewhere, elsewhere if given else Pace(0.0, _at_least_one(settings, "LOOPBACK_CONCURRENCY")))


def _number(read: Callable[[Any], Number], given: Any, name: str = "") -> Number:
    """Read a setting as a number that is not negative."""
    try:
        number = read(given)
    except (TypeError, ValueError) as error:
        raise SettingError(f"{name or given} must be a number: {error}") from None
    if number < 0:
        raise SettingError(f"{name or given}={number} must not be negative")
    return number


def _at_least_one(settings: Settings, name: str) -> int:
    number = _number(settings.getint, name)
    if number < 1:
        raise SettingError(f"{name}={number}: with no connection at all nothing can be fetched; give 1 or more")
    return number


def host_and_port(url: str) -> tuple[str, int]:
    """Return where a canonical URL is connected to."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
