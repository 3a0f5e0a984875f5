"""`compare`: requests each page twice, as our robot and as another agent, and compares the responses.

Servers may block a robot by its name or show it other content (cloaking). Status, redirect target, type, title, words
and page controls are compared. The size is shown, but does not count: dynamic pages vary in length.

The other agent is only a User-Agent line, not a disguise. From, IP address and robots.txt rules are the same in both
requests. Use it for your own sites, and for sites whose owner has agreed.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from commands.frame.command import Command
from commands.frame.data_folder import crawl_settings_of
from commands.frame.exits import DONE, MISUSED, NO, CommandError
from commands.frame.terminal import Style, hanging, json_line, printable, terminal_style
from pages import FetchedBody, parse_page
from pages.content.similarity import MIN_SHINGLES, shingles
from reports.wording import sentence, size
from spiders.downloader.content_coding import Unreadable, unpack
from urls.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commands.frame.command_settings import CommandSettings
    from commands.frame.single_request import Response
    from pages.documents import DocumentReaders
    from robots import Availability
    from urls.records import CanonicalUrl, Page

SAME_WORDS = 0.9  # share of word triples from which two texts are told as the same
SHOWN = 120  # characters of a title or an address


@dataclass(frozen=True, slots=True)
class AgentResponse:
    """The response to one agent: `size` in bytes after unpacking, `target` of a redirect or ""."""

    agent: str
    status: int
    target: str
    content_type: str
    size: int
    title: str
    words: str
    controls: str


@dataclass(frozen=True, slots=True)
class ResponseDifference:
    """One difference between two responses."""

    what: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two responses side by side: `alike` is their share of common word triples."""

    ours: AgentResponse
    theirs: AgentResponse
    alike: float
    differences: tuple[ResponseDifference, ...]


def read_response(
    reply: Response, url: CanonicalUrl, agent: str, product: str, limit: int, documents: DocumentReaders | None = None
) -> AgentResponse | str:
    """Parse a response as a crawl would, for `product`; return the reason if that fails."""
    headers = [(name.lower(), value) for name, value in reply.headers]
    codings = [part for name, value in headers if name == "content-encoding" for part in value.split(",")]
    body = unpack(reply.body, codings, limit)
    if isinstance(body, Unreadable):
        return body.reason
    page = parse_page(FetchedBody(body, url, headers, reply.status), agent=product, documents=documents)
    location = next((value for name, value in headers if name == "location"), "")
    target = urljoin(url, location) if location else ""
    return AgentResponse(
        agent, reply.status, target, page.content_type, len(body), page.title, page.visible_text, _controls(page)
    )


def _controls(page: Page) -> str:
    controls = page.controls
    said = {"index": controls.index, "follow": controls.follow, "archive": controls.archive}
    return ", ".join(word if value else f"no{word}" for word, value in said.items())


def compare_responses(ours: AgentResponse, theirs: AgentResponse) -> Comparison:
    """Compare two responses; the words differ if they share less than SAME_WORDS of their triples."""
    alike = _alike(ours.words, theirs.words)
    pairs = [
        ("status", str(ours.status), str(theirs.status)),
        ("redirect", ours.target, theirs.target),
        ("type", ours.content_type, theirs.content_type),
        ("title", ours.title, theirs.title),
        ("robots", ours.controls, theirs.controls),
    ]
    found = [ResponseDifference(what, one[:SHOWN], other[:SHOWN]) for what, one, other in pairs if one != other]
    if alike < SAME_WORDS:
        counts = [counted(len(words.split()), "word") for words in (ours.words, theirs.words)]
        found.append(ResponseDifference("words", *counts))
    return Comparison(ours, theirs, alike, tuple(found))


def _alike(one: str, other: str) -> float:
    if one == other:
        return 1.0
    first, second = shingles(one), shingles(other)
    if min(len(first), len(second)) < MIN_SHINGLES:  # too short for a share: a word is a large part of it
        return float(one.split() == other.split())
    return len(first & second) / len(first | second)


OTHER = "Mozilla/5.0 (compatible)"  # as browsers have begun since 1998; it names nobody's product
INDENT = 12


