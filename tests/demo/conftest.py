"""A robot that knows only the plain rules of the book, to see that the practice web is as its truth says.

It is written against the sources and not against Breadcrumb: where the two disagree, one of them is wrong.
"""

from __future__ import annotations

import http.client
import re
import zipfile
from collections import Counter, deque
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

import pytest

from demo import Facts, PracticeWeb, Request
from tests.demo.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_PAGES = 600
MAX_DEPTH = 16
MAX_URL = 1024
MAX_ALIKE = 30
MAX_BYTES = 10 * 1024 * 1024
CYCLE = re.compile(r".*?(/[^/]+(?:/[^/]+){0,3})\1\1(?:/|$)")  # one to four parts, three times in a row
NEARLY = 0.9  # Jaccard of five-word shingles
KEPT = set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")  # the unreserved, and the slash


def canonical(base: str, href: str) -> tuple[str, str]:
    """Return the canonical URL and "", or what was written and the rule against it."""
    try:
        parts = urlsplit(urljoin(base, href.strip()))
        host = parts.hostname or ""
    except ValueError:
        host = ""
    else:
        if parts.scheme not in {"http", "https"}:
            return href, "scheme"
    if href in {"//", "http://"} or not re.fullmatch(r"[a-z0-9.-]+", host):
        return href, "address"
    try:
        port = {None: "", 80: ""}.get(parts.port, f":{parts.port}")
    except ValueError:
        port = ":0"
    if port == ":0":
        return href, "port"
    octets = unquote_to_bytes(quote(parts.path, safe="/%~"))
    path = "".join(chr(octet) if octet in KEPT else f"%{octet:02X}" for octet in octets)
    return f"http://{host}{port}{path or '/'}" + (f"?{parts.query}" if parts.query else ""), ""


