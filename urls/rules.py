"""By which rule did something happen to a URL? Each rule has a name, a meaning, and advice for a person.

The name is in the crawl database, in `why`, in `report` and in the log of fetches, so it never changes. The table of
docs/operations.md and the advice of `why` come from this list. In a remedy, `URL` means the URL in question.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

_RELEASE = "./breadcrumb release URL queues it anyway"
_PATTERN = f"{_RELEASE}; ./breadcrumb report traps shows its whole pattern, and the words that release that."
_LEADS_THERE = "Its target has an entry of its own, and search finds that."
_LISTED = "The pages that it lists have entries of their own. The next round reads it again if it has changed."
_OWNERS = "Only its owner can change that: a robot reads a page without a password and without scripts."
_DECIDE = "./breadcrumb block URL does it; ./breadcrumb block --decline URL leaves it as it is."
_NEXT_ROUND = "the next round asks again: ./breadcrumb crawl site"

# Words of the reasons of ADDRESS and IDENTITY
NO_SEED_THERE = "a private address, and no seed is at"
ASK_FOR_IDENTITY = (
    "set CONTACT (an e-mail address) and BOT_URL (a page that tells what your robot does) first, so that its owner "
    "can reach you: -s CONTACT=you@example.org -s BOT_URL=https://example.org/bot"
)


class Rule(StrEnum):
    """A rule of the journal: its word, what it means, and what a person can do next ("": nothing, or nobody)."""

    meaning: str
    remedy: str

    def __new__(cls, word: str, meaning: str = "", remedy: str = "") -> Self:
        """Make a member whose value is its word."""
        rule = str.__new__(cls, word)
        rule._value_ = word
        rule.meaning = meaning
        rule.remedy = remedy
        return rule

    # -- May we? What a robots.txt or a person says
    ROBOTS = (
        "robots",
        "its robots.txt disallows it; the reason names the line",
        "Only the owner of the site can change that: once the robots.txt allows it, the next round fetches it.",
    )
    ROBOTS_CLOSED = "robots-closed", "its robots.txt is not available, so nothing of its site is requested yet"
    BLOCKED = (
        "blocked",
        "a person put it on the blacklist",
        "It stays out: it is on the blacklist, which no crawl and no submit overrides.",
    )
    UNBLOCKED = "unblocked", "a person took it off the blacklist, so it is queued again"
    BLACKLIST_FILE = "blacklist-file", "a line of the blacklist file is invalid, or the file is not readable any longer"
    ARCHIVE_RECOVERED = "archive-recovered", "a crawl left a file of its archive open: a torn record was cut off"
    FORGOTTEN = "forgotten", "a person took it out with `forget`; what was queued or under way waits for the next round"
    SUBMITTED = "submitted", "a visitor of the search page handed it in"
    PROPOSED = "proposed", "a visitor of the policy page wants it blocked, or a person declined that", _DECIDE
    ADMIN = "admin", "a person with the token of the admin page requested it there"
    IDENTITY = (
        "identity",
        "CONTACT or BOT_URL is not set, and its host is on the internet",
        "Set CONTACT and BOT_URL, so its owner can reach you, and crawl again.",
    )

    # -- Which address is it? What its form or its place says
    SCHEME = "scheme", "it is no web address", "Give an address that begins with http:// or https://"
    HOST = "host", "it has no valid host", "Check the spelling of the host."
    PORT = (
        "port",
        "no seed has its port, and ALLOWED_PORTS has it not",
        "./breadcrumb submit URL adds its site and port. -s SCOPE=domain with -s ALLOWED_PORTS=N lets links go there.",
    )
    ADDRESS = (
        "address",
        "its host is inside a private network, and no seed is there",
        "A private address is only fetched where a seed is: ./breadcrumb crawl site -a seeds=URL",
    )
    CREDENTIALS = "credentials", "a link had a name and a password, which Breadcrumb never uses or stores"
    OFF_SITE = (
        "off-site",
        "it is on no site of the seeds",
        "./breadcrumb submit URL takes its site into the crawl; -s SCOPE=domain takes in whole domains of seeds.",
    )
    OTHER_PART = (
        "other-part",
        "another part of a divided crawl has its host",
        "The part of the crawl that has its host requests it and reports on it.",
    )
    ALIAS = (
        "alias",
        "an option of its site makes it another spelling of a known URL",
        "By an option of its site it is another URL of the page above, which has an entry of its own.",
    )

    # -- Is it a trap? What its shape, its pattern or its site says
    URL_LENGTH = (
        "url-length",
        "it is longer than 1,024 characters",
        f"{_RELEASE}.",
    )
    DEPTH = (
        "depth",
        "it is more than MAX_DEPTH links from a seed",
        "./breadcrumb submit URL puts it into the root set; or crawl with a higher -s MAX_DEPTH=N.",
    )
    REPEATED_PATH = (
        "repeated-path",
        "parts of its path repeat",
        f"{_RELEASE}.",
    )
    FAR_DATE = (
        "far-date",
        "only an endless calendar has such a date",
        f"{_RELEASE}, for this one address.",
    )
    QUERY = (
        "query",
        "its query has too many parameters, or one too often",
        f"{_RELEASE}.",
    )
    NO_YIELD = "no-yield", "pages with this URL pattern had no new content", _PATTERN
    MADE_UP = "made-up", "its site generates pages: it has one for any name", _PATTERN
    PATTERN_BUDGET = (
        "pattern-budget",
        "its pattern has as many URLs as it has earned",
        f"It is queued when its pattern brings more new content. {_RELEASE}.",
    )
    SITE_BUDGET = (
        "site-budget",
        "its site, or the sites of its domain, have SITE_PAGES URLs",
        f"{_RELEASE}; if the site is really that large, crawl with a higher -s SITE_PAGES=N.",
    )
    HOST_BUDGET = (
        "host-budget",
        "its domain has 200 sites, and this would be one more",
        f"{_RELEASE}.",
    )
    PROBE = (
        "probe",
        "Breadcrumb requested it to learn about its site: a random URL, or a second request",
        "Nothing needs doing: only Breadcrumb ever used this URL, and it is no page of the site.",
    )
    STYLESHEET = (
        "stylesheet",
        "Breadcrumb requested it as a stylesheet, to see which text it hides on pages of its site",
        "Nothing needs doing: a stylesheet is no page of the site.",
    )
    PATTERN_EARNED = (
        "pattern-earned",
        "its pattern brought new content, or a person wrote its pages: it may have more URLs",
    )
    RELEASED_TRAP = "released-trap", "a person released it: no rule about traps holds for it"

    # -- Is it asked for? What settings and earlier visits say
    TYPE = (
        "type",
        "its name ends in one of SKIPPED_ENDINGS, or the response is of a type without text",
        "If such files contain text, remove their extension from -s SKIPPED_ENDINGS=LIST.",
    )
    DYNAMIC = (
        "dynamic",
        "a program makes its page, and SKIP_QUERIES is set",
        "To have such pages too, crawl with -s SKIP_QUERIES=no.",
    )
    REVISIT = "revisit", "it is not due yet (mode=due)"
    LASTMOD = (
        "lastmod",
        "its stored copy is newer than the date in its sitemap, and TRUST_LASTMOD is set",
        "To request it whatever its sitemap says, crawl with -s TRUST_LASTMOD=no.",
    )
    SECOND_CHANCE = "second-chance", "it was gone, and a sitemap lists it with a later date"
    MAX_REQUESTS = "max-requests", "the run has sent MAX_REQUESTS requests"
    STOPPED = "stopped", "the run stopped during its fetch"

    # -- How did the fetch end? What the server or the network says
    FETCHED = "fetched", "it was fetched and stored"
    NOT_MODIFIED = "not-modified", "its stored copy is current (304)"
    MOVED = "moved", "it redirects to another URL, or refreshes to one within a second", _LEADS_THERE
    GONE = "gone", "its server answers 404 or 410"
    AUTH = "auth", "its server answers 401 or 407, and no password is ever sent"
    FORBIDDEN = "forbidden", "its server answers 403"
    STATUS = "status", "its server returns another 3xx or 4xx; 408 and 425 are retried"
    NO_PAGE = "no-page", "its server returns 206, a part without a request for one; any other 2xx is a page"
    BAD_STATUS = "bad-status", "its server answers with a number that is no status code of HTTP"
    SERVER_ERROR = (
        "server-error",
        "its server returns 5xx: retried later, RETRY_ATTEMPTS times a round",
        f"Its server failed each time; {_NEXT_ROUND}",
    )
    TOO_MANY_REQUESTS = "too-many-requests", "its server returns 429: retried later, RETRY_ATTEMPTS times a round"
    REDIRECT_LOOP = (
        "redirect-loop",
        "its redirect leads back to it",
        "Only the owner of the site can change that: its redirects form a loop.",
    )
    REDIRECT_LIMIT = (
        "redirect-limit",
        "it is one redirect too many in a row",
        "Submit the address at which its redirects end, if you know it: ./breadcrumb submit ADDRESS",
    )
    BAD_LOCATION = (
        "bad-location",
        "its redirect has no valid target, or a forbidden one",
        "Only the owner of the site can change that: its redirect has no possible target.",
    )
    REFRESH = "refresh", "its refresh leads back to itself, or is not followed"
    TIMEOUT = (
        "timeout",
        "no complete response within DOWNLOAD_TIMEOUT",
        "No response came in time. Crawl with a higher -s DOWNLOAD_TIMEOUT=SECONDS, or wait for the next round.",
    )
    DNS = "dns", "its host name is not known", f"Check the spelling of the host; if it is right, {_NEXT_ROUND}"
    REFUSED_CONNECTION = (
        "refused-connection",
        "no server answers at its port",
        f"See whether its server runs; {_NEXT_ROUND}",
    )
    TLS = (
        "tls",
        "no secure connection is possible, or its certificate is not trusted",
        "Only the owner of the site can change that: its certificate has to be valid for its name.",
    )
    NETWORK = "network", "the connection was closed or broke before a whole answer had come"
    PROTOCOL = "protocol", "the response was not HTTP, or belongs to no request"
    BROKEN_OFF = "broken-off", "the body ended before it was complete"
    CUT_OFF = (
        "cut-off",
        "its connection was cut, so a part may be missing: it is stored, and requested again",
    )
    HEADER_LIMIT = "header-limit", "its answer has more than 256 KiB of header lines, or they take too long"
    CODING = "coding", "its body has an unsupported content coding"
    SIZE = (
        "size",
        "it is larger than DOWNLOAD_MAXSIZE",
        "If you need it, crawl with a higher -s DOWNLOAD_MAXSIZE=BYTES.",
    )
    HOST_RESTS = "host-rests", "its host rests for a while"
    CRAWL_DELAY = "crawl-delay", "its host asks for a longer delay than MAX_CRAWL_DELAY, which holds instead"
    ALARM = "alarm", "most fetches of its site failed in this round"
    ARCHIVE = "archive", "what an imported archive holds of it is no page, or can't be read"

    # -- Is it worth keeping? What its page says
    NOINDEX = (
        "noindex",
        "its page controls say noindex",
        "Only the owner of the page can change that: without its noindex, the next round indexes it.",
    )
    EXPIRED = (
        "expired",
        "the date of its unavailable_after has passed",
        "Only the owner of the page can change that: it named the date until which it may be found.",
    )
    HIDDEN_NOINDEX = "hidden-noindex", "it had noindex, and robots.txt now hides that from robots"
    CONTROLS = "controls", "it is unchanged, but its server's X-Robots-Tag asks for something else than before"
    NOFOLLOW = "nofollow", "the page or the link says that links are not to be followed"
    LINKS_NOT_FOLLOWED = "links-not-followed", "its content is known or is no page, so its links are not followed"
    LINKS_CUT = "links-cut", "it has more links than are read of a page"
    DUPLICATE = (
        "duplicate",
        "it has the content of another page",
        "Search finds the page that it is a copy of, whose URL is above.",
    )
    NEAR_DUPLICATE = "near-duplicate", "it says nearly what another page says: a search shows one of them for both"
    CANONICAL = (
        "canonical",
        "it names another page as its canonical URL",
        "Search finds its canonical page, whose URL is above.",
    )
    RELEASED = (
        "released",
        "its canonical page changed or went, or no option makes it an alias any longer",
    )
    SOFT_404 = (
        "soft-404",
        "it says with status 200 that there is no such page",
        "If it is a page after all, its owner could let it say more than that nothing is here.",
    )
    EMPTY = "empty", "it has no words", "Only its owner can change that: without a word in it, no query can find it."
    FRAMES = (
        "frames",
        "it says only that a browser must show frames",
        "Only its owner can change that: it says nothing else. Frames that it has are links of it.",
    )
    LOGIN_WALL = "login-wall", "it only asks who you are", _OWNERS
    PARKED = "parked", "its domain has no site and is for sale or parked", _OWNERS
    SCRIPT_SHELL = "script-shell", "without its scripts it says nothing", _OWNERS
    BINARY = "binary", "it is called text and is none", "Only its owner can change that: it is called text and is none."
    DOCUMENT = "document", "its file can't be read: damaged, locked, or too much for its reader"
    WELL_KNOWN = (
        "well-known",
        "it is a file for programs, or about its site",
        "It is kept, and left out of the results: it is for programs, or about the site, and no page of it.",
    )
    EXTENSION = (
        "extension",
        "a filter of an extension rejected it; the reason says why",
        "A crawl without the extension, or ./breadcrumb reparse without it, keeps the page.",
    )
    REREAD = "reread", "its stored copy was parsed and filtered again, without a fetch"
    FEED = "feed", "it is a feed: its entries are followed as links", _LISTED
    SPOOFING = "spoofing", "the time limit ended the comparison of all pages; the next run does it"
    WARNING = "warning", "something is odd about a page or a sitemap, which did not stop it"
    FAULT = "fault", "a fault of Breadcrumb's own: please report it with the lines on standard error"

    # -- Is it a list of pages? What a sitemap says
    SITEMAP = "sitemap", "it was read as a sitemap", _LISTED
    SITEMAP_UNCHANGED = "sitemap-unchanged", "it is a sitemap, which is as it was", _LISTED
    SITEMAP_UNNAMED = (
        "sitemap-unnamed",
        "no robots.txt names it as a sitemap any longer",
        "A Sitemap line in a robots.txt of a site that is crawled brings it back.",
    )
    NO_SITEMAP = (
        "no-sitemap",
        "it is named as a sitemap and is none",
        "If it is a page, a link from another page adds it to the crawl.",
    )
    SITEMAP_FOREIGN = "sitemap-foreign", "it lists pages of sites that it has no authority for"
    SITEMAP_BUDGET = "sitemap-budget", "its site names more than 1,000 sitemaps"
    SITEMAP_DEPTH = "sitemap-depth", "it is an index of sitemaps within another one"
