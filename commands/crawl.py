"""`crawl site`: fetches pages, with the index following along, and prints a summary."""

from __future__ import annotations

import gc
import signal
import sys
from typing import TYPE_CHECKING, TextIO, cast
from urllib.parse import urlsplit

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.settings import default_settings

from commands import SUMMARIES
from commands.crawling.feeds import STDOUT, feeds_of, with_stdout
from commands.crawling.start import (
    MISTAKES,
    first_run_notice,
    open_crawl,
    refused_seeds,
    unreached_roots,
    unreached_sentence,
)
from commands.crawling.words import (
    SIGNATURE,
    check_arguments,
    check_json,
    check_loglevel,
    check_numbers,
    check_options,
    report_crawls,
    switches,
    take_every_word,
)
from commands.frame.command import parse_words
from commands.frame.command_settings import index_option, own_values, places_of
from commands.frame.data_folder import folder_option, option_of
from commands.frame.exits import DONE, HINDERED, INTERRUPTED, MISUSED, NO, CommandError, error_message
from commands.frame.follow_up import finish_stopped_work
from commands.frame.stopping import Stop, announce_first_stop
from commands.frame.terminal import guard_streams, pasteable, print_last, printable_lines, set_folder_option
from commands.index import IndexProcess, how_to_complete_index, record_index_memory, start_index
from crawldb.database import CrawlDatabase, DatabaseError, StorageError
from crawldb.figures.totals import has_idle_site
from crawldb.folders import make_private
from crawldb.lock import FolderInUse
from crawldb.tables.runs import BY_ITSELF
from extension_points import call_extensions
from indexer import IndexFault, check_engine
from indexer.remote import use_index_setting
from reports.numbers import report
from reports.summary import (
    Trial,
    failures_of_down_sites,
    fetched_and_unchanged,
    hosts_led_elsewhere,
    next_request,
    owners_mistakes,
    reasons_to_wait,
    run_summary,
)
from reports.wording import counted
from spiders import settings
from spiders.own_folders import ROOT
from spiders.own_settings import own_defaults
from spiders.replaced_settings import check_classes, check_parts, ignored_settings
from spiders.setting_values import SettingError
from urls.rules import Rule

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import Settings

    from frontier.session import Session
    from reports.numbers import Report
    from spiders.crawl_settings import CrawlSettings

YOUNG_OBJECTS = 10_000  # after which Python looks for cycles of garbage: a page makes some thousands, and few cycles
PAGE_ROWS = 950  # the place of this stage: behind the one that stores (spiders/settings.py)
KNOWN_SETTINGS = frozenset(name for module in (default_settings, settings) for name in vars(module) if name.isupper())


