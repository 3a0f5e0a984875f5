"""What came at each visit, and what was new? The requests for a URL, the oldest first, each beside the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.wording import counted
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reports.why.dossier import Fetch


@dataclass(frozen=True, slots=True)
class PastFetch:
    """One request: when (seconds since the epoch), what came, how it ended, and what had changed, as a clause."""

    at: float
    status: int | None  # None: no answer
    size: int  # bytes
    seconds: float
    rule: str
    change: str


def fetch_history(fetches: Iterable[Fetch]) -> tuple[PastFetch, ...]:
    """Return the requests of a dossier, which begin with the newest, in the order in which they were sent."""
    told: list[PastFetch] = []
    last_size: int | None = None  # of the last body that came
    for fetch in reversed(tuple(fetches)):
        before = told[-1] if told else None
        change = _change(before, fetch, last_size)
        told.append(PastFetch(fetch.at, fetch.status, fetch.size, fetch.seconds, fetch.rule, change))
        last_size = fetch.size if fetch.rule == Rule.FETCHED else last_size
    return tuple(told)


def _change(before: PastFetch | None, now: Fetch, last_size: int | None) -> str:
    if now.rule == Rule.NOT_MODIFIED:
        return "nothing: its server says that it is as it was"
    if before is None:
        return "the first request that is known"
    if now.status != before.status and before.rule != Rule.NOT_MODIFIED:
        return f"{_named(before.status)} before, {_named(now.status)} now"
    if now.rule == Rule.FETCHED and last_size is not None:
        more = now.size - last_size
        if not more:
            return "as many bytes as the last time"
        return f"{counted(abs(more), 'byte')} {'more' if more > 0 else 'fewer'} than the last time"
    return f"again: {now.rule}" if now.rule == before.rule else f"{before.rule} before, {now.rule} now"


def _named(status: int | None) -> str:
    return "no answer" if status is None else str(status)
