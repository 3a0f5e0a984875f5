"""Which tags does this markup contain? All of them at once, as arrays: a loop in Python would take ten times as long.

A tag ends at the next `>`, unless a quoted value contains it. Then its value contains a `<`, or a quote after a `=`
closes behind the `>`. Only such tags, long tags, comments and raw text are read one by one, from left to right. Tags
inside of them are removed. So the result is the tags that the tokenizer of WHATWG HTML (13.2.5) finds.

In two places the tree decides how the tokenizer continues: no raw text follows a start tag that is ignored (in select
or in a frameset) or that belongs to a drawing. Raw text with tags in it makes the result ambiguous there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from pages.bounds.flat import ATTRIBUTE, CODE, MARKUP, SHOWN_RAW, TAG, after_declaration, closing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Places = NDArray[np.int64]

SHORT_TAG_CHARS = 600  # longer tags are read one by one
MAX_READ_SINGLY = 20_000  # of tags and comments in a page: 60 ms
FEW_ATTRIBUTES = 100_000  # of a page: no need to count them better
FEW_BLANKS = 3  # between a `=` and its value; with more, a tag is read one by one
OTHER = 0  # the number of a name that is not listed

_NAMES = (
    "a abbr acronym address annotation applet area article aside audio b base basefont bdi bdo bgsound big blockquote "
    "body br button canvas caption center circle cite clippath code col colgroup data datalist dd defs del desc "
    "details dfn dialog dir div dl dt ellipse em embed fieldset figcaption figure font footer foreignobject form "
    "frame frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins kbd keygen label "
    "legend li lineargradient line link listing main map mark marquee mask math menu meta meter mfrac mi mn mo mover "
    "mpadded mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover nav nobr "
    "noembed noframes noscript object ol optgroup option output p param path picture plaintext polygon polyline pre "
    "progress q radialgradient rb rect rp rt rtc ruby s samp script search section select semantics slot small source "
    "span stop strike strong style sub summary sup svg symbol table tbody td template text textarea tfoot th thead "
    "time title tr track tspan tt u ul use var video wbr xmp"
)
NUMBERS = {name: number for number, name in enumerate(_NAMES.split(), start=1)}
RAW = CODE | SHOWN_RAW | {"plaintext"}

_LESS, _GREATER, _SLASH, _EQUALS, _BLANK = b"<>/= "
_MARK_BITS = 0xFD  # all but the one that tells `<` from `>`
_BANG, _QUESTION = b"!?"
_WORD = 8  # bytes of a name that are compared at once
_PADDING = bytes(4 * _WORD)
_SLOT_BITS = 12
_ONES, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_ENDS_NAME = b" \t\n\f\r/>"
_COMMENT = re.compile("<!--(?!-?>).*?--!?>", re.DOTALL)


def _folded() -> bytes:
    """Return what each byte is in a name: letters in lower case, 0 for what ends a name, 255 for what we don't list."""
    table = bytearray(b"\xff" * 256)
    for letter, upper in zip(_LETTERS, _LETTERS.upper(), strict=True):
        table[letter] = table[upper] = letter
    for digit in b"0123456789":
        table[digit] = digit
    for byte in _ENDS_NAME:
        table[byte] = 0
    return bytes(table)


_FOLDED = _folded()
_IS_LETTER = np.isin(np.arange(256), list(_LETTERS + _LETTERS.upper()))
_HALVES = (np.isin(np.arange(256), list(_ENDS_NAME)) * 2 + np.isin(np.arange(256), list(b"\"'"))).astype(np.uint8)
_IS_RAW = np.isin(np.arange(len(NUMBERS) + 1), [NUMBERS[name] for name in RAW])


@dataclass(frozen=True, slots=True, eq=False)
class Tags:
    """The tags of a page in document order."""

    name: NDArray[np.uint8]  # its number in NUMBERS, or OTHER
    is_end: Flags
    is_closed: Flags  # written as `<path d="…"/>`: a drawing's tag without content
    attributes: Places  # of each tag, at most
    is_ambiguous: bool  # raw text has tags in it: in odd places they count
    has_sections: bool  # `<![CDATA[`: in a drawing it hides what it holds

    def count(self, name: str) -> int:
        """Return how many start and end tags have this name."""
        return int(np.count_nonzero(self.name == NUMBERS[name]))


