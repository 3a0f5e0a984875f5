"""By which rule did something happen to a URL? Each rule has a name, a meaning, and advice for a person.

The name is in the crawl database, in `why`, in `report` and in the log of fetches, so it never changes. The table of
docs/operations.md and the advice of `why` come from this list. In a remedy, `URL` means the URL in question.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

_RELEASE = "./breadcrumb release URL queues it anyway"
_PATTERN = f"{_RELEASE}; ./breadcrumb report traps shows how to release its pattern."
_LISTED = "The next round reads it again if it has changed."
_SPELLING = "Check the spelling of the host and its port."
_NO_PAGE = "It is no page of the site."
_OWNERS = "Only its owner can change that."
FIRST_CRAWL = "./breadcrumb crawl site -a seeds=URL"
_NEXT_ROUND = "The next round requests it again: ./breadcrumb crawl site"

# Words of the reasons of ADDRESS and IDENTITY
NO_SEED_THERE = "a private address, and no seed is at"
LED_ELSEWHERE = "a private address, and its name has led to the internet too"
ASK_FOR_IDENTITY = (
    "set CONTACT (an e-mail address) and BOT_URL (a page that describes your robot) first, so that its owner "
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
        "Only its owner can change that: once the robots.txt allows it, the next round fetches it.",
    )
    ROBOTS_CLOSED = "robots-closed", "its robots.txt is not available, so its site is closed for now"
    BLOCKED = ("blocked", "a person put it on the blacklist", "No crawl and no submit overrides the blacklist.")
    UNBLOCKED = "unblocked", "a person took it off the blacklist"
    BLACKLIST_FILE = "blacklist-file", "the blacklist file is not readable, or a line of it is invalid"
    ARCHIVE_RECOVERED = "archive-recovered", "a torn record was cut off an archive file that a crawl left open"
    FORGOTTEN = "forgotten", "a person took it out with `forget`"
    SUBMITTED = "submitted", "a visitor submitted it"
    PROPOSED = "proposed", "a visitor wants it blocked, or a person declined that"
    ADMIN = "admin", "a person requested it on the admin page"
    IDENTITY = (
        "identity",
        "CONTACT or BOT_URL is not set, and its host is on the internet",
        "Set CONTACT and BOT_URL, and crawl again.",
    )

    # -- Which address is it? What its form or its place says
    SCHEME = "scheme", "it is no web address", "Give a URL that begins with http:// or https://"
    HOST = "host", "it has no valid host or port", _SPELLING
    PORT = (
        "port",
        "no seed has its port, and ALLOWED_PORTS has it not",
        "./breadcrumb submit URL adds its site and port. -s SCOPE=domain with -s ALLOWED_PORTS=N lets links go there.",
    )
    ADDRESS = (
        "address",
        "its host is in a private network, and is no seed's, or its name has led to the internet too",
        f"{FIRST_CRAWL} makes its host a seed's. After the internet, it takes a seed with the IP address.",
    )
    CREDENTIALS = "credentials", "a link had a name and a password, which are never used or stored"
    OFF_SITE = (
        "off-site",
        "it is on no site of the seeds",
        "./breadcrumb submit URL adds its site; -s SCOPE=domain adds whole domains of seeds.",
    )
    OTHER_PART = ("other-part", "another part of a divided crawl has its host", "That part requests it.")
    ALIAS = ("alias", "an option of its site makes it an alias", "Search finds the page under its other URL.")

    # -- Is it a trap? What its shape, its pattern or its site says
    URL_LENGTH = ("url-length", "it is longer than 1,024 characters", f"{_RELEASE}.")
    DEPTH = (
        "depth",
        "it is more than MAX_DEPTH links from a seed",
        "./breadcrumb submit URL makes it a seed; or crawl with a higher -s MAX_DEPTH=N.",
    )
    REPEATED_PATH = ("repeated-path", "parts of its path repeat", f"{_RELEASE}.")
    FAR_DATE = ("far-date", "only an endless calendar has such a date", f"{_RELEASE}.")
    QUERY = ("query", "its query has too many parameters, or one too often", f"{_RELEASE}.")
    NO_YIELD = "no-yield", "pages with this URL pattern had no new content", _PATTERN
    MADE_UP = "made-up", "its site generates pages: it has one for any name", _PATTERN
    PATTERN_BUDGET = ("pattern-budget", "its pattern has as many URLs as it has earned", f"{_RELEASE}.")
    SITE_BUDGET = (
        "site-budget",
        "its site, or the sites of its domain, have SITE_PAGES URLs",
        f"{_RELEASE}; or crawl with a higher -s SITE_PAGES=N.",
    )
    HOST_BUDGET = ("host-budget", "its domain has 200 sites already", f"{_RELEASE}.")
    PROBE = (
        "probe",
        "it was requested to learn about its site: a random URL, a stylesheet, or a page a second time",
        _NO_PAGE,
    )
    STYLESHEET = "stylesheet", "it is a stylesheet, requested to find hidden text", _NO_PAGE
    PATTERN_EARNED = ("pattern-earned", "its pattern may now have more URLs")
    RELEASED_TRAP = "released-trap", "a person released it: no trap rule holds for it"

    # -- Is it asked for? What settings and earlier visits say
    TYPE = (
        "type",
        "it ends in one of SKIPPED_ENDINGS, or its type has no text",
        "If its ending is skipped and such files have text, shorten -s SKIPPED_ENDINGS=LIST. Other types stay out.",
    )
    DYNAMIC = ("dynamic", "a program makes its page, and SKIP_QUERIES is set", "Crawl with -s SKIP_QUERIES=no.")
    REVISIT = "revisit", "it is not due yet (mode=due)"
    LASTMOD = (
        "lastmod",
        "its stored copy is newer than its sitemap date, and TRUST_LASTMOD is set",
        "Crawl with -s TRUST_LASTMOD=no.",
    )
    SECOND_CHANCE = "second-chance", "it was gone, and a sitemap lists it with a later date"
    MAX_REQUESTS = "max-requests", "the run has sent MAX_REQUESTS requests"
    STOPPED = "stopped", "the run stopped during its fetch"

    # -- How did the fetch end? What the server or the network says
    FETCHED = "fetched", "it was fetched and stored"
    NOT_MODIFIED = "not-modified", "its stored copy is current (304)"
    MOVED = "moved", "it redirects to another URL, or refreshes to one within a second", "Search finds its target."
    GONE = "gone", "its server returns 404 or 410"
    AUTH = (
        "auth",
        "its server returns 401 or 407, and no table [[site]] has a login for it",
        "If you may read it, add its login (docs/logins.md).",
    )
    LOGIN = (
        "login",
        "its site needs a login: the crawl has logged in, or the login failed and nothing more was requested",
        "Correct its table [[site]] (docs/logins.md). The next round requests it again.",
    )
    LOGOUT = "logout", "a request for it would end the session at its site"
    FORBIDDEN = "forbidden", "its server returns 403"
    STATUS = "status", "its server returns another 3xx or 4xx; 408 and 425 are retried"
    NO_PAGE = "no-page", "its server returns a part without a request for one (206)"
    BAD_STATUS = "bad-status", "its server returns no status code of HTTP"
    SERVER_ERROR = ("server-error", "its server returns 5xx: retried later, RETRY_ATTEMPTS times a round", _NEXT_ROUND)
    TOO_MANY_REQUESTS = "too-many-requests", "its server returns 429: retried later, RETRY_ATTEMPTS times a round"
    REDIRECT_LOOP = "redirect-loop", "its redirect leads back to it", _OWNERS
    REDIRECT_LIMIT = (
        "redirect-limit",
        "it is one redirect too many in a row",
        "Submit the URL where its redirects end: ./breadcrumb submit ADDRESS",
    )
    BAD_LOCATION = (
        "bad-location",
        "its redirect has no valid target, or a forbidden one",
        "If its target is right, make that a seed: ./breadcrumb submit ADDRESS",
    )
    REFRESH = "refresh", "its refresh leads back to itself, or is not followed"
    TIMEOUT = (
        "timeout",
        "no complete response within DOWNLOAD_TIMEOUT",
        "Crawl with a higher -s DOWNLOAD_TIMEOUT=SECONDS.",
    )
    DNS = "dns", "its host name is not known", _SPELLING
    REFUSED_CONNECTION = ("refused-connection", "no server answers at its port", _NEXT_ROUND)
    TLS = "tls", "no secure connection is possible, or its certificate is not trusted", _OWNERS
    NETWORK = "network", "the connection ended before the whole response had come"
    PROTOCOL = "protocol", "the response was not HTTP, or belongs to no request"
    BROKEN_OFF = "broken-off", "the body ended before it was complete"
    CUT_OFF = "cut-off", "the connection was cut: what came is stored, and it is requested again"
    HEADER_LIMIT = "header-limit", "its header lines have more than 256 KiB, or take too long"
    CODING = "coding", "its body has an unsupported coding"
    SIZE = "size", "it is larger than DOWNLOAD_MAXSIZE", "Crawl with a higher -s DOWNLOAD_MAXSIZE=BYTES."
    HOST_RESTS = "host-rests", "its host rests for a while"
    CRAWL_DELAY = "crawl-delay", "its host wants a longer delay than MAX_CRAWL_DELAY, which holds"
    ALARM = "alarm", "most fetches of its site failed in this round"
    ARCHIVE = "archive", "its record in an imported archive is no page, or can't be read"

    # -- Is it worth keeping? What its page says
    NOINDEX = ("noindex", "its page controls say noindex", _OWNERS)
    EXPIRED = "expired", "the date of its unavailable_after has passed", _OWNERS
    HIDDEN_NOINDEX = "hidden-noindex", "it had noindex, and robots.txt now hides that from robots"
    CONTROLS = "controls", "only its X-Robots-Tag has changed"
    NOFOLLOW = "nofollow", "the page or the link says nofollow"
    LINKS_NOT_FOLLOWED = "links-not-followed", "its content is known or is no page, so its links are not followed"
    LINKS_CUT = "links-cut", "it has more links than are read"
    DUPLICATE = "duplicate", "it has the content of another page", "Search finds that page."
    NEAR_DUPLICATE = "near-duplicate", "it says nearly what another page says: a search shows one of them"
    CANONICAL = "canonical", "it names another page as its canonical URL", "Search finds its canonical page."
    RELEASED = "released", "its canonical page changed, or no option makes it an alias any longer"
    SOFT_404 = ("soft-404", "it says with status 200 that there is no such page", _OWNERS)
    EMPTY = "empty", "it has no words", _OWNERS
    FRAMES = "frames", "it says only that a browser must show frames", _OWNERS
    LOGIN_WALL = "login-wall", "it only asks who you are", _OWNERS
    PARKED = "parked", "its domain has no site and is for sale or parked", _OWNERS
    SCRIPT_SHELL = (
        "script-shell",
        "without its scripts it says nothing",
        "./breadcrumb crawl site -s RENDER=auto runs its scripts in Chromium.",
    )
    BINARY = "binary", "it is called text and is none", _OWNERS
    DOCUMENT = "document", "its file can't be read: damaged, locked, or too much for its reader"
    WELL_KNOWN = "well-known", "it is a file for programs, or about its site", "It is stored, and never a result."
    EXTENSION = (
        "extension",
        "a filter of an extension rejected it",
        "./breadcrumb reparse without the extension keeps the page.",
    )
    REREAD = "reread", "its stored copy was parsed again, without a fetch"
    FEED = "feed", "it is a feed: its entries are followed as links", _LISTED
    SPOOFING = "spoofing", "the time limit ended the search for spam; the next run does it"
    WARNING = "warning", "something is odd about a page or a sitemap"
    FAULT = "fault", "an internal error: please report it with the lines on standard error"

    # -- Is it a list of pages? What a sitemap says
    SITEMAP = "sitemap", "it was read as a sitemap", _LISTED
    SITEMAP_UNCHANGED = "sitemap-unchanged", "it is a sitemap that has not changed", _LISTED
    SITEMAP_UNNAMED = (
        "sitemap-unnamed",
        "no robots.txt names it as a sitemap any longer",
        "A Sitemap line in the robots.txt of a crawled site brings it back.",
    )
    NO_SITEMAP = ("no-sitemap", "it is named as a sitemap and is none", "If it is a page, a link adds it to the crawl.")
    SITEMAP_FOREIGN = "sitemap-foreign", "it lists pages of sites that it has no authority for"
    SITEMAP_BUDGET = "sitemap-budget", "its site names more than 1,000 sitemaps"
    SITEMAP_DEPTH = "sitemap-depth", "it is an index of sitemaps within another one"
