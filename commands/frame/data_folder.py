"""The data folder of a command: its name, and what a command opens in it.

`--data NAME` or the environment variable names a folder below `data`. Every printed command repeats it with
`folder_option`. If the folder is empty, the folders nearby that hold a crawl are listed.

A command opens the index and the crawl database, of a divided crawl those of all parts. It filters URLs by the policy
of the next crawl: seeds, blacklist and settings.
"""

from __future__ import annotations

import os
import shlex
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from commands.frame.command_settings import CommandSettings
from commands.frame.exits import CommandError
from crawldb.folders import holds_a_crawl
from extension_points import call_extensions
from indexer.remote import foreign_index
from spiders.own_folders import IN_AN_EGG, ROOT
from urls.wording import PROGRAM, shell_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from crawldb.database import CrawlDatabase
    from indexer.ranking.weights import Formula
    from indexer.retrieval.searcher import Searcher
    from spiders.crawl_settings import CrawlSettings
    from spiders.setting_values import ReadableSettings
    from urls.policy import Policy

OPTION, VARIABLE = "--data", "BREADCRUMB_DATA"
LOOKED_THROUGH = 1000  # names in a folder, in which crawls are looked for
SHOWN = 5  # crawls in other folders


def base_folder() -> Path:
    """Return the default data folder; the crawls with short names are below it."""
    return CommandSettings().data_dir


def folder_named(name: str, where: str = OPTION) -> Path:
    """Return the data folder of `--data NAME`; `where` is the option or variable with the name.

    A name without a slash is the default folder or one below it. A path is relative to the project folder, like
    DATA_DIR.
    """
    if name.strip() in {"", ".", ".."}:
        raise CommandError(
            f"{where}={name}: give the name of a crawl, such as demo for data/demo, or a path with a slash"
        )
    if "/" in name:
        return ROOT / Path(name).expanduser()
    return base_folder() if name == base_folder().name else base_folder() / name


def folder_option(data_dir: Path) -> str:
    """Return the option for a data folder, with a leading space; "" for the default folder."""
    if IN_AN_EGG:  # a scheduler runs it, and ./breadcrumb is elsewhere
        return f" {OPTION} {shell_word(str(data_dir))}"
    base = base_folder()
    if data_dir == base and VARIABLE not in os.environ:
        return ""
    name = data_dir.name
    if data_dir != base and (data_dir.parent != base or name == base.name):
        name = f"./{data_dir.relative_to(ROOT)}" if data_dir.is_relative_to(ROOT) else str(data_dir)
    return f" {OPTION} {shell_word(name)}"


def option_of(assignments: Sequence[str]) -> str:
    """Return the option for the folder that settings name; "" without a DATA_DIR among them."""
    given = [value for name, _, value in (each.partition("=") for each in assignments) if name == "DATA_DIR"]
    return folder_option(ROOT / given[-1]) if given else ""


def chosen_folder(name: str | None, assignments: Sequence[str]) -> list[str]:
    """Return the setting of `--data NAME` or of the variable, as NAME=VALUE; [] without both.

    Raises `CommandError` if the folder is named twice. The command line overrides the variable.
    """
    given = next((each for each in assignments if each.startswith("DATA_DIR=")), "")
    if name is not None and given:
        raise CommandError(f"{OPTION} {name} and -s {given} both name a folder: give only one")
    if name is None and not given and VARIABLE in os.environ:
        return [f"DATA_DIR={folder_named(os.environ[VARIABLE], VARIABLE)}"]
    return [] if name is None else [f"DATA_DIR={folder_named(name)}"]


def crawls_near(data_dir: Path) -> dict[Path, str]:
    """Return the folders near an empty one that hold a crawl, with a description."""
    near = {data_dir.parent: None}
    for folder in (data_dir, data_dir.parent):
        with suppress(OSError):
            near |= dict.fromkeys(sorted(path for path in islice(folder.iterdir(), LOOKED_THROUGH) if path.is_dir()))
    near.pop(data_dir, None)
    found = {}
    for folder in near:
        with suppress(OSError):  # one that we may not read
            if holds_a_crawl(folder) and (holding := _holding(folder)):
                found[folder] = holding
    return found


def _holding(data_dir: Path) -> str:
    """Return what a folder holds, as a clause; "" where nothing was crawled, as a refused crawl leaves it."""
    import sqlite3

    from crawldb.database import CrawlDatabase, DatabaseError, OldSchemaError
    from crawldb.databases import folders_of
    from crawldb.figures.totals import pages_counted, request_counts, sites_with_pages
    from crawldb.tables.runs import latest_start
    from reports.wording import counted, moment

    sites = pages = asked = 0
    last = 0.0
    try:
        for folder in folders_of(data_dir):
            with CrawlDatabase(folder, readonly=True) as database:  # it stays as it is: nobody named it
                sites += sites_with_pages(database)
                pages += pages_counted(database)
                asked = asked or pages or request_counts(database)["requests"]
                last = max(last, latest_start(database))
    except OldSchemaError:
        return "a crawl of an earlier Breadcrumb"
    except (DatabaseError, sqlite3.Error):
        return "an unreadable crawl"
    if not asked:
        return ""
    return f"{counted(pages, 'page')} of {counted(sites, 'site')}, crawled {moment(last or None)}"


