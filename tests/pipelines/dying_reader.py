"""Readers with faults, as a parser may have on one page: in a module, where another process finds them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pages import parse_page

if TYPE_CHECKING:
    from pages import FetchedBody
    from urls.records import Page


def read_or_die(answer: FetchedBody) -> Page:
    """Read a page; one whose address ends with /deadly ends the process."""
    if answer.url.endswith("/deadly"):
        os._exit(3)
    return read_or_raise(answer)


def read_or_raise(answer: FetchedBody) -> Page:
    """Read a page; one whose address ends with /faulty can't be read."""
    if answer.url.endswith("/faulty"):
        raise ZeroDivisionError("the moon is out")
    return parse_page(answer, agent="Breadcrumb")
