"""What does a server's answer mean for a lease? Read by the class of its status code, as RFC 9110, section 15, has it.

Only a 200 becomes a page. Redirects are targets for the frontier, a 404 or 410 takes a page out of the index, and what
a struggling server says is asked again later: a few times, each after a longer wait.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawldb.credentials import hidden_in
from crawldb.page import Fate, Outcome
from robots.freshness import retry_after
from spiders.parse.address import Base, Unusable, in_header

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawldb.frontier.frontier import Lease
    from robots import Wish
    from spiders.ending import Ending

_PAGES = frozenset({200, 204})  # 204, No Content: the page there is has no words, so it is stored and not indexed
_MOVED = frozenset({301, 302, 303, 307, 308})
_GONE = frozenset({404, 410})
_TOO_MANY = 429
_ONCE_MORE = frozenset({408, 425, _TOO_MANY})  # the server gave up waiting, or wants to hear it later (RFC 9110, 8470)
_NO_PAGE = {
    401: ("auth", "asks for a password, and we have none"),
    403: ("forbidden", "forbids the page"),
    407: ("auth", "asks for the password of a proxy, and we have none"),
}


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a URL is asked for in a round, the first time included, and the wait before the second, in seconds."""

    attempts: int = 3
    delay: float = 2.0

    def wait(self, attempts_made: int) -> float | None:
        """Return the seconds to wait after so many attempts, twice as many each time; None when it was the last."""
        return None if attempts_made >= self.attempts else self.delay * 2.0 ** (attempts_made - 1)


@dataclass(frozen=True, slots=True)
class Answer:
    """The part of an answer that decides: `headers` have lower-case names; times in seconds, `size` in bytes."""

    status: int
    headers: Mapping[str, str]
    at: float
    seconds: float
    size: int
    locations: frozenset[str] = frozenset()  # all that its Location lines say
    wishes: tuple[Wish, ...] | None = None  # what its X-Robots-Tag lines ask; None: it has none


def outcome_of(answer: Answer, lease: Lease, retries: Retries) -> Outcome | None:
    """Return how the lease ends, or None where the answer is a page to be parsed."""
    status = answer.status
    if status in _PAGES:
        return None
    if status == 304:  # noqa: PLR2004 - Not Modified
        current = _outcome(answer, lease, Fate.NOT_MODIFIED, "not-modified", "the stored copy is current (304)")
        return replace(current, wishes=answer.wishes)
    if status in _MOVED:
        return _redirect(answer, lease)
    if status in _GONE:
        return _outcome(answer, lease, Fate.GONE, "gone", f"the server says that it is gone ({status})")
    if status in _ONCE_MORE or 500 <= status < 600:  # noqa: PLR2004 - the class of server errors
        return _again(answer, lease, retries)
    rule, reason = _refused(status)
    return _outcome(answer, lease, Fate.FAILED, rule, f"the server answered {status}, which {reason}")


def _refused(status: int) -> tuple[str, str]:
    """Return rule and reason of a code that brings no page; an unknown one is read by its class."""
    if status in _NO_PAGE:
        return _NO_PAGE[status]
    if not 100 <= status < 600:  # noqa: PLR2004 - the five classes that there are
        return "bad-status", "is no status code of HTTP"
    return ("no-page", "brings no whole page") if status // 100 == 2 else ("status", "is no page")  # noqa: PLR2004 - 2xx


def failed(ending: Ending, lease: Lease, at: float, seconds: float, retries: Retries) -> Outcome:
    """Return the outcome of a request without a usable answer: asked again after a while, or failed for good."""
    wait = retries.wait(lease.attempts + 1) if ending.again else None
    reason = _with_wait(ending.reason, wait) if ending.again else ending.reason
    fate = Fate.FAILED if wait is None else Fate.DEFERRED
    return Outcome(lease.url, fate, ending.rule, reason, fetched_at=at, seconds=seconds, retry_after=wait)


def _redirect(answer: Answer, lease: Lease) -> Outcome:
    if len(answer.locations) > 1:  # whoever put in the second one may not be who runs the server
        reason = f"{answer.status} with {len(answer.locations)} different Locations: none is believed"
        return _outcome(answer, lease, Fate.FAILED, "bad-location", reason)
    location = in_header(answer.headers.get("location", "")).strip()
    resolved = Base.of(lease.url).resolve(location)
    target = location if resolved is Unusable.SCHEME else resolved  # the frontier says what it thinks of a scheme
    if not location or isinstance(target, Unusable):
        what = f"to {hidden_in(location)[:200]!r}, which is no address" if location else "without a Location to follow"
        return _outcome(answer, lease, Fate.FAILED, "bad-location", f"{answer.status} {what}")
    if target.partition("#")[0] == lease.url:
        return _outcome(answer, lease, Fate.FAILED, "redirect-loop", f"{answer.status} leads back to itself")
    reason = f"{answer.status} leads to {hidden_in(target)[:200]}"
    return _outcome(answer, lease, Fate.MOVED, "moved", reason, target=target)


def _again(answer: Answer, lease: Lease, retries: Retries) -> Outcome:
    wait = retries.wait(lease.attempts + 1)
    asked = retry_after(answer.headers.get("retry-after", ""), answer.at)
    if wait is not None and asked is not None:
        wait = max(wait, asked)
    reason = _with_wait(f"the server answered {answer.status}", wait)
    rule = "too-many-requests" if answer.status == _TOO_MANY else "status" if answer.status < 500 else "server-error"  # noqa: PLR2004 - the class of server errors
    return _outcome(answer, lease, Fate.FAILED if wait is None else Fate.DEFERRED, rule, reason, wait=wait)


def _with_wait(reason: str, wait: float | None) -> str:
    return f"{reason}; that was the last attempt of this round" if wait is None else f"{reason}; again in {wait:g} s"


def _outcome(
    answer: Answer,
    lease: Lease,
    fate: Fate,
    rule: str,
    reason: str,
    *,
    target: str | None = None,
    wait: float | None = None,
) -> Outcome:
    return Outcome(
        lease.url, fate, rule, reason, status=answer.status, target=target, retry_after=wait,
        fetched_at=answer.at, seconds=answer.seconds, size=answer.size,
    )  # fmt: skip
