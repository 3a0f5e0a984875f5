"""What came at each visit, and what was new? The requests for a URL, the oldest first, each beside the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.wording import counted, meaning_of_rule
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reports.why.dossier import Fetch

_BRINGS_THE_PAGE = frozenset({Rule.FETCHED, Rule.PROBE})
_OLDER = "older ones are not told"
_SECOND_LOOK = "a second look, to learn what changes by itself: "


@dataclass(frozen=True, slots=True)
class PastFetch:
    """One request: when (seconds since the epoch), what came, how it ended, and what had changed, as a clause."""

    at: float
    status: int | None  # None: no answer
    size: int  # bytes
    seconds: float
    rule: str
    change: str

    @property
    def meaning(self) -> str:
        """What the rule means, as a clause; "" for a word that is no rule of the journal."""
        return meaning_of_rule(self.rule)


def fetch_history(fetches: Iterable[Fetch], *, cut: bool = False) -> tuple[PastFetch, ...]:
    """Return the requests of a dossier, which begin with the newest, in the order in which they were sent.

    `cut`: there may be older ones, which are not among them.
    """
    told: list[PastFetch] = []
    last_size: int | None = None  # of the last body that came
    for fetch in reversed(tuple(fetches)):
        before = told[-1] if told else None
        change = _OLDER if cut and before is None else _change(before, fetch, last_size)
        told.append(PastFetch(fetch.at, fetch.status, fetch.size, fetch.seconds, fetch.rule, change))
        last_size = fetch.size if fetch.rule in _BRINGS_THE_PAGE else last_size
    return tuple(told)


def _change(before: PastFetch | None, now: Fetch, last_size: int | None) -> str:
    if now.rule == Rule.NOT_MODIFIED:
        return "nothing: its server says that it is as it was"
    if before is None:
        return "the first request that is known"
    if now.status != before.status and before.rule != Rule.NOT_MODIFIED:
        return f"{_named(before.status)} before, {_named(now.status)} now"
    if now.rule in _BRINGS_THE_PAGE and last_size is not None:
        return f"{_SECOND_LOOK if now.rule == Rule.PROBE else ''}{_beside(now.size, last_size)}"
    return f"again: {now.rule}" if now.rule == before.rule else f"{before.rule} before, {now.rule} now"


def _beside(size: int, last: int) -> str:
    if size == last:
        return "as many bytes as the last time"
    return f"{counted(abs(size - last), 'byte')} {'more' if size > last else 'fewer'} than the last time"


def _named(status: int | None) -> str:
    return "no answer" if status is None else str(status)
