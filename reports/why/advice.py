"""What can a person do next about a URL? One sentence for each way in which it can stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reports.why.dossier import UNDISCOVERED, UNUSABLE
from urls.rules import Rule

if TYPE_CHECKING:
    from reports.why.dossier import Dossier

_RELEASE = "./breadcrumb release URL queues it all the same"
# Rules under which a URL or its page was refused, and what would change that.
_REMEDIES = {
    "blocked": "It stays out: it is on the blacklist, which no crawl and no submit overrides.",
    "robots": "Only the owner of the site can change that: once the robots.txt allows it, the next round fetches it.",
    "noindex": "Only the owner of the page can change that: without its noindex, the next round indexes it.",
    "expired": "Only the owner of the page can change that: it named the date until which it may be found.",
    "duplicate": "Search finds the page that it is a copy of, whose URL is above.",
    "near-duplicate": "Search finds the page that it is nearly a copy of, whose URL is above.",
    "well-known": "It is kept, and left out of the results: it is for programs, or about the site, and no page of it.",
    "soft-404": "If it is a page after all, its owner could let it say more than that nothing is here.",
    "redirect-loop": "Only the owner of the site can change that: its redirects lead in a circle.",
    "size": "If it is worth its size, crawl with a higher -s DOWNLOAD_MAXSIZE=BYTES.",
    "off-site": "./breadcrumb submit URL takes its site into the crawl; -s SCOPE=domain takes in whole domains.",
    "canonical": "Search finds the page that it names as its canonical address, which is above.",
    "lastmod": "To have it asked for whatever its sitemap says, crawl with -s TRUST_LASTMOD=no.",
    "depth": "./breadcrumb submit URL puts it into the root set; or crawl with a higher -s MAX_DEPTH=N.",
    "far-date": f"{_RELEASE}, for this one address.",
    "query": f"{_RELEASE}; or crawl with a higher -s QUERY_PARAMETERS=N.",
    "no-yield": f"{_RELEASE}; ./breadcrumb report traps shows its whole pattern, and the words that release that.",
    "made-up": f"{_RELEASE}; ./breadcrumb report traps shows its whole pattern, and the words that release that.",
    "probe": "Nothing is to be done: nobody but Breadcrumb ever named it, and it is not asked for again.",
    "host-budget": f"{_RELEASE}; or crawl with a higher -s DOMAIN_SITES=N.",
    "url-length": f"{_RELEASE}; or crawl with a higher -s MAX_URL_LENGTH=N.",
    "type": "If such files hold text here, take their ending out of -s SKIPPED_ENDINGS=LIST and crawl again.",
    "dynamic": "To have such pages too, crawl with -s SKIP_QUERIES=no.",
    "repeated-path": f"{_RELEASE}; or crawl with a higher -s PATH_REPEATS=N.",
    "pattern-budget": f"It comes by itself as its pattern says more that is new. {_RELEASE}.",
    "site-budget": f"{_RELEASE}; if the site is really that large, crawl with a higher -s SITE_PAGES=N.",
    "alias": "Its site has an option by which that is another name of the page above, which has an account of its own.",
    "other-part": "The part of the crawl that has its host asks for it, and has its account.",
    "frames": "Only its owner can change that: it says nothing without its frames, whose pages are links of it.",
    "empty": "Only its owner can change that: without a word in it, no query could ever find it.",
    "binary": "Only its owner can change that: it is called text and is none.",
    "redirect-limit": "Submit the address at which its redirects end, if you know it: ./breadcrumb submit ADDRESS",
    "bad-location": "Only the owner of the site can change that: its redirect leads where no page can be.",
    "server-error": "Its server failed each time. The next round asks again: ./breadcrumb crawl site",
    "timeout": "No answer came in time. Crawl with a higher -s DOWNLOAD_TIMEOUT=SECONDS, or wait for the next round.",
    "dns": "Check the spelling of the host; if it is right, the next round asks again: ./breadcrumb crawl site",
    "refused-connection": "See whether its server runs; the next round asks again: ./breadcrumb crawl site",
    "tls": "Only the owner of the site can change that: its certificate has to be valid for its name.",
    "port": "./breadcrumb submit URL makes its port a seed's; -s ALLOWED_PORTS=N lets links lead there.",
    "address": "A private address is only fetched where a seed is: ./breadcrumb crawl site -a seeds=URL",
    "identity": "Set CONTACT and BOT_URL, so that its owner can reach you, and crawl again.",
    "scheme": "Give an address that begins with http:// or https://",
    "host": "Check the spelling of the host.",
}
# Rules under which a sitemap ended.
_SITEMAPS = {
    "sitemap": "What it lists has accounts of its own; the next round reads it again, if it has changed.",
    "sitemap-unchanged": "What it lists has accounts of its own; the next round reads it again, if it has changed.",
    "sitemap-unnamed": "A Sitemap line in a robots.txt of a site that is crawled brings it back.",
    "no-sitemap": "If it is a page, a link to it from another page brings it into the crawl as one.",
}
_STATES = {
    "queued": "The next crawl fetches it: ./breadcrumb crawl site",
    "leased": "A crawl is at work on it; if that was killed, the next one goes on: ./breadcrumb crawl site",
    UNDISCOVERED: "No page that was fetched links to it: ./breadcrumb submit URL hands it in.",
    UNUSABLE: "Give a whole address, such as http://bakery.localhost:8400/bread.html",
}


def advice(dossier: Dossier) -> str:
    """Return one sentence on what to do next; URL in it stands for the canonical URL."""
    return (
        _sentence(dossier)
        .replace("submit URL", f"submit {dossier.canonical or 'URL'}")
        .replace("release URL", f"release '{dossier.canonical or 'URL'}'")
    )


def _sentence(dossier: Dossier) -> str:
    if dossier.meant and (dossier.refusal is None or dossier.refusal.rule != "blocked"):
        return f"Did you mean {dossier.meant}? The crawl knows that one.{_quoted(dossier.meant)}"
    if dossier.refusal is not None and (dossier.refusal.rule == "blocked" or not dossier.discovered):
        return _REMEDIES.get(dossier.refusal.rule) or _STATES[UNUSABLE]
    if dossier.sitemap is not None and dossier.rule in _SITEMAPS:
        return _SITEMAPS[dossier.rule]
    if dossier.state in _STATES:
        return _STATES[dossier.state]
    return _about_outcome(dossier) if dossier.page is None else _about_page(dossier)


def _quoted(url: str) -> str:
    """Say that a shell would cut a URL, where one would."""
    return f" In a shell it needs quotes: '{url}'." if any(letter in url for letter in "&;()*$!") else ""


def _about_outcome(dossier: Dossier) -> str:
    if dossier.moved_to:
        return f"What it leads to has an account of its own: ./breadcrumb why {dossier.moved_to}"
    if dossier.journal and dossier.journal[-1].rule == Rule.FORGOTTEN:
        return f"The next round asks for it again; ./breadcrumb block {dossier.canonical} keeps it out for good."
    if dossier.misses:
        return "The next round asks again, until it was not found STALE_AFTER times in a row."
    return _REMEDIES.get(dossier.rule) or "The next round looks at it again: ./breadcrumb crawl site"


def _about_page(dossier: Dossier) -> str:
    if dossier.page is not None and dossier.page.refusals:
        rule = dossier.page.refusals[0].rule
        return _REMEDIES.get(rule) or "If the page changes, the next round judges it anew: ./breadcrumb crawl site"
    return f"It can be found. To take it out: ./breadcrumb forget {dossier.canonical}"
