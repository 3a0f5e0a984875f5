"""A small polite robot, and small robots of which each breaks one rule: see test_judge.py."""

from __future__ import annotations

import http.client
import re
from collections import Counter, deque
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from robots import parse, product_token
from urls.canonical import canonical_or_none

if TYPE_CHECKING:
    from demo import PracticeWeb
    from robots import RobotsFile

KEPT = "/?=&%~.;:+$!,@*"
LINK = re.compile(r'<a\s([^>]*?)href="([^"#]*)[^"]*"([^>]*)>')


class Robot:
    """Breadth first within the hosts of its seeds, by robots.txt and nofollow, a page once, a calendar not for ever."""

    agent = "Polite/1 (+http://127.0.0.1/bot)"
    deepest = 12  # links from a seed
    most_alike = 12  # pages whose URLs differ in numbers only

    def __init__(self, web: PracticeWeb, *names: str) -> None:
        self.web = web
        self.seeds = [f"{web.origin(name)}/" for name in names]
        self.hosts = {urlsplit(seed).netloc for seed in self.seeds}
        self.rules: dict[str, RobotsFile] = {}
        self.alike: Counter[str] = Counter()

    def crawl(self) -> None:
        with closing(http.client.HTTPConnection("127.0.0.1", self.web.port)) as self.connection:
            queue, seen = deque((seed, 0) for seed in self.seeds), set(self.seeds)
            while queue:
                url, depth = queue.popleft()
                if depth > self.deepest or not self.may(url):
                    continue
                for link in self.links(url, self.get(url)):
                    key = self.name_of(link)
                    if self.wants(link) and key not in seen:
                        seen.add(key)
                        queue.append((link, depth + 1))

    def get(self, url: str, method: str = "GET", **headers: str) -> str:
        parts = urlsplit(url)
        path = quote(parts.path + (f"?{parts.query}" if parts.query else ""), safe=KEPT)
        self.connection.request(method, path, headers={"Host": parts.netloc, "User-Agent": self.agent} | headers)
        response = self.connection.getresponse()
        body = response.read().decode("utf-8", "replace")
        return f'<a href="{response.headers["Location"]}">' if "Location" in response.headers else body

    def may(self, url: str) -> bool:
        parts = urlsplit(url)
        if parts.netloc not in self.rules:
            self.rules[parts.netloc] = parse(self.get(f"http://{parts.netloc}/robots.txt").encode())
        return self.rules[parts.netloc].decide(product_token(self.agent), url).allowed

    def links(self, url: str, page: str) -> list[str]:
        if re.search(r'name="robots" content="[^"]*no(ne|follow)', page):
            return []
        found = [link for before, link, after in LINK.findall(page) if "nofollow" not in before + after]
        return [urljoin(url, link.replace("&amp;", "&")) for link in found]

    def name_of(self, url: str) -> str:
        return canonical_or_none(url) or url

    def wants(self, url: str) -> bool:
        pattern = re.sub(r"[0-9a-f]{16}|\d+", "#", url)
        pattern = pattern if "#" in pattern else url.rpartition("/")[0]
        self.alike[pattern] += 1
        return urlsplit(url).netloc in self.hosts and self.alike[pattern] < self.most_alike


class IgnoresRobots(Robot):
    def may(self, url: str) -> bool:
        super().may(url)  # it reads the file, and does as it likes
        return True


class ReadsRobotsLater(Robot):
    def crawl(self) -> None:
        with closing(http.client.HTTPConnection("127.0.0.1", self.web.port)) as self.connection:
            for seed in self.seeds:
                self.get(f"{seed}?early")
        super().crawl()


class IgnoresNofollow(Robot):
    def links(self, url: str, page: str) -> list[str]:
        return [urljoin(url, link.replace("&amp;", "&")) for _, link, _ in LINK.findall(page)]


class FallsIntoTheCalendar(Robot):
    deepest = 200

    def wants(self, url: str) -> bool:
        if "/calendar" in url:
            self.alike["calendar"] += 1
            return self.alike["calendar"] < 400
        return super().wants(url) and url.count("-") < 3


class AsksTwice(Robot):
    most_alike = 6

    def get(self, url: str, method: str = "GET", **headers: str) -> str:
        if not url.endswith("/robots.txt"):
            super().get(url, method, **headers)
        return super().get(url, method, **headers)


class BelievesSpellings(Robot):
    def name_of(self, url: str) -> str:
        return url


class AsksTheHeadFirst(Robot):
    most_alike = 6

    def get(self, url: str, method: str = "GET", **headers: str) -> str:
        super().get(url, "HEAD")
        return super().get(url, method, **headers)


class NeverGivesUp(Robot):
    def crawl(self) -> None:
        super().crawl()
        with closing(http.client.HTTPConnection("127.0.0.1", self.web.port)) as self.connection:
            for _ in range(9):
                self.get(f"{self.seeds[0]}never-there.html")


class LeavesEarly(Robot):
    def wants(self, url: str) -> bool:
        return super().wants(url) and "/" in url.rpartition("localhost")[2].strip("/0123456789:")


class Strays(Robot):
    def crawl(self) -> None:
        self.hosts.add(f"hills.localhost:{self.web.port}")
        super().crawl()
        with closing(http.client.HTTPConnection("127.0.0.1", self.web.port)) as self.connection:
            self.may(f"http://hills.localhost:{self.web.port}/")
            self.get(f"http://hills.localhost:{self.web.port}/second.html")
