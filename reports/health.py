"""Is the crawl healthy? Its newest run, what an operator should do, and the free disk space. Cheap to compute.

Each need is a sentence about stored data, with the commands that resolve it. Conditions that resolve themselves are not
needs: a host at rest is requested again later. The text of a visitor is kept apart, because it is unchecked.
"""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawldb.database import DatabaseError
from crawldb.pages.feed import Feed
from crawldb.tables.open_work import stopped_work
from crawldb.tables.runs import BY_ITSELF, crawling_process
from indexer.faults import UPDATE, IndexFault
from indexer.segments.generation import index_exists, indexed_position
from reports.numbers import Troubles, newest_run, open_complaints, troubles
from reports.wording import counted, ending_in_words, moment, sentence, size
from urls.wording import shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from crawldb.database import CrawlDatabase
    from crawldb.databases import Parts
    from crawldb.tables.open_work import OpenWork
    from extension_points import OptionProposal

LOW_DISK = 512 * 1024 * 1024  # bytes: a commit of the index writes a copy of what it merges


@dataclass(frozen=True, slots=True)
class Remedy:
    """A command that resolves a need, its effect, and the same action of the admin page."""

    effect: str
    command: str
    action: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Need:
    """Something for the operator to do: a sentence, the remedies, and the text of a visitor."""

    text: str
    remedies: tuple[Remedy, ...]
    words: str = ""


def needs_of(troubles: Troubles, last_run: Mapping[str, Any] | None, behind: int = 0) -> list[Need]:
    """Return the needs, without complaints. `behind`: changes missing from the index."""
    found = [*_sites(troubles), *_faults(troubles)]
    if last_run is not None:
        found += _run(last_run)
    running = last_run is not None and last_run["running"]
    if not running:
        found += behind_need(behind)
    return found


def behind_need(behind: int) -> list[Need]:
    """Return the need of an index that lacks so many changes."""
    if not behind:
        return []
    text = f"The index lacks {counted(behind, 'change')} of the crawl, so searches don't show the crawl as it is."
    return [Need(text, (Remedy("updates it", UPDATE),))]


def stopped_work_need(stopped: Sequence[OpenWork]) -> list[Need]:
    """Return the need of unfinished commands, without their arguments.

    It is public; `report` shows the arguments to the operator.
    """
    names = ", ".join(dict.fromkeys(work.command for work in stopped))
    if not names:
        return []
    commands = counted(len(stopped), "command")
    text = f"{commands} did not finish ({names}): results may lack pages, or show too many."
    return [Need(text, (Remedy("shows each, with the command that finishes it", "./breadcrumb report"),))]


def disk_need(free: int) -> list[Need]:
    """Return the need of a disk with so many bytes left; none if that is enough."""
    if free >= LOW_DISK:
        return []
    text = f"The disk of the data folder has {size(free)} left. A crawl or an index commit may fill it."
    return [Need(text, (Remedy("shows which disk it is", "df"),))]


def waiting_complaints_need(count: int) -> Need:
    """Return the public need for complaints: only their number."""
    nouns = "complaint waits", "complaints wait"
    shown = Remedy("shows them with the commands that decide; so does the admin page", "./breadcrumb block")
    return Need(f"{counted(count, *nouns)} for a decision.", (shown,))


def complaint_need(complaint: Mapping[str, Any]) -> Need:
    """Return the need of a complaint with the text of the visitor. For the operator only."""
    target, times = complaint["target"], counted(complaint["times"], "time")
    text = f"A visitor asks to block {target} ({times}, last on {moment(complaint['at'])})."
    contact = complaint["contact"] or "no contact given"
    word = f"{'' if '://' in target else '--site '}{shell_word(target)}"
    reason = "--reason 'its owner asked'"
    blocked = Remedy("blocks it and removes its pages", f"./breadcrumb block {word} {reason}", "block", target)
    left = Remedy("declines the request", f"./breadcrumb block --decline {word}", "decline", target)
    below: tuple[Remedy, ...] = ()
    if target.endswith("/"):
        what = f"./breadcrumb block --below {word} {reason}"
        below = (Remedy("blocks all URLs below it, too", what, "block", f"{target}*"),)
    return Need(text, (blocked, *below, left), f"{complaint['reason']} ({contact})")


