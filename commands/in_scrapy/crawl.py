"""`crawl site`: fetch pages, with the index following along, and tell at the end what was done."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.settings import default_settings

from commands.command import Trouble
from commands.crawl_summary import answers, reasons_to_wait, summary
from commands.indexing.index_process import IndexProcess
from commands.notice import first_run_notice
from commands.settings import Settings
from crawldb import CrawlDatabase, DatabaseError
from crawldb.blacklist_file import BlacklistFileError
from crawldb.frontier.options import OptionError
from crawldb.lock import FolderInUse
from crawldb.report import report
from crawldb.rounds import BY_ITSELF
from crawldb.session import NoSeedsError
from crawldb.tables.usage import Usage, note_usage, peak_of_children
from spiders import settings
from spiders.address import ASK_FOR_IDENTITY, is_local_name, is_public_host
from spiders.conduct import Conduct, SettingError
from spiders.identity import IdentityError
from spiders.seeds import SeedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from crawldb.session import Session

MISTAKES = (
    Trouble, SeedError, SettingError, OptionError, BlacklistFileError, IdentityError, NoSeedsError, FolderInUse,
    DatabaseError,
)  # fmt: skip
ARGUMENTS = ("seeds", "pages", "each", "mode", "part")
KNOWN_SETTINGS = frozenset(name for module in (default_settings, settings) for name in vars(module) if name.isupper())
INTERRUPTED = 128 + signal.SIGINT


class Command(ScrapyCrawl):
    """Scrapy's `crawl`, which checks before it starts, runs the index beside it, and sums up."""

    def syntax(self) -> str:
        """Return what stands after the command's name."""
        return "site -a seeds=URL[,URL…] or FILE [-a pages=N] [-a each=N] [-a mode=all|due|discover] [-a part=K/N]"

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return "Crawl sites; the index follows along and is complete when it ends"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl, and set the exit code: 0 done, 1 nothing could be fetched, 2 a mistake, 130 interrupted."""
        try:
            _check_words(args, opts)
            self._read_yes_and_no(opts.set)
            conduct = Conduct.read(self.settings, *(opts.spargs.get(name, "") for name in ARGUMENTS))  # type: ignore[arg-type]  # set before run
            _check_identity(conduct, conduct.seeds)
            session = conduct.open_session()
            try:
                _check_identity(conduct, session.seed_urls)
            except IdentityError:
                session.close("not begun")
                raise
        except MISTAKES as mistake:
            print(f"crawl: {mistake}", file=sys.stderr)
            self.exitcode = 2
            return
        notice = first_run_notice(session.run.id, (urlsplit(seed).hostname or "" for seed in session.seed_urls))
        if notice:
            print(notice, flush=True)
        for refusal in _refused_seeds(session):
            print(f"crawl: {refusal}", file=sys.stderr)
        follow = self.settings is not None and self.settings.getbool("INDEX_FOLLOW")
        index = IndexProcess(conduct.data_dir) if follow else None
        opts.spargs |= {"conduct": conduct, "session": session}
        super().run(args or ["site"], opts)
        hurried = signal.getsignal(signal.SIGTERM) is signal.SIG_IGN  # so Scrapy leaves it when it was told twice
        try:
            indexed = index.finish(at_once=hurried) if index else True
        except KeyboardInterrupt:
            indexed, hurried = False, True
        _note_index_memory(conduct, session.run.id)
        self._sum_up(conduct, session.run.id, indexed=indexed, hurried=hurried)
        if session.trouble:
            print(f"crawl: {session.trouble}", file=sys.stderr)
            self.exitcode = 1

    def _read_yes_and_no(self, given: list[str]) -> None:
        """Let our switches be given as in all other commands; Scrapy alone reads no "yes" and no "no"."""
        for assignment in given:
            name = assignment.partition("=")[0]
            if self.settings is not None and isinstance(getattr(settings, name, None), bool):
                self.settings.set(name, Settings([assignment])[name], priority="cmdline")

    def _sum_up(self, conduct: Conduct, run: int, *, indexed: bool, hurried: bool) -> None:
        with CrawlDatabase(conduct.data_dir, readonly=True) as database:
            numbers = report(database)
            waiting = reasons_to_wait(database)
        try:
            print("\n".join(summary(numbers, conduct, run, waiting)), flush=True)
        except BrokenPipeError:  # who reads has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not indexed:
            print("crawl: the index is not complete; ./breadcrumb index goes on with it", file=sys.stderr)
        last = numbers["last_run"] or {}
        answered = sum(answers(last))
        if hurried or last.get("ending") != BY_ITSELF:
            self.exitcode = INTERRUPTED
        elif not indexed or (waiting and not answered) or not numbers["pages"]["stored"]:
            self.exitcode = 1


def _check_words(words: list[str], opts: argparse.Namespace) -> None:
    """Raise `SettingError` for a word of the command line that means nothing here."""
    if words and words != ["site"]:
        raise SettingError(
            f"{' '.join(words)}: write ./breadcrumb crawl site -a seeds={words[-1] if '://' in words[-1] else 'URL'}"
        )
    for name in opts.spargs:
        if name not in ARGUMENTS:
            raise SettingError(f"-a {name}: site takes {', '.join(f'-a {known}=' for known in ARGUMENTS)}")
    for name in (assignment.partition("=")[0] for assignment in opts.set):
        if name not in KNOWN_SETTINGS:
            near = get_close_matches(name.upper(), KNOWN_SETTINGS)
            advice = f"did you mean {' or '.join(near)}?" if near else "docs/settings.md lists ours"
            raise SettingError(f"-s {name}: there is no such setting; {advice}")


def _note_index_memory(conduct: Conduct, run: int) -> None:
    """Put the index writer's peak beside the run; where nothing can be written, the summary says so anyway."""
    with contextlib.suppress(DatabaseError), CrawlDatabase(conduct.data_dir) as database:
        note_usage(database, run, Usage(index_memory=peak_of_children()))


def _refused_seeds(session: Session) -> Iterable[str]:
    for rule, refusals in session.seeds_found.refused.items():
        for url, reason, _ in refusals:
            yield f"the seed {url} is refused ({rule}): {reason}"


def _check_identity(conduct: Conduct, seeds: Iterable[str]) -> None:
    """Raise `IdentityError` where a seed is on the internet and nobody could tell whose robot this is."""
    if conduct.identity.complete:
        return
    for seed in seeds:
        host = urlsplit(seed).hostname or ""
        if not is_local_name(host) and _may_be_public(host):
            raise IdentityError(f"{seed} is on the internet: {ASK_FOR_IDENTITY}")


def _may_be_public(host: str) -> bool:
    try:
        return is_public_host(host)
    except (OSError, UnicodeError):
        return True  # nobody knows where it is; the operator's own names would be known here
