"""The words, links and robots metas of a page of the practice web, found by a plain parser."""

import re
from html.parser import HTMLParser


class Reader(HTMLParser):
    """Text, links and robots metas of one page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[tuple[str, bool]] = []
        self.metas: list[str] = []
        self.words: list[str] = []
        self._in_main = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        if tag == "main":
            self._in_main += 1
        if tag == "a" and "href" in given:
            self.links.append((given["href"], "nofollow" in given.get("rel", "")))
        if tag == "meta" and given.get("name", "").lower() == "robots":
            self.metas.append(given["content"].lower())

    def handle_data(self, data: str) -> None:
        if self._in_main:
            self.words += re.findall(r"\w+", data)

    @property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        return frozenset(tuple(self.words[at : at + 5]) for at in range(max(1, len(self.words) - 4)))
