"""How does a lease end when no answer came? With a rule and a sentence, whatever the network did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawldb.frontier.host import DEFAULT_PORTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crawldb import Refusal

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
_STUMBLES = {
    "KeyError": ("protocol", "its Transfer-Encoding is not known", True),
    "ValueError": ("protocol", "where its body ends can't be told", True),
}
_SILENT = frozenset({"size", "network"})  # rules whose sentence says all: the library's own words add nothing
_ODD = "_MalformedChunkedDataError"  # what a body that came to no end may have been beside that: no HTTP
_MAX_DETAIL = 200  # characters of the library's own words
# Rules of errors that carry their own, after which another attempt may help.
_AGAIN = frozenset({"broken-off", "timeout"})


@dataclass(frozen=True, slots=True)
class Ending:
    """Why there is no answer: `again` says whether another attempt may help."""

    rule: str
    reason: str
    again: bool


def ending_of(error: BaseException, url: str, refusals: Mapping[tuple[str, int], Refusal]) -> Ending:
    """Read an exception of the download; `refusals` are the connections that the address policy did not permit."""
    parts = urlsplit(url)
    refusal = refusals.get((parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0)))
    if refusal is not None:
        return Ending(refusal.rule, refusal.reason, again=False)
    beneath = list(_beneath(error))
    causes = [*beneath, error]
    for cause in causes:
        rule = getattr(cause, "rule", "")
        if rule:  # one of our own, which says itself what is wrong
            return Ending(rule, str(cause), again=rule in _AGAIN)
    for cause in causes:
        known = _ERRORS | _STUMBLES if cause in beneath else _ERRORS
        for kind in type(cause).__mro__:
            if kind.__name__ in known:
                return _read(cause, *known[kind.__name__])
    return Ending("network", f"{type(error).__name__}: {str(error)[:_MAX_DETAIL]}", again=True)


def _read(error: BaseException, rule: str, sentence: str, again: bool) -> Ending:
    detail = _words(error)
    return Ending(rule, f"{sentence} ({detail})" if detail and rule not in _SILENT else sentence, again)


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
        if isinstance(value, BaseException) and (not broken_off or type(value).__name__ == _ODD):
            yield value


def failure_reason(error: BaseException, url: str, refusals: Mapping[tuple[str, int], Refusal]) -> str:
    """Return the sentence alone."""
    return ending_of(error, url, refusals).reason