def read_tags(markup: str) -> Tags | None:
    """Return the tags, or None where too many had to be read one by one."""
    raw = markup.encode("ascii", "replace") + _PADDING  # one byte a character, so that places stay what they are
    chars = np.frombuffer(raw, np.uint8)
    marks = np.flatnonzero((chars & _MARK_BITS) == _LESS)
    opens = np.flatnonzero(chars[marks] == _LESS)
    place = marks[opens]
    next_mark = np.append(marks, len(markup))[opens + 1]
    second, third = chars[place + 1], chars[place + 2]
    is_end = second == _SLASH
    is_tag = np.where(is_end, _IS_LETTER[third], _IS_LETTER[second])
    is_declaration = (second == _BANG) | (second == _QUESTION) | (is_end & ~is_tag & (third != _GREATER))
    kept = is_tag | is_declaration
    if not kept.all():
        place, next_mark, is_end, is_declaration = place[kept], next_mark[kept], is_end[kept], is_declaration[kept]
    name = _numbers(raw.translate(_FOLDED), place + 1 + is_end)
    singly = is_declaration | (chars[next_mark] != _GREATER) | (next_mark - place > SHORT_TAG_CHARS)
    singly |= _IS_RAW[name] & ~is_end
    singly[_hiding_their_end(chars, place, next_mark)] = True
    if np.count_nonzero(singly) > MAX_READ_SINGLY:
        return None
    read = _ReadSingly()
    read.all(markup, place[singly].tolist())
    attributes = _attributes(chars, place, next_mark)
    attributes[singly] = [read.attributes.get(begin, 0) for begin in place[singly].tolist()]
    visible = ~is_declaration & ~read.hides(place)
    before = chars[next_mark - 2]
    is_closed = (chars[next_mark - 1] == _SLASH) & ((before <= ord(" ")) | (before == ord('"')) | (before == ord("'")))
    return Tags(
        name[visible],
        is_end[visible],
        (is_closed & ~is_end)[visible],
        attributes[visible],
        read.is_ambiguous,
        read.has_sections,
    )


def _numbers(folded: bytes, start: Places) -> NDArray[np.uint8]:
    """Return the number of each name: its first 16 bytes, as two words, are looked up in a table without collisions."""
    words = np.ndarray(len(folded) - _WORD + 1, dtype="<u8", buffer=folded, strides=(1,))
    first, first_ends = _until_zero(words[start])
    second = np.zeros_like(first)
    long = np.flatnonzero(~first_ends)  # names of eight letters or more
    second[long], first_ends[long] = _until_zero(words[start[long] + _WORD])
    slot = _slots(first, second)
    known = (_TABLE_FIRST[slot] == first) & (_TABLE_SECOND[slot] == second) & first_ends
    return np.where(known, _TABLE_NUMBER[slot], OTHER).astype(np.uint8)


def _until_zero(word: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Flags]:
    """Return the bytes before the first zero byte (Mycroft 1987), and whether there is one."""
    zero = (word - _ONES) & ~word & _HIGH  # its lowest bit stands in the first zero byte
    lowest = zero & (~zero + np.uint64(1))
    return word & (lowest - np.uint64(1)), zero != 0


