"""How would a changed rule affect the stored pages? They are read and filtered again, without any fetch.

`--diff` shows the changes, and stores nothing. Without it, changes are stored as in a crawl, one transaction for each
slice. After a stop or a kill, the same command continues where it ended.

How does `reparse` report its results to a person? Counts by kind, examples as a diff, and unreadable pages.
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from commands.frame.command import Command
from commands.frame.exits import DONE, NO, CommandError
from commands.frame.follow_up import finish_stopped_work, refilter_by_templates
from commands.frame.stopping import Stop
from commands.frame.targets import add_target_options, named_targets
from commands.frame.terminal import ProgressLine, hanging, json_line, pasteable, printable, terminal_style
from crawldb.code_digest import code_digest
from reports.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from commands.frame.command_settings import CommandSettings
    from commands.frame.terminal import Style
    from crawldb.database import CrawlDatabase
    from extensions.reparse.readers import Readers
    from extensions.reparse.slices import ReparseTally
    from pages import FetchedBody
    from pipelines.filters import FilterSettings
    from spiders.crawl_settings import CrawlSettings
    from urls.blacklist import Target
    from urls.records import Page


FAULTS_SHOWN = 10
WITHOUT_BODY = {  # by the reason why a stored page has no body: its text
    "noindex": "said noindex, or its date has passed: nothing of it is kept",
    "noarchive": "said noarchive: no copy is kept",
    "no-text": "is no text, or too large",
    "earlier": "was stored by an earlier Breadcrumb, which let the bodies of refused pages go",
}
KINDS = {"template_text": "template", "snippet_text": "snippet", "controls": "robots metas"}  # where words differ


def reparse_progress(tally: ReparseTally, seconds: float) -> str:
    """Return how many pages were read, in so many seconds."""
    done, pace = tally.before + tally.read, tally.read / seconds
    return f"reparse: {done:,} of {counted(tally.total, 'page')} ({pace:.0f}/s), {tally.changed:,} changed"


def as_json(
    by_part: Sequence[tuple[ReparseTally, dict[str, int]]], *, seconds: float, applied: bool, index: str
) -> dict[str, Any]:
    """Return the results of all parts together."""
    tallies = [tally for tally, _ in by_part]
    kinds, without = Counter[str](), Counter[str]()
    for tally, reasons in by_part:
        kinds.update(tally.kinds)
        without.update(reasons)
    names = ("url", "before", "after")
    return {
        "applied": applied,
        "complete": all(tally.complete for tally in tallies),
        "pages": sum(tally.total for tally in tallies),
        "read_before": sum(tally.before for tally in tallies),
        "read": sum(tally.read for tally in tallies),
        "changed": sum(tally.changed for tally in tallies),
        "others": sum(tally.others for tally in tallies),
        "discovered": sum(tally.discovered for tally in tallies),
        "kinds": dict(kinds.most_common()),
        "examples": {
            kind: [
                dict(zip(names, example, strict=True)) for tally in tallies for example in tally.examples.get(kind, ())
            ]
            for kind, _ in kinds.most_common()
        },
        "faults": [{"url": url, "reason": reason} for tally in tallies for url, reason in tally.faults],
        "without_body": dict(without),
        "seconds": round(seconds, 3),
        "index": index,
    }


def lines(done: dict[str, Any]) -> Iterator[str]:
    """Yield the lines for a person."""
    style = terminal_style()
    would = "changed" if done["applied"] else "would change"
    earlier = f", {done['read_before']:,} of them by an earlier start" if done["read_before"] else ""
    yield f"{counted(done['read_before'] + done['read'], 'page')} read again without a fetch{earlier}: {_changed(done)}"
    for kind, number in done["kinds"].items():
        yield f"  {KINDS.get(kind, kind):<14}{number:>7,}  {would}"
    for kind, examples in done["examples"].items():
        for example in examples:
            yield from _example(KINDS.get(kind, kind), example, style)
    yield from _beside(done, would)
    if not done["complete"]:
        left = done["pages"] - done["read_before"] - done["read"]
        again = "the same command continues with them" if done["applied"] else "nothing was changed"
        yield f"Stopped with {counted(left, 'page')} left to read: {again}."
    elif not done["applied"]:
        yield "Nothing was changed. Without --diff the same command stores it."
    if done["index"]:
        yield done["index"]


def _changed(done: dict[str, Any]) -> str:
    if not done["changed"]:
        return "each says what it said before." if done["complete"] else "each of them says what it said before."
    verb = "changed" if done["applied"] else "would change"
    return f"{done['changed']:,} {verb}."


def _example(kind: str, example: dict[str, str], style: Style) -> Iterator[str]:
    yield ""
    yield f"{kind} of {style.link(printable(example['url']))}"
    for mark, text, colour in (("  - ", example["before"], style.bad), ("  + ", example["after"], style.good)):
        if text:
            yield from map(colour, hanging(mark.rstrip(), printable(text), len(mark)))


def _beside(done: dict[str, Any], would: str) -> Iterator[str]:
    sentences = []
    if done["others"]:
        why = "copies, pages whose links have other words, or whose site's template or name is known now"
        sentences.append(f"{counted(done['others'], 'other page')} {would} by that: {why}.")
    if done["discovered"]:
        enters = "entered the frontier" if done["applied"] else "would enter the frontier"
        sentences.append(f"{counted(done['discovered'], 'URL')} that nothing had led to {enters}.")
    sentences += [
        f"{counted(number, 'page')} without a body, not read again: {WITHOUT_BODY[reason]}."
        for reason, number in done["without_body"].items()
    ]
    faults = done["faults"]
    sentences += [
        f"Not read: {printable(fault['url'])}: {printable(fault['reason'])}" for fault in faults[:FAULTS_SHOWN]
    ]
    if len(faults) > FAULTS_SHOWN:
        sentences.append(f"… and {counted(len(faults) - FAULTS_SHOWN, 'page')} more; the journal has them under fault.")
    yield from ["", *sentences] if sentences and done["kinds"] else sentences


MAX_WORKERS = 64
FEW = 64  # pages that are read sooner than other processes have begun
# The rooms whose code decides how a page is read and filtered.
ROOMS = ("robots", "urls", "pages", "spiders", "pipelines", "extensions")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_target_options(parser)
    parser.add_argument("--sample", type=int, metavar="N", help="only N of them, spread over all and always the same")
    parser.add_argument("--diff", action="store_true", help="show what would change, and change nothing")
    parser.add_argument(
        "--show", type=int, default=3, metavar="N", help="examples of each kind of change that are shown; default 3"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="processes that read; default: one for each processor")
    parser.add_argument("--json", action="store_true", help="one JSON object with what has changed")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Read and filter stored pages again."""
    from crawldb.databases import folders_of
    from indexer.following import update_indexes

    for name, number, most in (("sample", arguments.sample, 0), ("workers", arguments.workers, MAX_WORKERS)):
        if number is not None and (number < 1 or (most and number > most)):
            raise CommandError(f"--{name} {number}: give a number from 1 up{f' to {most}' if most else ''}")
    if arguments.show < 0:
        raise CommandError(f"--show {arguments.show}: give a number of examples from 0 up")
    targets = named_targets(arguments)
    began = time.monotonic()
    if not arguments.diff:
        finish_stopped_work(settings, settings.data_dir)
    by_part = _all_parts(arguments, settings, targets)
    changed = any(tally.changed or tally.others for tally, _ in by_part)
    index, is_updated = update_indexes(folders_of(settings.data_dir) if changed and not arguments.diff else ())
    done = as_json(by_part, seconds=time.monotonic() - began, applied=not arguments.diff, index=pasteable(index))
    print(json_line(done) if arguments.json else "\n".join(lines(done)))
    return DONE if done["complete"] and not done["faults"] and is_updated else NO


