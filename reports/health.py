"""Is the crawl well? Its newest run, what needs a person, and the room on its disk, cheap enough to be asked often.

A divided crawl is as well as its parts are: what each of them needs stands in one list.
"""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawldb.database import DatabaseError
from crawldb.pages.feed import Feed
from crawldb.tables.open_work import stopped_work
from crawldb.tables.runs import crawling_process
from frontier.rounds import BY_ITSELF
from indexer.faults import IndexFault
from indexer.position import index_exists, indexed_position
from reports.numbers import Troubles, newest_run, open_complaints, troubles
from reports.wording import counted, moment, sentence, size
from urls.wording import shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from crawldb.tables.open_work import OpenWork
    from reports.alias_evidence import AliasEvidence

LOW_DISK = 512 * 1024 * 1024  # bytes: a commit of the index writes a copy of what it merges


@dataclass(frozen=True, slots=True)
class Remedy:
    """A way to mend something: what it does, the command, and the action of the admin page that does the same."""

    effect: str
    command: str
    action: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Need:
    """What is the case, as a sentence; what a visitor wrote about it; and what would mend it."""

    text: str
    remedies: tuple[Remedy, ...]
    words: str = ""


def needs_of(troubles: Troubles, last_run: Mapping[str, Any] | None, behind: int = 0) -> list[Need]:
    """Return what needs a person, without complaints. `behind`: changes that the index has not seen."""
    found = [*_sites(troubles), *_faults(troubles)]
    if last_run is not None:
        found += _run(last_run)
    running = last_run is not None and last_run["running"]
    if not running:
        found += behind_need(behind)
    return found


def behind_need(behind: int) -> list[Need]:
    """Return what is told of an index that has not seen so many changes."""
    if not behind:
        return []
    text = f"The index is {counted(behind, 'change')} behind the crawl: searches don't show what is newest."
    return [Need(text, (Remedy("brings it up to date", "./breadcrumb index"),))]


def stopped_work_need(stopped: Sequence[OpenWork]) -> list[Need]:
    """Return what is told of commands that were stopped between two commits, without what they were given.

    Anybody may read it; `report` shows the words to whoever runs the crawl.
    """
    names = ", ".join(dict.fromkeys(work.command for work in stopped))
    if not names:
        return []
    told = counted(len(stopped), "command")
    text = f"{told} stopped before the end ({names}): results may lack pages, or show too many."
    return [Need(text, (Remedy("shows each with what goes on with it", "./breadcrumb report"),))]


def disk_need(free: int) -> Need | None:
    """Return what to tell of a disk with so many bytes left; None where there is room."""
    if free >= LOW_DISK:
        return None
    text = f"The disk of the data folder has {size(free)} left: a crawl or a commit of the index may find it full."
    return Need(text, (Remedy("shows which disk it is", "df"),))


def waiting_complaints_need(count: int) -> Need:
    """Return what everybody may know of complaints: how many wait, and where their owner reads them."""
    told = "complaint of a visitor waits", "complaints of visitors wait"
    shown = Remedy(
        "shows them, each with the commands that decide; the admin page shows them too", "./breadcrumb block"
    )
    return Need(f"{counted(count, *told)} for a decision.", (shown,))


def complaint_need(complaint: Mapping[str, Any]) -> Need:
    """Return what a complaint asks for, in the visitor's words: for whoever runs the crawl, and for nobody else."""
    target, times = complaint["target"], counted(complaint["times"], "time")
    text = f"A visitor of the policy page wants {target} blocked (asked {times}, last on {moment(complaint['at'])})."
    contact = complaint["contact"] or "no contact given"
    word = f"{'' if '://' in target else '--site '}{shell_word(target)}"
    reason = "--reason 'its owner asked'"
    blocked = Remedy("ends the visits, and takes its pages out", f"./breadcrumb block {word} {reason}", "block", target)
    left = Remedy("leaves it as it is", f"./breadcrumb block --decline {word}", "decline", target)
    below: tuple[Remedy, ...] = ()
    if target.endswith("/"):
        what = f"./breadcrumb block --below {word} {reason}"
        below = (Remedy("ends the visits to all below it, too", what, "block", f"{target}*"),)
    return Need(text, (blocked, *below, left), f"{complaint['reason']} ({contact})")


def suggestion_need(evidence: AliasEvidence) -> Need:
    """Return what to tell of an option of a site that the stored pages propose."""
    site, option = evidence.site, evidence.choice.option.value
    text = sentence(
        f"Pages of {site} have several names, and an option would make them one: {option}, {evidence.reason}"
    )
    command = f"./breadcrumb suggest --apply {shell_word(site)} {option}"
    return Need(text, (Remedy("switches it on", command, "apply", site),))


