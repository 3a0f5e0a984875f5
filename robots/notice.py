"""What of a robots.txt is worth telling the operator? One notice an answer at most, with a rule and a sentence.

Every failure is told, since pages wait for it; anything else only when it is new: that there is no file, that the file
is no text or too long, that a copy decides or that nobody waits any longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from robots.availability import Access, Availability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from robots.standing import Standing


@dataclass(frozen=True, slots=True)
class Notice:
    """A row for the journal: `rule` is a short fixed word that begins with "robots.", `reason` a sentence."""

    rule: str
    reason: str


def notice(before: Standing | None, answer: Availability, after: Standing, way: Sequence[str] = ()) -> Notice | None:
    """Say what is worth telling of `answer`; `way` are the URLs that were asked, one a redirect."""
    if answer.ours:
        return Notice("robots.refused", after.reason)
    if after.failing_since is not None:
        return Notice(_failure(before, after), after.reason)
    if after.access is Access.PARSED:
        return _about_file(before, after)
    if before is not None and (before.access, before.status) == (after.access, after.status):
        return None
    return Notice("robots.redirect_loop" if len(set(way)) < len(way) else f"robots.{after.status}", after.reason)


def _failure(before: Standing | None, after: Standing) -> str:
    if after.given_up and not (before is not None and before.given_up):
        return "robots.given_up"
    copied = before is not None and before.failing_since is not None and before.access is Access.PARSED
    if after.access is Access.PARSED and not copied:
        return "robots.last_copy"
    return "robots.unreachable" if after.status is None else f"robots.{after.status}"


def _about_file(before: Standing | None, after: Standing) -> Notice | None:
    copy = after.copy
    if copy is None or (before is not None and before.copy is not None and before.copy.body == copy.body):
        return None
    says_nothing = any(note.startswith("no directive") for note in copy.file.notes)
    if not says_nothing and not copy.file.truncated:
        return None
    rule = "robots.not_text" if says_nothing else "robots.truncated"
    return Notice(rule, f"{after.reason}: {'; '.join(copy.file.notes)}")
