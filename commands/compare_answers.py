"""Do two agents get the same page? Servers may refuse a robot by its name, or show it something else (cloaking).

What counts: status, redirect target, type, title, words and page controls. The size is told and does not count: a page
that is made anew for each visitor is seldom as long as before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from pages import FetchedBody, parse_page
from pages.content.similarity import MIN_SHINGLES, shingles
from spiders.downloader.content_coding import Unreadable, unpack
from urls.wording import counted

if TYPE_CHECKING:
    from commands.frame.single_request import Reply
    from pages.documents import DocumentReaders
    from urls.records import CanonicalUrl, Page

SAME_WORDS = 0.9  # share of word triples from which two texts are told as the same
SHOWN = 120  # characters of a title or an address


@dataclass(frozen=True, slots=True)
class Seen:
    """What one agent was shown: `size` in bytes after unpacking; `target` is where a redirect leads, or empty."""

    agent: str
    status: int
    target: str
    content_type: str
    size: int
    title: str
    words: str
    controls: str


@dataclass(frozen=True, slots=True)
class AnswerDifference:
    """One thing in which what two agents were shown is not the same."""

    what: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two answers side by side: `alike` is the share of word triples that both have, of all that either has."""

    ours: Seen
    theirs: Seen
    alike: float
    differences: tuple[AnswerDifference, ...]


def what_was_shown(
    reply: Reply, url: CanonicalUrl, agent: str, product: str, limit: int, documents: DocumentReaders | None = None
) -> Seen | str:
    """Read an answer as a crawl would, for `product`; return why where it can't be read."""
    headers = [(name.lower(), value) for name, value in reply.headers]
    codings = [part for name, value in headers if name == "content-encoding" for part in value.split(",")]
    body = unpack(reply.body, codings, limit)
    if isinstance(body, Unreadable):
        return body.reason
    page = parse_page(FetchedBody(body, url, headers, reply.status), agent=product, documents=documents)
    location = next((value for name, value in headers if name == "location"), "")
    target = urljoin(url, location) if location else ""
    return Seen(
        agent, reply.status, target, page.content_type, len(body), page.title, page.visible_text, _controls(page)
    )


def _controls(page: Page) -> str:
    controls = page.controls
    said = {"index": controls.index, "follow": controls.follow, "archive": controls.archive}
    return ", ".join(word if value else f"no{word}" for word, value in said.items())


def compare_answers(ours: Seen, theirs: Seen) -> Comparison:
    """Compare two answers; words differ where less than SAME_WORDS of their triples is in both."""
    alike = _alike(ours.words, theirs.words)
    pairs = [
        ("status", str(ours.status), str(theirs.status)),
        ("redirect", ours.target, theirs.target),
        ("type", ours.content_type, theirs.content_type),
        ("title", ours.title, theirs.title),
        ("robots", ours.controls, theirs.controls),
    ]
    found = [AnswerDifference(what, one[:SHOWN], other[:SHOWN]) for what, one, other in pairs if one != other]
    if alike < SAME_WORDS:
        counts = [counted(len(words.split()), "word") for words in (ours.words, theirs.words)]
        found.append(AnswerDifference("words", *counts))
    return Comparison(ours, theirs, alike, tuple(found))


def _alike(one: str, other: str) -> float:
    if one == other:
        return 1.0
    first, second = shingles(one), shingles(other)
    if min(len(first), len(second)) < MIN_SHINGLES:  # too short for a share: a word is a large part of it
        return float(one.split() == other.split())
    return len(first & second) / len(first | second)
