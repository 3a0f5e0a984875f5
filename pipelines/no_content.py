"""Which responses look like a page and have nothing to read? Each function returns the reason, or None.

- **Soft 404**: the status says that there is a page, and the words say that there is none (the book, 9.3). Two signs
  are needed. One of the customary sentences (`phrases.toml`) is a whole part of the title, the first heading, or the
  beginning of a sentence. And the page is short, without the words of its links. An article about error 404 has the
  words in its title and a text of its own. `pages/content/soft404.py` has the other way: the site answers a made-up
  address, and the crawl remembers the answer.
- **Login wall, parked domain, script shell**: a form for a password, an offer to sell the domain, a frame that a script
  fills. Two signs are needed as well: the markup, and that there is hardly any text. Their links are followed, except
  those of a parked domain, which lead to advertisements.
- **Frames**: it only says that the browser can't show its frames. The book (9.6) describes result lists full of "your
  browser does not support frames": an index had taken the text for old browsers as the page. The frames are links.
- **Redirect stub**: a refresh in the markup leads elsewhere immediately.
- **Well-known file**: a file for programs, at one exact path of a site, by a convention of its own: humanstxt.org, the
  IAB's ads.txt 1.1, app-ads.txt and sellers.json, RFC 9116 (security.txt), RFC 9309 (robots.txt), llmstxt.org. It is
  stored and not indexed. HTML at such a path is a page: many sites answer any request with their home page.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from crawldb.pages.probe_findings import ProbeFindings
from pages.content.similarity import CJK
from pages.content.soft404 import content_lines, count_content_words, refusal_by_profile
from robots.page_controls import HTML_TYPES
from urls.canonical import canonical_or_none, mask_credentials, site_of
from urls.records import Page, Refusal
from urls.rules import Rule
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crawldb.database import CrawlDatabase
    from urls.records import Page

FEW = r"(?:[^.!?\n\u3002\uff01]|\.(?=\w)){0,70}?"  # what may stand between two words of a sentence
SOUGHT = r"(?:page|file|document|resource|article|content|item|link|address|url)s?"  # what somebody may have asked for


@cache
def _tables() -> dict[str, dict[str, str | list[str]]]:
    return tomllib.loads(files(__package__).joinpath("phrases.toml").read_text(encoding="utf-8"))


def any_of(table: str) -> str:
    """Return one regular expression, to be used without regard to letter case, for all sentences of a table."""
    sentences = [line for said in _tables()[table].values() for line in ([said] if isinstance(said, str) else said)]
    return "(?:" + "|".join(sentences).replace("{few}", FEW).replace("{sought}", SOUGHT) + ")"


MAX_APOLOGY_WORDS = 120  # an apology, a search box and advice; an article has more. Names of links are not counted
MAX_CLAIM_WORDS = 80  # the same where only the text has the words: they weigh less there
MAX_CJK_CHARS = 400  # the same where words have no blanks between them
MAX_CLAIM_CHARS = 300  # of a line: longer ones are paragraphs
MAX_TEXT_CHARS = 20_000  # of a page with its menus: a longer one has something to read
SUCCESSES = range(200, 300)  # status codes

_NOT_FOUND = re.compile(rf"(?:404[ ,.!:-]*)?{any_of('title')}[ .!\u3002\uff01]*", re.IGNORECASE)
_PARTS = re.compile(r"\s[-–—|:·»›«]+\s|[|»›«]|: ")  # noqa: RUF001 - the signs with which titles separate page and site
_ABOUT_CODES = re.compile(r"status[- ]?code|\brfc ?\d{3,4}|code d.(?:état|erreur)|код состояния|状态码", re.IGNORECASE)
# In scripts without blanks, an apology and what follows stand side by side. They have no upper case: to look for it in
# their whole range takes Python 25 ms.
_BEGINNING = rf"[\W_]*(?:{any_of('sorry')}(?:[\W_]+|(?<=(?-i:[\u3040-\uffdc])))){{0,4}}"
_CLAIM = re.compile(_BEGINNING + any_of("claim"), re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|[\u3002\uff01\uff1f]|\s[-–—|]\s|:\s")  # noqa: RUF001 - as above
_NAMES_ERROR = re.compile(r"404|not-?_?found|(?:^|[/_.-])(?:error|missing|fehler|erreur)(?:[/_.-]|$)", re.IGNORECASE)


def soft404_refusal(page: Page) -> Refusal | None:
    """Refuse a page that answers with success and says that there is nothing. Rule: soft-404."""
    if page.status not in SUCCESSES:
        return None
    for place, words in (("title", page.title), ("first heading", page.headings[0] if page.headings else "")):
        if any(_NOT_FOUND.fullmatch(part.strip()) for part in (words, *_PARTS.split(words))):
            return _refusal(page, place, words) if _is_short(page, MAX_APOLOGY_WORDS) else None
    if len(page.text) > MAX_TEXT_CHARS or not _is_short(page, MAX_CLAIM_WORDS):
        return None
    claim = next(claims(page), "")
    return _refusal(page, "text", claim) if claim else None


def refusal_by_probe(page: Page, database: CrawlDatabase) -> Refusal | None:
    """Reject a page by the findings of probes: its site shows it for missing pages, or redirects there."""
    lies, probe = ProbeFindings(database).lies(site_of(page.url), page.url)
    refusal = redirected_refusal(page, probe) if probe else None
    return refusal or refusal_by_profile(page, lies)


def redirected_refusal(page: Page, probe: str) -> Refusal | None:
    """Reject the target of the redirect of `probe`, a generated URL, if its text or its URL says that it is for errors.

    Any other such page stays: many sites redirect a missing page to their home page. Rule: soft-404.
    """
    path = urlsplit(page.url).path
    said = next(claims(page), "") or (path if _NAMES_ERROR.search(path) else "")
    why = f"{probe}, a URL that Breadcrumb generated, redirects to it, and it says “{said}”"
    return Refusal(Rule.SOFT_404, why) if said else None


def claims(page: Page) -> Iterator[str]:
    """Yield the sentences of a page that say of the page itself that it is not there."""
    for line in content_lines(page):
        if len(line) <= MAX_CLAIM_CHARS:
            yield from (said.strip() for said in (line, *_SENTENCE_END.split(line)) if _CLAIM.match(said))


def _refusal(page: Page, place: str, words: str) -> Refusal | None:
    if _ABOUT_CODES.search(page.text):
        return None
    reason = f"status {page.status}, but the {place} says “{words}” and there is hardly more"
    return Refusal(Rule.SOFT_404, reason)


def _is_short(page: Page, most: int) -> bool:
    return (
        count_content_words(page, most) <= most
        and sum(len(CJK.findall(line)) for line in content_lines(page)) <= MAX_CJK_CHARS
    )


MAX_MARKUP = 256 * 1024  # bytes of a page in which signs are looked for: such pages are short, or their scripts long
MAX_WALL_WORDS = 90  # of a page that asks for a password, names of links aside: a form, advice, a cookie note
MAX_PARKED_WORDS = 150  # of an offer; advertisements are links
MAX_SHELL_WORDS = 40  # of a page that a script fills: "Loading …", and that JavaScript is needed
MAX_LOADING_WORDS = 12  # beside an element that a script fills: "Loading, please wait"
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
    """Reject a response that only stands for a page. Rules: login-wall, parked, script-shell."""
    if page.content_type not in HTML_TYPES or len(page.text) > MAX_TEXT_CHARS:
        return None
    words = count_content_words(page, MAX_PARKED_WORDS)
    if words > MAX_PARKED_WORDS:  # more than any of them says
        return None
    markup = page.body[:MAX_MARKUP]
    return _parked(page, words) or _login_wall(page, words, markup) or _script_shell(page, markup)


def _parked(page: Page, words: int) -> Refusal | None:
    own = "\n".join((page.title, *content_lines(page)))
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


MAX_FRAMES_WORDS = 60  # a page with more words says something else as well

_FRAME = re.compile(rb"<i?frame[\s/>]", re.IGNORECASE)
_BROWSER = re.compile("browser|navigateur|navegador|браузер|ブラウザ|브라우저|浏览器", re.IGNORECASE)
_UNSUPPORTED = re.compile(
    r"(?:browser|page|site)\b[^.\n]{0,60}(?:\bnot\b|n't\b|\bcannot\b|\brequires?\b)[^.\n]{0,60}\bi?frames?\b"
    r"|\bi?frames?\b[^.\n]{0,60}(?:\bnot\b|n't\b|\bcannot\b|\brequired\b|\bdisabled\b)"
    r"|browser[^.\n]{0,60}\bframes\b[^.\n]{0,40}\bnicht\b|browser[^.\n]{0,60}\bkeine frames\b"  # de
    r"|navigateur[^.\n]{0,60}\bpas\b[^.\n]{0,40}\bcadres\b|navegador[^.\n]{0,20}\bno\b[^.\n]{0,40}\bmarcos\b"  # fr es
    r"|браузер[^.\n]{0,40}не поддерживает[^.\n]{0,20}(?:фрейм|кадр)"
    r"|フレーム[^\n。]{0,30}(?:未対応|対応していません|表示できません)|프레임[^\n.]{0,30}(?:지원하지|없습니다)"
    r"|不支持框架",
    re.IGNORECASE,
)


def frames_refusal(page: Page) -> Refusal | None:
    """Refuse a short page that speaks of frames which the browser lacks. Rule: frames."""
    if len(page.text.split(None, MAX_FRAMES_WORDS)) > MAX_FRAMES_WORDS:
        return None
    said = _UNSUPPORTED.search(page.text) if _BROWSER.search(page.text) else None
    if said is None:
        return None
    more = ": its frames are pages of their own" if _FRAME.search(page.body) else ", and it has no frames"
    return Refusal(Rule.FRAMES, f"it only says “{said[0]}”{more}")


REDIRECT_SECONDS = 1  # of a refresh: the book (9.4) has `1; URL=index.html`


def redirect_refusal(page: Page) -> Refusal | None:
    """Refuse a stub that leads elsewhere before anybody could read it. Rule: moved."""
    if page.refresh is None or page.refresh[0] > REDIRECT_SECONDS:
        return None
    seconds, target = page.refresh
    if canonical_or_none(target) == page.url:
        return None
    shown = mask_credentials(target)[:200]
    return Refusal(Rule.MOVED, f"its refresh leads to {shown} after {seconds} s: a redirect, and no page of its own")


_SECURITY_TXT = "security.txt: where to report a weakness of this site (RFC 9116)"
# By path below the root of a site: what the file is, a sentence without its full stop. Letter case counts in a path.
WELL_KNOWN_FILES = MappingProxyType(
    {
        "/humans.txt": "humans.txt: who made this site",
        "/ads.txt": "ads.txt: who may sell this site's advertising",
        "/app-ads.txt": "app-ads.txt: who may sell the advertising in this owner's apps",
        "/sellers.json": "sellers.json: for whom an advertising exchange sells",
        "/.well-known/security.txt": _SECURITY_TXT,
        "/security.txt": _SECURITY_TXT,
        # A joke of 2014 about two killer robots that travel in time. No robot obeys it, and neither do we.
        "/killer-robots.txt": "killer-robots.txt: a search engine's joke of 2014, which forbids nothing to anybody",
        "/robots.txt": "robots.txt: what robots may fetch; obeyed already, by way of its own request",
        "/llms.txt": "llms.txt: what this site would have language models read",
    }
)
WELL_KNOWN_TYPES = frozenset(
    {"", "text/plain", "text/markdown", "text/x-markdown", "application/json", "application/octet-stream"}
)
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!--|(?:!doctype|html|head|body)\b)", re.IGNORECASE)


def well_known_urls(url: str) -> list[str]:
    """Return the URLs of all these files on the origin of `url`."""
    return [urljoin(url, path) for path in WELL_KNOWN_FILES]


def well_known_refusal(page: Page, redirecting: Iterable[str] = ()) -> Refusal | None:
    """Refuse a file that is no page. `redirecting` are the URLs that redirect to it. Rule: well-known."""
    if page.refusals or page.content_type not in WELL_KNOWN_TYPES or _MARKUP.match(page.body):
        return None
    for url in (page.url, *redirecting):
        what = WELL_KNOWN_FILES.get(urlsplit(url).path)
        if what is not None:
            moved = "" if url == page.url else f" ({url} leads to it)"
            return Refusal(Rule.WELL_KNOWN, f"it is {what}{moved}")
    return None
