"""How does a lease end when no answer came? With a rule and a sentence, whatever the network did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawldb.frontier.host import DEFAULT_PORTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawldb import Refusal

# What the network library calls its errors, and what we say of them: rule, sentence, and whether to ask again.
_ERRORS = {
    "DownloadTimeoutError": ("timeout", "no whole answer came in time", True),
    "DownloadConnectionRefusedError": ("refused-connection", "nobody answers at its port", True),
    "CannotResolveHostError": ("dns", "its host name is not known", True),
    "DownloadCancelledError": ("size", "its body is larger than DOWNLOAD_MAXSIZE", False),
    "ResponseDataLossError": ("broken-off", "the body ended before it was complete", True),
    "DownloadFailedError": ("network", "the connection broke, or what came was not HTTP", True),
}


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
    rule = getattr(error, "rule", "")
    if rule:  # an UnreadableError
        return Ending(rule, str(error), again=rule == "broken-off")
    for kind in type(error).__mro__:
        if kind.__name__ in _ERRORS:
            rule, sentence, again = _ERRORS[kind.__name__]
            detail = str(error).strip()[:200]
            return Ending(rule, f"{sentence} ({detail})" if detail and rule != "size" else sentence, again)
    return Ending("network", f"{type(error).__name__}: {str(error)[:200]}", again=True)


def failure_reason(error: BaseException, url: str, refusals: Mapping[tuple[str, int], Refusal]) -> str:
    """Return the sentence alone."""
    return ending_of(error, url, refusals).reason
