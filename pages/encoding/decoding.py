"""Which encoding do these bytes have? Byte order mark, then HTTP, then the document, then the bytes themselves.

The order and the labels are those of browsers (WHATWG HTML, 13.2.3.2, and Encoding). Four repairs go beyond them, since
an index has no user who could choose another encoding in a menu. The bytes decide each, and a warning reports it:

1. A label on bytes that are flawless UTF-8 is a server's default and not a fact.
2. A label that does not fit the bytes gives way to the next declaration that does.
3. HTTP's `iso-8859-1` is the oldest default of servers: it gives way to another declaration that fits the bytes.
4. A label that most of the bytes do not fit counts as none.

Without a declaration the bytes are measured (`detected`), and windows-1252 is the last resort.

The declarations of a document are its metas and an XML declaration, found by the prescan of WHATWG HTML, 13.2.3.2,
before any parsing. It skips tags one by one with their attributes. So a `charset` in a comment, in a script's address
or in a value is no declaration. Browsers look at the first 1024 bytes; a later meta makes them start again. Here the
later ones count as well, up to a bound.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pages.encoding.detection import detected
from pages.encoding.labels import CODECS, MULTI_BYTE, UNICODE, encoding_of, fits, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


FALLBACK = "windows-1252"  # WHATWG: what a page without any label is read as in the west
MAX_TYPE_CHARS = 1024  # of a Content-Type that are looked at; real ones have under 100
SAMPLE_BYTES = 64 * 1024  # in which sequences of UTF-8 are counted
# Text of another encoding of several bytes a letter may fit UTF-8 by chance, if it is a word or two.
SURE_SEQUENCES = 8
_CHARSET = re.compile(r"""charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,"']+))""", re.IGNORECASE)
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_UTF8_SEQUENCE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_ISO_2022_JP = re.compile(rb"\x1b\$[@B][\x21-\x7e]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a document without NULs, the web's name of its encoding and why it is that, and what was repaired.

    `reason` is a clause that continues after "because".
    """

    text: str
    encoding: str
    reason: str = ""
    warnings: tuple[str, ...] = ()


def query_codec(encoding: str) -> str:
    """Return the codec in which a page of this encoding writes queries; empty: UTF-8 (WHATWG Encoding, 4.3)."""
    return "" if encoding in UNICODE else CODECS[encoding]


def decode(body: bytes, *, content_type: str = "", markup: bool = True) -> Decoded:
    """Decode once. Bytes that do not fit become U+FFFD. NULs are removed: no later step accepts them."""
    warnings: list[str] = []
    encoding, reason = _chosen(body, content_type[:MAX_TYPE_CHARS], warnings, markup=markup)
    text = text_of(body, encoding).removeprefix("\ufeff")
    if "\0" in text:
        text = text.replace("\0", "")
        warnings.append("NUL characters were taken out")
    if damaged := text.count("\ufffd"):
        warnings.append(f"{damaged} places do not fit {encoding} and stand as U+FFFD")
    return Decoded(text, encoding, reason, tuple(warnings))


def _chosen(body: bytes, content_type: str, warnings: list[str], *, markup: bool) -> tuple[str, str]:
    """Return the encoding and the reason for it."""
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return encoding, "the file begins with its byte order mark"
    declared = [*_of_type(content_type, warnings)]
    declared += declarations(body, xml="xhtml+xml" in content_type.lower()) if markup else ()
    if body.isascii():
        return _of_ascii(body, declared)
    return _of_declarations(body, declared, warnings) or _of_bytes(body)


def _of_type(content_type: str, warnings: list[str]) -> list[Declaration]:
    match = _CHARSET.search(content_type)
    if match is None:
        return []
    encoding = encoding_of(next(filter(None, match.groups()), ""))
    if not encoding:
        warnings.append("the charset in Content-Type is no encoding of the web: left aside")
    return [Declaration(encoding, "the Content-Type header says so")] if encoding else []


def _of_ascii(body: bytes, declared: Sequence[Declaration]) -> tuple[str, str]:
    """Return the encoding of bytes that mean the same in nearly all of them; every letter of UTF-16 here has a NUL."""
    believed = [said for said in declared if not said.encoding.startswith("utf-16") or b"\0" in body]
    if believed:
        return believed[0]
    if _ISO_2022_JP.search(body, 0, SAMPLE_BYTES) and fits(body, "iso-2022-jp"):
        return "iso-2022-jp", "nothing is declared, and the bytes have the escapes of this encoding"
    return "utf-8", "nothing is declared, and all bytes are ASCII"


def _of_declarations(body: bytes, declared: Sequence[Declaration], warnings: list[str]) -> tuple[str, str] | None:
    """Return the declaration that counts, or what the bytes show against all of them; None where nothing counts."""
    if not declared:
        return None
    first = declared[0]
    if first.encoding != "utf-8" and _is_utf8(body, at_least=SURE_SEQUENCES if first.encoding in MULTI_BYTE else 1):
        warnings.append(f"labelled {first.encoding}, but the bytes are UTF-8: read as that")
        return "utf-8", f"the bytes are flawless UTF-8, whatever their label says ({first.encoding})"
    others = [said for said in declared[1:] if said.encoding != first.encoding]
    is_default = first.encoding == FALLBACK and len(declared) > 1
    if not is_default and fits(body, first.encoding):
        return first
    for other in others:
        if other.encoding != FALLBACK and fits(body, other.encoding):
            warnings.append(f"labelled {first.encoding} first, but {other.where}, and the bytes fit {other.encoding}")
            return other.encoding, f"{other.where}, and the bytes fit it better than {first.encoding}"
    if first.encoding not in MULTI_BYTE or _mostly_fits(body, first.encoding) or not detected(body)[0]:
        return first
    warnings.append(f"labelled {first.encoding}, but most of the bytes do not fit it: left aside")
    return None


def _of_bytes(body: bytes) -> tuple[str, str]:
    """Measure bytes beyond ASCII for which no declaration counts."""
    if _is_utf8(body):
        return "utf-8", "no label counts, and the bytes are flawless UTF-8"
    if _mostly_utf8(body):
        return "utf-8", "no label counts, and most of the bytes beyond ASCII are UTF-8"
    encoding, language = detected(body)
    if encoding:
        what = f"the letters are those of {language}" if language else "what is beyond ASCII is signs that texts have"
        return encoding, f"no label counts, and read so {what}"
    return FALLBACK, "no label counts, and the bytes show nothing clearly: the default of browsers in the west"


def _is_utf8(body: bytes, *, at_least: int = 1) -> bool:
    """Return whether this is UTF-8 with something beyond ASCII in it; text of one-byte encodings never fits."""
    if body.isascii() or not fits(body, "utf-8"):
        return False
    return at_least <= 1 or len(_UTF8_SEQUENCE.findall(body[:SAMPLE_BYTES])) >= at_least


def _mostly_utf8(body: bytes) -> bool:
    """Return whether more sequences fit UTF-8 than bytes do not: windows-1252 letters seldom pair up like UTF-8's."""
    first = _BEYOND_ASCII.search(body)
    sample = body[first.start() : first.start() + SAMPLE_BYTES] if first else b""
    sequences = _UTF8_SEQUENCE.findall(sample)
    return len(sequences) > len(_BEYOND_ASCII.findall(sample)) - sum(map(len, sequences))


def _mostly_fits(body: bytes, encoding: str) -> bool:
    """Return whether most letters beyond ASCII fit an encoding of several bytes a letter."""
    if encoding == "utf-8":
        return _mostly_utf8(body)
    text = text_of(body[:SAMPLE_BYTES], encoding)
    damaged = text.count("\ufffd")
    return sum(not letter.isascii() for letter in text) - damaged > damaged


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
    """An encoding that a document names, and where: a clause that continues after "because"."""

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
