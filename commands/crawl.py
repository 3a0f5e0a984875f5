"""`crawl site`: fetch pages, with the index following along, and tell at the end what was done."""

from __future__ import annotations

import contextlib
import math
import os
import shlex
import signal
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.settings import default_settings

from commands.command import escape_unencodable, parse_words
from commands.command_settings import ROOT, CommandSettings
from commands.crawl_index import IndexProcess, has_another_index, note_index_memory
from commands.crawl_start import check_owner_is_known, first_run_notice, refused_seeds
from commands.crawl_words import ARGUMENTS, SIGNATURE, check_arguments, check_options, take_every_word
from commands.exits import MISUSED, Trouble
from crawldb.database import CrawlDatabase, DatabaseError
from crawldb.lock import FolderInUse
from frontier.blacklist_file import BlacklistFileError
from frontier.rounds import BY_ITSELF
from frontier.session import NoSeedsError
from indexer import IndexLocked, delete_index
from reports.numbers import report
from reports.run_summary import Trial, fetched_and_unchanged, reasons_to_wait, run_summary
from spiders import settings
from spiders.conduct import Conduct, SettingError
from spiders.identity import IdentityError
from spiders.seeds import SeedError
from urls.site_options import OptionError

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


MISTAKES = (
    Trouble, SeedError, SettingError, OptionError, BlacklistFileError, IdentityError, NoSeedsError, FolderInUse,
    DatabaseError,
)  # fmt: skip
KNOWN_SETTINGS = frozenset(name for module in (default_settings, settings) for name in vars(module) if name.isupper())
INTERRUPTED = 128 + signal.SIGINT


class CrawlCommand(ScrapyCrawl):
    """Scrapy's `crawl`, which checks before it starts, runs the index beside it, and sums up."""

    def syntax(self) -> str:
        """Return what stands after the command's name."""
        return SIGNATURE.example

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return SIGNATURE.summary

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Take every word as it is; `process_options` reads them."""
        take_every_word(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the words as ours, and let Scrapy do what follows from those that are its own."""
        words = [*opts.words, *args]
        escape_unencodable()
        try:
            check_options(words)
            read = parse_words(SIGNATURE, words)
            check_arguments(read.args, read.spargs, read.set, KNOWN_SETTINGS)
            self._check_numbers(read.set)
        except Trouble as mistake:
            print(f"crawl: {mistake}", file=sys.stderr)
            sys.exit(MISUSED)
        for name, value in vars(read).items():
            setattr(opts, name, value)
        opts.output = opts.overwrite_output = None
        super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl, and set the exit code: 0 done, 1 nothing could be fetched, 2 a mistake, 130 interrupted."""
        try:
            self._read_yes_and_no(opts.set)
            conduct = Conduct.read(self.settings, *(opts.spargs.get(name, "") for name in ARGUMENTS))  # type: ignore[arg-type]  # set before run
            check_owner_is_known(conduct, conduct.seeds)
            session = conduct.open_session()
            try:
                check_owner_is_known(conduct, session.seed_urls)
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
        for refusal in refused_seeds(session):
            print(f"crawl: {refusal}", file=sys.stderr)
        follow = self.settings is not None and self.settings.getbool("INDEX_FOLLOW")
        rebuild = has_another_index(conduct, session)  # asked before the crawl goes on
        if rebuild and not follow:
            with contextlib.suppress(IndexLocked):  # who writes it has seen the same
                delete_index(conduct.data_dir)
        index = IndexProcess(conduct.data_dir, rebuild=rebuild) if follow else None
        opts.spargs |= {"conduct": conduct, "session": session}
        super().run(args or ["site"], opts)
        hurried = signal.getsignal(signal.SIGTERM) is signal.SIG_IGN  # so Scrapy leaves it when it was told twice
        try:
            indexed = index.finish(at_once=hurried) if index else True
        except KeyboardInterrupt:
            indexed, hurried = False, True
        try:
            session.database.check_place()  # what was put there meanwhile is not ours to sum up
            note_index_memory(conduct, session.run.id)
            self._sum_up(conduct, session.run.id, indexed=indexed, hurried=hurried)
        except DatabaseError as error:
            session.trouble = session.trouble or str(error)
        if session.trouble:
            print(f"crawl: {session.trouble}", file=sys.stderr)
            self.exitcode = 1

    def _check_numbers(self, given: list[str]) -> None:
        """Raise `Trouble` for a value of ours that is none of its kind; Scrapy takes a fraction for a whole number."""
        for assignment in given:
            name, _, text = assignment.partition("=")
            default = getattr(settings, name, None)
            if isinstance(default, (bool, str)) or (isinstance(default, (int, float)) and not _is_number(text)):
                CommandSettings([assignment])

    def _read_yes_and_no(self, given: list[str]) -> None:
        """Let our switches be given as in all other commands; Scrapy alone reads no "yes" and no "no"."""
        for assignment in given:
            name = assignment.partition("=")[0]
            if self.settings is not None and isinstance(getattr(settings, name, None), bool):
                self.settings.set(name, CommandSettings([assignment])[name], priority="cmdline")

    def _sum_up(self, conduct: Conduct, run: int, *, indexed: bool, hurried: bool) -> None:
        with CrawlDatabase(conduct.data_dir, readonly=True) as database:
            numbers = report(database, run)
            waiting = reasons_to_wait(database)
        try:
            trial, where = Trial(conduct.pages, conduct.each), _where(conduct.data_dir)
            print("\n".join(run_summary(numbers, run, waiting, trial, where)), flush=True)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what Python flushes at its end, too
            if not isinstance(error, BrokenPipeError):  # of which the reason is that who reads has read enough
                print(f"crawl: the summary can't be written: {error}; ./breadcrumb report has it", file=sys.stderr)
        if not indexed:
            print("crawl: the index is not complete; ./breadcrumb index goes on with it", file=sys.stderr)
        last = numbers["last_run"] or {}
        answered = sum(fetched_and_unchanged(last))
        if hurried or last.get("ending") != BY_ITSELF:
            self.exitcode = INTERRUPTED
        elif not indexed or (waiting and not answered) or not numbers["pages"]["stored"]:
            self.exitcode = 1


def _where(data_dir: Path) -> str:
    """Return the option that names a data folder, after a blank; "" for the default one."""
    if data_dir == ROOT / settings.DATA_DIR:
        return ""
    return f" -s DATA_DIR={shlex.quote(str(data_dir.relative_to(ROOT) if data_dir.is_relative_to(ROOT) else data_dir))}"


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