def _all_parts(
    arguments: Namespace, settings: CommandSettings, targets: Sequence[Target]
) -> list[tuple[ReparseTally, dict[str, int]]]:
    """Read the pages of each part again; return the tally of each, and why other pages have no body."""
    from commands.frame.data_folder import crawl_settings_of
    from crawldb.databases import open_to_write
    from crawldb.tables.open_work import REPARSE, OpenWork, noted_work
    from extensions.reparse import ready_to_read
    from indexer.following import processors
    from pipelines.filters import FilterSettings

    with open_to_write(settings.data_dir) as databases:
        count = sum(_count(database, targets) for database in databases)
    stop = Stop("reparse: stopping after the pages under way")
    crawl_settings, criteria = crawl_settings_of(settings), FilterSettings.read(settings)
    read = partial(ready_to_read.parse_page, agent=crawl_settings.identity.product, documents=crawl_settings.documents)
    few = min(arguments.sample or FEW, count) < FEW
    with (
        ready_to_read.Readers(read, criteria, arguments.workers or (0 if few else processors())) as readers,
        open_to_write(settings.data_dir) as databases,
        _held([database.path.parent for database in databases]),
    ):
        again = _Again(settings, crawl_settings, criteria, read, readers, stop)
        if arguments.diff:
            return [_one_part(database, arguments, targets, again) for database in databases]
        sample = ("--sample", str(arguments.sample)) if arguments.sample else ()
        work = OpenWork(REPARSE, (*sorted(target.name for target in targets), *sample))
        with noted_work(databases, work) as noted:
            done = [_one_part(database, arguments, targets, again) for database in databases]
            noted.stopped = stop.asked
        return done


