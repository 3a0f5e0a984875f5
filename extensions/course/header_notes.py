"""What does each header line mean for a crawl, and which file sets or reads it?

Only lines that the engine sets or reads have a note. A file named here mentions the header: a test reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from spiders.settings import DEFAULT_REQUEST_HEADERS
from urls.records import REDIRECTS

_SITE, _ADDRESS, _FRESHNESS = "spiders/site.py", "spiders/downloader/address_policy.py", "robots/freshness.py"
_OUTCOME, _PARSER = "spiders/outcome.py", "spiders/downloader/response_parser.py"


@dataclass(frozen=True, slots=True)
class HeaderNote:
    """A sentence about a line, and the file that sets or reads it; "": a library does."""

    sentence: str
    file: str


SENT: Final = MappingProxyType(
    {
        "user-agent": HeaderNote("The robot's name and version, and the page about it if BOT_URL is set.", _ADDRESS),
        "from": HeaderNote("The email address of the robot's operator (CONTACT).", _ADDRESS),
        "accept": HeaderNote("The types of documents that this request is for.", "spiders/crawl_settings.py"),
        "accept-encoding": HeaderNote("The codings that the robot can unpack.", "spiders/downloader/handler.py"),
        "host": HeaderNote("The name of the site: several can share an IP address. Twisted adds this line.", ""),
        "referer": HeaderNote("The page on which the URL was found.", _SITE),
        "if-none-match": HeaderNote("A server that still has this version answers 304, without a body.", _FRESHNESS),
        "if-modified-since": HeaderNote(
            "A server whose document has not changed since then answers 304, without a body.", _FRESHNESS
        ),
    }
)
RECEIVED: Final = MappingProxyType(
    {
        "content-type": HeaderNote(
            "The declared type. The first bytes of the body may contradict it.", "pages/http_headers.py"
        ),
        "content-encoding": HeaderNote("How the body is packed.", "spiders/downloader/handler.py"),
        "transfer-encoding": HeaderNote("How the body is divided: in chunks, each with its length.", _PARSER),
        "content-length": HeaderNote("The bytes of the body, as they are sent.", _PARSER),
        "connection": HeaderNote("Whether the connection may be used for the next request.", _PARSER),
        "etag": HeaderNote("The name of this version. If-None-Match can ask for any other one.", _FRESHNESS),
        "last-modified": HeaderNote(
            "When the document changed. If-Modified-Since can ask for a later one.", _FRESHNESS
        ),
        "location": HeaderNote("Where the document is now.", _OUTCOME),
        "retry-after": HeaderNote("How long the robot has to wait.", "spiders/pace/pace_middleware.py"),
        "x-robots-tag": HeaderNote("Page controls, such as noindex.", "robots/page_controls.py"),
        "content-language": HeaderNote("The declared language of the page.", "pages/http_headers.py"),
        "link": HeaderNote("Links that are not in the page, such as to its canonical URL.", "pages/http_headers.py"),
    }
)
_ACCEPTS: Final = MappingProxyType(  # other ones are those of stylesheets, sitemaps and looked-at types
    {
        "Accept: text/plain": HeaderNote("A robots.txt is plain text.", "spiders/robots_gate.py"),
        f"Accept: {DEFAULT_REQUEST_HEADERS['Accept']}": HeaderNote(
            "The types of documents that a crawl reads as pages.", "spiders/settings.py"
        ),
    }
)
OF_ROBOTS_TXT: Final = MappingProxyType(
    {
        "cache-control": HeaderNote("How long the robots.txt holds before it is requested again.", _FRESHNESS),
        "expires": HeaderNote("Until when the robots.txt holds, if Cache-Control has no max-age.", _FRESHNESS),
    }
)
_NOT_MODIFIED, _TOO_MANY = 304, 429


def sent_note(line: str) -> HeaderNote | None:
    """Return the note on a header line of a request; None: the engine does not set it."""
    return _ACCEPTS.get(line) or SENT.get(_name(line))


def received_note(line: str, *, of_robots_txt: bool) -> HeaderNote | None:
    """Return the note on a header line of a response; None: the engine does not read it."""
    return RECEIVED.get(_name(line)) or (OF_ROBOTS_TXT.get(_name(line)) if of_robots_txt else None)


def _name(line: str) -> str:
    return line.partition(":")[0].strip().lower()


def status_note(status: int, *, of_robots_txt: bool) -> HeaderNote:
    """Return the note on the status line; status 0: it is no status line."""
    if status in REDIRECTS:
        also = "The robot follows it at once." if of_robots_txt else "The new URL goes to the frontier, as others do."
        sentence = f"It has moved. {also}"
    elif status == _NOT_MODIFIED:
        sentence = "It has not changed: no body follows, and the stored copy stays."
    elif of_robots_txt:
        sentence = _robots_sentence(status)
    else:
        sentence = _page_sentence(status)
    return HeaderNote(sentence, "robots/availability.py" if of_robots_txt else _OUTCOME)


def _robots_sentence(status: int) -> str:
    return {
        2: "A file follows: its rules decide.",
        4: "There is no file, so everything is allowed (401 and 403: if ROBOTS_DENIAL does not forbid it).",
    }.get(0 if status == _TOO_MANY else status // 100, "It says nothing about the rules of the site: the robot waits.")


def _page_sentence(status: int) -> str:
    return {
        2: "The body follows, if there is one.",
        4: "There is no page for this robot.",
        5: "The server has failed; the robot may try again later.",
    }.get(status // 100, "It brings no page.")