@dataclass
class Robot:
    """Breadth first over all seeds, one connection, no pause: it is our own machine."""

    web: PracticeWeb
    known_tags: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    discovered: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)  # hrefs that are no address, as they stood
    fetched: set[str] = field(default_factory=set)
    suppressed: dict[str, str] = field(default_factory=dict)
    texts: dict[str, frozenset[tuple[str, ...]]] = field(default_factory=dict)
    similar: bool = False  # whether a page was met that says nearly what another one says
    rules: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)
    sitemaps: deque[str] = field(default_factory=deque)  # those that a robots.txt names, and nobody asked for yet
    apologies: dict[str, set[str]] = field(default_factory=dict)
    alike: Counter[str] = field(default_factory=Counter)
    requests: tuple[Request, ...] = ()

    def crawl(self) -> Robot:
        self.connection = http.client.HTTPConnection("127.0.0.1", self.web.port)
        queue: deque[tuple[str, int]] = deque()

        def found(url: str, depth: int) -> None:
            if url not in self.discovered:
                self.discovered.add(url)
                if rule := self.refusal(url, depth):
                    self.suppressed[url] = rule
                else:
                    queue.append((url, depth))

        for seed in self.web.seeds:
            found(seed, 0)
        while queue and len(self.fetched) < MAX_PAGES:
            while self.sitemaps:
                found(self.sitemaps.popleft(), 0)
            url, depth = queue.popleft()
            for link, rule in self.visit(url):
                if rule in {"nofollow", "parked"}:
                    self.suppressed.setdefault(link, rule)
                elif rule:
                    self.written.add(link)
                else:
                    found(link, depth + 1)
        self.connection.close()
        self.requests = tuple(self.web.requests)
        return self

    def refusal(self, url: str, depth: int) -> str:
        """Return the rule by which `url` is not even asked for, "" for none."""
        parts = urlsplit(url)
        if parts.netloc not in {urlsplit(seed).netloc for seed in self.web.seeds}:
            return "off-site" if parts.port in {None, self.web.port} else "port"
        pattern = re.sub(r"[0-9a-f]{16,}.*|\d+", "#", f"{parts.netloc}{parts.path}")
        self.alike[pattern] += 1
        if len(url) > MAX_URL or depth > MAX_DEPTH or CYCLE.match(parts.path) or self.alike[pattern] > MAX_ALIKE:
            return "trap"
        if not self.allowed(url):
            return "robots"
        return "type" if url.endswith((".zip", ".png")) else ""

    def get(self, url: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        parts = urlsplit(url)
        headers = {"Host": parts.netloc, "User-Agent": "Breadcrumb/0 (+http://127.0.0.1/bot)"}
        if url in self.known_tags:
            headers["If-None-Match"] = self.known_tags[url]
        self.connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""), headers=headers)
        answer = self.connection.getresponse()
        if int(answer.headers.get("Content-Length") or 0) > MAX_BYTES:
            answer.close()
            self.connection.close()
            return answer.status, answer.headers, b"too large"
        return answer.status, answer.headers, answer.read()

    def allowed(self, url: str) -> bool:
        origin, path = url[: url.index("/", 8)], url[url.index("/", 8) :]
        if origin not in self.rules:
            self.rules[origin] = self.read_rules(f"{origin}/robots.txt")
        matching = [(len(rule), allow) for rule, allow in self.rules[origin] if re.match(as_regex(rule), path)]
        return max(matching, default=(0, True))[1]

    def read_rules(self, url: str) -> list[tuple[str, bool]]:
        for _ in range(5):
            status, headers, body = self.get(url)
            url = urljoin(url, headers.get("Location", url))
            if status // 100 != 3:
                break
        groups: dict[str, list[tuple[str, bool]]] = {}
        agents: list[str] = []
        in_rules = False
        for line in body.decode().splitlines() if status == 200 else ():
            key, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
            if key.lower() == "user-agent":
                agents = [value.lower()] if in_rules else [*agents, value.lower()]
                in_rules = False
            elif key.lower() == "sitemap":
                self.sitemaps.append(value)
            elif key.lower() in {"allow", "disallow"}:
                in_rules = True
                rule = [(quote(value, safe="/%*$?=&~"), key.lower() == "allow")] if value else []
                for agent in agents:
                    groups.setdefault(agent, []).extend(rule)
        return groups.get("breadcrumb", groups.get("*", []))

    def visit(self, url: str) -> list[tuple[str, str]]:
        """Fetch and judge one page; return its links with the rule against each, "" for none."""
        self.fetched.add(url)
        status, headers, body = self.get(url)
        if status == 500:
            status, headers, body = self.get(url)
        if headers.get("ETag"):
            self.tags[url] = headers["ETag"]
        if status != 200:
            self.suppressed[url] = {3: "moved", 4: "gone"}.get(status // 100, "failed")
            return [canonical(url, headers["Location"])] if "Location" in headers else []
        kind = headers.get_content_type()
        if kind == "text/xml":
            return [canonical(url, place) for place in re.findall("<loc>(.*?)</loc>", body.decode())]
        if body == b"too large" or kind not in {"text/html", "text/plain", *PAPERS}:
            self.suppressed[url] = "size" if body == b"too large" else "type"
            return []
        said = paper_words(body) if kind in PAPERS else decoded(headers, body)
        if not said:
            self.suppressed[url] = "document"
            return []
        page = Reader(said if kind == "text/html" else f"<main>{said}")
        asks = {word.strip() for meta in [*page.metas, headers.get("X-Robots-Tag", "")] for word in meta.split(",")}
        if rule := self.judge(url, page, asks) or (shell(said) if kind == "text/html" else ""):
            self.suppressed[url] = rule
        else:
            self.texts[url] = page.shingles
        if rule == "duplicate":
            return []
        shut = "parked" if rule == "parked" else "nofollow" if asks & {"nofollow", "none"} else ""
        links = [(*canonical(url, href), nofollow) for href, nofollow in page.links]
        return [(link, rule or shut or ("nofollow" if unfollowed else "")) for link, rule, unfollowed in links]

    def judge(self, url: str, page: Reader, asks: set[str]) -> str:
        if asks & {"noindex", "none"}:
            return "noindex"
        origin = url[: url.index("/", 8)]
        if origin not in self.apologies:
            # Once a site, a page that can't exist is asked for.
            name = "no-such-page-was-ever-here.html"
            status, headers, body = self.get(f"{origin}/{name}")
            said = set(Reader(decoded(headers, body)).words) if status == 200 else set()
            self.apologies[origin] = said - set(re.findall(r"\w+", name))
        shared = self.apologies[origin] & set(page.words)
        if self.apologies[origin] and len(shared) > NEARLY * len(self.apologies[origin]):
            return "soft-404"
        own = page.shingles
        nearest = max((len(own & text) / len(own | text) for text in self.texts.values()), default=0.0)
        self.similar |= nearest >= NEARLY
        return "duplicate" if nearest == 1 else ""

    @property
    def facts(self) -> Facts:
        asked = Counter(request.url for request in self.requests if request.status != 500)
        return Facts(fetched=self.fetched, indexed=set(self.texts), suppressed=self.suppressed, requests=asked)


PAPERS = {"application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"}


def paper_words(body: bytes) -> str:
    """The words of a PDF, whose pages are not packed, or of a text of Word; empty where the file is torn."""
    if body.startswith(b"PK"):
        return " ".join(
            re.findall("<w:t>(.*?)</w:t>", zipfile.ZipFile(BytesIO(body)).read("word/document.xml").decode())
        )
    return b" ".join(re.findall(rb"\((.*?)\) Tj", body)).decode() if body.rstrip().endswith(b"%%EOF") else ""


def shell(html: str) -> str:
    """The rule for a page whose markup has a place for content, and none in it."""
    signs = {"login-wall": 'type="password"', "script-shell": '<div id="app">', "parked": "domain is for sale"}
    return next((rule for rule, sign in signs.items() if sign in html), "")


def as_regex(rule: str) -> str:
    return re.escape(rule.removesuffix("$")).replace(r"\*", ".*") + ("$" if rule.endswith("$") else "")


def decoded(headers: http.client.HTTPMessage, body: bytes) -> str:
    """The header speaks first, then the page's own meta, then UTF-8."""
    own = re.search(rb"charset=\"?([\w-]+)", body[:1024])
    return body.decode(headers.get_content_charset() or (own[1].decode() if own else "utf-8"))


@pytest.fixture
def web() -> Iterator[PracticeWeb]:
    with PracticeWeb(0) as web:
        yield web


@pytest.fixture(scope="session")
def walk() -> Iterator[Robot]:
    with PracticeWeb(0) as web:
        yield Robot(web).crawl()
