"""Where does a result stand? Its address as a trail of crumbs, each of which leads to what stands below it.

`http://bakery.example/bread/rye/old.html` is read `bakery.example`, `bread`, `rye`, `old.html`. The host leads to all
pages of its site, a folder to those whose address has its words in a row, as it has itself: a search by `site:` and
`inurl:`, which a reader can change. So what stands below is found, and seldom something beside it.
"""

from __future__ import annotations

import re
import time
import unicodedata
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus, unquote, urlsplit

from markupsafe import Markup, escape

from gateway.served_crawl import served_crawl
from indexer.analysis.tokenizer import analyze_token, raw_tokens
from reports import wording
from reports.shown_commands import in_folder, pieces
from reports.wording import counted, moment, plain
from urls.canonical import MAX_URL, UnusableUrl, canonicalize
from urls.site import site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from indexer.snippets.snippet import Snippet


MAX_WORDS = 12  # of an address in a question: fewer than a phrase may have
MAX_CHARS = 300  # of them; a question has room for a thousand


@dataclass(frozen=True, slots=True)
class Crumb:
    """A part of an address as it is shown, and the query of the search for what stands below it; empty: none."""

    text: str
    parameters: str = ""


@lru_cache(maxsize=2_000)  # a tenth of the time of a page of results, which shows the same ones again and again
def crumbs(url: str) -> tuple[Crumb, ...]:
    """Return the parts of an address that are shown (`template_filters.trail`), each with its search."""
    shown = trail(url)
    try:
        site = site_of(canonicalize(url))
        folders = [part for part in urlsplit(url).path.split("/") if part]
    except (UnusableUrl, ValueError):
        return tuple(map(Crumb, shown))
    below = [f"q={quote_plus(question)}" for question in questions_below(site, folders)]
    last = len(shown) - 1
    return tuple(Crumb(text, below[len(folders) if place == last else place]) for place, text in enumerate(shown))


def questions_below(site: str, folders: list[str]) -> list[str]:
    """Return a question for all pages of a site, and one for those in each folder, by as many words as fit."""
    questions = [f"site:{site}"]
    words, taken = "", 0
    for folder in folders:
        more, length = _words_of(folder)
        taken += length
        longer = f"{words} {more}".strip()
        if taken > MAX_WORDS or len(longer) > MAX_CHARS:
            taken = MAX_WORDS + 1  # nor do the folders below it fit
        else:
            words = longer
        questions.append(f'site:{site} inurl:"{words}"' if words else questions[0])
    return questions


@lru_cache(maxsize=10_000)  # the upper folders of a site are those of most of its pages
def _words_of(folder: str) -> tuple[str, int]:
    """Return the words of a folder's name as they are asked for, and how many a phrase counts them as."""
    words = raw_tokens(unquote(folder).replace('"', " "))
    return " ".join(words), sum(len(analyze_token(raw).sequence) for raw in words)


MAX_TRAIL_CHARS = 120  # characters of a trail: about one line on a wide screen, three on a phone
SEPARATOR = " > "  # takes this much room between two parts, whatever a page draws there
LINKED_SCHEMES = ("http://", "https://")  # javascript: and data: would run what a page wrote

# Unicode's property Bidi_Control. What a reader of Hebrew or Arabic needs of them, dir="auto" does.
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
    """Return what a template shows, without the marks that turn the direction of writing; markup stays markup."""
    if not isinstance(value, str) or value.isascii() or not _DIRECTION_MARK.search(value):
        return value  # to look takes a twentieth of the time of translating
    return value.translate(_DIRECTION_MARKS)


def is_linkable(url: str) -> bool:
    """Return whether `url` may stand in an href."""
    return url.lower().startswith(LINKED_SCHEMES)


def trail(url: str) -> tuple[str, ...]:
    """Return the host and the path's parts in readable form, cut to `MAX_TRAIL_CHARS` characters.

    What is no whole address stands as it is.
    """
    if "://" not in url:  # what stands before its colon is a host as often as a scheme
        return (_shortened(url, MAX_TRAIL_CHARS),)
    try:
        parts = urlsplit(url[:MAX_URL])
    except ValueError:
        return (_shortened(url, MAX_TRAIL_CHARS),)
    folders = [readable(part) for part in parts.path.split("/") if part]
    if parts.query:
        question = "?" + readable(parts.query)
        folders = [*folders[:-1], folders[-1] + question] if folders else [question]
    return _fitted(readable_host(parts.netloc.rpartition("@")[2]), folders)


