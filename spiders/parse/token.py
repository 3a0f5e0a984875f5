"""What is a tag? The tokens of HTML (WHATWG HTML, 13.2.5), as far as bounding a page needs them.

The patterns repeat possessively: nothing is ever tried twice, so that they are linear on any input.
"""

from __future__ import annotations

import re

MAX_ATTRIBUTES = 256  # on one tag; HTML defines about 200 in all
MAX_VALUE_CHARS = 16 * 1024  # of one attribute; beyond are data: URIs, never an address
SHORT_TAG_CHARS = 256  # of a tag that is copied as it is
MAX_COPIED_CHARS = 2_000_000  # of such tags a page: an attribute takes two characters here and 200 bytes there

_ATTRIBUTE = (
    r"""[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"""
    r"""(?:[ \t\n\f\r]*+=[ \t\n\f\r]*+(?:"[^"]*+"?|'[^']*+'?|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)?)?"""
)
TAG = re.compile(rf"<(/?)([a-zA-Z][^ \t\n\f\r/>]*+)((?:[ \t\n\f\r/]++|{_ATTRIBUTE})*+)(>?)")
MARKUP = re.compile("<[a-zA-Z/!?]")  # any other `<` is text
_NEXT_ATTRIBUTE = re.compile(_ATTRIBUTE)
_COMMENT_END = re.compile("--!?>")
_READ = frozenset(
    {"href", "src", "rel", "alt", "title", "name", "content", "http-equiv", "lang", "hidden", "data-nosnippet"}
)


class Copier:
    """Copies start tags: short ones as they are, others with those attributes only that the rest of this room reads."""

    def __init__(self) -> None:
        self._copied = self._shortened = 0

    def copy(self, tag: re.Match[str], name: str = "") -> str:
        """Return the tag, under another name where one is given."""
        self._copied += len(tag[0])
        if not name and len(tag[0]) <= SHORT_TAG_CHARS and self._copied <= MAX_COPIED_CHARS:
            return tag[0]
        kept: dict[str, str] = {}
        number, too_long = 0, False
        for number, attribute in enumerate(_NEXT_ATTRIBUTE.finditer(tag[3]), start=1):  # noqa: B007 — counted
            key = attribute[0].partition("=")[0].strip().lower()
            if key in _READ:
                too_long = too_long or len(attribute[0]) > MAX_VALUE_CHARS
                kept.setdefault(key, _cut_value(attribute[0]))  # HTML: the first of a name counts
        self._shortened += too_long or number > MAX_ATTRIBUTES
        return f"<{name or tag[2]} {' '.join(kept.values())}>"

    def warnings(self) -> tuple[str, ...]:
        """Say whether a tag was beyond the limits."""
        if not self._shortened:
            return ()
        limits = f"more than {MAX_ATTRIBUTES} attributes or one of more than {MAX_VALUE_CHARS} characters"
        return (f"{self._shortened} tags had {limits}: what nobody reads was left out",)


def closing(markup: str, name: str, place: int) -> int:
    """Return where the end tag of a raw text element begins, or the end of the file."""
    end = re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.IGNORECASE).search(markup, place)
    return end.start() if end else len(markup)


def after_declaration(markup: str, start: int) -> int:
    """Return where a comment, doctype or other declaration ends."""
    if markup.startswith("<!--", start) and not markup.startswith((">", "->"), start + 4):
        closed = _COMMENT_END.search(markup, start + 4)
        return closed.end() if closed else len(markup)
    end = markup.find(">", start)
    return end + 1 if end >= 0 else len(markup)


def _cut_value(attribute: str) -> str:
    """Cut a long attribute and close its quotes: a robots meta says noindex in its first words, however long it is."""
    if len(attribute) <= MAX_VALUE_CHARS:
        return attribute
    quote = attribute.partition("=")[2].lstrip()[:1]
    return attribute[:MAX_VALUE_CHARS] + (quote if quote in ("'", '"') else "")
