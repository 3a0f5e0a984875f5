"""Does a server treat our robot like anybody else? Each page asked for twice, by us and by another agent, and compared.

The other agent is a line of text in the header User-Agent, and no disguise: From, our address and our rules of
robots.txt are the same in both requests. It is for one's own sites, and for those whose owner has agreed.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from commands.frame.command import Command
from commands.frame.data_folder import conduct_of
from commands.frame.exits import DONE, MISUSED, NO, Trouble
from commands.frame.terminal import Ink, hanging, ink, json_line, printable
from reports.wording import sentence, size

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from commands.compare_answers import Comparison, Seen
    from commands.frame.command_settings import CommandSettings
    from robots import Availability
    from urls.records import CanonicalUrl

OTHER = "Mozilla/5.0 (compatible)"  # as browsers have begun since 1998; it names nobody's product
INDENT = 12


@dataclass(frozen=True, slots=True)
class Compared:
    """One address: what came of it, or why nothing could be compared."""

    url: str
    comparison: Comparison | None
    reason: str = ""

    @property
    def verdict(self) -> str:
        """The answer in a word or two."""
        if self.comparison is None:
            return "not compared"
        return "different" if self.comparison.differences else "same"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("urls", nargs="+", metavar="URL", help="a page of your own, or of an owner who has agreed")
    parser.add_argument("--agent", default=OTHER, metavar="LINE", help=f"the other User-Agent line (default “{OTHER}”)")
    parser.add_argument("--json", action="store_true", help="one JSON object with what each agent was shown")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Ask for each page as Breadcrumb and as another agent, and tell in what the answers differ."""
    if not arguments.agent.strip() or not arguments.agent.isascii() or not arguments.agent.isprintable():
        raise Trouble(f"--agent {arguments.agent!r}: a header holds printable ASCII, such as {OTHER!r}")
    probes = Probes(settings, arguments.agent.strip())
    compared = [probes.compare(url) for url in dict.fromkeys(arguments.urls)]
    if arguments.json:
        found = [_as_dict(one) for one in compared]
        told = {"agents": probes.agents, "requests": probes.requests, "compared": found}
        print(json_line(told))
    else:
        pen = ink()
        for one in compared:
            print(*_lines(one, pen), sep="\n")
    verdicts = {one.verdict for one in compared}
    return MISUSED if "not compared" in verdicts else NO if "different" in verdicts else DONE


class Probes:
    """Asks servers, our own name first, never nearer than the host's delay, and nothing that robots.txt forbids us."""

    def __init__(self, settings: CommandSettings, other: str) -> None:
        self._conduct = conduct_of(settings)
        self._settings = settings
        self.agents = [self._conduct.identity.user_agent, other]
        self.requests = 0
        self._rules: dict[str, Availability] = {}
        self._asked_at: dict[str, float] = {}  # by host, on the clock that only goes forward

    def compare(self, text: str) -> Compared:
        """Compare one page."""
        from commands.compare_answers import compare_answers
        from urls.canonical import UnusableUrl, canonicalize

        try:
            url = canonicalize(text)
            refusal = self._refusal(url)
            if refusal:
                return Compared(url, None, refusal)
            answers = [self._ask(url, agent) for agent in self.agents]
        except (UnusableUrl, Trouble) as error:
            hint = f"; did you mean http://{text}?" if "://" not in text else ""
            return Compared(text, None, f"{error}{hint}")
        ours, theirs = answers
        return Compared(url, compare_answers(ours, theirs))

    def _refusal(self, url: CanonicalUrl) -> str:
        from commands.robots_txt.source import read_source
        from robots import origin_of

        origin = origin_of(url)
        if origin not in self._rules:
            self._take_turn(url)
            self._rules[origin] = read_source(f"{origin}/", self._settings).availability
        verdict = self._rules[origin].decide(self._conduct.identity.product, url)
        return "" if verdict.allowed else f"robots.txt: {verdict}; the other agent is not sent there either"

    def _ask(self, url: CanonicalUrl, agent: str) -> Seen:
        from commands.compare_answers import what_was_shown
        from commands.frame.single_request import NoAnswer, ask, check_identity
        from spiders.downloader.content_coding import ACCEPTED

        identity, limit = self._conduct.identity, self._settings.getint("DOWNLOAD_MAXSIZE")
        check_identity(url, identity)
        self._take_turn(url)
        asked_for = self._settings["DEFAULT_REQUEST_HEADERS"] | {"Accept-Encoding": ACCEPTED}
        headers = asked_for | identity.headers | {"User-Agent": agent}
        deadline = time.monotonic() + self._settings.getfloat("DOWNLOAD_TIMEOUT")
        try:
            reply = ask(url, headers, deadline, limit)
        except NoAnswer as error:
            raise Trouble(f"no answer for {agent}: {error}") from error
        found = what_was_shown(reply, url, agent, identity.product, limit, self._conduct.documents)
        if isinstance(found, str):
            raise Trouble(f"the answer for {agent} can't be read: {found}")
        return found

    def _take_turn(self, url: CanonicalUrl) -> None:
        """Wait until the host may be asked again, and count the request."""
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


def _as_dict(one: Compared) -> dict[str, object]:
    found = one.comparison
    return {
        "url": one.url,
        "verdict": one.verdict,
        "reason": one.reason,
        "alike": None if found is None else round(found.alike, 3),
        "differences": [] if found is None else [asdict(difference) for difference in found.differences],
        "seen": [] if found is None else [_told(found.ours), _told(found.theirs)],
    }


def _told(seen: Seen) -> dict[str, object]:
    return {name: value for name, value in asdict(seen).items() if name != "words"}


def _lines(one: Compared, pen: Ink) -> Iterator[str]:
    mark = {"same": pen.good, "different": pen.bad}.get(one.verdict, pen.dim)
    yield f"{mark(one.verdict)}  {printable(one.url)}"
    if one.comparison is None:
        yield from hanging("", printable(sentence(one.reason)), INDENT)
        return
    ours, theirs = one.comparison.ours, one.comparison.theirs
    for difference in one.comparison.differences:
        said = f"{difference.ours or 'none'} for {ours.agent}, {difference.theirs or 'none'} for {theirs.agent}"
        yield from hanging(f"  {difference.what}", printable(said), INDENT)
    seen = f"{ours.status} and {theirs.status}, {size(ours.size)} and {size(theirs.size)}"
    yield from hanging("", f"{seen}; {one.comparison.alike:.0%} of the word triples are in both", INDENT)


COMMAND = Command(
    name="compare",
    example='http://bakery.localhost:8400/ --agent "Mozilla/5.0 (compatible)"',
    exits="0 the same, 1 different, 2 something could not be compared",
    add_arguments=add_arguments,
    run=run,
)
