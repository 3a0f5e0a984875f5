"""What does a server's answer mean for a lease? Read by the class of its status code, as RFC 9110, section 15, has it.

Only a 200 becomes a page. Redirects are targets for the frontier, a 404 or 410 takes a page out of the index, and what
a struggling server says is asked again later: a few times, each after a longer wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from crawldb.page import Fate, Outcome
from robots.freshness import http_date

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawldb.frontier.frontier import Lease

MAX_RETRY_AFTER = 24 * 3600.0  # seconds: whoever asks for more is asked again tomorrow
_MOVED = frozenset({301, 302, 303, 307, 308})
_GONE = frozenset({404, 410})
_TOO_MANY = 429


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


def outcome_of(answer: Answer, lease: Lease, retries: Retries) -> Outcome | None:
    """Return how the lease ends, or None where the answer is a page to be parsed."""
    status = answer.status
    if status == 200:  # noqa: PLR2004 - the one code that needs no name
        return None
    if status == 304:  # noqa: PLR2004 - Not Modified
        return _outcome(answer, lease, Fate.NOT_MODIFIED, "not-modified", "the stored copy is current (304)")
    if status in _MOVED:
        return _redirect(answer, lease)
    if status in _GONE:
        return _outcome(answer, lease, Fate.GONE, "gone", f"the server says that it is gone ({status})")
    if status == _TOO_MANY or 500 <= status < 600:  # noqa: PLR2004 - the class of server errors
        return _again(answer, lease, retries)
    # An unknown code is read by its class; the other successes (204, 206 …) bring no whole page.
    rule, reason = ("no-page", "brings no whole page") if status // 100 == 2 else ("status", "is no page")  # noqa: PLR2004
    return _outcome(answer, lease, Fate.FAILED, rule, f"the server answered {status}, which {reason}")


def failed(rule: str, reason: str, lease: Lease, at: float, seconds: float, wait: float | None) -> Outcome:
    """Return the outcome of a request without a usable answer: asked again after `wait` seconds, or failed for good."""
    fate = Fate.FAILED if wait is None else Fate.DEFERRED
    return Outcome(lease.url, fate, rule, _with_wait(reason, wait), fetched_at=at, seconds=seconds, retry_after=wait)


def retry_after(value: str, now: float) -> float | None:
    """Return the seconds that a Retry-After header asks for (RFC 9110, 10.2.3), None where it can't be read."""
    value = value.strip()
    if value.isascii() and value.isdecimal():
        return min(float(value[:9]), MAX_RETRY_AFTER)
    when = http_date(value)
    return None if when is None else min(max(0.0, when.timestamp() - now), MAX_RETRY_AFTER)


def _redirect(answer: Answer, lease: Lease) -> Outcome:
    location = answer.headers.get("location", "").strip()
    try:
        target = urljoin(lease.url, location)
    except ValueError:
        target = ""
    if not location or not target:
        return _outcome(answer, lease, Fate.FAILED, "bad-location", f"{answer.status} without a Location to follow")
    if target.partition("#")[0] == lease.url:
        return _outcome(answer, lease, Fate.FAILED, "redirect-loop", f"{answer.status} leads back to itself")
    reason = f"{answer.status} leads to {target[:200]}"
    return _outcome(answer, lease, Fate.MOVED, "moved", reason, target=target)


def _again(answer: Answer, lease: Lease, retries: Retries) -> Outcome:
    wait = retries.wait(lease.attempts + 1)
    asked = retry_after(answer.headers.get("retry-after", ""), answer.at)
    if wait is not None and asked is not None:
        wait = max(wait, asked)
    reason = _with_wait(f"the server answered {answer.status}", wait)
    rule = "too-many-requests" if answer.status == _TOO_MANY else "server-error"
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
