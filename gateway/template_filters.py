"""How do a URL, a time, a number and found words look on a page? The filters of the templates.

**A URL** is shown as a breadcrumb trail: the host in its own script, then the folders.
`http://xn--bcker-gra.example/br%C3%B6tchen/roggen` reads `bäcker.example`, `brötchen`, `roggen`. Only the text is
decoded, never the link. What could mislead the eye stays escaped: spaces, invisible characters, direction marks, and a
host label that mixes Latin letters with those of another script.

**A crumb** of a result links to a search: the host to all pages of the site, a folder to the pages below it. Such a
search by `site:` and `inurl:` finds the words of the folder as a phrase in a URL, so it seldom finds other pages.

All text of a template passes `without_direction_marks`: a title must not turn the text around it.
"""

from __future__ import annotations

import re
import time
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus, unquote, urlsplit

from jinja2 import pass_context
from markupsafe import Markup, escape

from gateway.browser_guard import is_from_this_machine
from gateway.served_crawl import served_crawl
from indexer.analysis.tokenizer import analyze_token, raw_tokens
from reports import wording
from reports.shown_commands import in_folder, pieces
from reports.wording import counted, moment, plain
from urls.canonical import MAX_URL, UnusableUrl, canonicalize, site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from indexer.snippets.sentences import Snippet


MAX_WORDS = 12  # of a URL in a query: fewer than a phrase may have
MAX_CHARS = 300  # of these words; a query may have a thousand


@dataclass(frozen=True, slots=True)
class Crumb:
    """A part of a URL as shown, and the query string of the search for the pages below it, or ""."""

    text: str
    parameters: str = ""


@lru_cache(maxsize=2_000)  # takes a tenth of the time of a page of results, and the same results are shown often
def crumbs(url: str) -> tuple[Crumb, ...]:
    """Return the parts of a URL that are shown (see `trail`), each with its search."""
    shown = trail(url)
    try:
        site = site_of(canonicalize(url))
        folders = [part for part in urlsplit(url).path.split("/") if part]
    except (UnusableUrl, ValueError):
        return tuple(map(Crumb, shown))
    below = [f"q={quote_plus(question)}" for question in queries_below(site, folders)]
    last = len(shown) - 1
    return tuple(Crumb(text, below[len(folders) if place == last else place]) for place, text in enumerate(shown))


def queries_below(site: str, folders: list[str]) -> list[str]:
    """Return a query for all pages of a site, and one for those in each folder, with as many words as fit."""
    questions = [f"site:{site}"]
    words, taken = "", 0
    for folder in folders:
        more, length = _words_of(folder)
        taken += length
        longer = f"{words} {more}".strip()
        if taken > MAX_WORDS or len(longer) > MAX_CHARS:
            taken = MAX_WORDS + 1  # the folders below it don't fit either
        else:
            words = longer
        questions.append(f'site:{site} inurl:"{words}"' if words else questions[0])
    return questions


@lru_cache(maxsize=10_000)  # most pages of a site share its upper folders
def _words_of(folder: str) -> tuple[str, int]:
    """Return the words of a folder's name for a query, and their number in a phrase."""
    words = raw_tokens(unquote(folder).replace('"', " "))
    return " ".join(words), sum(len(analyze_token(raw).sequence) for raw in words)


MAX_TRAIL_CHARS = 120  # characters of a trail: about one line on a wide screen, three on a phone
SEPARATOR = " > "  # the room between two parts
LINKED_SCHEMES = ("http://", "https://")  # javascript: and data: would run code of a page

# Unicode's property Bidi_Control. For Hebrew and Arabic, dir="auto" is enough.
_DIRECTION_MARKS = dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
_DIRECTION_MARK = re.compile(f"[{''.join(map(chr, _DIRECTION_MARKS))}]")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_URL = re.compile(r"https?://[^\s<>\"“”]+[^\s<>\"“”.,;:!?)]")
_LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "th": "Thai",
    "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def without_direction_marks(value: object) -> object:
    """Return a value for a template without direction marks; markup stays markup."""
    if not isinstance(value, str) or value.isascii() or not _DIRECTION_MARK.search(value):
        return value  # searching takes a twentieth of the time of translating
    return value.translate(_DIRECTION_MARKS)


def is_linkable(url: str) -> bool:
    """Return whether `url` may be in an href."""
    return url.lower().startswith(LINKED_SCHEMES)


def trail(url: str) -> tuple[str, ...]:
    """Return the readable host and folders of a URL, in at most `MAX_TRAIL_CHARS` characters.

    Other text is returned as one part.
    """
    if "://" not in url:  # what is before a colon may be a host
        return (_shortened(url, MAX_TRAIL_CHARS),)
    try:
        parts = urlsplit(url[:MAX_URL])
    except ValueError:
        return (_shortened(url, MAX_TRAIL_CHARS),)
    folders = [readable(part) for part in parts.path.split("/") if part]
    if parts.query:
        query = "?" + readable(parts.query)
        folders = [*folders[:-1], folders[-1] + query] if folders else [query]
    return _fitted(readable_host(parts.netloc.rpartition("@")[2]), folders)


