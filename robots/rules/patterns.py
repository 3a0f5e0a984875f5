"""How do the paths of forty thousand rules get their normal form in a few milliseconds? All at once, as one text.

Three octets never stand in the value of a line: LF and CR end it, and # begins a remark. In a text of all values, LF
parts them; and in their patterns CR is a star and # the final end sign. A plain `*` or `$`, written %2A or %24, can
then be opened like any other escape and is not mistaken for a special one (RFC 9309, 2.2.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from robots.rules.escapes import normal_form

if TYPE_CHECKING:
    from collections.abc import Sequence

    from robots.dialect import Choices

NEXT: Final = b"\n"
STAR: Final = b"\r"
END: Final = b"#"


def patterns_of(values: Sequence[bytes], choices: Choices) -> tuple[list[bytes], list[int]]:
    """Bring the values of Allow and Disallow lines to the form in which they are compared, and count their octets.

    Stars that follow each other match like one, and a star at the end like none: they count, and are left out.
    """
    if not choices.wildcards:
        # All escapes but one are opened here, that of LF too: these go one by one.
        patterns = [normal_form(value, choices.escapes) if b"%" in value else value for value in values]
        return patterns, [*map(len, patterns)]
    if not values:
        return [], []
    text = (NEXT.join(values) + NEXT).replace(b"$" + NEXT, END + NEXT).replace(b"*", STAR)
    text = normal_form(text, choices.escapes, marks=NEXT + STAR)
    patterns = text.split(NEXT)[:-1]
    weights = [*map(len, patterns)]
    shorter = text
    while STAR + STAR in shorter:
        shorter = shorter.replace(STAR + STAR, STAR)  # a run of stars is halved each time
    shorter = shorter.replace(STAR + NEXT, NEXT)
    return (patterns if shorter == text else shorter.split(NEXT)[:-1]), weights


def fits(pieces: Sequence[bytes], path: bytes, at: int) -> bool:
    """Say whether what stands after each star of a pattern is in `path`, one after another, from `at` on.

    The first place where a piece fits is as good as any later one, so nothing is tried twice: a pattern of a thousand
    stars costs a thousand searches. A regular expression made from such a pattern could try for years.
    """
    for piece in pieces:
        found = path.find(piece, at)
        if found < 0:  # the last piece may have an end sign, which no path has
            return piece.endswith(END) and path.endswith(piece[:-1], at)
        at = found + len(piece)
    return True
