"""Which encoding does a document declare of itself? Metas, and an XML declaration, found before anything is parsed.

The WHATWG's prescan (HTML, 13.2.3.2): tags are skipped one by one with their attributes, so that a `charset` within a
comment, a script's address or a value is no declaration. Browsers look at the first 1024 bytes and, as they parse, come
upon a later meta too, and begin anew. Here the later ones count as well, up to a bound.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pages.encoding.labels import UNICODE, encoding_of

if TYPE_CHECKING:
    from collections.abc import Iterator

PRESCANNED_BYTES = 1024  # WHATWG: here a declaration has to stand
LATE_BYTES = 64 * 1024  # here it is still looked for; heads of real pages have under 30 kB

# A comment, a tag with its attributes (WHATWG HTML, 13.2.5), or a declaration. The end of the bytes ends them all, and
# each part repeats possessively: no byte is looked at twice.
_VALUE = rb"""(?:"[^"]*+"?|'[^']*+'?|[^\s>"'][^\s>]*+)"""
_ATTRIBUTE = rb"[^\s/>][^\s/>=]*+(?:\s*+=\s*+" + _VALUE + rb"?+)?+"
_MARKUP = re.compile(
    rb"<!--(?:-?>|.*?(?:-->|\Z))|</?(?P<tag>[a-z][^\s/>]*+)(?P<attributes>(?:[\s/]++|"
    + _ATTRIBUTE
    + rb")*+)(?:>|\Z)|<[!/?][^>]*+",
    re.IGNORECASE | re.DOTALL,
)
_NAME_AND_VALUE = re.compile(rb"([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(" + _VALUE + rb"))?+")
_IN_CONTENT = re.compile(rb"""charset\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s;"']++))""", re.IGNORECASE)
_XML = re.compile(rb"""<\?xml[^>]*?\bencoding\s*+=\s*+(?:"([^"\s]*+)"|'([^'\s]*+)')[^>]*+>""")
_WITHOUT_MARK = ((b"<\0?\0x\0", "utf-16le"), (b"\0<\0?\0x", "utf-16be"))


class Declaration(NamedTuple):
    """An encoding that a document names, and where: a clause that goes on after "because"."""

    encoding: str
    where: str


def declarations(body: bytes, *, xml: bool = False) -> Iterator[Declaration]:
    """Yield what a document declares, the strongest first; `xml`: it was served as XHTML, whose declaration leads."""
    found = list(_by_meta(body))
    stated = _by_xml(body)
    early = [declared for at, declared in found if at < PRESCANNED_BYTES]
    late = [declared for at, declared in found if at >= PRESCANNED_BYTES]
    yield from [*stated, *early, *late] if xml else [*early, *stated, *late]


def _by_meta(body: bytes) -> Iterator[tuple[int, Declaration]]:
    """Yield the first encoding that a meta names, with its place."""
    window = body[:LATE_BYTES]
    if b"charset" not in window.lower():
        return
    for markup in _MARKUP.finditer(window):
        if (markup["tag"] or b"").lower() != b"meta" or markup[0].startswith(b"</"):
            continue
        if encoding := _of_meta(markup["attributes"]):
            at = markup.start()
            where = "a meta element says so" if at < PRESCANNED_BYTES else f"a meta element says so, at byte {at}"
            yield at, Declaration(encoding, where)
            return


def _of_meta(attributes: bytes) -> str:
    """Return the encoding that a meta names; one that can be read as ASCII can't be UTF-16 (WHATWG)."""
    values: dict[bytes, bytes] = {}
    for name, value in _NAME_AND_VALUE.findall(attributes):
        values.setdefault(name.lower(), value.strip(value[:1]) if value[:1] in (b"'", b'"') else value)
    label = values.get(b"charset", b"")
    if not label and values.get(b"http-equiv", b"").strip().lower() == b"content-type":
        match = _IN_CONTENT.search(values.get(b"content", b""))
        label = b"".join(filter(None, match.groups())) if match else b""
    return _not_utf16(encoding_of(label.decode("ascii", "replace")))


def _not_utf16(encoding: str) -> str:
    if encoding == "x-user-defined":
        return "windows-1252"
    return "utf-8" if encoding in UNICODE else encoding


def _by_xml(body: bytes) -> list[Declaration]:
    for start, encoding in _WITHOUT_MARK:
        if body.startswith(start):
            return [Declaration(encoding, "its XML declaration is written so")]
    match = _XML.match(body[:PRESCANNED_BYTES])
    encoding = _not_utf16(encoding_of((match[1] or match[2] or b"").decode("ascii", "replace"))) if match else ""
    return [Declaration(encoding, "its XML declaration says so")] if encoding else []
