"""What came in? One `Request` a line of the server's own log: the witness for what a robot says it did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it stood on the wire: `path` has its query and is not decoded, `host` has its port.

    `time` is in seconds since the epoch, when the answer was ready.
    """

    time: float
    host: str
    path: str
    status: int
    user_agent: str
    if_none_match: str

    @property
    def url(self) -> str:
        """Return the full URL that was asked for, spelt as it was asked for."""
        return f"http://{self.host}{self.path}"


@dataclass(frozen=True, slots=True)
class Visit:
    """What a site is asked: the decoded path without dot segments, the query, and how often it was asked before.

    Pages that change from visit to visit are made from `times`, so that a restart shows the same again.
    """

    path: str
    query: dict[str, str]
    times: int = 0