def readable(text: str) -> str:
    """Decode the escapes of non-ASCII characters; those of ASCII are data or structure, and stay."""
    return _ESCAPES.sub(lambda run: _decoded(run[0]), text)


def readable_host(host: str) -> str:
    """Return a host, with or without its port, decoded from punycode."""
    return ".".join(_readable_label(label) for label in host.split("."))


def _decoded(escapes: str) -> str:
    octets = bytes.fromhex(escapes.replace("%", ""))
    try:
        text = octets.decode("utf-8")
    except UnicodeDecodeError:
        return escapes
    # isprintable() is False for spaces, controls and direction marks
    return "".join(
        letter if not letter.isascii() and letter.isprintable() else quote(letter, safe="") for letter in text
    )


def _readable_label(label: str) -> str:
    name, colon, port = label.partition(":")
    if not name.startswith("xn--"):
        return label
    import idna  # noqa: PLC0415 - 25 ms of tables, and most hosts are ASCII

    try:
        decoded = idna.decode(name)
    except (idna.IDNAError, UnicodeError):
        return label
    return label if _mixes_scripts(decoded) else decoded + colon + port


def _mixes_scripts(label: str) -> bool:
    latin = {unicodedata.name(letter, "").startswith("LATIN") for letter in label if letter.isalpha()}
    return len(latin) > 1


def _fitted(host: str, folders: list[str]) -> tuple[str, ...]:
    """Leave out the folders before the last one first: the host and the last part say the most."""
    host = _shortened(host, MAX_TRAIL_CHARS // 2)
    last = [_shortened(folder, MAX_TRAIL_CHARS // 2) for folder in folders[-1:]]
    room = MAX_TRAIL_CHARS - len(host) - sum(map(len, last))
    kept = []
    for folder in folders[:-1]:
        room -= len(folder) + len(SEPARATOR)
        kept.append(folder if room >= 0 else "…")
        if room < 0:
            break
    return (host, *kept, *last)


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def highlighted(snippet: Snippet) -> Markup:
    """Return a snippet with the found words in `<mark>`."""
    return highlight(snippet.text, snippet.spans)


def highlight(text: str, spans: Iterable[tuple[int, int]]) -> Markup:
    """Return a text, escaped piece by piece, with these spans in `<mark>`."""
    pieces, end = [], 0
    for start, stop in spans:
        pieces += [escape(text[end:start]), "<mark>", escape(text[start:stop]), "</mark>"]
        end = stop
    return Markup("".join([*pieces, escape(text[end:])]))  # noqa: S704 - each piece is escaped, or our own


def commands_as_code(text: str, otherwise: Callable[[str], Markup] = escape) -> Markup:
    """Return a sentence with its commands as code."""
    found = pieces(with_folder_option(text))
    return Markup("").join(Markup("<code>{}</code>").format(part) if code else otherwise(part) for code, part in found)


def with_folder_option(text: str) -> str:
    """Return a text whose commands name the served folder, and its index where that is elsewhere.

    Only a visitor on this machine can run them: others do not see where the folder is.
    """
    return in_folder(text, served_crawl().settings.folder) if is_from_this_machine() else text


def public_error(text: str) -> str:
    """Return the error of a part for visitors, with commands for the served folder."""
    return with_folder_option(served_crawl().public_error(text)) if text else ""


def linked(text: str) -> Markup:
    """Return the same, with each URL outside a command linked to its *Why?* page."""
    return commands_as_code(text, link_to_why)


def link_to_why(text: str) -> Markup:
    """Return a sentence with each URL linked to its *Why?* page."""
    parts, end = [], 0
    for url in _URL.finditer(text):
        link = Markup('<a href="/why?url={}">{}</a>').format(quote(url[0], safe=""), url[0])
        parts += [escape(text[end : url.start()]), link]
        end = url.end()
    return Markup("").join([*parts, escape(text[end:])])


@lru_cache(maxsize=2_000)  # the same results are shown often
def day(seconds: float) -> Markup:
    """Return a time as its day, with the minute in its tooltip."""
    markup = f'<time datetime="{rfc3339(seconds)}" title="{moment(seconds)}">{wording.calendar_day(seconds)}</time>'
    return Markup(markup)  # noqa: S704 - of a number


def rfc3339(seconds: float) -> str:
    """Return a time in the format of RFC 3339."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def language(code: str) -> str:
    """Return the name of a language, or the code of a rare one."""
    return _LANGUAGES.get(code, code)


FILTERS: dict[str, Callable[..., object]] = {
    "highlighted": highlighted,
    "language": language,
    "day": day,
    "moment": moment,
    "count": counted,
    "plain": plain,
    "bytes": wording.size,
    "public_error": lambda text: served_crawl().public_error(text),
    # Without the context, Jinja would apply them to a constant once, for all visitors.
    "linked": pass_context(lambda _, text: linked(text)),
    "with_commands": pass_context(lambda _, text: commands_as_code(text)),
    "as_command": pass_context(lambda _, text: with_folder_option(text)),
    "trail": trail,
    "crumbs": crumbs,
}
