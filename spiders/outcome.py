"""How does a lease end? The status code of its response decides; without a response, the failure does.

A response is read by the class of its status code (RFC 9110, 15). An unknown success is a page like a 200 (15.3), and
so are 204 and 205, which say that it has no content. A 206 is no page, since no range was requested. The target of a
redirect goes to the frontier, and a 404 or 410 takes a page out of the index. After a server error, the URL is
requested again later: a few times, each after a longer wait.

Without a response, the lease ends with a rule and a sentence too, whatever the network did.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crawldb.learnt import Purpose
from crawldb.tables.urls import Kind
from pages.links import BaseUrl, Unusable, escaped_octets
from robots.freshness import doubled, retry_after
from spiders.downloader.address_policy import endpoint_of
from urls.canonical import mask_credentials
from urls.records import REDIRECTS, LeaseEnd, Outcome
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawldb.tables.queue import Lease
    from robots import Wish
    from urls.records import CanonicalUrl, Refusal


_PART = 206
_NOT_MODIFIED = 304
_GONE = frozenset({404, 410})
_TOO_MANY = 429
_LAST = "; that was the last attempt of this round"
_ONCE_MORE = frozenset({408, 425, _TOO_MANY})  # the server gave up waiting, or wants a later request (RFC 9110, 8470)
_SUCCESSES = range(200, 300)
_SERVER_ERRORS = range(500, 600)
_STATUS_CODES = range(100, 600)  # the five classes of HTTP
_NO_PAGE = {
    401: (Rule.AUTH, "asks for a password, and we have none"),
    403: (Rule.FORBIDDEN, "forbids the page"),
    407: (Rule.AUTH, "asks for the password of a proxy, and we have none"),
}


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a URL is requested in a round, the first time included, and the seconds before the second request."""

    attempts: int = 3
    delay: float = 2.0

    def wait(self, attempts_made: int) -> float | None:
        """Return the seconds to wait after so many attempts, twice as many each time; None when it was the last."""
        return None if attempts_made >= self.attempts else doubled(self.delay, attempts_made - 1)


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """The part of a response that decides. Header names are in lower case, times in seconds, `size` in bytes."""

    status: int
    headers: Mapping[str, str]
    at: float
    seconds: float
    size: int
    locations: frozenset[str] = frozenset()  # all that its Location lines say
    wishes: tuple[Wish, ...] | None = None  # the directives of its X-Robots-Tag lines; None: it has none
    cut_off: bool = False  # it is unknown whether more was to come


def is_page(status: int) -> bool:
    """Return whether a response of this status has the requested page or file."""
    return status in _SUCCESSES and status != _PART


def outcome_of(answer: ResponseHead, lease: Lease, retries: Retries) -> Outcome | None:
    """Return how the lease ends, or None if the response is a page or sitemap to be parsed."""
    status = answer.status
    if is_page(status):
        return _outcome_of_part(answer, lease, retries) if answer.cut_off else None
    if status == _NOT_MODIFIED:
        current = _outcome(answer, lease, LeaseEnd.NOT_MODIFIED, Rule.NOT_MODIFIED, "the stored copy is current (304)")
        return replace(current, wishes=answer.wishes, conditional=bool(lease.etag or lease.last_modified))
    if status in REDIRECTS:
        return _redirect(answer, lease)
    if status in _GONE:
        return _outcome(answer, lease, LeaseEnd.GONE, Rule.GONE, f"the server says that it is gone ({status})")
    if status in _ONCE_MORE or status in _SERVER_ERRORS:
        return _asked_again(answer, lease, retries)
    rule, reason = _refused(status)
    return _outcome(answer, lease, LeaseEnd.FAILED, rule, f"the server answered {status}, which {reason}")


def _outcome_of_part(answer: ResponseHead, lease: Lease, retries: Retries) -> Outcome | None:
    """Return the outcome of a response that was cut: a page is read anyway, a part of another file is not."""
    if lease.kind is not Kind.SITEMAP and lease.probes != Purpose.STYLESHEET:
        return None
    broken_off = FetchFailure(Rule.BROKEN_OFF, MAYBE_NOT_WHOLE, again=True)
    return outcome_of_failure(broken_off, lease, answer.at, answer.seconds, retries)


def _refused(status: int) -> tuple[Rule, str]:
    """Return rule and reason of a status without a page; an unknown one is read by its class."""
    if status in _NO_PAGE:
        return _NO_PAGE[status]
    if status not in _STATUS_CODES:
        return Rule.BAD_STATUS, "is no status code of HTTP"
    return (
        (Rule.NO_PAGE, "means a part of the page: none was requested")
        if status == _PART
        else (Rule.STATUS, "is no page")
    )


