"""Requests the robots.txt of an origin. Each redirect is checked and noted, until a response comes or none.

Each step is one `RobotsRequest`, and so one row of a crawl's log of fetches. If we have a copy, the request to its URL
is conditional (RFC 9110, 13): a file of 500 KiB need not come again each day.

Which origins' rules are in memory? Those used last, within a bound; the others are read from the database again. A
parsed file takes some ten times the memory of its text. The bound counts the text: ten thousand origins with files of
usual length fit, and some thirty with files of the greatest length.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Protocol

from robots.access_state import Unreachable
from robots.availability import Access, Availability, HttpResponse, no_answer, no_such_file, read_answer
from robots.freshness import conditional_headers
from robots.origin import robots_url

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from robots.access_state import AccessState

SUCCESS: Final = 2  # the first digit of a status code
SERVER_ERROR: Final = 5
SHOWN: Final = 200  # characters of a URL in a reason


@dataclass(frozen=True, slots=True)
class RobotsRequest:
    """One request on the way to a robots.txt. `at` is when it was sent, `size` in bytes; no status: no response."""

    address: str
    at: float
    seconds: float
    status: int | None
    size: int = 0


@dataclass(frozen=True, slots=True)
class RobotsResponse:
    """The response to one request, or (`trouble`) what went wrong."""

    sent_at: float | None  # None: nothing was sent
    seconds: float = 0.0
    status: int = 0
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = b""
    trouble: str = ""
    refused_by_us: bool = False  # trouble: a rule of our own forbids the request
    wait: float | None = None  # trouble: the host rests for so many seconds


class HostRestsError(Exception):
    """A fetcher did not send a request, because its host rests: try again in `seconds`."""

    def __init__(self, reason: str, seconds: float) -> None:
        super().__init__(reason)
        self.seconds = seconds


class RobotsStep(Enum):
    """The purpose or outcome of one request of an inquiry."""

    ASKED = "the last one on the way to the file"
    MOVED = "it was answered with a redirect"
    CHECKED = "it was for a page, to learn what a failing robots.txt means"


class RobotsFetcher(Protocol):
    """The methods that an inquiry needs from the crawl."""

    async def fetch(self, url: str, conditions: dict[str, str]) -> RobotsResponse:
        """Request `url`; `conditions` are headers. Raises `HostRestsError` if its host rests now."""

    def refusal(self, url: str) -> str:
        """Return why the target of a redirect is not requested, or an empty string."""

    def sent(self, origin: str, hop: RobotsRequest, step: RobotsStep) -> None:
        """Note a request, before anything follows from its response."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """How it ended: what holds from now on, the last response, the last request, and all URLs of the inquiry."""

    state: AccessState
    answer: Availability
    hop: RobotsRequest | None  # None: the last request was not sent
    urls_asked: tuple[str, ...]


async def inquire(
    origin: str,
    before: AccessState,
    fetcher: RobotsFetcher,
    *,
    denial_closes: bool,
    clock: Callable[[], float],
    reading: Unreachable = Unreachable.RFC9309,
    meant: bool = False,
) -> Inquiry:
    """Request the robots.txt of `origin`; `clock` gives seconds since the epoch.

    `meant` reads a file without any understood rule as its owner seems to mean it. If the host of `origin` itself
    rests, `HostRestsError` is passed on.
    """
    urls = [robots_url(origin)]
    while True:
        url = urls[-1]
        is_read_so = before.copy is None or before.copy.meant is meant  # else it has to come whole
        conditions = _conditions(before, url) if is_read_so else {}
        got = await _followed(fetcher, url, conditions) if urls[1:] else await fetcher.fetch(url, conditions)
        now = clock()
        hop = None
        if got.sent_at is not None:
            hop = RobotsRequest(url, got.sent_at, got.seconds, None if got.trouble else got.status, len(got.body))
        if got.trouble:
            answer = no_answer(got.trouble, ours=got.refused_by_us, wait=got.wait)
        else:
            at, hops = datetime.fromtimestamp(now, UTC), len(urls) - 1
            came = HttpResponse(url, got.status, got.headers, got.body, at, hops=hops, conditional=bool(conditions))
            answer = read_answer(came, denial_closes=denial_closes, meant=meant)
        if hop is not None:
            fetcher.sent(origin, hop, RobotsStep.MOVED if answer.access is Access.MOVED else RobotsStep.ASKED)
        if answer.access is Access.MOVED:
            refusal = fetcher.refusal(answer.location)
            urls.append(answer.location)
            if not refusal:
                continue
            hop = None
            answer = no_answer(f"it is at {answer.location[:SHOWN]}, and {refusal}", ours=True)
        # A server that says when to come back is only busy: send no further request until then.
        if reading is Unreachable.GOOGLE and (answer.status or 0) // 100 == SERVER_ERROR and not answer.asked:
            if await _fails_for_missing_pages(origin, fetcher):
                answer = no_such_file(answer)
            now = clock()
        return Inquiry(before.after(answer, now, reading), answer, hop, tuple(urls))


async def _followed(fetcher: RobotsFetcher, url: str, conditions: dict[str, str]) -> RobotsResponse:
    """Request the target of a redirect; if its host rests, the request for the file has failed."""
    try:
        return await fetcher.fetch(url, conditions)
    except HostRestsError as rests:
        return RobotsResponse(None, trouble=f"it is at {url[:SHOWN]}, and {rests}", wait=rests.seconds)


async def _fails_for_missing_pages(origin: str, fetcher: RobotsFetcher) -> bool:
    """Check whether a site returns 5xx for any page that is missing, while its home page succeeds.

    Google, 2019: read the 5xx of a site with this misconfiguration as 404. The probe page cannot exist, because its
    name is a hash. A site whose home page fails too is in trouble, and is not treated as open.
    """
    root = robots_url(origin).removesuffix("robots.txt")
    for page, family in ((f"no-such-page-{sha256(origin.encode()).hexdigest()[:16]}", SERVER_ERROR), ("", SUCCESS)):
        try:
            got = await fetcher.fetch(root + page, {})
        except HostRestsError:
            return False
        if got.sent_at is not None:
            status = None if got.trouble else got.status
            hop = RobotsRequest(root + page, got.sent_at, got.seconds, status, len(got.body))
            fetcher.sent(origin, hop, RobotsStep.CHECKED)
        if got.trouble or got.status // 100 != family:
            return False
    return True


def _conditions(state: AccessState, url: str) -> dict[str, str]:
    """Return the headers that check whether our copy still holds; only the URL that returned it can say."""
    copy = state.copy
    return {} if copy is None or copy.address != url else conditional_headers(copy.etag, copy.last_modified)


MAX_CACHED_ORIGINS = 10_000
MAX_CACHED_BYTES = 16 * 1024 * 1024  # of their files' text: 1.6 kB each, where the median in the wild is 347 bytes


class RobotsCache:
    """The states of origins, in memory; the least recently used origin is dropped first."""

    def __init__(self, origins: int = MAX_CACHED_ORIGINS, size: int = MAX_CACHED_BYTES) -> None:
        self._origins = origins
        self._size = size
        self._states: OrderedDict[str, AccessState] = OrderedDict()
        self._bytes = 0

    def get(self, origin: str) -> AccessState | None:
        """Return the state of an origin in memory, or None."""
        state = self._states.get(origin)
        if state is not None:
            self._states.move_to_end(origin)
        return state

    def put(self, origin: str, state: AccessState) -> None:
        """Keep the state of an origin, and drop others beyond the bounds."""
        self._drop(origin)
        self._states[origin] = state
        self._bytes += _text_bytes(state)
        while len(self._states) > 1 and (len(self._states) > self._origins or self._bytes > self._size):
            self._drop(next(iter(self._states)))

    def _drop(self, origin: str) -> None:
        dropped = self._states.pop(origin, None)
        if dropped is not None:
            self._bytes -= _text_bytes(dropped)

    def __len__(self) -> int:
        return len(self._states)


def _text_bytes(state: AccessState) -> int:
    return 0 if state.copy is None else len(state.copy.body)
