"""Does a rule match a path? From its start; `*` stands for any octets, a final `$` for the end (RFC 9309, 2.2.3).

The pattern is cut at its stars, and each piece is searched for after the one before it. Taking the first place where
a piece fits never loses a match, so nothing is tried twice: a pattern of a thousand stars costs a thousand searches.
A regular expression made from such a pattern could try for years.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from robots.rules.escapes import normal_form

if TYPE_CHECKING:
    from robots.dialect import Choices

_INDEX_PAGE = b"/index.htm"


class Shape(Enum):
    """What a pattern is made of."""

    PREFIX = "no wildcard: the path starts with it"
    WHOLE = "no wildcard but a final $: the path is it"
    WILD = "wildcards"


class Rule(NamedTuple):  # a file may have fifty thousand: a tuple is made in a third of a frozen dataclass's time
    """One Allow or Disallow line, ready to be compared with paths in normal form."""

    line: int  # from 1
    allow: bool
    value: bytes  # as the file has it
    weight: int  # octets of the pattern in normal form, `*` and `$` included; 0: no path given
    shape: Shape
    head: bytes  # what stands before the first `*`
    middle: tuple[bytes, ...] = ()  # the pieces between stars
    tail: bytes | None = None  # the piece after the last `*` where a `$` follows it

    def matches(self, path: bytes) -> bool:
        """Say whether `path`, in normal form, falls under this rule."""
        if not path.startswith(self.head):
            return False
        if self.shape is Shape.WHOLE:
            return len(path) == len(self.head)
        at = len(self.head)
        for piece in self.middle:
            at = path.find(piece, at)
            if at < 0:
                return False
            at += len(piece)
        return self.tail is None or (len(path) - at >= len(self.tail) and path.endswith(self.tail))

    @property
    def rank(self) -> tuple[int, bool, int]:
        """The order of rules that match: most octets, then Allow (RFC 9309, 2.2.2), then the first in the file."""
        return self.weight, self.allow, -self.line

    def __str__(self) -> str:
        field = "Allow" if self.allow else "Disallow"
        return f"{field}: {self.value.decode('utf-8', 'backslashreplace')}".rstrip()


def compile_rule(line: int, value: bytes, choices: Choices, *, allow: bool) -> Rule:
    """Make a rule of the value of an Allow or Disallow line."""
    if not choices.wildcards or (b"*" not in value and not value.endswith(b"$")):
        head = normal_form(value, choices.escapes)
        return Rule(line, allow, value, len(head), Shape.PREFIX, head)
    anchored = value.endswith(b"$")
    head, *rest = (normal_form(piece, choices.escapes) for piece in value.removesuffix(b"$").split(b"*"))
    weight = len(head) + sum(1 + len(piece) for piece in rest) + anchored
    if not rest:
        return Rule(line, allow, value, weight, Shape.WHOLE, head)
    tail = rest.pop() if anchored else None
    return Rule(line, allow, value, weight, Shape.WILD, head, tuple(piece for piece in rest if piece), tail)


def rules_of(line: int, value: bytes, choices: Choices, *, allow: bool) -> tuple[Rule, ...]:
    """Give what one line means: a rule, none for an Allow without a path, two where an index page opens its folder."""
    if allow and not value:
        return ()
    rule = compile_rule(line, value, choices, allow=allow)
    if allow and choices.index_page_opens_folder:
        folder = value.rfind(b"/")
        if folder >= 0 and value.startswith(_INDEX_PAGE, folder):
            return rule, compile_rule(line, value[: folder + 1] + b"$", choices, allow=True)
    return (rule,)
