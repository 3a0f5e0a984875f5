"""How does a lease end? The status code of its answer decides; where no answer came, the failure does.

What does a server's answer mean for a lease? It is read by the class of its status code, as RFC 9110, section 15, has
it. Only a 200 becomes a page. Redirects are targets for the frontier, a 404 or 410 takes a page out of the index, and
what a struggling server says is asked again later: a few times, each after a longer wait.

Where no answer came, the lease ends with a rule and a sentence too, whatever the network did.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from robots.freshness import retry_after
from spiders.parse.reference import BaseUrl, Unusable, escaped_octets
from urls.canonical import hidden_in
from urls.host import DEFAULT_PORTS
from urls.records import Fate, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from frontier.leases import Lease
    from robots import Wish
    from urls.records import Refusal


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
class ResponseHead:
    """The part of an answer that decides: `headers` have lower-case names; times in seconds, `size` in bytes."""

    status: int
    headers: Mapping[str, str]
    at: float
    seconds: float
    size: int
    locations: frozenset[str] = frozenset()  # all that its Location lines say
    wishes: tuple[Wish, ...] | None = None  # what its X-Robots-Tag lines ask; None: it has none


def outcome_of(answer: ResponseHead, lease: Lease, retries: Retries) -> Outcome | None:
    """Return how the lease ends, or None where the answer is a page to be parsed."""
    status = answer.status
    if status in _PAGES:
        return None
    if status == 304:  # noqa: PLR2004 - Not Modified
        current = _outcome(answer, lease, Fate.NOT_MODIFIED, "not-modified", "the stored copy is current (304)")
        return replace(current, wishes=answer.wishes, conditional=bool(lease.etag or lease.last_modified))
    if status in _MOVED:
        return _redirect(answer, lease)
    if status in _GONE:
        return _outcome(answer, lease, Fate.GONE, "gone", f"the server says that it is gone ({status})")
    if status in _ONCE_MORE or 500 <= status < 600:  # noqa: PLR2004 - the class of server errors
        return _asked_again(answer, lease, retries)
    rule, reason = _refused(status)
    return _outcome(answer, lease, Fate.FAILED, rule, f"the server answered {status}, which {reason}")


def _refused(status: int) -> tuple[str, str]:
    """Return rule and reason of a code that brings no page; an unknown one is read by its class."""
    if status in _NO_PAGE:
        return _NO_PAGE[status]
    if not 100 <= status < 600:  # noqa: PLR2004 - the five classes that there are
        return "bad-status", "is no status code of HTTP"
    return ("no-page", "brings no whole page") if status // 100 == 2 else ("status", "is no page")  # noqa: PLR2004 - 2xx


def outcome_of_failure(ending: FetchFailure, lease: Lease, at: float, seconds: float, retries: Retries) -> Outcome:
    """Return the outcome of a request without a usable answer: asked again after a while, or failed for good."""
    wait = retries.wait(lease.attempts + 1) if ending.again else None
    reason = _with_wait(ending.reason, wait) if ending.again else ending.reason
    fate = Fate.FAILED if wait is None else Fate.DEFERRED
    return Outcome(lease.url, fate, ending.rule, reason, fetched_at=at, seconds=seconds, retry_after=wait)


def _redirect(answer: ResponseHead, lease: Lease) -> Outcome:
    if len(answer.locations) > 1:  # whoever put in the second one may not be who runs the server
        reason = f"{answer.status} with {len(answer.locations)} different Locations: none is believed"
        return _outcome(answer, lease, Fate.FAILED, "bad-location", reason)
    location = escaped_octets(answer.headers.get("location", "")).strip()
    resolved = BaseUrl.of(lease.url).resolve(location)
    target = location if resolved is Unusable.SCHEME else resolved  # the frontier says what it thinks of a scheme
    if not location or isinstance(target, Unusable):
        what = f"to {hidden_in(location)[:200]!r}, which is no address" if location else "without a Location to follow"
        return _outcome(answer, lease, Fate.FAILED, "bad-location", f"{answer.status} {what}")
    if target.partition("#")[0] == lease.url:
        return _outcome(answer, lease, Fate.FAILED, "redirect-loop", f"{answer.status} leads back to itself")
    reason = f"{answer.status} leads to {hidden_in(target)[:200]}"
    return _outcome(answer, lease, Fate.MOVED, "moved", reason, target=target)


def _asked_again(answer: ResponseHead, lease: Lease, retries: Retries) -> Outcome:
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
    answer: ResponseHead,
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


# What the network library calls its errors, and what we say of them: rule, sentence, and whether to ask again.
_ERRORS = {
    "DownloadTimeoutError": ("timeout", "no whole answer came in time", True),
    "DownloadConnectionRefusedError": ("refused-connection", "nobody answers at its port", True),
    "CannotResolveHostError": ("dns", "its host name is not known", True),
    "DownloadCancelledError": ("size", "its body is larger than DOWNLOAD_MAXSIZE", False),
    "ResponseDataLossError": ("broken-off", "the body ended before it was complete", True),
    # Beneath a failed download, what exactly failed:
    "ParseError": ("protocol", "what came was not HTTP", True),
    "_MalformedChunkedDataError": ("protocol", "its chunks can't be read", True),
    "Error": ("tls", "no safe connection could be made", False),  # OpenSSL's; ask again, and it says the same
    "VerificationError": ("tls", "its certificate can't be trusted", False),
    "CertificateError": ("tls", "its certificate can't be trusted", False),
    "ConnectionDone": ("network", "the connection was closed before a whole answer had come", True),
    "ConnectionLost": ("network", "the connection broke before a whole answer had come", True),
    "DownloadFailedError": ("network", "the connection broke, or what came was not HTTP", True),
}
# … and what the parser of an answer stumbles over.
_PARSER_ERRORS = {
    "KeyError": ("protocol", "its Transfer-Encoding is not known", True),
    "ValueError": ("protocol", "where its body ends can't be told", True),
}
_WITHOUT_DETAIL = frozenset({"size", "network"})  # rules whose sentence says all: the library's own words add nothing
_NO_CHUNKS = "_MalformedChunkedDataError"  # what a body that came to no end may have been beside that: no HTTP
_MAX_DETAIL = 200  # characters of the library's own words
# Rules of errors that carry their own, after which another attempt may help.
_WORTH_ANOTHER_ATTEMPT = frozenset({"broken-off", "timeout"})


@dataclass(frozen=True, slots=True)
class FetchFailure:
    """Why there is no answer: `again` says whether another attempt may help."""

    rule: str
    reason: str
    again: bool


def fetch_failure(error: BaseException, url: str, refusals: Mapping[tuple[str, int], Refusal]) -> FetchFailure:
    """Read an exception of the download; `refusals` are the connections that the address policy did not permit."""
    parts = urlsplit(url)
    refusal = refusals.get((parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0)))
    if refusal is not None:
        return FetchFailure(refusal.rule, refusal.reason, again=False)
    beneath = list(_beneath(error))
    causes = [*beneath, error]
    for cause in causes:
        rule = getattr(cause, "rule", "")
        if rule:  # one of our own, which says itself what is wrong
            return FetchFailure(rule, str(cause), again=rule in _WORTH_ANOTHER_ATTEMPT)
    for cause in causes:
        known = _ERRORS | _PARSER_ERRORS if cause in beneath else _ERRORS
        for kind in type(cause).__mro__:
            if kind.__name__ in known:
                return _failure_of(cause, *known[kind.__name__])
    return FetchFailure("network", f"{type(error).__name__}: {str(error)[:_MAX_DETAIL]}", again=True)


def _failure_of(error: BaseException, rule: str, sentence: str, again: bool) -> FetchFailure:
    detail = _words(error)
    return FetchFailure(rule, f"{sentence} ({detail})" if detail and rule not in _WITHOUT_DETAIL else sentence, again)


def _words(error: BaseException) -> str:
    """Return what an error says: OpenSSL's have a list of (library, function, reason), the parser's (reason, bytes)."""
    said = error.args[0] if error.args else ""
    if isinstance(said, list) and all(isinstance(entry, tuple) and entry for entry in said):
        return ", ".join(str(entry[-1]) for entry in said)[:_MAX_DETAIL]
    said = said if isinstance(said, str) and len(error.args) > 1 else error
    return str(said).strip()[:_MAX_DETAIL]


def _beneath(error: BaseException) -> Iterator[BaseException]:
    """Yield what lies beneath a failed download: the network library wraps a list of failures, each with its value."""
    broken_off = type(error).__name__ == "ResponseDataLossError"
    if not broken_off and type(error).__name__ != "DownloadFailedError":
        return  # the others say themselves what happened
    for failure in getattr(error.__cause__, "reasons", None) or ():
        value = getattr(failure, "value", None)
        if isinstance(value, BaseException) and (not broken_off or type(value).__name__ == _NO_CHUNKS):
            yield value


def failure_reason(error: BaseException, url: str, refusals: Mapping[tuple[str, int], Refusal]) -> str:
    """Return the sentence alone."""
    return fetch_failure(error, url, refusals).reason