def _redirect(answer: ResponseHead, lease: Lease) -> Outcome:
    if len(answer.locations) > 1:  # the second one may come from somebody who does not run the server
        reason = f"{answer.status} with {len(answer.locations)} different Locations: none is believed"
        return _outcome(answer, lease, LeaseEnd.FAILED, Rule.BAD_LOCATION, reason)
    location = escaped_octets(answer.headers.get("location", "")).strip()
    resolved = BaseUrl.of(lease.url).resolve(location)
    target = location if resolved is Unusable.SCHEME else resolved  # the frontier checks the scheme
    if not location or isinstance(target, Unusable):
        what = (
            f"to {mask_credentials(location)[:200]!r}, which is no address"
            if location
            else "without a Location to follow"
        )
        return _outcome(answer, lease, LeaseEnd.FAILED, Rule.BAD_LOCATION, f"{answer.status} {what}")
    if target.partition("#")[0] == lease.url:
        return _outcome(answer, lease, LeaseEnd.FAILED, Rule.REDIRECT_LOOP, f"{answer.status} leads back to itself")
    reason = f"{answer.status} leads to {mask_credentials(target)[:200]}"
    return _outcome(answer, lease, LeaseEnd.MOVED, Rule.MOVED, reason, target=target)


def _asked_again(answer: ResponseHead, lease: Lease, retries: Retries) -> Outcome:
    wait = retries.wait(lease.attempts + 1)
    asked = retry_after(answer.headers.get("retry-after", ""), answer.at)
    if wait is not None and asked is not None:
        wait = max(wait, asked)
    reason = f"the server answered {answer.status}{_LAST if wait is None else ''}"
    rule = Rule.SERVER_ERROR if answer.status in _SERVER_ERRORS else Rule.STATUS
    rule = Rule.TOO_MANY_REQUESTS if answer.status == _TOO_MANY else rule
    return _outcome(answer, lease, LeaseEnd.FAILED if wait is None else LeaseEnd.DEFERRED, rule, reason, wait=wait)


def _outcome(
    answer: ResponseHead,
    lease: Lease,
    fate: LeaseEnd,
    rule: Rule,
    reason: str,
    *,
    target: str | None = None,
    wait: float | None = None,
) -> Outcome:
    return Outcome(
        lease.url,
        fate,
        rule,
        reason,
        status=answer.status,
        target=target,
        retry_after=wait,
        fetched_at=answer.at,
        seconds=answer.seconds,
        size=answer.size,
    )


@dataclass(frozen=True, slots=True)
class FetchFailure:
    """Why there is no response; `again`: another attempt may help."""

    rule: Rule
    reason: str
    again: bool


# The errors of the network library, and their meaning: rule, sentence, and whether to try again.
_ERRORS = {
    "DownloadTimeoutError": (Rule.TIMEOUT, "no whole answer came in time", True),
    "DownloadConnectionRefusedError": (Rule.REFUSED_CONNECTION, "no server answers at its port", True),
    "CannotResolveHostError": (Rule.DNS, "its host name is not known", True),
    "DownloadCancelledError": (Rule.SIZE, "its body is larger than DOWNLOAD_MAXSIZE", False),
    "ResponseDataLossError": (Rule.BROKEN_OFF, "the body ended before it was complete", True),
    # Beneath a failed download, what exactly failed:
    "ParseError": (Rule.PROTOCOL, "what came was not HTTP", True),
    "_MalformedChunkedDataError": (Rule.PROTOCOL, "its chunks can't be read", True),
    "Error": (Rule.TLS, "no safe connection could be made", False),  # OpenSSL's: another attempt would end the same
    "VerificationError": (Rule.TLS, "its certificate can't be trusted", False),
    "CertificateError": (Rule.TLS, "its certificate can't be trusted", False),
    "ConnectionDone": (Rule.NETWORK, "the connection was closed before a whole answer had come", True),
    "ConnectionLost": (Rule.NETWORK, "the connection broke before a whole answer had come", True),
    "DownloadFailedError": (Rule.NETWORK, "the connection broke, or what came was not HTTP", True),
}
# … and the errors of the parser of a response.
_PARSER_ERRORS = {
    "KeyError": (Rule.PROTOCOL, "its Transfer-Encoding is not known", True),
    "ValueError": (Rule.PROTOCOL, "the end of its body is not clear", True),
}
# The library's own words would add nothing to our sentence:
_WITHOUT_DETAIL = frozenset({Rule.SIZE, Rule.NETWORK, Rule.REFUSED_CONNECTION})
# A body that did not end may have had broken chunks, or have been ended by us.
_ENDED_BY = frozenset({"_MalformedChunkedDataError", "ResponseLimitError"})
_MAX_DETAIL = 200  # characters of the library's own words
# What OpenSSL says, and what it means: it found other bytes than those of TLS; it does not say which check failed.
_IN_OTHER_WORDS = {
    "wrong version number": "if the server does without TLS, its URLs begin with http://",
    "certificate verify failed": "it has expired, or its authority is not known here: the environment variable "
    "SSL_CERT_FILE names the file of all that are trusted, to which you can add your own",
}
UNIDENTIFIED_SECONDS = 3600.0  # until the next try of a URL that needs CONTACT
OWN_REFUSALS = frozenset({Rule.ADDRESS, Rule.IDENTITY})  # no request is sent under these rules: the site has not failed
# Rules of errors that carry their own rule, after which another attempt may help.
_WORTH_ANOTHER_ATTEMPT = frozenset({Rule.BROKEN_OFF, Rule.TIMEOUT})


