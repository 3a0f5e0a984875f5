"""What is held against a robot? Each check sees its requests once, in the order of their starts.

A check says what it found, whether that is a fault, and for which requests. `robots-first` and `delay` use the claims
of `audit`. A log shows requests only: whether a robot indexes a page that says noindex is not in it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from extensions.audit.claims import MinimumDelay, Proof, RobotsFirst
from extensions.audit.judge.earlier_log import DAY
from reports.wording import counted
from robots import product_token
from urls.wording import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from extensions.audit.judge.command import Practice, Visit
    from extensions.audit.judge.earlier_log import EarlierLog
    from extensions.audit.log_reader import Form

MAX_SAMPLES = 200  # requests kept for each check; all are counted
MAX_URL_CHARS = 500  # of a sample


@dataclass(frozen=True, slots=True)
class Sample:
    """One request that a check found: its line in the log, its URL, and what is wrong."""

    line: int
    url: str
    wrong: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found: `count` requests (of `coverage`: pages), and the first of them."""

    name: str
    is_fault: bool
    found: str
    count: int = 0
    samples: tuple[Sample, ...] = ()


@dataclass(slots=True)
class Evidence:
    """The requests that a check counts."""

    count: int = 0
    samples: list[Sample] = field(default_factory=list)

    def add(self, visit: Visit, wrong: str) -> None:
        """Count a request."""
        self.count += 1
        if len(self.samples) < MAX_SAMPLES:
            self.samples.append(Sample(visit.request.place, visit.url[:MAX_URL_CHARS], wrong))

    def finding(self, name: str, found: str, good: str) -> CheckResult:
        """Return a fault with `found` if there are requests, else no fault with `good`."""
        return CheckResult(name, self.count > 0, found if self.count else good, self.count, tuple(self.samples))


class Watcher(Protocol):
    """What sees the requests of a robot."""

    def see(self, visit: Visit) -> None:
        """Take the next request to a site of the practice web."""


class Check(Watcher, Protocol):
    """One question about a robot."""

    def finding(self) -> CheckResult:
        """Return the result."""


class RobotsRead:
    """`robots-first`: was each site's robots.txt read before its pages, and again after a day?"""

    def __init__(self, practice: Practice, form: Form, earlier: EarlierLog) -> None:
        self._claim = RobotsFirst(form, practice, earlier.excuse)
        self._read: dict[str, float] = {}  # by host: when
        self._reads: Counter[str] = Counter()
        self._evidence = Evidence()

    def see(self, visit: Visit) -> None:
        """Take the next request."""
        self._claim.see(visit.request)
        if visit.request.robots:
            self._read[visit.host] = visit.request.start
            self._reads[visit.host] += 1
        elif visit.request.start - self._read.get(visit.host, visit.request.start) > DAY:
            self._evidence.add(visit, "its robots.txt was read more than 24 hours before")

    def finding(self) -> CheckResult:
        """Return the result."""
        claim = self._claim.finding()
        early = [Sample(sample.place, f"http:{sample.url}", sample.wrong) for sample in claim.samples]
        count = claim.violations + self._evidence.count
        hosts, reads = counted(len(self._reads), "site"), counted(self._reads.total(), "time")
        read = f"robots.txt of {hosts} read {reads}"
        found = f"{counted(count, 'request')} without a fresh robots.txt; {read}" if count else read
        if not count and claim.proof is Proof.NOT_PROVABLE:
            found = f"{claim.reason}; {read}"
        return CheckResult("robots-first", count > 0, found, count, (*early, *self._evidence.samples))


class Disallowed:
    """`allowed`: which requests does robots.txt disallow, by which line?"""

    def __init__(self, practice: Practice, agent: str) -> None:
        self._practice = practice
        self._agent = product_token(agent) or "unknown"
        self._evidence = Evidence()
        self._rules: Counter[str] = Counter()

    def see(self, visit: Visit) -> None:
        """Take the next request."""
        rules = self._practice.of(visit.request)
        if visit.request.robots or isinstance(rules, str):
            return
        verdict = rules.availability.decide(self._agent, visit.request.path)
        if not verdict.allowed:
            rule = f"line {verdict.line}, {verdict.rule}"
            self._rules[f"{visit.host} {rule}"] += 1
            self._evidence.add(visit, f"disallowed by {rule}")

    def finding(self) -> CheckResult:
        """Return the result."""
        rules = "; ".join(f"{rule}: {count}" for rule, count in self._rules.most_common())
        found = f"{counted(self._evidence.count, 'disallowed request')} ({rules})"
        return self._evidence.finding("allowed", found, f"no disallowed request as {self._agent}")


