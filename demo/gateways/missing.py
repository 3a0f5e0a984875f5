"""What does a site say of a page that is not there? 404, if it is honest; 200 and a smile makes a soft 404."""

from __future__ import annotations

from demo.answer import FOUNDED, Answer, refusal
from demo.layout import framed, paragraphs

SHOWN = 80  # characters of the path that the page repeats


def honest(path: str) -> Answer:
    """Answer 404."""
    return refusal(404, f"There is no {path[:SHOWN]!r} here.")


def friendly(path: str) -> Answer:
    """Answer 200 with an apology: people can read that, a robot sees one more page."""
    body = paragraphs(
        f"Sorry! We turned out every drawer of the Gazette and could not find the page {path[:SHOWN]}.",
        "It may have been moved, or renamed, or eaten by the goat of our columnist. Page not found, as they say in "
        "larger towns. Please check the address, or go back to the front page and try another story.",
    )
    page = framed(
        "Page not found", body + '\n<p><a href="/">To the front page</a></p>', site="Seedville Gazette", hue=350
    )
    return Answer(200, page, modified=FOUNDED)
