"""What is the main text of a page, by the judgement of a person? Pages of many kinds of sites, content marked.

Each file in `labelled/` is a site: a frame, and pages that fill it in. The text between ⟦ and ⟧ is content, and the
rest is the site's template. The marks are removed before a reader gets a page.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bs4 import BeautifulSoup

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent / "labelled"
_PAGE = re.compile(r"^=== (.*)\n", re.MULTILINE)
_CONTENT = re.compile("⟦(.*?)⟧", re.DOTALL)
_WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|\\w+")


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page as its server sends it, and the text of what a person calls its content."""

    site: str
    title: str
    html: bytes
    content: str

    def __str__(self) -> str:
        return f"{self.site}: {self.title}"


def labelled_pages() -> Iterator[LabelledPage]:
    """Yield all pages, site by site."""
    for file in sorted(FOLDER.glob("*.txt")):
        frame, *pages = _PAGE.split(file.read_text("utf-8"))
        for title, main in zip(pages[::2], pages[1::2], strict=True):
            marked = frame.replace("{{title}}", title).replace("{{main}}", main)
            content = BeautifulSoup(" ".join(_CONTENT.findall(marked)), "lxml").get_text(" ")
            html = marked.replace("⟦", "").replace("⟧", "").encode()
            yield LabelledPage(file.stem, title, html, content)


def agreement(found: str, truth: str) -> float:
    """Return F1 on words (in Chinese, Japanese, Korean: letters): 1 where both have the same words as often."""
    ours, theirs = (Counter(_WORD.findall(text.lower())) for text in (found, truth))
    both = sum((ours & theirs).values())
    return 2 * both / (ours.total() + theirs.total()) if ours or theirs else 1.0
