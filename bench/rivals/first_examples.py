"""The first examples of two libraries' own documentation: Whoosh indexes pages, BeautifulSoup parses one.

Both do less than ours. Whoosh has no identifiers, records or durable commit. BeautifulSoup takes title, text and links
alone.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import whoosh
from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning
from selectolax.lexbor import LexborHTMLParser
from whoosh.analysis import StemmingAnalyzer  # type: ignore[attr-defined]  # exported by a star
from whoosh.fields import ID, TEXT, Schema
from whoosh.index import create_in

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from urls.records import Page

warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)  # ours reads XHTML as HTML too
WHOOSH_VERSION = ".".join(map(str, whoosh.__version__))


def schema() -> Schema:
    """Return the fields of the tutorial, with the text stemmed."""
    text = TEXT(analyzer=StemmingAnalyzer(), stored=True)
    return Schema(url=ID(stored=True, unique=True), title=text, body=text)


def index_with_whoosh(pages: Iterable[Page], folder: Path) -> None:
    """Index as Whoosh's tutorial does: one writer, and one commit at the end."""
    writer = create_in(str(folder), schema()).writer()
    for page in pages:
        writer.add_document(url=page.url, title=page.title, body=page.text)
    writer.commit()


def read_with_soup(body: bytes, url: str) -> None:
    """Read title, text and absolute links with BeautifulSoup on lxml, as tutorials do."""
    tree = BeautifulSoup(body, "lxml")
    _ = tree.title and tree.title.get_text()
    tree.get_text(" ", strip=True)
    for anchor in tree.find_all("a", href=True):
        try:
            urljoin(url, str(anchor["href"]))
        except ValueError:
            continue


def read_with_selectolax(body: bytes) -> None:
    """Build the tree, and take the text of its body."""
    for node in LexborHTMLParser(body).css("body"):
        node.text()
