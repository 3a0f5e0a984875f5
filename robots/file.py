"""What does one robots.txt say? Parse it once, then ask about any robot and any URL.

`parse` never fails: whatever the octets, the lines that are understood count and the others do not (RFC 9309, 2.2).
Time and memory grow with the file, never with the product of its parts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from robots.dialect import CHOICES, Dialect
from robots.encoding import UTF16_MARKS
from robots.rules.escapes import escaped, normal_form
from robots.rules.group import GroupBuilder
from robots.rules.lines import MAX_ROBOTS_BYTES, Field, read_lines, whole_lines
from robots.rules.policy import policy_for
from robots.verdict import Verdict

if TYPE_CHECKING:
    from robots.rules.group import Group
    from robots.rules.policy import Policy
    from robots.rules.rule import Rule

ROBOTS_PATH: Final = b"/robots.txt"
MAX_RULE_SHOWN: Final = 200  # characters of a rule in a verdict: it goes into journals and pages
MAX_POLICIES_KEPT: Final = 8  # robots whose policy is remembered; a crawl asks for one, a comparison for a few


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """A parsed robots.txt. `notes` are sentences for a person who wonders why the file does what it does."""

    dialect: Dialect
    groups: tuple[Group, ...]
    sitemaps: tuple[str, ...]  # absolute http(s) URLs, in the order of the file, each once
    truncated: bool  # the file was longer than MAX_ROBOTS_BYTES; the rest does not count
    notes: tuple[str, ...]
    _policies: dict[str, Policy] = field(default_factory=dict, init=False, repr=False, compare=False)

    def decide(self, agent: str, url: str) -> Verdict:
        """Say whether `agent` (a product token such as Breadcrumb) may fetch `url`, and which line says so."""
        policy = self._policy(agent)
        choices = policy.choices
        path = normal_form(path_of(url), choices.escapes)
        if choices.robots_txt_exempt and path == ROBOTS_PATH:
            return Verdict(allowed=True, line=0, rule="", reason="/robots.txt itself may always be fetched")
        if not policy.addressed:
            return Verdict(allowed=True, line=0, rule="", reason=f"no group is for {agent} or for everybody")
        rule = policy.deciding_rule(path)
        if rule is None:
            return Verdict(allowed=True, line=0, rule="", reason="no rule matches")
        return _verdict_of(rule, closes_when_empty=choices.empty_disallow_closes, first=not choices.longest_rule_wins)

    def delay(self, agent: str) -> float | None:
        """Give the seconds that `agent` is asked to leave between two visits; None: nothing is asked of it."""
        return self._policy(agent).delay

    def _policy(self, agent: str) -> Policy:
        if agent not in self._policies:
            if len(self._policies) >= MAX_POLICIES_KEPT:
                self._policies.clear()
            self._policies[agent] = policy_for(agent, self.groups, CHOICES[self.dialect])
        return self._policies[agent]


def parse(body: bytes, dialect: Dialect = Dialect.RFC9309) -> RobotsFile:
    """Read a robots.txt. Hand over more than `MAX_ROBOTS_BYTES` where there was more, so that the cut is seen."""
    choices = CHOICES[dialect]
    builder = GroupBuilder(choices)
    sitemaps: dict[str, None] = {}
    directives = 0
    for line in read_lines(whole_lines(body), forgiving=choices.forgiving_fields):
        directives += line.field is not Field.BLANK
        if line.field is Field.SITEMAP:
            sitemaps.update(dict.fromkeys(_sitemap(line.value)))
        else:
            builder.add(line)
    groups = builder.groups()
    return RobotsFile(
        dialect=dialect,
        groups=groups,
        sitemaps=tuple(sitemaps),
        truncated=len(body) > MAX_ROBOTS_BYTES,
        notes=tuple(_notes(body, directives, builder.homeless)),
    )


def path_of(url: str) -> bytes:
    """Give what rules are compared with: path and query of `url`, at least `/`, without the fragment."""
    octets = url.encode("utf-8", "surrogatepass").partition(b"#")[0]
    if octets.startswith(b"/"):
        return octets
    rest = octets.partition(b"://")[2]
    path, mark, query = rest.partition(b"?")
    return b"/" + path.partition(b"/")[2] + mark + query


def _verdict_of(rule: Rule, *, closes_when_empty: bool, first: bool) -> Verdict:
    shown = str(rule)
    if len(shown) > MAX_RULE_SHOWN:
        shown = shown[: MAX_RULE_SHOWN - 1] + "…"
    if rule.weight == 0 and not closes_when_empty:
        return Verdict(allowed=True, line=rule.line, rule=shown, reason="a Disallow without a path forbids nothing")
    reason = "the first rule that matches" if first else "the longest rule that matches"
    return Verdict(allowed=rule.allow, line=rule.line, rule=shown, reason=reason)


def _sitemap(value: bytes) -> tuple[str, ...]:
    url = escaped(value).decode("ascii")
    return (url,) if url.lower().startswith(("http://", "https://")) else ()


def _notes(body: bytes, directives: int, homeless: list[int]) -> list[str]:
    notes = []
    if body.startswith(UTF16_MARKS):
        notes.append("starts with the byte order mark of UTF-16: robots.txt must be UTF-8")
    if len(body) > MAX_ROBOTS_BYTES:
        notes.append(f"longer than {MAX_ROBOTS_BYTES} octets: the rest is not read")
    if not directives and body.strip():
        html = body.lstrip().startswith(b"<")
        notes.append("no directive found; looks like HTML" if html else "no directive found")
    if homeless:
        notes.append(f"rules before the first User-agent line are for nobody (line {homeless[0]})")
    return notes