def _count(database: CrawlDatabase, targets: Sequence[Target]) -> int:
    """Return the number of chosen pages, at most."""
    from extensions.reparse.tables import stored_bodies

    return len(_pages_of(database, targets)) if targets else stored_bodies(database)


def _pages_of(database: CrawlDatabase, targets: Sequence[Target]) -> set[int]:
    from crawldb.pages.covered import Which, covered

    return {url for target in targets for url, _ in covered(database, target, Which.WITH_BODY)}


@dataclass(frozen=True, slots=True)
class _Again:
    """The arguments that all parts share."""

    settings: CommandSettings
    crawl_settings: CrawlSettings
    criteria: FilterSettings
    read: Callable[[FetchedBody], Page]
    readers: Readers
    stop: Stop


@contextmanager
def _held(folders: Sequence[Path]) -> Iterator[None]:
    """Hold the folders of all parts as a crawl does; raise `CommandError` if one is in use."""
    from crawldb.lock import CrawlLock, FolderInUse

    with ExitStack() as stack:
        for folder in folders:
            try:
                stack.callback(CrawlLock(folder).release)
            except FolderInUse as error:
                raise CommandError(str(error)) from None
        yield


def _one_part(
    database: CrawlDatabase, arguments: Namespace, targets: Sequence[Target], again: _Again
) -> tuple[ReparseTally, dict[str, int]]:
    """Read the pages of one database again; return the tally, and why other pages have no body."""
    from commands.frame.data_folder import policy_for
    from crawldb.tables.journal import Journal
    from crawldb.tables.runs import latest_run
    from extension_points import manager
    from extensions.reparse.slices import Chosen, ReparseRun
    from extensions.reparse.tables import reasons_without_body
    from frontier.store import LeaseWriter
    from frontier.writer import CrawlWriter
    from pipelines.filters import PageFilters
    from pipelines.review import PageReview

    crawl_settings, criteria, stop = again.crawl_settings, again.criteria, again.stop
    journal = Journal(database)  # its entries belong to no run of a crawl
    leases = LeaseWriter(database, latest_run(database), journal)
    writer = CrawlWriter(database, policy_for(database, again.settings), crawl_settings.job, leases)
    review = PageReview(writer, PageFilters(database, criteria), again.read)
    rules = f"{code_digest(ROOMS)} {crawl_settings.identity.product} {criteria} {crawl_settings.documents}"
    sample = arguments.sample or 0
    version = f"{rules} {sorted(map(str, targets))} {sample}"
    chosen = Chosen(version, _pages_of(database, targets) if targets else None, sample)
    line, began = ProgressLine(), time.monotonic()

    def go_on(tally: ReparseTally) -> bool:
        line.write(lambda: reparse_progress(tally, time.monotonic() - began))
        return not stop.asked

    reparse = ReparseRun(writer, review, arguments.show)
    tally = (reparse.try_out if arguments.diff else reparse.apply)(chosen, again.readers, go_on)
    if not arguments.diff:
        tally.others += refilter_by_templates(review, stop)
        manager().hook.crawl_ends(database=database, journal=journal)
    line.clear()
    return tally, {} if targets or chosen.sample else dict(reasons_without_body(database))


COMMAND = Command(
    name="reparse",
    example="--diff --sample 200 --data demo",
    exits="0 done, 1 stopped before that, a page was not read or the index not updated, 2 failed",
    add_arguments=add_arguments,
    run=run,
)
