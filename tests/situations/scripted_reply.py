"""What does a server send back? A reply that keeps to HTTP, or one of the ways not to."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT = "text/plain"
HTML = "text/html; charset=utf-8"


class Manner(Enum):
    """How a reply comes."""

    WHOLE = "as HTTP has it"
    SHORT = "with fewer octets than its Content-Length says"
    BAD_CHUNK = "in chunks, the second of which has no size"
    ENDLESS = "all of it, and then comments for ever"
    GARBAGE = "what is not HTTP"
    SILENT = "not at all: the connection stays open"
    RESET = "not at all: the connection is torn down"


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One reply. In the body and in header values `{port}` is the server's port and `{other}` its second one."""

    status: int = 200
    body: bytes = b""
    headers: Sequence[tuple[str, str]] = ()
    kind: str = TEXT
    manner: Manner = Manner.WHOLE
    etag: str = ""  # with one, a conditional request gets 304

    def with_headers(self, **headers: str) -> ScriptedReply:
        """Add headers, written with `_` in place of `-`."""
        added = [(name.replace("_", "-"), value) for name, value in headers.items()]
        return replace(self, headers=(*self.headers, *added))

    def lines(self, ports: Sequence[int], sent_tag: str = "") -> bytes:
        """Return the octets of a reply that keeps to HTTP, to a request whose If-None-Match is `sent_tag`."""
        unchanged = bool(self.etag) and sent_tag == self.etag
        status, body = (304, b"") if unchanged else (self.status, _filled(self.body, ports))
        headers = [("Content-Type", self.kind), *self.headers]
        headers += [("ETag", self.etag)] if self.etag else []
        if self.manner is Manner.BAD_CHUNK:
            headers.append(("Transfer-Encoding", "chunked"))
            body = b"%x\r\n%b\r\nno size\r\n" % (len(body), body)
        elif self.manner is not Manner.ENDLESS and status not in {204, 304}:
            missing = 5000 if self.manner is Manner.SHORT else 0
            headers.append(("Content-Length", str(len(body) + missing)))
        head = f"HTTP/1.1 {status} .\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers)
        return _filled(head.encode("latin-1"), ports) + b"Connection: close\r\n\r\n" + body


def _filled(text: bytes, ports: Sequence[int]) -> bytes:
    for name, port in zip((b"{port}", b"{other}"), ports, strict=False):
        text = text.replace(name, b"%d" % port)
    return text


def robots_lines(*lines: str, status: int = 200) -> ScriptedReply:
    """Return a robots.txt of these lines."""
    return ScriptedReply(status, "".join(f"{line}\n" for line in lines).encode())


def robots_octets(body: bytes) -> ScriptedReply:
    """Return a robots.txt of these octets."""
    return ScriptedReply(body=body)


def gzipped(body: bytes) -> ScriptedReply:
    """Return a robots.txt that comes in gzip."""
    return ScriptedReply(body=gzip.compress(body)).with_headers(Content_Encoding="gzip")


def redirect(status: int, location: str) -> ScriptedReply:
    """Return a redirect."""
    return ScriptedReply(status).with_headers(Location=location)


def linked_page(title: str, links: Sequence[str] = ()) -> ScriptedReply:
    """Return a page that says nothing which another one says, and links."""
    anchors = " ".join(f'<a href="{link}">to {number}</a>' for number, link in enumerate(links))
    body = f"<title>{title}</title><p>This page is about {title} and about nothing else.</p>{anchors}"
    return ScriptedReply(body=body.encode(), kind=HTML)
