"""The protocol in its simplest form: one line, one rule, one match at a time. The parser must agree with it.

Nothing here is fast or clever, and little is shared with the room: only the reading of one line and the normal form of
one path, which have tables of their own. A rule is matched by trying.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from robots.dialect import Choices, Escapes, Naming
from robots.group import name_in_file, our_name
from robots.lines import MAX_LINE_OCTETS, Field, read_lines, whole_lines, without_byte_order_mark
from robots.normal_form import normal_form, path_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Rule:
    line: int
    allow: bool
    value: bytes


@dataclass
class Record:
    names: list[bytes] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)


def judged(body: bytes, choices: Choices, agent: str, url: str) -> tuple[bool, int]:
    """May `agent` fetch `url`, and which line says so (0: none)?"""
    path = path_of(url) if choices.escapes is Escapes.AS_WRITTEN else normal_form(path_of(url), choices.escapes)
    if choices.robots_txt_exempt and path == b"/robots.txt":
        return True, 0
    rules = [rule for record in records_for(agent, records(body, choices), choices) for rule in record.rules]
    rule = deciding(rules, spellings(path, path_of(url), choices), choices)
    if rule is None:
        return True, 0
    return rule.allow or (not rule.value and not choices.empty_disallow_closes), rule.line


def records(body: bytes, choices: Choices) -> list[Record]:
    found: list[Record] = []
    open_record: Record | None = None
    for line in read_lines(shortened(whole_lines(body), choices), forgiving=choices.forgiving_fields):
        if line.field is Field.BLANK and choices.blank_line_ends_group:
            open_record = None
        if line.field is Field.USER_AGENT:
            if open_record is None or open_record.rules:
                open_record = Record()
                found.append(open_record)
            open_record.names.append(name_in_file(line.value, choices.naming))
        if line.field in {Field.ALLOW, Field.DISALLOW} and open_record:
            open_record.rules.append(Rule(line.number, line.field is Field.ALLOW, line.value))
    return found


def shortened(body: bytes, choices: Choices) -> bytes:
    if not choices.cuts_lines:
        return body
    lines = [(line.rstrip(b"\r\n"), line) for line in without_byte_order_mark(body).splitlines(keepends=True)]
    return b"".join(text.partition(b"\0")[0][:MAX_LINE_OCTETS] + line[len(text) :] for text, line in lines)


def records_for(agent: str, every: Sequence[Record], choices: Choices) -> Sequence[Record]:
    ours = our_name(agent, choices.naming)
    mine = [record for record in every if any(means(name, ours, choices.naming) for name in record.names)]
    if choices.naming is Naming.LETTERS and ours.startswith(b"googlebot-"):
        mine = mine or [record for record in every if b"googlebot" in record.names]
    mine = mine or [record for record in every if b"*" in record.names]
    return mine if choices.groups_merge else mine[:1]


def means(name: bytes, ours: bytes, naming: Naming) -> bool:
    if not ours:
        return False
    if naming is Naming.OURS_WITHIN:
        return ours in name
    if naming is Naming.THEIRS_WITHIN:
        return name not in {b"", b"*"} and name in ours
    return name == ours


def spellings(path: bytes, written: bytes, choices: Choices) -> list[bytes]:
    """The normal form; and with the signs that divide no query (RFC 3986, 3.4) as they were written, or all escaped."""
    if choices.escapes is not Escapes.UNRESERVED_DECODED or b"?" not in path:
        return [path]
    before, _, query = path.partition(b"?")
    # No part of these has a question mark, so nothing of them is opened.
    as_written = b"?".join(normal_form(part, choices.escapes) for part in written.partition(b"?")[2].split(b"?"))
    closed = b"".join(b"%%%02X" % octet if octet in b":/?@" else bytes([octet]) for octet in query)
    return [path, before + b"?" + as_written, before + b"?" + closed]


def deciding(rules: Iterable[Rule], paths: Sequence[bytes], choices: Choices) -> Rule | None:
    """The rule with most octets, of equal ones an Allow, and of these the first; in the old texts just the first."""
    rules = [part for rule in rules for part in (rule, *folder_of(rule, choices))]
    rules = [r for r in rules if counts(r, choices) and any(matches(r.value, path, choices) for path in paths)]
    if not choices.longest_rule_wins:
        return rules[0] if rules else None
    return max(rules, key=lambda rule: (weight(rule.value, choices), rule.allow, -rule.line), default=None)


def counts(rule: Rule, choices: Choices) -> bool:
    return bool(rule.value) or not rule.allow or choices.empty_allow_counts


def folder_of(rule: Rule, choices: Choices) -> list[Rule]:
    folder, slash, page = rule.value.rpartition(b"/")
    if choices.index_page_opens_folder and rule.allow and slash and page.startswith(b"index.htm"):
        return [Rule(rule.line, allow=True, value=folder + b"/$")]
    return []


def weight(value: bytes, choices: Choices) -> int:
    stars, end = (value.count(b"*"), value.endswith(b"$")) if choices.wildcards else (0, False)
    return stars + end + sum(map(len, pieces(value, choices)))


def pieces(value: bytes, choices: Choices) -> list[bytes]:
    if not choices.wildcards:
        return [normal_form(value, choices.escapes)]
    found: list[bytes] = []
    for piece in value.removesuffix(b"$").split(b"*"):
        query = b"?" * any(b"?" in earlier for earlier in found)  # what stands behind a question mark is a query
        found.append(normal_form(query + piece, choices.escapes).removeprefix(query))
    return found


def matches(value: bytes, path: bytes, choices: Choices) -> bool:
    head, *rest = pieces(value, choices)
    to_the_end = choices.wildcards and value.endswith(b"$")
    return path.startswith(head) and fits(rest, path[len(head) :], to_the_end=to_the_end)


def fits(rest: Sequence[bytes], path: bytes, *, to_the_end: bool) -> bool:
    """Try every place for every piece, from the last piece back to the first."""
    ends = {at for at in range(len(path) + 1) if not to_the_end or at == len(path)}  # where what is left may begin
    for piece in reversed(rest):
        starts = {at for at in range(len(path) + 1) if path.startswith(piece, at) and at + len(piece) in ends}
        ends = {at for at in range(len(path) + 1) if any(start >= at for start in starts)}
    return 0 in ends
