"""How do times, numbers and found words look on a page? Each is a filter of the templates."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup, escape

from crawldb.moment import moment

if TYPE_CHECKING:
    from indexer.retrieval.snippet import Snippet

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")  # in any locale
_LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "th": "Thai",
    "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_URL = re.compile(r"https?://[^\s<>\"“”]+[^\s<>\"“”.,;:!?)]")


def marked(snippet: Snippet) -> Markup:
    """Return a snippet with the words that were found in `<mark>`; its text is escaped piece by piece."""
    pieces, end = [], 0
    for start, stop in snippet.spans:
        pieces += [escape(snippet.text[end:start]), Markup("<mark>{}</mark>").format(snippet.text[start:stop])]
        end = stop
    return Markup("").join([*pieces, escape(snippet.text[end:])])


def traced(text: str) -> Markup:
    """Return a sentence in which each URL leads to its own Why? page."""
    pieces, end = [], 0
    for url in _URL.finditer(text):
        link = Markup('<a href="/why?url={}">{}</a>').format(quote(url[0], safe=""), url[0])
        pieces += [escape(text[end : url.start()]), link]
        end = url.end()
    return Markup("").join([*pieces, escape(text[end:])])


def day(seconds: float) -> Markup:
    """Return a time as its day, with the minute for whoever hovers."""
    at = time.gmtime(seconds)
    shown = f"{at.tm_mday} {_MONTHS[at.tm_mon - 1]} {at.tm_year}"
    return Markup('<time datetime="{}" title="{}">{}</time>').format(instant(seconds), moment(seconds), shown)


def instant(seconds: float) -> str:
    """Return a time as RFC 3339 has it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def count(number: int, noun: str) -> str:
    """Return a number with its noun: "1 page", "2,000 pages"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def language(code: str) -> str:
    """Return the name of a language; of a rarer one, its code."""
    return _LANGUAGES.get(code, code)


FILTERS = {"marked": marked, "language": language, "traced": traced, "day": day, "moment": moment, "count": count}
