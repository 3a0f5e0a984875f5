"""Whom does a rule speak to? To a group: User-agent lines, and the rules that follow them (RFC 9309, 2.1 and 2.2.1).

A rule is stored once, however many robots its group names: a file of 15,000 names and 15,000 rules must not become
225 million rules. Crawl-delay, Request-rate and Sitemap lines do not end a group (2.2.4). The first two belong to the
User-agent lines just above them, because sites write one delay for each robot and then rules for all.

A robot knows itself by its product token. A User-Agent line is products, `name/version`, with comments in brackets (RFC
9110, 10.1.5). The token is somewhere in it (RFC 9309, 2.2.1), and rarely in front. Most robots present themselves as
browsers and name themselves in a comment, by custom after the word `compatible`. A string that is a single word is the
token itself.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from robots.dialect import Naming
from robots.lines import Field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from robots.dialect import Choices
    from robots.lines import LineTuple


EVERYBODY: Final = b"*"
_LETTERS: Final = (string.ascii_letters + "-_").encode()
# RFC 9309 allows only letters, - and _ in a product token. Robots named MJ12bot and archive.org_bot exist anyway. So
# digits and points are part of a name here: a group for archive.org_bot is not for a robot named archive.
_TOKEN: Final = _LETTERS + b"0123456789."


RuleLine = tuple[int, bool, bytes]  # number from 1, whether it is an Allow, and its value


class AgentBlock(NamedTuple):
    """Neighbouring User-agent lines, and the Crawl-delay and Request-rate lines below them.

    AgentBlock is a tuple because a file may have fifty thousand of them.
    """

    names: list[bytes]  # in lower case, cut as the dialect cuts them
    paces: list[LineTuple]


class Group(NamedTuple):
    """The robots that are named together, and the rules for them."""

    blocks: list[AgentBlock]
    rules: list[RuleLine]


class Groups(NamedTuple):
    """All that a file says, sorted by whom it is for."""

    groups: list[Group]
    nobody: Group  # the lines outside any group
    sitemaps: list[bytes]

    @property
    def empty(self) -> bool:
        """Whether the file says nothing at all."""
        return not (self.groups or self.sitemaps or self.nobody.rules or self.nobody.blocks[0].paces)


def groups_of(lines: Iterable[LineTuple], choices: Choices) -> Groups:
    """Sort lines into groups. `choices` tell how a group begins and ends."""
    nobody = group = Group([AgentBlock([], [])], [])
    found = Groups([], nobody, [])
    rules = group.rules
    allow, disallow, user_agent = Field.ALLOW, Field.DISALLOW, Field.USER_AGENT  # a local name is faster
    for number, field, value in lines:
        if field is disallow:
            rules.append((number, False, value))
        elif field is allow:
            rules.append((number, True, value))
        elif field is user_agent:
            if rules or group is nobody:
                group = Group([AgentBlock([], [])], rules := [])
                found.groups.append(group)
            elif group.blocks[-1].paces:
                group.blocks.append(AgentBlock([], []))
            group.blocks[-1].names.append(name_in_file(value, choices.naming))
        elif field is Field.SITEMAP:
            found.sitemaps.append(value)
        elif field is not Field.BLANK:
            group.blocks[-1].paces.append((number, field, value))
        elif choices.blank_line_ends_group:
            group, rules = nobody, nobody.rules
    return found


def name_in_file(value: bytes, naming: Naming) -> bytes:
    """Cut a User-agent value to the part that names a robot; `*` alone, or before a blank, is everybody."""
    value = value.lower()
    if naming is Naming.TOKEN and not value.strip(_TOKEN):
        return value  # nearly every name
    if value.split(maxsplit=1)[:1] == [EVERYBODY]:
        return EVERYBODY
    match naming:
        case Naming.TOKEN:
            return _leading(value, _TOKEN)
        case Naming.LETTERS:
            return _leading(value, _LETTERS)
        case Naming.THEIRS_WITHIN:
            return value.partition(b"/")[0].rstrip()  # the version is no part of the name
        case Naming.OURS_WITHIN:
            return value


@lru_cache(maxsize=64)  # a crawl has one name, and a comparison a few
def our_name(agent: str, naming: Naming) -> bytes:
    """Cut what a robot calls itself to the name that is searched for; empty: the robot has no usable name."""
    name = agent.strip().lower().encode("utf-8", "surrogatepass")
    if naming is Naming.TOKEN:
        return _leading(name, _TOKEN)
    if naming is Naming.LETTERS:
        return (name.partition(b"/")[0].split(maxsplit=1) or [b""])[0]  # googlebot/2.1 (+http…) is googlebot
    # The text of 1996 searches for the name token; a version is no part of it.
    return name.partition(b"/")[0].rstrip() if naming is Naming.OURS_WITHIN else name


def agent_matcher(agent: str, naming: Naming) -> Callable[[Sequence[bytes]], bool]:
    """Return a function that says whether one of the names in a file means `agent`; an empty name means no robot."""
    ours = our_name(agent, naming)
    if not ours:
        return lambda _: False
    match naming:
        case Naming.TOKEN | Naming.LETTERS:
            return lambda theirs: ours in theirs
        case Naming.OURS_WITHIN:
            return lambda theirs: any(ours in name for name in theirs)
        case Naming.THEIRS_WITHIN:
            return lambda theirs: any(name in ours for name in theirs if name not in {b"", EVERYBODY})


def _leading(value: bytes, alphabet: bytes) -> bytes:
    return value[: len(value) - len(value.lstrip(alphabet))]


_COMMENT: Final = re.compile(r"\(([^()]*)\)")
_PRODUCT: Final = re.compile(r"[0-9._-]*[A-Za-z][A-Za-z0-9._-]*")
_VERSIONED: Final = re.compile(rf"({_PRODUCT.pattern})(?:/\S*)?")
# What browsers, and robots that look like them, say of the browser and the machine.
_BROWSERS: Final = frozenset(
    "mozilla applewebkit khtml gecko chrome chromium headlesschrome safari version mobile firefox opera presto".split()  # noqa: SIM905
    + "trident edge edg msie windows macintosh linux x11 android iphone ipad compatible u wow64 win64 x64 like".split()  # noqa: SIM905
)
_COMPATIBLE: Final = "compatible"
FAMILY_ENDS: Final = b"-"  # googlebot-images is a robot of the family googlebot
MAX_FAMILIES: Final = 8  # names that are tried: a robot's own has one or two hyphens


def product_token(user_agent: str) -> str:
    """Return the product token within a User-Agent string; what holds none comes back as it is, stripped."""
    text = user_agent.strip()
    if _PRODUCT.fullmatch(text):
        return text
    comments = [_items(comment) for comment in _COMMENT.findall(text)]
    after_compatible = (
        item for items in comments if _COMPATIBLE in items for item in items[items.index(_COMPATIBLE) + 1 :]
    )
    products = _COMMENT.sub(" ", text).split()
    # Apple's robot is a comment of its own: (Applebot/0.1; +http://…).
    in_comments = (item for items in comments for item in items if "/" in item)
    for items in (after_compatible, products, in_comments):
        for name in _names(items):
            if name.lower() not in _BROWSERS:
                return name
    return next(_names(products), text)


def _items(comment: str) -> list[str]:
    return [item.strip() for item in comment.split(";")]


def _names(items: Iterable[str]) -> Iterator[str]:
    """Yield of each item the first word that is a name, with a version or without: of "Yahoo! Slurp" it is Slurp."""
    for item in items:
        if name := next(filter(None, map(_VERSIONED.fullmatch, item.split())), None):
            yield name[1]


def families_of(agent: str) -> tuple[str, ...]:
    """Return the families of a robot, the most specific first: of googlebot-news-x2, googlebot-news-x and so on.

    Google, 2019: the group counts whose user agent is the most specific that still matches. The example is
    googlebot-images, which goes by the group of googlebot where none is its own. A name in a file ends at the first
    character that is no letter, - or _. So no group can be named hedwig-news2, and that robot goes by hedwig-news.
    """
    name = our_name(agent, Naming.LETTERS)
    readable = name_in_file(name, Naming.LETTERS)
    families = [readable.decode("ascii")] if readable not in {b"", name} else []
    name = readable
    while len(families) < MAX_FAMILIES and FAMILY_ENDS in name:
        name = name.rpartition(FAMILY_ENDS)[0]
        families.append(name.decode("utf-8", "surrogatepass"))
    return tuple(families)
