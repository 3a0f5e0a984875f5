"""What can a person do next about a URL? One sentence for each way in which it can stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.dossier.record import UNDISCOVERED, UNUSABLE

if TYPE_CHECKING:
    from crawldb.dossier.record import Dossier

# Rules under which a URL or its page was refused, and what would change that.
_REMEDIES = {
    "blocked": "It stays out: it is on the blacklist, which no crawl and no submit overrides.",
    "robots": "Only the owner of the site can change that: once the robots.txt allows it, the next round fetches it.",
    "noindex": "Only the owner of the page can change that: without its noindex, the next round indexes it.",
    "expired": "Only the owner of the page can change that: it named the date until which it may be found.",
    "duplicate": "Search finds the page that it is a copy of, whose URL is above.",
    "near-duplicate": "Search finds the page that it is nearly a copy of, whose URL is above.",
    "soft-404": "If it is a page after all, its owner could let it say more than that nothing is here.",
    "redirect-loop": "Only the owner of the site can change that: its redirects lead in a circle.",
    "size": "If it is worth its size, crawl with a higher -s DOWNLOAD_MAXSIZE=BYTES.",
    "off-site": "./breadcrumb submit URL takes its site into the crawl; -s SCOPE=domain takes in whole domains.",
    "depth": "./breadcrumb submit URL puts it into the root set; or crawl with a higher -s MAX_DEPTH=N.",
    "url-length": "If such long addresses are good pages here, crawl with a higher -s MAX_URL_LENGTH=N.",
    "type": "If such files hold text here, take their ending out of -s SKIPPED_ENDINGS=LIST and crawl again.",
    "repeated-path": "If such paths are good pages here, crawl with a higher -s PATH_REPEATS=N.",
    "pattern-budget": "If its kind are good pages, crawl into a new DATA_DIR with a higher -s PATTERN_PAGES=N.",
    "site-budget": "If the site is really that large, crawl into a new DATA_DIR with a higher -s SITE_PAGES=N.",
    "port": "./breadcrumb submit URL makes its port a seed's; -s ALLOWED_PORTS=N lets links lead there.",
    "address": "A private address is only fetched where a seed is: ./breadcrumb crawl site -a seeds=URL",
    "identity": "Set CONTACT and BOT_URL, so that its owner can reach you, and crawl again.",
    "scheme": "Give an address that begins with http:// or https://",
    "host": "Check the spelling of the host.",
}
_STATES = {
    "queued": "The next crawl fetches it: ./breadcrumb crawl site",
    "leased": "A crawl is at work on it; if that was killed, the next one goes on: ./breadcrumb crawl site",
    UNDISCOVERED: "No page that was fetched links to it: ./breadcrumb submit URL hands it in.",
    UNUSABLE: "Give a whole address, such as http://bakery.localhost:8400/bread.html",
}


def advice(dossier: Dossier) -> str:
    """Return one sentence on what to do next; URL in it stands for the canonical URL."""
    return _sentence(dossier).replace("submit URL", f"submit {dossier.canonical or 'URL'}")


def _sentence(dossier: Dossier) -> str:
    if dossier.refusal is not None and (dossier.refusal.rule == "blocked" or not dossier.discovered):
        return _REMEDIES.get(dossier.refusal.rule) or _STATES[UNUSABLE]
    if dossier.state in _STATES:
        return _STATES[dossier.state]
    return _about_outcome(dossier) if dossier.page is None else _about_page(dossier)


def _about_outcome(dossier: Dossier) -> str:
    if dossier.moved_to:
        return f"What it leads to has an account of its own: ./breadcrumb why {dossier.moved_to}"
    if dossier.misses:
        return "The next round asks again, until it was not found STALE_AFTER times in a row."
    return _REMEDIES.get(dossier.rule) or "The next round looks at it again: ./breadcrumb crawl site"


def _about_page(dossier: Dossier) -> str:
    if dossier.page is not None and dossier.page.refusals:
        rule = dossier.page.refusals[0].rule
        return _REMEDIES.get(rule) or "If the page changes, the next round judges it anew: ./breadcrumb crawl site"
    return f"It can be found. To take it out: ./breadcrumb forget {dossier.canonical}"
