"""What can be done on the admin page? What the commands do, by the same functions; each is noted before it is done.

What is taken out is hidden from searches at once. The index follows within the request where that is little work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from crawldb.tables.open_work import BLOCK, FORGET, OpenWork, noted_work
from frontier import submission, takedown
from frontier.administration import note_admin
from frontier.aliases import OptionSwitch, switch_options
from frontier.complaint import decline_proposal
from frontier.release import release_everywhere
from gateway.served_crawl import served_crawl
from indexer.following import bring_index_up_to_date
from reports.alias_evidence import find_alias_evidence
from reports.health import changes_to_index
from reports.wording import counted
from urls.blacklist import target_of
from urls.canonical import UnusableUrl
from urls.site_options import OptionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crawldb.database import CrawlDatabase

Done = TypeVar("Done")
AT_ONCE = 1_000  # changes that the index takes within a request; more take the command's time
MAX_REASON = 1_000  # characters


class ActionRefused(Exception):
    """An action could not be done; the message says why, and what would work."""


@dataclass(frozen=True, slots=True)
class Action:
    """What was asked for: which action, on what, with which words, by whom."""

    name: str
    target: str
    words: str = ""
    address: str = ""


def perform(action: Action) -> str:
    """Do it, and return what was done, in a sentence. Raises ActionRefused, and DatabaseError without a crawl."""
    done = ACTIONS.get(action.name)
    if done is None:
        raise ActionRefused(f"there is no action {action.name[:100]!r}: choose one of {', '.join(ACTIONS)}")
    if not action.target.strip():
        raise ActionRefused("it is missing what is meant: give an address, a site or a pattern")
    try:
        with served_crawl().to_write() as databases:
            words = f": {action.words}" if action.words else ""
            note_admin(databases, f"{action.name} {action.target}{words}"[:MAX_REASON], action.address)
            return done(databases, action)
    except UnusableUrl as error:
        raise ActionRefused(error.refusal.reason) from None
    except LookupError as error:
        raise ActionRefused(str(error)) from None


def _submit(databases: Sequence[CrawlDatabase], action: Action) -> str:
    sites = frozenset(submission.sites_of([action.target]))
    told = [
        submission.submit(database, served_crawl().settings.policy_of(database, sites=sites), [action.target])[0]
        for database in databases
    ]
    found = max(told, key=lambda each: bool(each.state or each.rule))
    if not found.accepted:
        raise ActionRefused(f"{found.url or found.given} is refused ({found.rule}): {found.reason or 'as before'}")
    return f"{found.url} is in the root set ({found.state}): the next crawl asks its site's robots.txt first."


def _block(databases: Sequence[CrawlDatabase], action: Action) -> str:
    target = target_of(action.target)
    if not any(takedown.known_of(database, target) for database in databases):
        raise ActionRefused(f"the crawl has never met {target}: ./breadcrumb block --anyway blocks it all the same")
    with noted_work(databases, OpenWork(BLOCK, (target.name,), action.words)):
        pages = sum(takedown.block(database, target.name, action.words)[1] for database in databases)
    return f"{target}: blocked; {counted(pages, 'page')} taken out. {_followed(databases, pages)}"


def _lift(databases: Sequence[CrawlDatabase], action: Action) -> str:
    lifted = _where_it_is(databases, lambda database: takedown.unblock(database, action.target)[1])
    return f"{target_of(action.target)}: off the blacklist; the next crawl asks for {counted(sum(lifted), 'URL')}."


def _decline(databases: Sequence[CrawlDatabase], action: Action) -> str:
    declined = _where_it_is(databases, lambda database: decline_proposal(database, action.target))
    return f"{declined[0]}: stays as it is; the proposal is closed."


def _forget(databases: Sequence[CrawlDatabase], action: Action) -> str:
    target = target_of(action.target)
    with noted_work(databases, OpenWork(FORGET, (target.name,))):
        pages = sum(takedown.forget(database, target.name)[1] for database in databases)
    if not pages:
        raise ActionRefused(f"nothing of {target} is stored, so nothing was taken out")
    told = f"{target}: {counted(pages, 'page')} forgotten; the next round may fetch it again."
    return f"{told} {_followed(databases, pages)}"


def _release(databases: Sequence[CrawlDatabase], action: Action) -> str:
    released = release_everywhere(databases, action.target, action.words)
    return f"{released.target}: released; the next crawl asks for {counted(released.urls, 'URL')} of it."


def _apply(databases: Sequence[CrawlDatabase], action: Action) -> str:
    """Switch on an option of a site, by `target` and `words`, if the evidence proposes it."""
    wanted = (action.target, action.words)
    found = [each for each in find_alias_evidence(*databases) if (each.site, each.choice.option.value) == wanted]
    if not any(each.proposed for each in found):
        raise ActionRefused(f"{action.target} {action.words}: nothing that is stored proposes it any longer")
    switches = [OptionSwitch(each.site, each.choice, on=True) for each in found]
    try:
        merged, _ = switch_options(databases, switches, served_crawl().settings.policy_of)
    except OptionError as error:
        raise ActionRefused(str(error)) from None
    told = f"{action.target}: {action.words} is on; {counted(merged, 'URL')} known under another name now."
    return f"{told} {_followed(databases, merged)}"


def _where_it_is(databases: Sequence[CrawlDatabase], do: Callable[[CrawlDatabase], Done]) -> list[Done]:
    """Do something in each part that has what is meant; raise `LookupError` where none has."""
    done: list[Done] = []
    nothing = LookupError()
    for database in databases:
        try:
            done.append(do(database))
        except LookupError as error:
            nothing = error
    if not done:
        raise nothing
    return done


def _followed(databases: Sequence[CrawlDatabase], pages: int) -> str:
    if not pages:
        return ""
    if sum(changes_to_index(database.path.parent, database) for database in databases) > AT_ONCE:
        return "Searches hide it from now on; ./breadcrumb index takes it out of the index, too."
    return bring_index_up_to_date(databases)


ACTIONS: dict[str, Callable[[Sequence[CrawlDatabase], Action], str]] = {
    "block": _block,
    "decline": _decline,
    "lift": _lift,
    "forget": _forget,
    "submit": _submit,
    "release": _release,
    "apply": _apply,
}
