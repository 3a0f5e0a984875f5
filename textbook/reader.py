"""What does a page say? BeautifulSoup over lxml reads its title and its text."""

from __future__ import annotations

import warnings

from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning

UNSEEN = ["script", "style", "template", "noscript"]  # elements whose text no reader sees


def read_page(html: str) -> tuple[str, str]:
    """Return the title and the visible text of a page."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", XMLParsedAsHTMLWarning)  # XHTML is read as HTML
        soup = BeautifulSoup(html, "lxml")
    for element in soup.find_all(UNSEEN):
        element.decompose()
    title = soup.title.get_text(" ", strip=True) if soup.title else ""
    text = soup.body.get_text(" ", strip=True) if soup.body else ""
    return title, text
