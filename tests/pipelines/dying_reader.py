"""Readers with faults, as a parser may have them over one page: in a module, so that another process finds them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spiders.documents.stored_answer import parse_again

if TYPE_CHECKING:
    from crawldb.pages.bodies import StoredAnswer
    from urls.records import Page


def read_or_die(answer: StoredAnswer) -> Page:
    """Read a page; one whose address ends with /deadly ends the process."""
    if answer.url.endswith("/deadly"):
        os._exit(3)
    return read_or_raise(answer)


def read_or_raise(answer: StoredAnswer) -> Page:
    """Read a page; one whose address ends with /faulty can't be read."""
    if answer.url.endswith("/faulty"):
        raise ZeroDivisionError("the moon is out")
    return parse_again(answer, agent="Breadcrumb")