# TLS was closed without its alert, and without a length: an attacker on the line can end a response like this.
MAYBE_NOT_WHOLE = "the connection was cut before the server had said that its answer was whole"


def outcome_of_failure(failure: FetchFailure, lease: Lease, at: float, seconds: float, retries: Retries) -> Outcome:
    """Return the outcome of a request without a usable response: deferred to a later try, or failed for good."""
    if failure.rule in OWN_REFUSALS:  # there was no request, and the stored page stays
        fate = LeaseEnd.FAILED if failure.rule == Rule.ADDRESS else LeaseEnd.DEFERRED
        refused = Outcome(lease.url, fate, failure.rule, failure.reason, fetched_at=at, requested=False)
        return replace(refused, retry_after=UNIDENTIFIED_SECONDS, whole_origin=True)
    wait = retries.wait(lease.attempts + 1) if failure.again else None
    reason = f"{failure.reason}{_LAST if failure.again and wait is None else ''}"
    fate = LeaseEnd.FAILED if wait is None else LeaseEnd.DEFERRED
    return Outcome(lease.url, fate, failure.rule, reason, fetched_at=at, seconds=seconds, retry_after=wait)


def fetch_failure(error: BaseException, url: str, refusals: Mapping[tuple[str, int], Refusal]) -> FetchFailure:
    """Read an exception of the download; `refusals` are the connections that the address policy did not permit."""
    refusal = refusals.get(endpoint_of(url))
    if refusal is not None:
        return FetchFailure(refusal.rule, refusal.reason, again=False)
    beneath = list(_beneath(error))
    causes = [*beneath, error]
    for cause in causes:
        rule = getattr(cause, "rule", None)
        if isinstance(rule, Rule):  # one of our own errors, which says itself what is wrong
            return FetchFailure(rule, str(cause), again=rule in _WORTH_ANOTHER_ATTEMPT)
    for cause in causes:
        known = _ERRORS | _PARSER_ERRORS if cause in beneath else _ERRORS
        for kind in type(cause).__mro__:
            if kind.__name__ in known:
                return _failure_of(cause, *known[kind.__name__])
    return FetchFailure(Rule.NETWORK, f"{type(error).__name__}: {str(error)[:_MAX_DETAIL]}", again=True)


def _failure_of(error: BaseException, rule: Rule, sentence: str, again: bool) -> FetchFailure:
    detail = _words(error)
    return FetchFailure(rule, f"{sentence} ({detail})" if detail and rule not in _WITHOUT_DETAIL else sentence, again)


def _words(error: BaseException) -> str:
    """Return what an error says: OpenSSL's have a list of (library, function, reason), the parser's (reason, bytes)."""
    first = error.args[0] if error.args else ""
    if isinstance(first, list) and all(isinstance(entry, tuple) and entry for entry in first):
        reasons = ", ".join(str(entry[-1]) for entry in first)[:_MAX_DETAIL]
        return ": ".join(filter(None, (reasons, _IN_OTHER_WORDS.get(reasons))))
    words = first if isinstance(first, str) and len(error.args) > 1 else error
    return str(words).strip()[:_MAX_DETAIL]


def _beneath(error: BaseException) -> Iterator[BaseException]:
    """Yield the causes of a failed download: the network library wraps a list of failures, each with its value."""
    broken_off = type(error).__name__ == "ResponseDataLossError"
    if not broken_off and type(error).__name__ != "DownloadFailedError":
        return  # other errors say themselves what happened
    for failure in getattr(error.__cause__, "reasons", None) or ():
        value = getattr(failure, "value", None)
        if isinstance(value, BaseException) and (not broken_off or type(value).__name__ in _ENDED_BY):
            yield value


def outcome_of_fault(url: CanonicalUrl, error: BaseException, answer: ResponseHead) -> Outcome:
    """Return the outcome of a response that our own code could not read or store."""
    reason = f"a fault of Breadcrumb's own, please report it: {type(error).__name__}: {str(error)[:200]}"
    ended = Outcome(url, LeaseEnd.FAILED, Rule.FAULT, reason, status=answer.status or None)
    return replace(ended, fetched_at=answer.at, seconds=answer.seconds, size=answer.size)
