"""On which points do the texts about robots.txt disagree? One parser, and four sets of named choices.

The same file means different things to different texts. By the rules of 1996, most files on the Web get at least one
verdict that differs from RFC 9309. The differences are few, so this file lists them all, next to each other. `RFC9309`
decides what Breadcrumb fetches; the other three are for readers who compare.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


class Dialect(Enum):
    """The texts that can be followed; the value is the name on the command line."""

    RFC9309 = "rfc9309"
    GOOGLE = "google"
    TEXT_1996 = "1996"
    BOOK = "book"


class Naming(Enum):
    """When does the value of a User-agent line name a robot? Letter case never matters."""

    TOKEN = "the product token in the file is ours"  # noqa: S105 - a product token, not a secret
    LETTERS = "the letters, - and _ at its start are our name; hedwig-images without a group goes by that of hedwig"
    OURS_WITHIN = "our name is somewhere within the value"
    THEIRS_WITHIN = "the name in the file is somewhere within ours"


class Escapes(Enum):
    """Which percent escapes of a path a dialect decodes before it compares the path."""

    UNRESERVED_DECODED = "unreserved characters are opened"
    AS_WRITTEN = "no escape is opened: paths are compared as written"
    ALL_BUT_SLASH_DECODED = "everything but %2F is opened"


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices of one dialect where the texts disagree."""

    naming: Naming
    groups_merge: bool  # every group that names us counts, not only the first one
    longest_rule_wins: bool  # most octets, Allow on a tie; else the first rule that matches
    wildcards: bool  # `*` and a final `$` in paths
    escapes: Escapes
    blank_line_ends_group: bool
    empty_disallow_closes: bool  # `Disallow:` alone forbids everything, not nothing
    forgiving_fields: bool  # common typing errors, longer names and a missing colon are understood
    index_page_opens_folder: bool  # `Allow: /d/index.html` also allows /d/
    empty_allow_counts: bool  # an `Allow:` alone is a rule, of no octets; else it is none
    cuts_lines: bool  # a line ends at a NUL octet, and after 16,663 octets
    robots_txt_exempt: bool  # /robots.txt itself may always be fetched
    crawl_delay: bool  # Crawl-delay and Request-rate lines are read
    denial_closes: bool  # 401 and 403 for robots.txt close the site; else there is no file


_RFC9309: Final = Choices(
    naming=Naming.TOKEN,
    groups_merge=True,
    longest_rule_wins=True,
    wildcards=True,
    escapes=Escapes.UNRESERVED_DECODED,
    blank_line_ends_group=False,
    empty_disallow_closes=False,
    forgiving_fields=False,
    index_page_opens_folder=False,
    empty_allow_counts=False,
    cuts_lines=False,
    robots_txt_exempt=True,
    crawl_delay=True,  # RFC 9309, 2.2.4: other records MAY be interpreted
    denial_closes=False,  # RFC 9309, 2.3.1.3: every 4xx is an absent file
)
_GOOGLE: Final = Choices(
    naming=Naming.LETTERS,
    groups_merge=True,
    longest_rule_wins=True,
    wildcards=True,
    escapes=Escapes.AS_WRITTEN,
    blank_line_ends_group=False,
    empty_disallow_closes=False,
    forgiving_fields=True,
    index_page_opens_folder=True,
    empty_allow_counts=True,
    cuts_lines=True,
    robots_txt_exempt=False,
    crawl_delay=False,
    denial_closes=False,
)
_TEXT_1996: Final = Choices(
    naming=Naming.OURS_WITHIN,
    groups_merge=False,
    longest_rule_wins=False,
    wildcards=False,
    escapes=Escapes.ALL_BUT_SLASH_DECODED,
    blank_line_ends_group=True,
    empty_disallow_closes=False,
    forgiving_fields=False,
    index_page_opens_folder=False,
    empty_allow_counts=False,
    cuts_lines=False,
    robots_txt_exempt=True,
    crawl_delay=False,
    denial_closes=True,
)
_BOOK: Final = replace(_TEXT_1996, naming=Naming.THEIRS_WITHIN, empty_disallow_closes=True)

CHOICES: Final[Mapping[Dialect, Choices]] = MappingProxyType(
    {
        Dialect.RFC9309: _RFC9309,
        Dialect.GOOGLE: _GOOGLE,
        Dialect.TEXT_1996: _TEXT_1996,
        Dialect.BOOK: _BOOK,
    }
)