def _sites(troubles: Troubles) -> Iterator[Need]:
    for alarm in troubles["alarms"]:
        site, ended = alarm["site"], counted(alarm["ended"], "fetch", "fetches")
        text = f"{alarm['failed']:,} of {ended} of {site} failed in this round: is it down, or does it shut us out?"
        word = shell_word(site)
        look = Remedy("shows what its server answered", f"./breadcrumb why {shell_word(f'http://{site}/')}")
        yield Need(
            text, (look, Remedy("leaves the site alone for good", f"./breadcrumb block --site {word}", "block", site))
        )
    for origin, since in troubles["closed"].items():
        text = f"The robots.txt of {origin} has failed since {moment(since)}: nothing of the site may be fetched."
        yield Need(text, (Remedy("shows what its server answered", f"./breadcrumb why {shell_word(f'{origin}/')}"),))


def _faults(troubles: Troubles) -> Iterator[Need]:
    for url, reason in troubles["faults"].items():
        text = sentence(f"Breadcrumb itself failed on {url}: {reason}")
        yield Need(text, (Remedy("tells what is known of it", f"./breadcrumb why {shell_word(url)}"),))


def _run(last: Mapping[str, Any]) -> Iterator[Need]:
    if last["running"] or last["ending"] == BY_ITSELF:
        return
    began, waiting = moment(last["started_at"]), counted(last["waiting"] or 0, "URL")
    told = f"was stopped before its round was complete ({last['ending']}): {waiting} left"
    killed = "was killed: what it had committed is safe, and what was under way is asked for again"
    text = f"The last crawl, of {began}, {told if last['ending'] not in {None, 'killed'} else killed}."
    yield Need(text, (Remedy("goes on with the round", "./breadcrumb crawl site"),))


@dataclass(frozen=True, slots=True)
class CrawlHealth:
    """How a crawl stands. `last_run` is that of the part which ran last; `free` and `total` are bytes of its disk."""

    last_run: Mapping[str, Any] | None
    needs: tuple[Need, ...]
    free: int
    total: int

    def age(self, now: float) -> float | None:
        """Return the seconds since the newest run ended, 0 while it goes on; None where there was none."""
        if self.last_run is None:
            return None
        ended = now if self.last_run["running"] else self.last_run["ended_at"] or self.last_run["started_at"]
        return max(0.0, now - float(ended))


def crawl_health(parts: Parts, data_dir: Path, *, for_admin: bool = False) -> CrawlHealth:
    """Look at each part. One that can't be read is a need itself, unless it is the only one: then `DatabaseError`.

    Only `for_admin` says what visitors complain of; for everybody else it counts their complaints.
    """
    runs: list[dict[str, Any]] = []
    complaints: list[dict[str, Any]] = []
    needs: list[Need] = []
    stopped: list[OpenWork] = []
    for part in parts.parts:
        try:
            database = parts.of(part)
            last = newest_run(database)
            behind = changes_to_index(parts.folder(part), database)
            needs += needs_of(troubles(database), last, behind)
            complaints += open_complaints(database)
            runs += [last] if last else []
            stopped += stopped_work([database])
        except (DatabaseError, sqlite3.Error) as fault:
            if not parts.divided:
                raise
            text = f"Part {part} can't be read, and is in none of these numbers: {parts.in_words(fault)}"
            needs.append(Need(text, (Remedy("tells of the others", "./breadcrumb report"),)))
    needs += stopped_work_need(list({(work.command, work.words): work for work in stopped}.values()))
    room = shutil.disk_usage(data_dir)
    full = disk_need(room.free)
    if complaints:
        needs[:0] = map(complaint_need, complaints) if for_admin else [waiting_complaints_need(len(complaints))]
    last_run = max(runs, key=lambda run: float(run["started_at"]), default=None)
    return CrawlHealth(last_run, tuple([full, *needs] if full else needs), room.free, room.total)


def pending_changes(databases: Iterable[CrawlDatabase]) -> int:
    """Return how many changes the index has not seen, though no crawl runs beside which it would see them.

    Where there is no index, it has seen none.
    """
    idle = [database for database in databases if not crawling_process(database)]
    return sum(
        changes_to_index(folder, database) if index_exists(folder := database.path.parent) else Feed(database).rows()
        for database in idle
    )


def changes_to_index(folder: Path, database: CrawlDatabase) -> int:
    """Return how many changes of the crawl the index has not seen; 0 where there is no index that could be asked."""
    try:
        position = indexed_position(folder)
    except IndexFault:
        return 0
    return Feed(database).waiting(position) if position >= 0 else 0
