"""In which encoding are these bytes? Byte order mark, then HTTP, then the document, then what the bytes show.

The order and the labels are those of the WHATWG Encoding standard. Two repairs go beyond it, because an index has no
user who could pick another encoding in a menu. A one-byte label on bytes that are flawless UTF-8 is a server's default
and not a fact. And where nothing is declared, the bytes are measured before windows-1252 is assumed. Only encodings of
the web are decoded: Python knows codecs (zlib, idna, rot13, UTF-7) that no page may reach.
"""

from __future__ import annotations

import encodings
from dataclasses import dataclass

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, resolve_encoding

FALLBACK = "cp1252"  # WHATWG: what a page without any label is read as in the west
MAX_TYPE_CHARS = 1024  # of a Content-Type that are looked at; real ones have under 100
MAX_UNKNOWN = 1000  # unknown labels that Python may remember, of 4 kB at most
MEASURED_BYTES = 8192  # enough letters for the detector, few enough for its 10 to 50 ms
# Share of bytes above ASCII: French has about 4 %, Cyrillic and CJK text in markup a quarter and more.
FOREIGN_SHARE = 0.15
LAST_ASCII_BYTE = 0x7F

# Python's codec for each encoding of the WHATWG standard, and the name that is stored with the page.
WEB_NAMES = {
    "utf-8": "utf-8", "utf-16-le": "utf-16le", "utf-16-be": "utf-16be", "cp866": "ibm866",
    **{f"iso8859-{part}": f"iso-8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    "koi8-r": "koi8-r", "koi8-u": "koi8-u", "mac-roman": "macintosh", "mac-cyrillic": "x-mac-cyrillic",
    "cp874": "windows-874", **{f"cp{page}": f"windows-{page}" for page in range(1250, 1259)},
    "gb18030": "gb18030", "big5hkscs": "big5", "euc_jp": "euc-jp", "iso2022_jp": "iso-2022-jp",
    "cp932": "shift_jis", "cp949": "euc-kr",
}  # fmt: skip
_CODECS = {name: codec for codec, name in WEB_NAMES.items()}
MULTI_BYTE = frozenset(
    {"utf-8", "utf-16-le", "utf-16-be", "gb18030", "big5hkscs", "euc_jp", "iso2022_jp", "cp932", "cp949"}
)
# Labels of the standard that Python does not know.
LABELS = {
    "unicode-1-1-utf-8": "utf-8", "x-unicode20utf8": "utf-8", "utf-16": "utf-16-le", "ucs-2": "utf-16-le",
    "iso-8859-8-i": "iso8859-8", "iso-8859-8-e": "iso8859-8", "logical": "iso8859-8", "visual": "iso8859-8",
    "koi8-ru": "koi8-u", "x-mac-cyrillic": "mac-cyrillic", "x-mac-ukrainian": "mac-cyrillic", "dos-874": "cp874",
    "x-cp1250": "cp1250", "x-cp1251": "cp1251", "x-cp1252": "cp1252", "x-gbk": "gb18030", "x-x-big5": "big5hkscs",
    "x-euc-jp": "euc_jp", "sun_eu_greek": "iso8859-7",
}  # fmt: skip
_UNICODE = frozenset({"utf-8", "utf-16le", "utf-16be"})
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_DETECTED = ["cp1251", "koi8_r", "cp866", "cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1252"]


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a document without NULs, the web's name of its encoding, and what was repaired."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def codec_for(label: str) -> str | None:
    """Return Python's codec for a label of the WHATWG standard, or None: unknown, or not an encoding of the web."""
    key = label.strip().lower()
    codec = LABELS.get(key) or resolve_encoding(key)
    return codec if codec in WEB_NAMES else None


def query_codec(encoding: str) -> str:
    """Return the codec in which a page of this encoding writes queries; empty: UTF-8 (WHATWG Encoding, 4.3)."""
    return "" if encoding in _UNICODE else _CODECS[encoding]


def decode(body: bytes, *, content_type: str = "", markup: bool = True) -> Decoded:
    """Decode once. What does not fit becomes U+FFFD, and NULs are removed: no later step can hold them."""
    warnings: list[str] = []
    codec = _by_byte_order_mark(body) or _by_label(body, content_type[:MAX_TYPE_CHARS], warnings, markup=markup)
    _forget_unknown()
    if codec and codec not in MULTI_BYTE and _is_utf8(body):
        warnings.append(f"labelled {WEB_NAMES[codec]}, but the bytes are UTF-8: read as that")
        codec = "utf-8"
    codec = codec or _by_bytes(body)
    text = body.decode(codec, errors="replace").removeprefix("\ufeff")
    if "\0" in text:
        text = text.replace("\0", "")
        warnings.append("NUL characters were taken out")
    if damaged := text.count("\ufffd"):
        warnings.append(f"{damaged} places do not fit {WEB_NAMES[codec]} and stand as U+FFFD")
    return Decoded(text, WEB_NAMES[codec], tuple(warnings))


def _by_byte_order_mark(body: bytes) -> str | None:
    return next((codec for mark, codec in _BOMS if body.startswith(mark)), None)


def _by_label(body: bytes, content_type: str, warnings: list[str], *, markup: bool) -> str | None:
    if "charset" in content_type.lower():
        codec = codec_for(http_content_type_encoding(content_type) or content_type.rpartition("=")[2].strip("\"' "))
        if codec:
            return codec
        warnings.append("the charset in Content-Type is no encoding of the web: left aside")
    declared = html_body_declared_encoding(body[:4096]) if markup else None
    codec = codec_for(declared) if declared else None
    # A document whose label could be read as ASCII is not UTF-16 (WHATWG HTML, 13.2.3.2).
    return "utf-8" if codec in ("utf-16-le", "utf-16-be") else codec


def _forget_unknown() -> None:
    """Make Python forget the labels that it does not know: it remembers each for ever, and pages invent new ones."""
    remembered = vars(encodings).get("_cache", {})
    if len(remembered) > MAX_UNKNOWN:
        for label in [label for label, codec in remembered.items() if codec is None]:
            del remembered[label]


def _is_utf8(body: bytes) -> bool:
    """Return whether this is UTF-8 with something beyond ASCII in it; text of one-byte encodings never fits."""
    if body.isascii():
        return False
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _by_bytes(body: bytes) -> str:
    """Guess where nothing is declared: UTF-8 where it fits, another script where it shows, else windows-1252."""
    if body.isascii() or _is_utf8(body):
        return "utf-8"
    sample = body[:MEASURED_BYTES]
    foreign = sum(byte > LAST_ASCII_BYTE for byte in sample)
    if foreign < FOREIGN_SHARE * len(sample):
        # Broken UTF-8 is far commoner than windows-1252 text whose letters pair up like UTF-8's.
        return "utf-8" if _mostly_utf8(sample) else FALLBACK
    from charset_normalizer import from_bytes  # 40 ms, and almost no page comes here

    match = from_bytes(sample, cp_isolation=_DETECTED, preemptive_behaviour=False).best()
    if match is None:
        return "utf-8" if _mostly_utf8(sample) else FALLBACK
    return codec_for(match.encoding) or FALLBACK


def _mostly_utf8(sample: bytes) -> bool:
    """Return whether more sequences fit UTF-8 than bytes do not."""
    text = sample.decode(errors="replace")
    damaged = text.count("\ufffd")
    return sum(not char.isascii() for char in text) - damaged > damaged
