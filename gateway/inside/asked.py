"""What was a view of the inside asked for? A text and numbers, each with its bound; what can't be meant is refused."""

from __future__ import annotations

import math

from flask import request

from gateway.searching.question import BadQuestion, read_site
from urls.canonical import MAX_URL

MAX_DIGITS = 12  # of a number: more are not read at all


def asked_text(name: str) -> str:
    """Return a parameter as text. Raises BadQuestion where it is longer than any address that is known here."""
    text = request.args.get(name, "").strip()
    if len(text) > MAX_URL:
        raise BadQuestion(f"{name} has {len(text)} characters, and nothing here has more than {MAX_URL}")
    return text


def asked_site() -> str:
    """Return the parameter `site` as the crawl knows sites: bakery.example:8080, or any address on it."""
    return read_site(asked_text("site"))


def asked_number(name: str, otherwise: float, low: float, high: float) -> float:
    """Return a parameter as a number from `low` to `high`, `otherwise` where there is none. Raises BadQuestion."""
    text = request.args.get(name, "").strip()
    if not text:
        return otherwise
    try:
        number = float(text) if len(text) <= MAX_DIGITS else math.nan
    except ValueError:
        number = math.nan
    if not low <= number <= high:
        raise BadQuestion(f"{name}={text[:100]!r} can't be used: give a number from {low:g} to {high:g}")
    return number