def readable(text: str) -> str:
    """Decode the escapes of letters and signs beyond ASCII; those of ASCII are data or structure, and stay."""
    return _ESCAPES.sub(lambda run: _decoded(run[0]), text)


def readable_host(host: str) -> str:
    """Return a host, with or without its port, in the letters that its owner writes it with."""
    return ".".join(_readable_label(label) for label in host.split("."))


def _decoded(escapes: str) -> str:
    octets = bytes.fromhex(escapes.replace("%", ""))
    try:
        text = octets.decode("utf-8")
    except UnicodeDecodeError:
        return escapes
    # isprintable() is False for blanks, controls and everything that turns the direction of writing
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
    """Return a snippet with the words that were found in `<mark>`."""
    return highlight(snippet.text, snippet.spans)


def highlight(text: str, spans: Iterable[tuple[int, int]]) -> Markup:
    """Return a text, escaped piece by piece, with these spans in `<mark>`."""
    pieces, end = [], 0
    for start, stop in spans:
        pieces += [escape(text[end:start]), "<mark>", escape(text[start:stop]), "</mark>"]
        end = stop
    return Markup("".join([*pieces, escape(text[end:])]))  # noqa: S704 - each piece is escaped, or our own


def commands_as_code(text: str, folder: str = "", otherwise: Callable[[str], Markup] = escape) -> Markup:
    """Return a sentence with its commands as code, to be pasted; `folder` is the option that names the data folder."""
    told = (Markup("<code>{}</code>").format(piece) if code else otherwise(piece) for code, piece in pieces(text))
    return Markup("").join(told) if not folder else commands_as_code(in_folder(text, folder), "", otherwise)


def with_folder_option(text: str) -> str:
    """Return a text whose commands name the folder that is served, and its index where that is elsewhere."""
    return in_folder(text, served_crawl().settings.folder)


def public_error(text: str) -> str:
    """Return what is wrong with a part, as strangers may read it, with commands of the served folder."""
    return with_folder_option(served_crawl().public_error(text)) if text else ""


def traced(text: str, folder: str = "") -> Markup:
    """Return the same, where each URL that is not in a command leads to its own Why? page."""
    return commands_as_code(text, folder, link_to_why)


def link_to_why(text: str) -> Markup:
    """Return a sentence in which each URL leads to its own Why? page."""
    parts, end = [], 0
    for url in _URL.finditer(text):
        link = Markup('<a href="/why?url={}">{}</a>').format(quote(url[0], safe=""), url[0])
        parts += [escape(text[end : url.start()]), link]
        end = url.end()
    return Markup("").join([*parts, escape(text[end:])])


@lru_cache(maxsize=2_000)  # the same results are shown again and again
def day(seconds: float) -> Markup:
    """Return a time as its day, with the minute for whoever hovers."""
    told = f'<time datetime="{rfc3339(seconds)}" title="{moment(seconds)}">{wording.calendar_day(seconds)}</time>'
    return Markup(told)  # noqa: S704 - of a number


def rfc3339(seconds: float) -> str:
    """Return a time as RFC 3339 has it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def language(code: str) -> str:
    """Return the name of a language; of a rarer one, its code."""
    return _LANGUAGES.get(code, code)


def filters_of(folder: str) -> dict[str, Callable[..., object]]:
    """Return the filters; the commands that are shown name the data folder by the option `folder`."""
    about_commands = {"traced": traced, "told": commands_as_code, "pasteable": in_folder}
    return FILTERS | {name: partial(shown, folder=folder) for name, shown in about_commands.items()}


FILTERS: dict[str, Callable[..., object]] = {
    "highlighted": highlighted,
    "language": language,
    "day": day,
    "moment": moment,
    "count": counted,
    "plain": plain,
    "bytes": wording.size,
    "fault": lambda text: served_crawl().public_error(text),
}
