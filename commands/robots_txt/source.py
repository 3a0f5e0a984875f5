"""Where does a robots.txt come from? A file, standard input, or its server, which is asked as a crawl would ask it."""

from __future__ import annotations

import re
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit

from commands.frame.exits import Trouble
from commands.frame.single_request import NoAnswer, ask, check_identity
from reports.four_readings import RobotsSource
from robots import (
    MAX_ROBOTS_BYTES,
    Access,
    HttpAnswer,
    origin_of,
    read_answer,
    robots_url,
)
from spiders.downloader.address_policy import Identity, IdentityError

if TYPE_CHECKING:
    from commands.frame.command_settings import CommandSettings
    from commands.frame.single_request import Reply

# A host that was written without its http://
_HOST = re.compile(r"(?:[\w-]+\.)*[\w-]+:\d+(?:/.*)?|(?:[\w-]+\.)+(?!txt\b)[A-Za-z]{2,}(?:/.*)?")
ASKED_FOR = {"Accept": "text/plain", "Accept-Encoding": "identity"}


def read_source(text: str, settings: CommandSettings) -> RobotsSource:
    """Read a robots.txt from a file, from standard input (`-`) or from an http(s) URL; raise `Trouble`."""
    if text == "-":
        body = _all_of(sys.stdin.buffer)
        return RobotsSource.of_text("standard input", body, "read from standard input")
    if "://" in text:
        return _fetch(text, settings)
    try:
        with Path(text).open("rb") as file:
            body = _all_of(file)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        hint = f"did you mean http://{text}?" if _HOST.fullmatch(text) else "give a file, an http(s) URL, or -"
        raise Trouble(f"{text}: the file can't be read ({reason}); {hint}") from error
    return RobotsSource.of_text(text, body, f"read from {text}")


def _all_of(file: BinaryIO) -> bytes:
    return file.read(MAX_ROBOTS_BYTES + 1)  # one more than counts, so that the cut is seen


def _fetch(text: str, settings: CommandSettings) -> RobotsSource:
    try:
        identity = Identity(settings["PRODUCT"], settings["CONTACT"], settings["BOT_URL"])
        origin = origin_of(text)
    except IdentityError as error:
        raise Trouble(str(error)) from error
    except ValueError:
        raise Trouble(f"{text}: only http:// and https:// addresses are asked; give one, a file, or -") from None
    url = robots_url(origin) if urlsplit(text).path in {"", "/"} else text
    deadline = time.monotonic() + settings.getfloat("DOWNLOAD_TIMEOUT")
    hops = 0
    while True:
        check_identity(url, identity)
        reply = _get(url, identity, deadline)
        answer = read_answer(HttpAnswer(url, reply.status, reply.headers, reply.body, datetime.now(UTC), hops=hops))
        if answer.access is not Access.MOVED:
            return RobotsSource(url, answer, reply.body, origin, reply.status)
        url, hops = answer.location, hops + 1


def _get(url: str, identity: Identity, deadline: float) -> Reply:
    try:
        reply = ask(url, ASKED_FOR | identity.headers, deadline, MAX_ROBOTS_BYTES)
    except NoAnswer as error:
        raise Trouble(f"{url} can't be read: {error}; a crawl would keep out until it can") from error
    coding = next((value for name, value in reply.headers if name.lower() == "content-encoding"), "").strip().lower()
    if coding not in {"", "identity"}:
        raise Trouble(f"{url} answers in the coding {coding!r}, although none was asked for; give the file itself")
    return reply
