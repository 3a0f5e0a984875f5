"""What answers like a page and has nothing to read? Login walls, parked domains, and the empty shells of scripts.

Each stands in the place of a page and is none: a form that asks who you are, an offer to sell the domain, a frame that
a script fills in browsers. Two signs are needed for each: what its markup is made of, and that it says hardly anything
else, apart from the names of its links. Their links are followed, but for those of a parked domain, which lead to
advertisements.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pages.content.lies import own_lines, own_words
from pipelines.phrases import any_of
from robots.page.controls import HTML_TYPES
from urls.counted import counted
from urls.records import Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from urls.records import Page

MAX_MARKUP = 256 * 1024  # bytes of a page in which signs are looked for: such pages are short, or their scripts long
MAX_WALL_WORDS = 90  # of a page that asks for a password, names of links aside: a form, advice, a cookie note
MAX_PARKED_WORDS = 150  # of an offer; advertisements are links
MAX_SHELL_WORDS = 40  # of a page that a script fills: "Loading …", and that JavaScript is needed
MAX_LOADING_WORDS = 12  # beside an element that a script fills: "Loading, please wait"
MAX_TEXT_CHARS = 20_000  # of a page with its menus: a longer one has something to read
MAX_NOSCRIPTS, MAX_NOSCRIPT_BYTES = 5, 2000  # of a page, and of each

_PASSWORD = re.compile(rb"<input\b[^>]{0,300}\btype\s*=\s*[\"']?password", re.IGNORECASE)
_LOG_IN = re.compile(any_of("login"), re.IGNORECASE)
_PARKED = re.compile(any_of("parked"), re.IGNORECASE)
# Elements that frameworks fill, by the names that their first examples give them; in them at most a picture and a word.
_MOUNT = re.compile(
    rb"<div\b[^>]{0,200}\bid\s*=\s*[\"']?(?:root|app|__next|__nuxt|___gatsby|react-root|app-root|main-app|q-app|svelte|mount)\b"
    rb"[^>]{0,200}>\s*(?:<!--[^>]{0,200}-->\s*)?(?:</?(?:div|span|p|img)\b[^>]{0,300}>[^<]{0,80}){0,12}</div>"
    rb"|<(?:app-root|my-app|ion-app|flutter-view|router-view)\b[^>]{0,200}>[^<]{0,80}</",
    re.IGNORECASE,
)
_NEEDS_SCRIPT = re.compile(any_of("script"), re.IGNORECASE)
_NOSCRIPT, _NOSCRIPT_END = re.compile(rb"<noscript\b", re.IGNORECASE), re.compile(rb"</noscript", re.IGNORECASE)
_SCRIPT = re.compile(rb"<script\b", re.IGNORECASE)


def no_content_refusal(page: Page) -> Refusal | None:
    """Refuse what stands in the place of a page. Rules: login-wall, parked, script-shell."""
    if page.content_type not in HTML_TYPES or len(page.text) > MAX_TEXT_CHARS:
        return None
    words = own_words(page, MAX_PARKED_WORDS)
    if words > MAX_PARKED_WORDS:  # more than any of them says
        return None
    markup = page.body[:MAX_MARKUP]
    return _parked(page, words) or _login_wall(page, words, markup) or _script_shell(page, markup)


def _parked(page: Page, words: int) -> Refusal | None:
    own = "\n".join((page.title, *own_lines(page)))
    said = _PARKED.search(own) if words < MAX_PARKED_WORDS else None
    return Refusal(Rule.PARKED, f"it says “{said[0]}”, and hardly more: a domain without a site") if said else None


def _login_wall(page: Page, words: int, markup: bytes) -> Refusal | None:
    if words > MAX_WALL_WORDS or not _PASSWORD.search(markup):
        return None
    for place, said in (("title", page.title), ("first heading", page.headings[0] if page.headings else "")):
        if _LOG_IN.search(said):
            why = f"its {place} says “{said}”, it asks for a password, and it says hardly more"
            return Refusal(Rule.LOGIN_WALL, why)
    return None


def _script_shell(page: Page, markup: bytes) -> Refusal | None:
    shown = f"{page.text}\n{page.template_text}"
    words = len(shown.split(None, MAX_SHELL_WORDS))  # with its menus: a list of links is something to read
    if words > MAX_SHELL_WORDS or not _SCRIPT.search(markup):
        return None
    kept_for_others = _in_noscript(markup).decode("utf-8", "replace")
    said = _NEEDS_SCRIPT.search(shown)
    hidden = None if said or words > MAX_LOADING_WORDS else _NEEDS_SCRIPT.search(kept_for_others)
    mount = None if said or hidden or words > MAX_LOADING_WORDS else _MOUNT.search(markup)
    said = said or hidden
    if not said and not mount:
        return None
    sign = f"“{' '.join(said[0].split())}”" if said else f"the empty element that a script fills: {_shown(mount)}"
    return Refusal(Rule.SCRIPT_SHELL, f"without its scripts it says {counted(words, 'word')}, and has {sign}")


def _in_noscript(markup: bytes) -> bytes:
    """Return the beginnings of what a page says to browsers without scripts."""
    parts = _NOSCRIPT.split(markup, maxsplit=MAX_NOSCRIPTS)[1:]
    return b"\n".join(_NOSCRIPT_END.split(part[:MAX_NOSCRIPT_BYTES], maxsplit=1)[0] for part in parts)


def _shown(mount: re.Match[bytes] | None) -> str:
    return "" if mount is None else mount[0].split(b">")[0].decode("utf-8", "replace")[:80] + ">"
