"""Reads one robots.txt. Parse it once, then ask about any robot and any URL.

`parse` never fails: it uses the lines that it understands and skips the others (RFC 9309, 2.2). Time and memory grow
with the file, never with the product of its parts. A file may name a hundred robots, and a crawl is one of them. So the
rule set of a robot is built at its first use.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from robots.dialect import CHOICES, Dialect
from robots.group import Groups, groups_of
from robots.lines import (
    MAX_ROBOTS_BYTES,
    ROBOTS_PATH,
    UTF16_BYTE_ORDER_MARKS,
    cut_lines,
    meant_lines,
    read_lines,
    scan_lines,
    whole_lines,
    without_byte_order_mark,
)
from robots.normal_form import closed_queries, escaped, normal_path
from robots.verdict import Verdict, blocks_for, rule_set_of

if TYPE_CHECKING:
    from robots.crawl_delay import Rate
    from robots.dialect import Choices
    from robots.group import Group
    from robots.verdict import BlockPlaces, RuleSet


ITSELF: Final = Verdict(allowed=True, line=0, rule="", reason="/robots.txt itself may always be fetched")
MAX_RULE_SETS_KEPT: Final = 8  # robots whose rules are remembered; a crawl uses one, a comparison a few


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """A parsed robots.txt. `notes` are sentences for a person about how the file was read."""

    choices: Choices
    groups: tuple[Group, ...]
    sitemaps: tuple[str, ...]  # absolute http(s) URLs, in the order of the file, each once
    truncated: bool  # the file was longer than MAX_ROBOTS_BYTES; the rest does not count
    notes: tuple[str, ...]
    _rule_sets: dict[str, RuleSet] = field(default_factory=dict, init=False, repr=False, compare=False)
    _by_blocks: dict[BlockPlaces, RuleSet] = field(default_factory=dict, init=False, repr=False, compare=False)

    def decide(self, agent: str, url: str) -> Verdict:
        """Say whether `agent` (a product token such as Breadcrumb) may fetch `url`, and which line says so."""
        rule_set = self._rule_sets.get(agent) or self._rule_set(agent)
        choices = self.choices
        path = normal_path(url, choices.escapes)
        if path == ROBOTS_PATH and choices.robots_txt_exempt:
            return ITSELF
        if not rule_set.addressed:
            return Verdict(allowed=True, line=0, rule="", reason=f"no group is for {agent} or for everybody")
        if rule_set.index.wild_escapes and b"?" in path:
            return rule_set.verdict_of_any([path, *closed_queries(url)])
        return rule_set.verdict(path)

    def delay(self, agent: str) -> float | None:
        """Return the Crawl-delay for `agent` in seconds; None if the file has none."""
        return self._rule_set(agent).delay

    def request_rate(self, agent: str) -> Rate | None:
        """Return the Request-rate for `agent`, which holds at any hour; None if the file has none."""
        return self._rule_set(agent).rate

    def seconds_between_visits(self, agent: str) -> float:
        """Return the seconds between two visits of `agent`: the longer of its Crawl-delay and its rate, or else 0."""
        rate = self.request_rate(agent)
        return max(self.delay(agent) or 0.0, rate.seconds_per_request if rate else 0.0)

    def _rule_set(self, agent: str) -> RuleSet:
        if agent not in self._rule_sets:
            if len(self._rule_sets) >= MAX_RULE_SETS_KEPT:
                self._rule_sets.clear()
                self._by_blocks.clear()
            blocks = blocks_for(agent, self.groups, self.choices)
            if blocks not in self._by_blocks:  # for most files, most robots are "everybody"
                self._by_blocks[blocks] = rule_set_of(blocks, self.groups, self.choices)
            self._rule_sets[agent] = self._by_blocks[blocks]
        return self._rule_sets[agent]


def parse(body: bytes, dialect: Dialect = Dialect.RFC9309) -> RobotsFile:
    """Read a robots.txt. If it is longer than `MAX_ROBOTS_BYTES`, pass more than that, to get a note about the cut."""
    return parse_by(CHOICES[dialect], body)


def parse_by(choices: Choices, body: bytes) -> RobotsFile:
    """Read a robots.txt by any choices, even such as no dialect makes."""
    read = read_lines if choices.blank_line_ends_group else scan_lines
    text = whole_lines(body)
    if choices.cuts_lines:
        text = cut_lines(text)
    said = groups_of(read(text, forgiving=choices.forgiving_fields), choices)
    return RobotsFile(
        choices=choices,
        groups=tuple(said.groups),
        sitemaps=sitemaps_of(said),
        truncated=len(body) > MAX_ROBOTS_BYTES,
        notes=tuple(_notes(body, said)),
    )


def sitemaps_of(said: Groups) -> tuple[str, ...]:
    """Return the absolute http(s) URLs of the Sitemap lines, each once."""
    urls = (escaped(value).decode("ascii") for value in said.sitemaps)
    return tuple(dict.fromkeys(url for url in urls if url.lower().startswith(("http://", "https://"))))


def _notes(body: bytes, said: Groups) -> list[str]:
    notes = []
    misspelt = "" if has_rules(said) else misspelt_line(whole_lines(body))
    if misspelt:
        notes.append(f"line {misspelt} is misspelt{NO_RULE_UNDERSTOOD}")
    if body.startswith(UTF16_BYTE_ORDER_MARKS):
        notes.append("starts with the byte order mark of UTF-16: robots.txt must be UTF-8")
    if len(body) > MAX_ROBOTS_BYTES:
        notes.append(f"longer than {MAX_ROBOTS_BYTES} octets: the rest is not read")
    if said.empty and body.strip() and not misspelt:
        html = body.lstrip().startswith(b"<")
        notes.append("no directive found; looks like HTML" if html else "no directive found")
    if said.nobody.rules:
        notes.append(f"rules before the first User-agent line are for no robot (line {said.nobody.rules[0][0]})")
    return notes


NO_RULE_UNDERSTOOD: Final = ", and no rule is understood"
READ_AS_MEANT: Final = ", and read as it is meant"
MAX_LINE_SHOWN: Final = 60  # octets of a line in a note
_IN_RULES: Final = (b"allow", b"alow", b"sllow", b"allaw")  # each spelling of Allow and Disallow has one of them


def has_rules(said: Groups) -> bool:
    """Say whether a file has a rule for anybody."""
    for group in said.groups:  # noqa: SIM110 - any() would take longer, and each file is asked
        if group.rules:
            return True
    return False


def meant_groups(text: bytes) -> Groups:
    """Sort the lines of a file into groups, misspelt ones too."""
    return groups_of(meant_lines(text), CHOICES[Dialect.RFC9309])


def misspelt_line(text: bytes) -> str:
    """Name the first misspelt line, where misspelt lines are all that keeps a file from having rules; else ""."""
    lower = text.lower()
    if b"agent" not in lower or not any(part in lower for part in _IN_RULES):
        return ""  # nearly always: no name or no rule, however it may be spelt
    if without_byte_order_mark(text).lstrip().startswith(b"<"):
        return ""  # a page in the place of the file
    if not has_rules(meant_groups(text)):
        return ""
    known = {line.number for line in read_lines(text, forgiving=False)}
    number = next((line.number for line in meant_lines(text) if line.number not in known), 0)
    if not number:
        return ""  # the old texts find no rule for another reason
    octets = without_byte_order_mark(text).splitlines()[number - 1].strip()
    return f"{number} ({octets[:MAX_LINE_SHOWN].decode('utf-8', 'backslashreplace')})"


def parse_meant(body: bytes) -> RobotsFile:
    """Read a robots.txt by RFC 9309; where no rule in it is understood, read misspelt lines as they are meant."""
    file, meant = parse(body), meant_groups(whole_lines(body))
    if any(group.rules for group in file.groups) or not has_rules(meant):
        return file
    notes = tuple(note.replace(NO_RULE_UNDERSTOOD, READ_AS_MEANT) for note in file.notes)
    return replace(file, groups=tuple(meant.groups), sitemaps=sitemaps_of(meant), notes=notes)