class CrawlCommand(ScrapyCrawl):
    """Scrapy's `crawl`, with checks before the start, an index process, and a summary."""

    def syntax(self) -> str:
        """Return the arguments for the usage line."""
        return SIGNATURE.example

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return SUMMARIES[SIGNATURE.name]

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Take every word as it is; `process_options` reads them."""
        take_every_word(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the words as ours, and let Scrapy do what follows from those that are its own."""
        words = with_stdout([*opts.words, *args])
        guard_streams()
        try:
            check_options(words)
            read = parse_words(SIGNATURE, words)
            set_folder_option(option_of(read.set))
            read.spargs = [each for each in read.spargs if not each.startswith("_")]  # scrapyd's own: _job
            defaults = own_defaults()
            check_arguments(read.args, read.spargs, read.set, KNOWN_SETTINGS | defaults.keys())
            check_numbers(read.set)
            check_loglevel(read.loglevel)
            check_json(read.args, as_json=read.json)
            own = own_values()
        except CommandError as mistake:
            _say(mistake)
            sys.exit(MISUSED)
        for name, value in vars(read).items():
            setattr(opts, name, value)
        appended, overwritten = opts.output, opts.overwrite_output
        opts.output = opts.overwrite_output = None  # Scrapy would say less of a mistake
        cast("Settings", self.settings).setdict(defaults | own, priority="project")
        super().process_options(args, opts)
        for name, value in switches(opts.set).items():
            cast("Settings", self.settings).set(name, value, priority="cmdline")
        try:
            _choose_feeds(cast("Settings", self.settings), appended, overwritten)
            check_classes(cast("Settings", self.settings), places_of(opts.set))
        except (SettingError, CommandError) as mistake:
            _say(mistake)
            sys.exit(MISUSED)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl, and set the exit code: 0 done, 1 nothing came or a fault of ours, 2 a mistake, 130 interrupted."""
        scrapy_settings = cast("Settings", self.settings)  # Scrapy has set them by now
        try:
            added = report_crawls().get(opts.args[0]) if opts.args else None
            if added and added.run:
                self.exitcode = added.run(scrapy_settings, opts.spargs, opts.set)
                return
            reporting = added.make() if added and added.make else None
            if reporting is not None:
                reporting.set_up(scrapy_settings, opts.spargs)
            given = places_of(opts.set)
            check_parts(scrapy_settings, given)
            if notice := make_private(ROOT / str(scrapy_settings["DATA_DIR"])):
                _say(notice)
            use_index_setting(scrapy_settings.get("INDEX", ""))
            call_extensions("settings_chosen", settings=scrapy_settings)
            if follows := scrapy_settings.getbool("INDEX_FOLLOW"):
                check_engine(ROOT / str(scrapy_settings["DATA_DIR"]), in_parts="part" in opts.spargs)
            if "part" not in opts.spargs:  # who drives the parts has done it
                finish_stopped_work(scrapy_settings, ROOT / str(scrapy_settings["DATA_DIR"]), follow=False)
                stop = Stop("crawl: stopping")  # until Scrapy handles signals: a run that has begun must end
            crawl_settings, session = open_crawl(
                scrapy_settings, opts.spargs, counts=reporting is not None and not reporting.stores_texts
            )
        except (*MISTAKES, IndexFault, OSError) as mistake:
            _say(error_message(mistake) or mistake)
            passes = "part" in opts.spargs and isinstance(mistake, (FolderInUse, StorageError))
            self.exitcode = HINDERED if passes else MISUSED
            return
        set_folder_option(folder_option(crawl_settings.data_dir) + index_option(opts.set))
        out = sys.stderr if STDOUT in scrapy_settings.getdict("FEEDS") else sys.stdout  # which has the pages then
        _tell_before(session, given, sys.stderr if opts.json else out)
        index = start_index(crawl_settings.data_dir, session.database, follow=follows, given=opts.set)
        opts.spargs |= {"crawl_settings": crawl_settings, "session": session}
        if "part" not in opts.spargs:  # who drives the parts says it for all
            self._answer_ctrl_c(index, stop)
        hurried = self._fetch(args or ["site"], opts, session)
        if reporting is not None:
            self.exitcode = reporting.finish(session, out, as_json=opts.json, hurried=hurried)
            return
        self.exitcode = _finish(crawl_settings, session, index, out, hurried=hurried) or self.exitcode

    def _fetch(self, args: list[str], opts: argparse.Namespace, session: Session) -> bool:
        """Let Scrapy run the spider, and end the run; return whether it was stopped twice."""
        gc.freeze()  # what is loaded stays: Python need not look for cycles of garbage in it
        gc.set_threshold(YOUNG_OBJECTS)
        super().run(args, opts)
        hurried = signal.getsignal(signal.SIGTERM) is signal.SIG_IGN  # so Scrapy leaves it when it was told twice
        if not hurried:  # then the leases stay, and the next run waits for their hosts
            session.close("shutdown")  # Scrapy closes no spider whose engine does not run yet when the signal comes
        return hurried

    def _answer_ctrl_c(self, index: IndexProcess | None, stop: Stop) -> None:
        """Confirm the first signal with a line that says what the crawl waits for; obey one that `stop` has got."""
        from twisted.internet import reactor  # it is installed by now, and never before

        from spiders.site import SiteSpider

        def line() -> str:
            under_way = sum(each.spider.capacity.under_way for each in crawlers if isinstance(each.spider, SiteSpider))
            waits = [f"{counted(under_way, 'running request')}"] if under_way else []
            waits += ["the index"] if index else []
            return f"crawl: stopping{': waiting for ' * bool(waits)}{' and '.join(waits)}"

        def handle_signals() -> None:
            if stop.asked:
                signal.raise_signal(signal.SIGINT)  # Scrapy's handler is there by now
            else:
                announce_first_stop(line)

        crawlers = cast("AsyncCrawlerProcess", self.crawler_process).crawlers
        reactor.callWhenRunning(reactor.callLater, 0, handle_signals)


def _choose_feeds(settings: Settings, appended: Sequence[str], overwritten: Sequence[str]) -> None:
    """Set FEEDS, if pages are written to a feed. Raises `CommandError`."""
    feeds = feeds_of(settings, appended, overwritten)
    for options in feeds.values():
        options.setdefault("item_classes", ["pipelines.item_pipelines.PageRow"])
    settings.set("FEEDS", feeds, priority="cmdline")
    if feeds:
        stages = settings.getdict("ITEM_PIPELINES") | {"pipelines.item_pipelines.PageRows": PAGE_ROWS}
        settings.set("ITEM_PIPELINES", stages, priority="cmdline")


def _say(what: object) -> None:
    print(f"crawl: {printable_lines(pasteable(str(what)))}", file=sys.stderr)


def _tell_before(session: Session, given: Mapping[str, str], out: TextIO) -> None:
    """Print the notices before a crawl."""
    notice = first_run_notice(session.run.id, (urlsplit(seed).hostname or "" for seed in session.seed_urls))
    if notice:
        print(pasteable(notice), file=out, flush=True)
    for line in (*ignored_settings(given), *refused_seeds(session)):
        _say(line)


def _finish(
    crawl_settings: CrawlSettings, session: Session, index: IndexProcess | None, out: TextIO, *, hurried: bool
) -> int:
    """Complete the index, print the summary, and return the exit code."""
    try:
        indexed = index.finish(at_once=hurried) if index else True
    except KeyboardInterrupt:
        indexed, hurried = False, True
    code = DONE
    try:
        session.database.check_place()  # what was put there meanwhile is not ours to sum up
        record_index_memory(crawl_settings.data_dir, session.run.id)
        with CrawlDatabase(crawl_settings.data_dir, readonly=True) as database:
            numbers = report(database, session.run.id)
            mistakes = owners_mistakes(database, session.run.id)
            asked = (numbers["last_run"] or {}).get("requests")
            due, idle = next_request(database), has_idle_site(database, session.run.id)
            elsewhere = hosts_led_elsewhere(database, session.run.id)
            unreached = [] if asked else unreached_roots(database, session.run.id)
        trial = Trial(crawl_settings.pages, crawl_settings.each)
        waiting = reasons_to_wait(numbers)
        notices = [
            *waiting,
            *elsewhere,
            *mistakes,
            *(f"Blacklist: {mistake}" for mistake in session.blacklist_file.left_out),
        ]
        lines = run_summary(numbers, session.run.id, notices, trial, due=due, indexed=indexed)
        _print_summary([*lines[:-1], unreached_sentence(unreached)] if unreached else lines, out)
        if not indexed:
            _say(f"the index is not complete. {how_to_complete_index(crawl_settings.data_dir)}")
        waits = bool(waiting or elsewhere or unreached)
        code = exit_code(numbers, idle=idle, waits=waits, indexed=indexed, hurried=hurried)
    except DatabaseError as error:
        session.trouble = session.trouble or str(error)
    if session.trouble:
        _say(session.trouble)
        # Who drives a part tries it again, unless it has just used up its requests.
        return NO if crawl_settings.job.partition.whole or session.trouble.startswith("MAX_REQUESTS=") else HINDERED
    return code


def _print_summary(lines: Sequence[str], out: TextIO) -> None:
    error = print_last(printable_lines(pasteable("\n".join(lines))), out)
    if error:
        _say(f"{error}. To print the summary: ./breadcrumb report")


def exit_code(numbers: Report, *, idle: bool, waits: bool, indexed: bool, hurried: bool) -> int:
    """Return the exit code.

    `idle`: of some site nothing was due. `waits`: URLs wait, or lack a seed or its address. `hurried`: the crawl was
    stopped twice.
    """
    last = numbers["last_run"] or {}
    if hurried or last.get("ending") != BY_ITSELF:
        return INTERRUPTED
    outcomes = last.get("outcomes")
    if isinstance(outcomes, dict) and outcomes.get(Rule.FAULT):  # a page is missing, and nobody outside can mend that
        return NO
    fine = idle or any(fetched_and_unchanged(last))  # else all sites are down: a failed site is no failed crawl
    lacks = not fine and (waits or failures_of_down_sites(last))
    return DONE if indexed and not lacks and numbers["pages"]["stored"] else NO