def _slots(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return ((first ^ (second << np.uint64(1))) * _MULTIPLIER) >> np.uint64(64 - _SLOT_BITS)


def _known_words() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    padded = b"".join(name.encode().ljust(2 * _WORD, b"\0") for name in NUMBERS)
    words = np.frombuffer(padded, "<u8").reshape(-1, 2)
    return words[:, 0].astype(np.uint64), words[:, 1].astype(np.uint64)


_FIRST, _SECOND = _known_words()
_TRIES = Random(0)  # noqa: S311 - any number will do that keeps the names apart
while True:
    _MULTIPLIER = np.uint64(_TRIES.getrandbits(64) | 1)
    _SLOT = _slots(_FIRST, _SECOND)
    if len({*_SLOT.tolist()}) == len(_SLOT):
        break
_TABLE_FIRST, _TABLE_SECOND = np.zeros(1 << _SLOT_BITS, np.uint64), np.zeros(1 << _SLOT_BITS, np.uint64)
_TABLE_NUMBER = np.zeros(1 << _SLOT_BITS, np.uint8)
_TABLE_FIRST[_SLOT], _TABLE_SECOND[_SLOT] = _FIRST, _SECOND
_TABLE_NUMBER[_SLOT] = np.arange(1, len(NUMBERS) + 1)


def _hiding_their_end(chars: NDArray[np.uint8], place: Places, next_mark: Places) -> Places:
    """Return which tags may have a value with a `>` in it: the last quote before their `>` begins a value.

    A pattern would look at each attribute of the page, and take longer than all the rest of the proof.
    """
    is_mark = (chars & _MARK_BITS) == _LESS
    found = [np.zeros(0, np.int64)]
    for quote in b"\"'":
        marks = np.flatnonzero(is_mark | (chars == quote))
        sign = chars[marks]
        last = marks[:-1][(sign[:-1] == quote) & (sign[1:] == _GREATER)]
        before = last - 1
        for _ in range(FEW_BLANKS):
            before -= chars[before] <= _BLANK
        found.append(last[(chars[before] == _EQUALS) | (chars[before] <= _BLANK)])
    hidden = np.concatenate(found)
    tag = np.searchsorted(place, hidden) - 1
    tag, hidden = tag[tag >= 0], hidden[tag >= 0]
    return np.asarray(tag[next_mark[tag] > hidden])


def _attributes(chars: NDArray[np.uint8], place: Places, end: Places) -> Places:
    """Return how many attributes each tag has at most: one takes two characters, the blank before it included."""
    most = (end - place) // 2
    if most.sum() < FEW_ATTRIBUTES:
        return most
    # Each begins after a blank, a slash, or the quotes of the one before: counted in halves.
    halves = np.cumsum(_HALVES[chars], dtype=np.int64)
    return np.asarray(np.minimum(most, (halves[end] - halves[place]) // 2))


class _ReadSingly:
    """The tags and comments that are read one by one: what they hide, and how many attributes they have."""

    def __init__(self) -> None:
        self.attributes: dict[int, int] = {}  # of the tag that begins here
        self.is_ambiguous = self.has_sections = False
        self._begin: list[int] = []
        self._end: list[int] = []

    def all(self, markup: str, places: list[int]) -> None:
        """Read the tags at these places, unless an earlier one contains them."""
        read_until = 0
        for place in places:
            if place >= read_until:
                read_until = self._one(markup, place)

    def hides(self, place: Places) -> Flags:
        """Return which of these places are inside a tag, a comment or raw text."""
        last = np.searchsorted(np.array(self._begin, dtype=np.int64), place, side="right") - 1
        return (last >= 0) & (place < np.array([*self._end, -1], dtype=np.int64)[last])

    def _one(self, markup: str, place: int) -> int:
        tag = TAG.match(markup, place)
        if tag is None:
            if markup[place + 1] not in "!?/":  # a letter that is not ASCII: text
                return place + 1
            self.has_sections |= markup.startswith("<![", place)
            return self._hide(place, after_declaration(markup, place))
        if not tag[4]:  # a tag that the end of the file cuts off is no tag
            return self._hide(place, len(markup))
        self.attributes[place] = sum(1 for _ in ATTRIBUTE.finditer(tag[3]))
        end = self._hide(place + 1, tag.end())
        name = tag[2].lower()
        if tag[1] or name not in RAW:
            return end
        until = len(markup) if name == "plaintext" else closing(markup, name, end)
        self.is_ambiguous |= bool(MARKUP.search(_COMMENT.sub("", markup[end:until]))) and name != "script"
        return self._hide(end, until)

    def _hide(self, begin: int, end: int) -> int:
        self._begin.append(begin)
        self._end.append(end)
        return end
