"""What arrives packed is unpacked once, within DOWNLOAD_MAXSIZE, before anybody looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.http import Response

from spiders.coding.codings import ACCEPTED, Unreadable, unpack
from spiders.handler import UnreadableError

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

SUCCESS = 2  # the class of status codes whose bodies are read
READ_TO = "read_to"  # key of Request.meta: bytes after which nobody reads on, so that the rest need not be unpacked


class ContentCodingMiddleware:
    """Asks for packed bodies and unpacks them.

    Scrapy's own middleware guesses the character encoding of each unpacked body, which costs more than the whole
    parse; it also takes a body that breaks off for a whole one. So this one stands in its place.

    Settings: DOWNLOAD_MAXSIZE.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ContentCodingMiddleware:
        """Build the component for a crawler."""
        return cls(crawler.settings.getint("DOWNLOAD_MAXSIZE"))

    def process_request(self, request: Request) -> None:
        """Say which codings can be undone."""
        request.headers.setdefault("Accept-Encoding", ACCEPTED)

    def process_response(self, request: Request, response: Response) -> Response:
        """Return the answer with its body unpacked, or raise `UnreadableError`."""
        lines = response.headers.getlist("Content-Encoding")
        if not lines or not response.body or response.status // 100 != SUCCESS:
            return response  # nobody reads the body of a redirect or an error, so it need not be readable
        codings = b",".join(lines).decode("latin-1").split(",")
        read_to = request.meta.get(READ_TO)
        body = unpack(response.body, codings, read_to or self._limit, cut=read_to is not None)
        if isinstance(body, Unreadable):
            raise UnreadableError(body)
        headers = response.headers.copy()
        del headers["Content-Encoding"]
        return Response(
            response.url, response.status, headers, body, response.flags, response.request, response.certificate,
            response.ip_address, response.protocol,
        )  # fmt: skip
