"""What is no page, though it was answered like one? A "not found" under status 200, a redirect, a file for programs.

Servers lie (the book, 9.3): the words say what the code does not. Two signs are needed: one of the customary sentences
is a whole part of the title, or the first heading; and the page is short. Neither is proof alone: an article about
error 404 has the words in its title, and a text of its own. A probe of a URL that cannot exist would prove more, but it
costs requests, and this rule costs none.

A file for programs, or for the people behind a site, answers no question. Each of these files stands at one exact path
of a site, by a convention of its own: humanstxt.org, the IAB's ads.txt 1.1, app-ads.txt and sellers.json, RFC 9116
(security.txt), RFC 9309 (robots.txt), llmstxt.org. A crawl meets them because people link to them. They are fetched and
stored like a page, and left out of the index. A page of HTML at such a path is a page: many sites answer any request
with their home page.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from pipelines.near_duplicates import CJK
from urls.canonical import UnusableUrl, canonicalize, hidden_in
from urls.records import Page, Refusal
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable


MAX_APOLOGY_WORDS = 120  # an apology, a search box and a menu; an article has more
MAX_CJK_CHARS = 400  # the same where words have no blanks between them
SUCCESSES = range(200, 300)  # status codes

_THING = "(?:requested |web)?(?:page|file|document|url|resource)(?: you requested| you are looking for)?"
# One sentence a line, as the customary error pages of servers and content systems have them.
_SENTENCES = (
    r"(?:http )?(?:error )?404(?: error)?(?:[ ,.!:-]+(?:the )?(?:page|file|document)?(?: was)? ?not found)?",
    rf"(?:oops[ ,.!]*|sorry[ ,.!]*)?(?:the |this )?{_THING} (?:was |is |could |can )?(?:not|cannot)(?: be)? found",
    r"not found|nothing found|(?:page |file )?cannot be found|(?:this |the )?page (?:does not|doesn't) exist",
    r"(?:die )?(?:angeforderte |gesuchte )?(?:seite|datei)(?: wurde| konnte)?(?: leider)? nicht gefunden(?: werden)?",
    r"nicht gefunden|(?:diese |die )?seite existiert nicht|fehler 404|404 fehler",
    r"(?:la )?page (?:non trouvée|introuvable|inexistante)|cette page n.existe pas|erreur 404",
    r"(?:la )?página no (?:encontrada|existe|se encuentra)|no se (?:ha encontrado|encontró) la página|error 404",
    r"страница не (?:найдена|существует)|(?:такой )?страницы не существует|не найдено|ошибка 404",
    r"(?:お探しの)?ページが?(?:は)?(?:見つかりません(?:でした)?|存在しません)",
    r"(?:요청하신 )?페이지를? ?찾을 수 없습니다|페이지가 (?:없습니다|존재하지 않습니다)|존재하지 않는 페이지",
    r"(?:您(?:访问|请求)的)?(?:页面|頁面|网页|網頁)(?:不存在|未找到|找不到)|(?:找不到|未找到)(?:该|該)?(?:页面|頁面|网页|網頁)",
)
_NOT_FOUND = re.compile(rf"(?:404[ ,.!:-]*)?(?:{'|'.join(_SENTENCES)})[ .!\u3002\uff01]*", re.IGNORECASE)
_PARTS = re.compile(r"\s[-–—|:·»›«]+\s|[|»›«]|: ")  # noqa: RUF001 - the signs with which titles separate page and site
_ABOUT_CODES = re.compile(r"status[- ]?code|\brfc ?\d{3,4}|code d.(?:état|erreur)|код состояния|状态码", re.IGNORECASE)


def soft404_refusal(page: Page) -> Refusal | None:
    """Refuse a page that answers with success and says that there is nothing. Rule: soft-404."""
    if page.status not in SUCCESSES or not _is_short(page.text) or _ABOUT_CODES.search(page.text):
        return None
    for place, words in (("title", page.title), ("first heading", page.headings[0] if page.headings else "")):
        if any(_NOT_FOUND.fullmatch(part.strip()) for part in (words, *_PARTS.split(words))):
            reason = f"status {page.status}, but the {place} says “{words}” and there is hardly more"
            return Refusal(Rule.SOFT_404, reason)
    return None


def _is_short(text: str) -> bool:
    if len(text.split(None, MAX_APOLOGY_WORDS)) > MAX_APOLOGY_WORDS:
        return False
    return len(CJK.findall(text)) <= MAX_CJK_CHARS


REDIRECT_SECONDS = 1  # of a refresh: the book (9.4) has `1; URL=index.html`


def redirect_refusal(page: Page) -> Refusal | None:
    """Refuse a stub that leads elsewhere before anybody could read it. Rule: moved."""
    if page.refresh is None or page.refresh[0] > REDIRECT_SECONDS:
        return None
    seconds, target = page.refresh
    try:
        if canonicalize(target) == page.url:
            return None
    except UnusableUrl:
        pass
    shown = hidden_in(target)[:200]
    return Refusal(Rule.MOVED, f"its refresh leads to {shown} after {seconds} s: a redirect, and no page of its own")


_SECURITY_TXT = "security.txt: whom to tell about a weakness of this site (RFC 9116)"
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
