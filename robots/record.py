"""How is what is known of an origin kept? As one flat row of numbers and texts, for a table, a file or a letter."""

from __future__ import annotations

from dataclasses import dataclass, replace

from robots.access_state import AccessState, Copy
from robots.availability import Access, parse_meant
from robots.file import parse
from robots.origin import preferred_host


@dataclass(frozen=True, slots=True)
class RobotsRecord:
    """The row of an origin: `state` is a name of `robots.Access`, times are seconds since the epoch."""

    origin: str
    state: str
    reason: str
    fetched_at: float
    expires_at: float
    status: int | None = None
    body: bytes = b""  # the latest file that came whole, UTF-8
    address: str = ""
    etag: str = ""
    last_modified: str = ""
    good_at: float | None = None  # None: no file is kept
    failing_since: float | None = None
    failures: int = 0
    kept: float = 0.0  # seconds for which the server lets the file be used
    meant: int = 0  # 1: misspelt lines are read as they are meant
    host: str = ""  # what its Host line names: of its mirrors, the original

    @classmethod
    def of(cls, origin: str, state: AccessState) -> RobotsRecord:
        """Return the row in which a state is kept."""
        row = cls(origin, state.access.name, state.reason, state.asked_at, state.ask_again_at, state.status)
        row = replace(row, failing_since=state.failing_since, failures=state.failures)
        if (copy := state.copy) is None:
            return row
        row = replace(row, body=copy.body, address=copy.address, good_at=copy.at)
        return replace(
            row,
            etag=copy.etag,
            last_modified=copy.last_modified,
            kept=copy.kept,
            meant=int(copy.meant),
            host=preferred_host(copy.body),
        )

    @property
    def access_state(self) -> AccessState:
        """The state that the row keeps."""
        good_at = self.fetched_at if self.good_at is None and self.state == Access.PARSED.name else self.good_at
        copy = None
        if good_at is not None:
            file = parse_meant(self.body) if self.meant else parse(self.body)
            copy = Copy(self.body, file, good_at, self.address, self.etag, self.last_modified)
            copy = replace(copy, kept=self.kept, meant=bool(self.meant))
        return AccessState(
            Access[self.state],
            self.reason,
            self.status,
            self.fetched_at,
            self.expires_at,
            copy,
            self.failing_since,
            self.failures,
        )
