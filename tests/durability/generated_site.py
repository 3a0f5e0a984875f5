"""Which pages does a site have that a random seed generates? Pages whose fate in a crawl is known in advance.

Every page has a unique word. A copy and its original, or a page and its near copy, share theirs: a search shows one of
the two, whichever came first; near copies are both in the index. Links from the first page reach every URL. With a new
edition, every other page changes its title and its text: an index with an older one is stale.
"""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Self

from tests.serving import PatientServer

if TYPE_CHECKING:
    from types import TracebackType

LATENCY = 0.01  # seconds that an answer takes, so that requests are under way at any moment
RULES = b"User-agent: *\nDisallow: /closed/\n"
LETTERS = "bcdfghjklmnpqrtvwx"  # words without vowels have no ending that a stemmer could take off
COMMON = ("the", "of", "and", "to", "that", "with")  # so that the texts are taken for English
VOCABULARY = [one + two + three for one in ("ba", "ko", "mi", "tu") for two in LETTERS[:9] for three in ("lan", "ro")]
WORDS = 120  # of a page: enough for near copies to be known as such

_Answer = tuple[int, dict[str, str], bytes]


@dataclass(frozen=True, slots=True)
class ExpectedDocument:
    """What a search must show exactly once: found by `word`, under one of `paths`."""

    word: str
    paths: frozenset[str]
    pages: int = 1  # of them in the index: a near copy is, and stands under its original or the other way round


@dataclass(slots=True)
class ExpectedFates:
    """What must become of each path of the site."""

    documents: list[ExpectedDocument] = field(default_factory=list)
    hidden: dict[str, str] = field(default_factory=dict)  # path of a noindex page: its word
    stored: set[str] = field(default_factory=set)
    moved: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    flaky: set[str] = field(default_factory=set)  # answers 503 to the first request

    @property
    def discovered(self) -> set[str]:
        """All paths that a crawl comes to know."""
        return self.stored | self.moved.keys() | self.gone | self.closed


class GeneratedSite:
    """A site on loopback with about `pages` pages, the same for the same `seed`. Use it in a `with` block."""

    def __init__(self, seed: int, pages: int) -> None:
        self._dice = random.Random(seed)
        self.truth = ExpectedFates()
        self.log: list[str] = []
        self.edition = 0
        self.asked_at = 0.0  # when the last request came, on the monotonic clock
        self._failed: set[str] = set()
        self._links: dict[str, list[str]] = {}
        self._texts: dict[str, tuple[str, str, str]] = {}  # title, head, text
        self._fill(pages)
        self._server = PatientServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def begin_again(self, edition: int = 0) -> None:
        """Forget who has asked for what, and serve this edition."""
        self.log.clear()
        self._failed.clear()
        self.edition = edition

    def title(self, path: str) -> str:
        """Return the title that a page has now."""
        return self._texts[path][0] + self._addition(path)

    def _addition(self, path: str) -> str:
        number = int("".join(filter(str.isdigit, path)) or 0)  # a copy has the number of its original
        return f" in edition {self.edition}" if self.edition and number % 2 else ""

    # -- what it holds -----------------------------------------------------------------------------------------

    def _fill(self, pages: int) -> None:
        dice, truth = self._dice, self.truth
        paths = ["/", *(f"/p{number}.html" for number in range(1, pages))]
        copies: list[tuple[str, str]] = []
        for number, path in enumerate(paths):
            word = _word(number)
            noindex = number % 17 == 5  # a share of each kind, at places without a common rhythm
            self._texts[path] = f"About {word}", '<meta name="robots" content="noindex">' * noindex, self._text(word)
            truth.stored.add(path)
            if noindex:
                truth.hidden[path] = word
                continue
            same = {path}
            if number % 13 == 4:
                same.add(f"/copy{number}.html")
            elif number % 19 == 7:
                same.add(f"/near{number}.html")
            copies += [(path, other) for other in same - {path}]
            in_index = 1 + sum(other.startswith("/near") for other in same)
            truth.documents.append(ExpectedDocument(word, frozenset(same), in_index))
        for number in range(pages // 20):
            truth.gone.add(f"/gone{number}.html")
            truth.closed.add(f"/closed/{number}.html")
            truth.moved[f"/old{number}.html"] = dice.choice(paths)
        truth.flaky |= set(dice.sample(paths[1:], pages // 20))
        self._link(paths, [other for _, other in copies])
        for path, other in copies:
            title, head, text = self._texts[path]
            self._texts[other] = title, head, text + " mibro" * other.startswith("/near")
            self._links[other] = self._links[path]
            truth.stored.add(other)

    def _link(self, paths: list[str], copies: list[str]) -> None:
        dice, truth = self._dice, self.truth
        self._links = {path: dice.choices(paths, k=5) for path in paths}
        for place, path in enumerate(paths[1:], 1):
            self._links[paths[dice.randrange(place // 3 + 1)]].append(path)
        for path in sorted({*copies, *truth.gone, *truth.closed, *truth.moved}):
            self._links[dice.choice(paths)].append(path)

    def _text(self, word: str) -> str:
        return " ".join([word, *self._dice.choices([*VOCABULARY, *COMMON * 4], k=WORDS)])

    # -- how it answers ----------------------------------------------------------------------------------------

    def answer(self, path: str, tag: str) -> _Answer:
        """Answer a request for `path` whose If-None-Match is `tag`."""
        if path == "/robots.txt":
            return 200, {"Content-Type": "text/plain"}, RULES
        if path in self.truth.flaky and path not in self._failed:
            self._failed.add(path)
            return 503, {}, b""
        if path in self.truth.moved:
            return 301, {"Location": self.truth.moved[path]}, b""
        if path not in self._texts:
            return 404, {"Content-Type": "text/plain"}, b"nothing here"
        headers = {"ETag": f'"{path}{self._addition(path)}"', "Content-Type": "text/html; charset=utf-8"}
        return (304, headers, b"") if tag == headers["ETag"] else (200, headers, self._html(path))

    def _html(self, path: str) -> bytes:
        _, head, text = self._texts[path]
        title, text = self.title(path), text + self._addition(path)
        anchors = "".join(
            f'<a href="{target}">{VOCABULARY[place % len(VOCABULARY)]}</a> '
            for place, target in enumerate(self._links[path])
        )
        return f'<html lang="en"><title>{title}</title>{head}<p>{text}</p>{anchors}'.encode()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.log.append(self.path)
                site.asked_at = time.monotonic()
                time.sleep(LATENCY)
                status, headers, body = site.answer(self.path, self.headers.get("If-None-Match", ""))
                self.send_response(status)
                for name, value in ({"Content-Length": str(len(body))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Say nothing: `log` has it."""

        return Handler

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _word(number: int) -> str:
    letters = ""
    for _ in range(4):
        number, place = divmod(number, len(LETTERS))
        letters += LETTERS[place]
    return f"q{letters}k"