@dataclass(frozen=True, slots=True)
class ComparedUrl:
    """One URL: its comparison, or the reason why there is none."""

    url: str
    comparison: Comparison | None
    reason: str = ""

    @property
    def verdict(self) -> str:
        """The result in a word or two."""
        if self.comparison is None:
            return "not compared"
        return "different" if self.comparison.differences else "same"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("urls", nargs="+", metavar="URL", help="a page of your own site, or of an owner who agreed")
    parser.add_argument("--agent", default=OTHER, metavar="LINE", help=f"the other User-Agent line (default “{OTHER}”)")
    parser.add_argument("--json", action="store_true", help="one JSON object with what each agent was shown")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Request each page as Breadcrumb and as another agent, and print the differences."""
    if not arguments.agent.strip() or not arguments.agent.isascii() or not arguments.agent.isprintable():
        raise CommandError(f"--agent {arguments.agent!r}: give printable ASCII, such as {OTHER!r}")
    probes = Probes(settings, arguments.agent.strip())
    compared = [probes.compare(url) for url in dict.fromkeys(arguments.urls)]
    if arguments.json:
        found = [_as_dict(one) for one in compared]
        result = {"agents": probes.agents, "requests": probes.requests, "compared": found}
        print(json_line(result))
    else:
        style = terminal_style()
        for one in compared:
            print(*_lines(one, style), sep="\n")
    verdicts = {one.verdict for one in compared}
    return MISUSED if "not compared" in verdicts else NO if "different" in verdicts else DONE


class Probes:
    """Requests pages, first as our robot. It keeps the delay of the host, and obeys robots.txt."""

    def __init__(self, settings: CommandSettings, other: str) -> None:
        self._conduct = crawl_settings_of(settings)
        self._settings = settings
        self.agents = [self._conduct.identity.user_agent, other]
        self.requests = 0
        self._rules: dict[str, Availability] = {}
        self._asked_at: dict[str, float] = {}  # by host, on the clock that only goes forward

    def compare(self, text: str) -> ComparedUrl:
        """Compare one page."""
        from urls.canonical import UnusableUrl, canonicalize

        try:
            url = canonicalize(text)
            refusal = self._refusal(url)
            if refusal:
                return ComparedUrl(url, None, refusal)
            answers = [self._ask(url, agent) for agent in self.agents]
        except (UnusableUrl, CommandError) as error:
            hint = f"; did you mean http://{text}?" if "://" not in text else ""
            return ComparedUrl(text, None, f"{error}{hint}")
        ours, theirs = answers
        return ComparedUrl(url, compare_responses(ours, theirs))

    def _refusal(self, url: CanonicalUrl) -> str:
        from commands.robots import read_source
        from robots import origin_of

        origin = origin_of(url)
        if origin not in self._rules:
            self._take_turn(url)
            self._rules[origin] = read_source(f"{origin}/", self._settings).availability
        verdict = self._rules[origin].decide(self._conduct.identity.product, url)
        return "" if verdict.allowed else f"robots.txt: {verdict}, so neither agent requests it"

    def _ask(self, url: CanonicalUrl, agent: str) -> AgentResponse:

        from commands.frame.single_request import NoResponse, ask, check_identity
        from spiders.downloader.content_coding import ACCEPTED

        identity, limit = self._conduct.identity, self._settings.getint("DOWNLOAD_MAXSIZE")
        check_identity(url, identity)
        self._take_turn(url)
        asked_for = self._settings["DEFAULT_REQUEST_HEADERS"] | {"Accept-Encoding": ACCEPTED}
        headers = asked_for | identity.headers | {"User-Agent": agent}
        deadline = time.monotonic() + self._settings.getfloat("DOWNLOAD_TIMEOUT")
        try:
            reply = ask(url, headers, deadline, limit)
        except NoResponse as error:
            raise CommandError(f"no response for {agent}: {error}") from error
        found = read_response(reply, url, agent, identity.product, limit, self._conduct.documents)
        if isinstance(found, str):
            raise CommandError(f"the response for {agent} can't be read: {found}")
        return found

    def _take_turn(self, url: CanonicalUrl) -> None:
        """Wait for the delay of the host, and count the request."""
        from robots import origin_of
        from spiders.pace.host_pace import delay_of

        host = urlsplit(url).hostname or ""
        paces, rules = self._conduct.pace_policy, self._rules.get(origin_of(url))
        asked = rules.seconds_between_visits(self._conduct.identity.product) if rules else 0.0
        delay = delay_of(paces.of(host), asked=asked, latency=0.0, most=paces.most).seconds
        if host in self._asked_at:
            time.sleep(max(0.0, self._asked_at[host] + delay - time.monotonic()))
        self._asked_at[host] = time.monotonic()
        self.requests += 1


def _as_dict(one: ComparedUrl) -> dict[str, object]:
    found = one.comparison
    return {
        "url": one.url,
        "verdict": one.verdict,
        "reason": one.reason,
        "alike": None if found is None else round(found.alike, 3),
        "differences": [] if found is None else [asdict(difference) for difference in found.differences],
        "seen": [] if found is None else [_told(found.ours), _told(found.theirs)],
    }


def _told(seen: AgentResponse) -> dict[str, object]:
    return {name: value for name, value in asdict(seen).items() if name != "words"}


def _lines(one: ComparedUrl, style: Style) -> Iterator[str]:
    mark = {"same": style.good, "different": style.bad}.get(one.verdict, style.dim)
    yield f"{mark(one.verdict)}  {printable(one.url)}"
    if one.comparison is None:
        yield from hanging("", printable(sentence(one.reason)), INDENT)
        return
    ours, theirs = one.comparison.ours, one.comparison.theirs
    for difference in one.comparison.differences:
        said = f"{difference.ours or 'none'} for {ours.agent}, {difference.theirs or 'none'} for {theirs.agent}"
        yield from hanging(f"  {difference.what}", printable(said), INDENT)
    seen = f"{ours.status} and {theirs.status}, {size(ours.size)} and {size(theirs.size)}"
    yield from hanging("", f"{seen}; {one.comparison.alike:.0%} of the word triples are the same", INDENT)


COMMAND = Command(
    name="compare",
    example='http://bakery.localhost:8400/ --agent "Mozilla/5.0 (compatible)"',
    exits="0 same, 1 different, 2 a page could not be compared",
    add_arguments=add_arguments,
    run=run,
)