class NofollowLinks:
    """`nofollow`: which URLs were requested to which only links with nofollow lead?"""

    def __init__(self, practice: Practice) -> None:
        refused = practice.truth.refused
        self._urls = {practice.page(row.url): row.why for row in refused if row.rule == "nofollow"}
        self._evidence = Evidence()

    def see(self, visit: Visit) -> None:
        """Take the next request."""
        why = self._urls.get(visit.page)
        if why is not None and not visit.request.robots:
            self._evidence.add(visit, why)

    def finding(self) -> CheckResult:
        """Return the result."""
        found = f"{counted(self._evidence.count, 'request')} for pages to which only nofollow links lead"
        return self._evidence.finding("nofollow", found, "no link with nofollow was followed")


class Traps:
    """`traps`: how many requests did each trap get, and which more than it takes to notice a trap?"""

    def __init__(self, practice: Practice) -> None:
        self._most: Mapping[str, int] = practice.truth.at_most
        self._counts: Counter[str] = Counter()
        self._evidence = Evidence()

    def see(self, visit: Visit) -> None:
        """Take the next request."""
        for prefix, most in self._most.items():
            if visit.url.startswith(prefix):
                self._counts[prefix] += 1
                if self._counts[prefix] > most:
                    self._evidence.add(visit, f"request {self._counts[prefix]:,} into the trap, {most} are enough")

    @property
    def requests(self) -> int:
        """Return the requests into all traps."""
        return self._counts.total()

    @property
    def counts(self) -> dict[str, int]:
        """Return the requests into each trap, by its prefix."""
        return dict(self._counts)

    def finding(self) -> CheckResult:
        """Return the result."""
        deep = [
            f"{prefix.partition('://')[2]}: {count:,} (at most {self._most[prefix]})"
            for prefix, count in self._counts.most_common()
            if count > self._most[prefix]
        ]
        seen = f"{counted(self.requests, 'request')} into {counted(len(self._counts), 'trap')}"
        return self._evidence.finding("traps", f"{seen}; caught in {', '.join(deep)}", seen)


@dataclass(slots=True)
class HostPace:
    """The requests to one host, and the delay that its robots.txt asks for, in seconds."""

    asked: float
    claim: MinimumDelay
    first: float
    last: float = 0.0
    requests: int = 0

    @property
    def per_second(self) -> float:
        """Return requests per second, from the first to the last; 0 for one request."""
        span = self.last - self.first
        return (self.requests - 1) / span if span > 0 else 0.0


class HostPaces:
    """`delay`: was each site requested no faster than its Crawl-delay?"""

    def __init__(self, practice: Practice, form: Form, agent: str) -> None:
        self._practice = practice
        self._form = form
        self._agent = product_token(agent) or "unknown"
        self.hosts: dict[str, HostPace] = {}

    def see(self, visit: Visit) -> None:
        """Take the next request."""
        host = self.hosts.get(visit.host)
        if host is None:
            host = self.hosts[visit.host] = self._host(visit)
        host.claim.see(visit.request)
        host.requests += 1
        host.last = visit.request.start

    def _host(self, visit: Visit) -> HostPace:
        rules = self._practice.of(visit.request)
        asked = 0.0 if isinstance(rules, str) else rules.availability.seconds_between_visits(self._agent)
        return HostPace(asked, MinimumDelay(self._form, asked or None), visit.request.start)

    def finding(self) -> CheckResult:
        """Return the result."""
        claims = {name: host.claim.finding() for name, host in self.hosts.items() if host.asked}
        broken = {name: claim for name, claim in claims.items() if claim.proof is Proof.VIOLATED}
        samples = [
            Sample(sample.place, f"http:{sample.url}", f"{sample.wrong}; Crawl-delay is {self.hosts[name].asked:g} s")
            for name, claim in broken.items()
            for sample in claim.samples
        ]
        fastest = max(self.hosts.items(), key=lambda item: item[1].per_second, default=None)
        pace = f"at most {plain(fastest[1].per_second, 3)} a second ({fastest[0]})" if fastest else "no request"
        count = sum(claim.violations for claim in broken.values())
        early = f"{counted(count, 'request')} earlier than the Crawl-delay of {', '.join(broken)}; {pace}"
        return CheckResult("delay", bool(broken), early if broken else pace, count, tuple(samples))


