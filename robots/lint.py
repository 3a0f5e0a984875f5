"""What would the owner of a site want to know about this robots.txt? Findings, each with its line and a sentence.

The parser passes over what it does not understand, as every text asks; so a slip of the pen changes what a file says
and nobody is told. This tells. It judges the file alone: that a page's noindex hides behind a Disallow, where no robot
ever sees it, only a crawl can find out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from robots.advice.fields import about_known, about_unknown
from robots.advice.octets import about_octets, looks_like_html
from robots.advice.order import Order
from robots.advice.stranger import about_stranger
from robots.encoding import to_utf8, without_mark
from robots.rules.lines import Field, read_lines, whole_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from robots.advice.finding import Finding


def lint(body: bytes) -> list[Finding]:
    """Read a robots.txt as its owner's friend; findings come in the order of its lines. Any octets are welcome."""
    text = to_utf8(body)
    lines = whole_lines(text)
    strangers = list(about_stranger(without_mark(lines)))
    other = looks_like_html(text) or bool(strangers)
    return sorted([*about_octets(body, text), *strangers, *_about_lines(lines, other=other)], key=_place)


def _place(finding: Finding) -> int:
    return finding.line


def _about_lines(text: bytes, *, other: bool) -> Iterator[Finding]:
    known = {line.number: line for line in read_lines(text, forgiving=False)}
    by_google = {line.number: line for line in read_lines(text, forgiving=True)}
    order = Order()
    for number, octets in enumerate(without_mark(text).splitlines(), start=1):
        if line := known.get(number):
            yield from order.add(line)
            if line.field is not Field.BLANK:
                yield from about_known(line)
        elif not other and (said := octets.partition(b"#")[0].strip()):  # each line of a page would be a finding
            yield about_unknown(number, said, by_google.get(number))
    yield from order.end()
