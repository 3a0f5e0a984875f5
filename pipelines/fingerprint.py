"""Is this the same page again? A hash of what it says, without what changes at each visit and without its links.

The book (9.1.6) finds duplicates by checksums, and says that MD5 is popular; ours is BLAKE2b with 128 bits, which is
faster and not broken. Title and main text go in, so that one article in two layouts is one page; addresses of links do
not, because aliases and session ids change them. Left out are the words that a program writes anew at each visit
(pages/content/volatile.py), and the lines that two fetches of pages of the site have shown to change by themselves
(pages/content/volatile_lines.py).

Limits: a page made for each visitor (greetings, random tips) has a new fingerprint at each visit until two fetches have
shown which lines these are: near duplicates catch it till then. Two pages that differ only in a "last changed" date, a
counter or in pictures have the same fingerprint.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from pages.content.volatile import steady_lines

if TYPE_CHECKING:
    from pages.content.volatile_lines import LearntLines
    from urls.records import Page

FINGERPRINT_BYTES = 16  # 128 bits: two among 10^9 pages agree by chance with a probability of 10^-21


SHORT_TEXT_CHARS = 40  # a main text of less is no proof: of such pages the template has to agree, too


def fingerprint(page: Page, learnt: LearntLines | None = None) -> bytes:
    """Return 16 bytes that are equal for pages which say the same; `learnt` are lines of its site that change."""
    digest = blake2b(page.title.encode(), digest_size=FINGERPRINT_BYTES)
    digest.update(b"\0")
    digest.update(_steady_text(page.text, learnt).encode())
    if len(page.text.encode()) < SHORT_TEXT_CHARS:
        digest.update(b"\0" + _steady_text(page.template_text, learnt).encode())
    return digest.digest()


def same_template(page: Page, other: Page) -> bool:
    """Return whether two pages have the same words around their main text, however their lines are divided."""
    both = (_steady_text(one.template_text) for one in (page, other))
    first, second = (sorted(text.split("\n")) for text in both)
    return first == second


def _steady_text(text: str, learnt: LearntLines | None = None) -> str:
    lines = text.split("\n")
    return "\n".join(steady_lines(learnt.steady_lines(lines) if learnt else lines))