def other_folders(command: str, words: Sequence[str], data_dir: Path) -> list[str]:
    """Return the same command for nearby folders that hold a crawl; [] if `data_dir` holds one.

    If an extension knows the content of the folder, its notice is returned instead.
    """
    if holds_a_crawl(data_dir) or foreign_index(data_dir):
        return []
    from extension_points import call_extensions

    if notices := call_extensions("folder_notices", data_dir=data_dir):
        return notices
    if not (near := crawls_near(data_dir)):
        return []
    kept = without_folder(words)
    lines = [f"{'Another folder holds' if len(near) == 1 else 'Other folders hold'} a crawl. The same command there:"]
    for folder, holding in islice(near.items(), SHOWN):
        lines.append(f"  {PROGRAM} {command}{folder_option(folder)} {shlex.join(kept)}".rstrip())
        lines.append(f"    ({holding})")
    if len(near) > SHOWN:
        lines.append(f"  and {len(near) - SHOWN} more, below {data_dir.parent}")
    return lines


def without_folder(words: Sequence[str]) -> list[str]:
    """Return the words of a command without those that name a folder."""
    end = words.index("--") if "--" in words else len(words)
    kept: list[str] = []
    at = 0
    while at < end:
        pair = words[at] == OPTION or (words[at] == "-s" and "".join(words[at + 1 : at + 2]).startswith("DATA_DIR="))
        if not pair and not words[at].startswith((f"{OPTION}=", "-sDATA_DIR=")):
            kept.append(words[at])
        at += 2 if pair else 1
    return [*kept, *words[end:]]


def open_searcher(data_dir: Path, formula: Formula | None = None, *, link_only: bool = True) -> Searcher:
    """Open the index of a data folder. Raises NoIndex, CorruptIndex, and DatabaseError for a damaged crawl database.

    The crawl database hides removed pages at once. Unreadable parts of a divided crawl are skipped. `formula` is the
    ranking (`formula_under`); with `link_only`, pages known only from links are results (LINK_ONLY_RESULTS).
    """
    from crawldb.database import FILE_NAME
    from crawldb.databases import Parts
    from indexer import open_index

    parts = Parts.in_folder(data_dir)  # open as long as the command runs
    if not parts.divided and (data_dir / FILE_NAME).exists():
        parts.of(parts.parts[0])  # whatever is asked, its damage is told
    return open_index(
        data_dir,
        blocked=parts.is_hidden,
        copies=parts.copies,
        formula=formula,
        withdrawn=parts.is_withdrawn,
        link_only=link_only,
    )


@contextmanager
def open_to_read(data_dir: Path) -> Iterator[tuple[CrawlDatabase, ...]]:
    """Open for reading what `crawldb.databases.open_to_write` opens for writing; raises as it does."""
    from crawldb.databases import folders_of, open_up_to_date

    with ExitStack() as stack:
        yield tuple(stack.enter_context(open_up_to_date(folder)) for folder in folders_of(data_dir))


def crawl_settings_of(settings: ReadableSettings, seeds: str = "") -> CrawlSettings:
    """Return the settings of a crawl; raise `CommandError` for invalid settings."""
    from commands.frame.command_settings import read_crawl_settings
    from spiders.arguments import SpiderArguments

    return read_crawl_settings(settings, SpiderArguments(seeds))


def policy_for(database: CrawlDatabase, settings: ReadableSettings, more_sites: Iterable[str] = ()) -> Policy:
    """Return the URL policy of a crawl with seeds on the known sites and on `more_sites`."""
    return policy_under(settings, more_sites)(database)


def policy_under(settings: ReadableSettings, more_sites: Iterable[str] = ()) -> Callable[[CrawlDatabase], Policy]:
    """Return a function from database to policy. Invalid settings raise before a database is opened."""
    from frontier.policy_in_force import policy_in

    job = crawl_settings_of(settings).job
    return partial(policy_in, breadth=job.breadth, limits=job.limits, ports=job.ports, sites=frozenset(more_sites))


def formula_under(settings: CommandSettings) -> Formula:
    """Return the ranking formula; raise `CommandError` for invalid settings."""
    from indexer.ranking.demotion import Penalty
    from indexer.ranking.weights import Formula, weights_from
    from urls.signals import signal_names

    share = settings.getfloat("SPOOF_PENALTY")
    if not 0 <= share <= 1:
        raise CommandError(f"SPOOF_PENALTY={share:g}: give a share of a score from 0, nothing, to 1, all of it")
    try:
        weights = weights_from(settings.getlist("RANKING"))
        penalty = Penalty(signal_names(settings.getlist("SPOOF_SIGNALS")), share)
        return Formula(weights, penalty, tuple(call_extensions("score_contributors", settings=settings)))
    except ValueError as error:
        raise CommandError(str(error)) from None


def damping_under(settings: CommandSettings) -> float:
    """Return the damping of PageRank; raise `CommandError` for an invalid one."""
    damping = settings.getfloat("PAGERANK_DAMPING")
    if not 0 <= damping < 1:
        raise CommandError(
            f"PAGERANK_DAMPING={damping:g}: give a probability from 0 to less than 1; 0.85 is the usual one"
        )
    return damping