def suggestion_need(proposal: OptionProposal) -> Need:
    """Return the need of a proposed option of a site."""
    site, option = proposal.site, proposal.choice.option.value
    text = sentence(f"Pages of {site} have several names, and the option {option} would merge them: {proposal.reason}")
    command = f"./breadcrumb suggest --apply {shell_word(site)} {option}"
    return Need(text, (Remedy("switches it on", command, "apply", site),))


def _sites(troubles: Troubles) -> Iterator[Need]:
    for alarm in troubles["alarms"]:
        site, ended = alarm["site"], counted(alarm["ended"], "fetch", "fetches")
        text = f"{alarm['failed']:,} of {ended} of {site} failed in this round. The site may be down, or block us."
        word = shell_word(site)
        failed = alarm["url"] or f"http://{site}/"
        look = Remedy("shows the responses of its server", f"./breadcrumb why {shell_word(failed)}")
        yield Need(text, (look, Remedy("blocks the site", f"./breadcrumb block --site {word}", "block", site)))
    for origin, since in troubles["closed"].items():
        text = f"The robots.txt of {origin} has failed since {moment(since)}, so no page of the site may be fetched."
        yield Need(text, (Remedy("shows the responses of its server", f"./breadcrumb why {shell_word(f'{origin}/')}"),))


def _faults(troubles: Troubles) -> Iterator[Need]:
    for url, reason in troubles["faults"].items():
        text = sentence(f"Breadcrumb failed on {url}: {reason}")
        yield Need(text, (Remedy("shows what is known about it", f"./breadcrumb why {shell_word(url)}"),))


def _run(last: Mapping[str, Any]) -> Iterator[Need]:
    if last["running"] or last["ending"] == BY_ITSELF:
        return
    left = f", {counted(last['waiting'], 'URL')} left" if last["waiting"] else ""
    text = (
        f"The last crawl, of {moment(last['started_at'])}, stopped before the end of its round "
        f"({ending_in_words(last['ending'])}){left}. Committed pages are safe, and unfinished URLs are requested again."
    )
    yield Need(text, (Remedy("continues the round", "./breadcrumb crawl site"),))


@dataclass(frozen=True, slots=True)
class CrawlHealth:
    """The health of a crawl. `last_run` is the newest of all parts; `free` and `total` are bytes of its disk."""

    last_run: Mapping[str, Any] | None
    needs: tuple[Need, ...]
    free: int
    total: int

    def age(self, now: float) -> float | None:
        """Return the seconds since the newest run ended, 0 while it runs, None if there was none."""
        if self.last_run is None:
            return None
        ended = now if self.last_run["running"] else self.last_run["ended_at"] or self.last_run["started_at"]
        return max(0.0, now - float(ended))


def crawl_health(parts: Parts, data_dir: Path, *, for_admin: bool = False) -> CrawlHealth:
    """Check each part. An unreadable part is a need; if it is the only one, `DatabaseError` is raised.

    Complaints are shown only `for_admin`, and counted otherwise.
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
            text = f"Part {part} can't be read and is not in these numbers: {parts.in_words(fault)}"
            needs.append(Need(text, (Remedy("shows the other parts", "./breadcrumb report"),)))
    needs += stopped_work_need(list({(work.command, work.words): work for work in stopped}.values()))
    room = shutil.disk_usage(data_dir)
    if complaints:
        needs[:0] = map(complaint_need, complaints) if for_admin else [waiting_complaints_need(len(complaints))]
    last_run = max(runs, key=lambda run: float(run["started_at"]), default=None)
    return CrawlHealth(last_run, (*disk_need(room.free), *needs), room.free, room.total)


def pending_changes(databases: Iterable[CrawlDatabase]) -> int:
    """Return how many changes the index lacks in parts without a running crawl.

    Without an index, all changes count.
    """
    idle = [database for database in databases if not crawling_process(database)]
    return sum(
        changes_to_index(folder, database) if index_exists(folder := database.path.parent) else Feed(database).rows()
        for database in idle
    )


def changes_to_index(folder: Path, database: CrawlDatabase) -> int:
    """Return how many changes the index lacks; 0 if there is no index.

    An index that is newer than the crawl database followed a later state of it: it lacks all changes of this one.
    """
    feed = Feed(database)
    try:
        position = indexed_position(folder)
    except IndexFault:
        return 0
    if position > feed.last():
        return feed.rows()
    return feed.waiting(position) if position >= 0 else 0