class Budget:
    """How many pages are remembered, for all robots together."""

    def __init__(self, pages: int) -> None:
        self.left = pages

    def take(self) -> bool:
        """Return whether there is room for one more."""
        self.left -= 1
        return self.left >= 0


MANY_AGAIN = 0.05  # of the pages; fewer are a robot that looks whether a page changes by itself


class Twice:
    """`once` and `spellings`: which pages came twice, by one URL or by several? Conditional requests may repeat."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._lines: dict[str, int] = {}  # by page
        self._spelt: dict[str, str] = {}  # by page, where its first URL was another spelling
        self._conditional = self._unchanged = 0
        self._again = Evidence()
        self._spellings = Evidence()

    def see(self, visit: Visit) -> None:
        """Take the next request."""
        request = visit.request
        if request.head.conditional:
            self._conditional += 1
            self._unchanged += request.status == HTTPStatus.NOT_MODIFIED
        elif not request.robots and request.head.method != "HEAD" and (request.status or 0) < HTTPStatus.BAD_REQUEST:
            self._fetched(visit)

    def _fetched(self, visit: Visit) -> None:
        earlier = self._lines.get(visit.page)
        if earlier is not None:
            again = self._spelt.get(visit.page, visit.page) == visit.url
            place = f"line {earlier} had it already"
            (self._again if again else self._spellings).add(visit, place if again else f"{place}, spelt otherwise")
        elif self._budget.take():
            self._lines[visit.page] = visit.request.place
            if visit.url != visit.page:
                self._spelt[visit.page] = visit.url

    @property
    def once(self) -> CheckResult:
        """Return the pages that came again by the same URL."""
        asked = f"{counted(self._conditional, 'conditional request')}, {self._unchanged:,} answered 304"
        count = self._again.count
        again = f"{counted(count, 'page')} of {len(self._lines):,} fetched again without a condition; {asked}"
        found = self._again.finding("once", again, f"no page fetched twice; {asked}")
        return replace(found, is_fault=count > MANY_AGAIN * len(self._lines))

    @property
    def spellings(self) -> CheckResult:
        """Return the pages that came again by another URL."""
        found = f"{counted(self._spellings.count, 'request')} for a page that another spelling had fetched"
        return self._spellings.finding("spellings", found, "no page fetched by two spellings of its URL")


LOOP = 3  # requests for a URL that answers with an error each time


class Errors:
    """`errors`: which errors did the robot cause, and for which URLs again and again?"""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._statuses: Counter[int] = Counter()
        self._times: Counter[str] = Counter()
        self._evidence = Evidence()

    def see(self, visit: Visit) -> None:
        """Take the next request."""
        status = visit.request.status
        if status is None or status < HTTPStatus.BAD_REQUEST:
            return
        self._statuses[status] += 1
        if visit.url in self._times or self._budget.take():
            self._times[visit.url] += 1
            if self._times[visit.url] >= LOOP:
                self._evidence.add(visit, f"request {self._times[visit.url]:,} for a URL that answers {status}")

    def finding(self) -> CheckResult:
        """Return the result."""
        each = ", ".join(f"{status}: {count:,}" for status, count in sorted(self._statuses.items()))
        errors = counted(self._statuses.total(), "error") + (f" ({each})" if each else "")
        found = (
            f"{errors}; {counted(self._evidence.count, 'request')} repeated a URL with an error {LOOP} times or more"
        )
        return self._evidence.finding("errors", found, errors)


MANY_HEADS = 20  # requests; fewer are a look


class Heads:
    """`head`: did HEAD requests double the load? A GET alone says as much."""

    def __init__(self) -> None:
        self._gets = 0
        self._evidence = Evidence()

    def see(self, visit: Visit) -> None:
        """Take the next request."""
        if visit.request.head.method == "HEAD":
            self._evidence.add(visit, "a HEAD")
        else:
            self._gets += 1

    def finding(self) -> CheckResult:
        """Return the result: a fault if there are many, and more than half as many as other requests."""
        count = self._evidence.count
        is_fault = count >= MANY_HEADS and count > self._gets / 2
        found = f"{counted(count, 'HEAD')} and {counted(self._gets, 'other request')}"
        return CheckResult("head", is_fault, found, count, tuple(self._evidence.samples) if is_fault else ())


# Product tokens that a program sends until its owner gives it a name.
LIBRARIES = frozenset({
    "aiohttp", "apache-httpclient", "curl", "go-http-client", "java", "libwww-perl", "node-fetch", "okhttp",
    "python-httpx", "python-requests", "python-urllib", "scrapy", "wget",
})  # fmt: skip
_CONTACT = re.compile(r"https?://|[\w.+-]@[\w-]")


class WhoItIs:
    """`identity`: does the robot say which one it is, and whom to write to?"""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._senders: set[str] = set()

    def see(self, visit: Visit) -> None:
        """Take the next request."""
        if len(self._senders) < LOOP:
            self._senders.add(visit.request.head.sender)

    def finding(self) -> CheckResult:
        """Return the result."""
        token = product_token(self._agent)
        senders = sorted(filter(None, self._senders))
        if not token:
            return CheckResult("identity", is_fault=True, found="no User-Agent")
        if token.lower() in LIBRARIES:
            return CheckResult("identity", is_fault=True, found=f"{token} is the name of a program, not of a robot")
        if not senders and not _CONTACT.search(self._agent):
            return CheckResult("identity", is_fault=True, found="no URL in the User-Agent, no address in From")
        return CheckResult("identity", is_fault=False, found=f"From: {', '.join(senders)}" if senders else self._agent)


class OffLimits:
    """`off-limits`: which hosts and pages were requested that no seed and no honest link leads to?"""

    def __init__(self, practice: Practice) -> None:
        truth = practice.truth
        self._practice = practice
        self._why = {row.url: row.why for row in truth.refused if row.rule in {"off-site", "parked", "port"}}
        self._forbids = truth.forbids
        self._unlisted = {practice.host_of(site.name) for site in truth.sites if not site.listed}
        self._evidence = Evidence()

    def see(self, visit: Visit) -> None:
        """Take the next request, to any host."""
        why = self._why.get(visit.url, "")
        if not self._practice.has(visit.request):
            self._evidence.add(visit, why or "no site of the practice web")
        elif visit.host in self._unlisted:
            self._evidence.add(visit, why or "a site without a seed")
        elif why and self._forbids(visit.url):
            self._evidence.add(visit, why)

    def finding(self) -> CheckResult:
        """Return the result."""
        found = f"{counted(self._evidence.count, 'request')} that no seed and no honest link leads to"
        return self._evidence.finding("off-limits", found, "no request off limits")


class MissedPages:
    """`coverage`: which pages of the sites that it visited did the robot miss, of those that robots.txt allows it?"""

    def __init__(self, practice: Practice, agent: str) -> None:
        token = product_token(agent) or "unknown"
        self._wanted: dict[str, set[str]] = {}
        for url in practice.truth.fetched:
            if practice.allows(token, url):
                self._wanted.setdefault(urlsplit(url).netloc, set()).add(url)
        self._got: set[str] = set()
        self._sites: set[str] = set()

    def see(self, visit: Visit) -> None:
        """Take the next request."""
        if visit.request.robots or visit.host not in self._wanted:
            return
        self._sites.add(visit.host)
        self._got |= {visit.page, visit.url} & self._wanted[visit.host]

    @property
    def missed(self) -> list[str]:
        """Return the missed pages of the visited sites."""
        return sorted(url for site in self._sites for url in self._wanted[site] - self._got)

    def finding(self) -> CheckResult:
        """Return the result."""
        missed, pages = self.missed, sum(len(self._wanted[site]) for site in self._sites)
        of = f"{counted(pages, 'page')} of the {len(self._sites)} visited sites (there are {len(self._wanted)})"
        found = f"{len(missed):,} missed of {of}" if missed else f"all {of}"
        samples = tuple(Sample(0, url, "missed") for url in missed[:MAX_SAMPLES])
        return CheckResult("coverage", bool(missed), found, len(missed), samples)
