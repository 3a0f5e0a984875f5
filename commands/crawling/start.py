"""The start of a crawl: its checks, its session, and the notice before the first run.

*HTTP: The Definitive Guide*, 9.1.3: a robot in a cycle wastes its time, loads the server, and fills the results with
copies. The owner of an overloaded server may complain, or do more.

Sites of imported archives at private addresses are crawled only with a seed there. Otherwise the author of an archive
could choose requests in the operator's own network.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from commands.frame.command_settings import read_crawl_settings
from commands.frame.exits import CommandError
from commands.frame.single_request import needs_identity
from crawldb.database import CrawlDatabase, DatabaseError, NoCrawlError, OldSchemaError
from crawldb.lock import FolderInUse
from crawldb.pages.feed import Feed
from crawldb.tables.journal import sites_with_reason
from crawldb.tables.runs import is_census
from crawldb.tables.seeds import unseeded_sites
from extension_points import ExtensionError, added_fields, added_tables
from frontier.session import NoSeedsError
from frontier.takedown import BlacklistFileError
from indexer.faults import OtherCrawl
from indexer.segments.generation import check_same_crawl
from reports.wording import counted
from spiders.arguments import SeedError, SpiderArguments
from spiders.downloader.address_policy import IdentityError, is_local_name, is_loopback, is_public, literal_address
from spiders.setting_values import SettingError
from urls.canonical import site_of
from urls.records import CanonicalUrl
from urls.rules import ASK_FOR_IDENTITY, NO_SEED_THERE
from urls.site_options import OptionError
from urls.wording import shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from frontier.session import Session
    from spiders.crawl_settings import CrawlSettings
    from spiders.setting_values import ReadableSettings

MISTAKES = (
    CommandError,
    ExtensionError,
    SeedError,
    SettingError,
    OptionError,
    BlacklistFileError,
    IdentityError,
    NoSeedsError,
    FolderInUse,
    DatabaseError,
    OtherCrawl,
)
SEEDS_NAMED = 10  # in a command that a person pastes
NOTICE = (
    "This is the first crawl into this folder, and it requests pages from other machines. You are responsible for it.\n"
    "A robot in a loop wastes its time, loads the servers of others, and fills the results with copies. Watch it with\n"
    "./breadcrumb report traps while it runs. Ctrl-C stops it cleanly. If a site owner complains, run\n"
    "./breadcrumb block --site SITE."
)


def open_crawl(
    settings: ReadableSettings, arguments: Mapping[str, str], *, counts: bool = False
) -> tuple[CrawlSettings, Session]:
    """Read the settings of the crawl and open its folder. Raises one of `MISTAKES` if it can't start.

    `counts`: the crawl is a census; every other crawl needs the texts of stored pages. The owner of the robot must
    be set for the given seeds and for the stored ones.
    """
    added_fields()  # what is wrong with an extension is said now, and not with each page,
    added_tables()  # or when the database is made
    crawl_settings = read_crawl_settings(settings, SpiderArguments.of(arguments))
    if counts:
        crawl_settings = replace(crawl_settings, recorders=())
    for recorder in crawl_settings.recorders:
        recorder.prepare()
    check_owner_is_known(crawl_settings, crawl_settings.seeds)
    check_index_is_of_this_crawl(crawl_settings.data_dir, counts=counts)
    session = crawl_settings.open_session()
    try:
        blocked = session.policy.blacklist.refusal  # no request goes there
        check_owner_is_known(crawl_settings, (seed for seed in session.seed_urls if not blocked(seed)), stored=True)
    except IdentityError:
        session.close("not begun")
        raise
    return crawl_settings, session


def check_index_is_of_this_crawl(data_dir: Path, *, counts: bool = False) -> None:
    """Raise OtherCrawl if the index belongs to another crawl. Raises `DatabaseError`.

    Raises `CommandError` if the folder holds a census, unless the crawl is one (`counts`).
    """
    try:
        with CrawlDatabase(data_dir, readonly=True) as database:
            check_same_crawl(data_dir, Feed(database))
            if not counts and is_census(database):
                raise CommandError(f"{data_dir} holds a census, which stores no pages: name another folder with --data")
    except OldSchemaError:
        return  # its index names no crawl either
    except NoCrawlError:
        check_same_crawl(data_dir, None)


def check_owner_is_known(crawl_settings: CrawlSettings, seeds: Iterable[str], *, stored: bool = False) -> None:
    """Raise `IdentityError` if a seed is on the internet, but the owner of the robot is not set.

    `stored`: the seeds are those of the folder, perhaps of an earlier crawl, so the message says how to leave one out.
    """
    for seed in seeds:
        try:
            is_at = "is on the internet: " if needs_identity(seed, crawl_settings.identity) else ""
        except (OSError, UnicodeError):  # the operator's own names would be known here
            is_at = "has a host without an IP address: check its spelling. If it is on the internet, "
        if is_at:
            site = shell_word(site_of(CanonicalUrl(seed)))
            leave_out = f"\nIt is a seed of this folder. To crawl without its site: ./breadcrumb block --site {site}"
            raise IdentityError(f"{seed} {is_at}{ASK_FOR_IDENTITY}{leave_out if stored else ''}")


def first_run_notice(run: int, hosts: Iterable[str]) -> str:
    """Return the notice for the first run of a folder, if a seed is on another machine; else ""."""
    return NOTICE if run == 1 and any(not is_loopback(host) for host in hosts) else ""


def refused_seeds(session: Session) -> Iterable[str]:
    """Yield a sentence for each rejected seed."""
    for rule, refusals in session.seeds_found.refused.items():
        for url, reason, _ in refusals:
            yield f"the seed {url} is rejected ({rule}): {reason}"


def private_roots(database: CrawlDatabase) -> list[str]:
    """Return the root URLs of imported sites at private addresses, by their names alone: no DNS lookup."""
    return [
        root for root in map(_root, unseeded_sites(database).values()) if _is_private(urlsplit(root).hostname or "")
    ]


def unreached_roots(database: CrawlDatabase, run: int) -> list[str]:
    """Return the root URLs of such sites that a run would have requested."""
    wanted = sites_with_reason(database, run, NO_SEED_THERE)
    return [_root(url) for site, url in unseeded_sites(database).items() if site in wanted]


def crawl_from(roots: Sequence[str]) -> str:
    """Return the command that makes them seeds; many go into a file."""
    is_long = len(roots) > SEEDS_NAMED
    command = f"./breadcrumb crawl site -a {shell_word('seeds=' + ('FILE' if is_long else ','.join(roots)))}"
    if not is_long:
        return command
    return (
        f"{command}, with {counted(len(roots), 'URL')} in FILE, one a line. "
        "The same import with --json lists them under `private`"
    )


def unreached_sentence(roots: Sequence[str]) -> str:
    """Return the notice of a crawl that requested nothing because of missing seeds."""
    return f"No URL was requested: private addresses need a seed: {crawl_from(roots)}"


def _root(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/"


def _is_private(host: str) -> bool:
    address = literal_address(host)
    return is_local_name(host) if address is None else not is_public(address)
