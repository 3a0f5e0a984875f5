"""Which encoding do these bytes have? Byte order mark, then HTTP, then the document, then the bytes themselves.

The order and the labels are those of browsers (WHATWG HTML, 13.2.3.2, and Encoding, 4.2), and no others: Python has
codecs (zlib, idna, rot13, UTF-7) that no page may use. A label means what browsers have made of it: `iso-8859-1` is
windows-1252, `gb2312` all of GB 18030. The standard only replaces HZ and the ISO-2022 encodings of Korea and China,
which can hide markup. Their labels are unknown here.

Four repairs go beyond browsers, since an index has no user who could choose another encoding in a menu. The bytes
decide each, and a warning reports it:

1. A label on bytes that are flawless UTF-8 is a server's default and not a fact.
2. A label that does not fit the bytes gives way to the next declaration that does.
3. HTTP's `iso-8859-1` is the oldest default of servers: it gives way to another declaration that fits the bytes.
4. A label that most of the bytes do not fit counts as none.

The declarations of a document are its metas and an XML declaration, found by the prescan of WHATWG HTML before any
parsing. It skips tags one by one with their attributes. So a `charset` in a comment, in a script's address or in a
value is no declaration. Browsers look at the first 1024 bytes; a later meta makes them start again. Here the later ones
count as well, up to a bound.

Without a declaration the bytes are measured (`detected`), and windows-1252 is the last resort. Only words with a byte
beyond ASCII are evidence. A few hundred of them are decoded in each possible encoding. A letter counts by its frequency
in a language of that encoding: 1 for the common ones, less for rare ones and for capitals. Things that no text contains
(control characters, boxes, a Cyrillic letter inside a Latin word) count against it. The best mean per byte wins.
Browsers do the same (chardetng), with larger tables. Decision 0020 says why this is no library: charset-normalizer and
UnicodeDammit read the same texts there.
"""
# ruff: noqa: RUF001 - letters of other scripts are what this is about

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Each row: the name that is stored with a page, Python's codec, and the labels.
_TABLE = """
utf-8 | utf-8 | unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8
utf-16le | utf-16-le | csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le
utf-16be | utf-16-be | unicodefffe utf-16be
ibm866 | cp866 | 866 cp866 csibm866 ibm866
iso-8859-2 | iso8859-2 | csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2
iso-8859-3 | iso8859-3 | csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3
iso-8859-4 | iso8859-4 | csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4
iso-8859-5 | iso8859-5 | csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5
iso-8859-5 | iso8859-5 | iso_8859-5:1988
iso-8859-6 | iso8859-6 | arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e
iso-8859-6 | iso8859-6 | iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
iso-8859-7 | iso8859-7 | csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597
iso-8859-7 | iso8859-7 | iso_8859-7 iso_8859-7:1987 sun_eu_greek
iso-8859-8 | iso8859-8 | csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598
iso-8859-8 | iso8859-8 | iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical
iso-8859-10 | iso8859-10 | csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6
iso-8859-13 | iso8859-13 | iso-8859-13 iso8859-13 iso885913
iso-8859-14 | iso8859-14 | iso-8859-14 iso8859-14 iso885914
iso-8859-15 | iso8859-15 | csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9
iso-8859-16 | iso8859-16 | iso-8859-16
koi8-r | koi8-r | cskoi8r koi koi8 koi8-r koi8_r
koi8-u | koi8-u | koi8-ru koi8-u
macintosh | mac-roman | csmacintosh mac macintosh x-mac-roman
x-mac-cyrillic | mac-cyrillic | x-mac-cyrillic x-mac-ukrainian
windows-874 | cp874 | dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874
windows-1250 | cp1250 | cp1250 windows-1250 x-cp1250
windows-1251 | cp1251 | cp1251 windows-1251 x-cp1251
windows-1252 | cp1252 | ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1
windows-1252 | cp1252 | iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252
windows-1253 | cp1253 | cp1253 windows-1253 x-cp1253
windows-1254 | cp1254 | cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989
windows-1254 | cp1254 | l5 latin5 windows-1254 x-cp1254
windows-1255 | cp1255 | cp1255 windows-1255 x-cp1255
windows-1256 | cp1256 | cp1256 windows-1256 x-cp1256
windows-1257 | cp1257 | cp1257 windows-1257 x-cp1257
windows-1258 | cp1258 | cp1258 windows-1258 x-cp1258
gb18030 | gb18030 | chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk gb18030
big5 | big5hkscs | big5 big5-hkscs cn-big5 csbig5 x-x-big5
euc-jp | euc_jp | cseucpkdfmtjapanese euc-jp x-euc-jp
iso-2022-jp | iso2022_jp | csiso2022jp iso-2022-jp
shift_jis | cp932 | csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis
euc-kr | cp949 | cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601
euc-kr | cp949 | windows-949
x-user-defined | latin-1 | x-user-defined
"""
_ROWS = [row.split(" | ") for row in _TABLE.strip().splitlines()]
CODECS = {name: codec for name, codec, _ in _ROWS}
LABELS = {label: name for name, _, labels in _ROWS for label in labels.split()}
MULTI_BYTE = frozenset(
    {"utf-8", "utf-16le", "utf-16be", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr"}
)
UNICODE = frozenset({"utf-8", "utf-16le", "utf-16be"})
_BLANKS = "\t\n\f\r "  # ASCII whitespace, as the standard has it
# WHATWG, 14.5.1: octets beyond ASCII become letters of a private area.
_USER_DEFINED = {octet: 0xF700 + octet for octet in range(0x80, 0x100)}


def encoding_of(label: str) -> str:
    """Return the encoding that a label means, under the name that is stored; empty: no label of the web."""
    return LABELS.get(label.strip(_BLANKS).lower(), "")


def text_of(body: bytes, encoding: str) -> str:
    """Decode; what does not fit becomes U+FFFD, and an encoding that is not known is taken for UTF-8."""
    text = body.decode(CODECS.get(encoding, "utf-8"), errors="replace")
    return text.translate(_USER_DEFINED) if encoding == "x-user-defined" else text


def fits(body: bytes, encoding: str) -> bool:
    """Return whether every byte has a meaning in an encoding."""
    try:
        body.decode(CODECS[encoding])
    except UnicodeDecodeError:
        return False
    return True


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


MEASURED_BYTES = 1500  # of words beyond ASCII; more change nothing
SEARCHED_BYTES = 256 * 1024  # in which they are looked for, from the first such byte on
MIN_BYTES = 4  # beyond ASCII: fewer fit anything
ENOUGH = 0.45  # mean worth of a byte; the right encoding of real text has 0.6 to 1
# A byte of a letter of two bytes that may be ASCII is never one of these: they end a word in any encoding.
_WORD = re.compile(rb"[^\x00-\x2f\x3a-\x3f]++")
_MIXED = re.compile("[A-Za-z][\u0370-\u06ff\u0e00-\u0e7f]|[\u0370-\u06ff\u0e00-\u0e7f][A-Za-z]")
_TORN = re.compile("[A-Za-z][\u3041-\u9fff\uac00-\ud7a3]|[\u3041-\u9fff\uac00-\ud7a3][A-Za-z]")

COMMON, LESS, SIGN, WRONG = 1.0, 0.7, 0.6, -1.5
TORN = -0.6  # an ideograph beside a Latin letter: a few in Chinese text, each one where a curly quote is read so
_CAPITAL = 0.6  # of the small letter's worth
_SIGNS = frozenset(
    "“”„‘’‚«»–—…·•©®™°§¶¿¡€£№ªº½¼¾²³´×\xa0\xad、。，．：；？！（）「」『』《》【】〈〉・ー　～｜／％＋－＝＜＞"
)


class Alphabet(NamedTuple):
    """A language's letters beyond ASCII, the common ones first, and the encodings in which it was written."""

    language: str
    common: str
    other: str
    encodings: str


# The letters by frequency in running text; half of a language's letters make nine tenths of it.
ALPHABETS = (
    Alphabet("German", "äöüß", "éà", "windows-1252"),
    Alphabet("French", "éèàêçùôîû", "âëïœæüÿ", "windows-1252"),
    Alphabet("Spanish", "óíáéñú", "ü", "windows-1252"),
    Alphabet("Portuguese", "ãçáéíóêõ", "âôúàü", "windows-1252"),
    Alphabet("Italian", "àèéìòù", "î", "windows-1252"),
    Alphabet("Nordic", "äöåæø", "éüó", "windows-1252"),
    Alphabet("Icelandic", "áíðþéóöúýæ", "", "windows-1252"),
    Alphabet("Dutch and others", "éëïóèá", "öüêç", "windows-1252"),
    Alphabet("Catalan", "àéèíòóçú", "ïü·", "windows-1252"),
    Alphabet("Polish", "ąćęłńóśźż", "", "windows-1250 iso-8859-2"),
    Alphabet("Czech and Slovak", "áéíýčěřšžů", "úóďťňäľĺŕô", "windows-1250 iso-8859-2"),
    Alphabet("Hungarian", "áéíóöőúüű", "", "windows-1250 iso-8859-2"),
    Alphabet("Croatian and Slovene", "čšžćđ", "", "windows-1250 iso-8859-2"),
    Alphabet("Romanian", "ăâîşţ", "", "windows-1250 iso-8859-2"),
    Alphabet("Turkish", "ışğüöç", "âîûİ", "windows-1254"),
    Alphabet("Baltic", "āēīšūžčėųįąę", "ģķļņ", "windows-1257"),
    Alphabet("Estonian", "äõüö", "šž", "windows-1257 windows-1252"),
    Alphabet("Vietnamese", "đáàâăêôơưạ", "éèíìóòúùý\u0300\u0301\u0303\u0309\u0323", "windows-1258"),
    Alphabet(
        "Russian", "оеаинтсрвлкмдпу", "яыьгзбчйхжшюцщэфъё", "windows-1251 koi8-r iso-8859-5 ibm866 x-mac-cyrillic"
    ),
    Alphabet("Ukrainian", "оаинітервсклдумп", "язьбгйчхцшжюєїщфґ", "windows-1251 koi8-u iso-8859-5"),
    Alphabet("Bulgarian and Serbian", "аоеинтрсвлкдпмзу", "ъябгцщчхжйшфюьјљњђћџќѓѕ", "windows-1251 iso-8859-5"),
    Alphabet("Greek", "αοιετσνηυρπκμλςό", "ίάήέωγδχθύώφβξζψϊϋΐΰ", "windows-1253 iso-8859-7"),
    Alphabet("Hebrew", "יוהלארתבמשנדקםעחפט", "ןכגצסזךףץ", "windows-1255"),
    Alphabet("Arabic", "اليمنتروبةعدفسهك", "حقجشصطخذضزثأىءئغظإآؤ", "windows-1256 iso-8859-6"),
    Alphabet("Persian", "ایردنهموتسبگزشک", "خقفعجحپطصچغضذثظژآئ", "windows-1256"),
    Alphabet("Thai", "านรกเองม่ลว้ีทตัส", "ิยดปะคหแจพใขุ็ไบำชูซโผถ์ืฐธณศึษฟภฉ", "windows-874"),
)
_HAN = (
    "的一是不了在人有我他这大来上个国和也子时道说那要就出会可你对生能而地得着下自之年过后作里用"
    "家心学多经么去法成现文小如中本行公件使网面"
)
_TRADITIONAL = (
    "的一是不了在人有我他這大來上個國和也子時道說那要就出會可你對生能而地得著下自之年過後作裡用"
    "家心學多經麼去法成現文小如中本行公件使網面"
)
_HANGUL = "이다는의에을를하가고로은지서한사도기자리어인대스시해정일수나들과그있것부제전보아주장상라만여용"


def detected(body: bytes) -> tuple[str, str]:
    """Return the encoding that a body beyond ASCII shows best, and its language, if it has letters.

    Two empty words: none is likely.
    """
    sample = words_beyond_ascii(body)
    if len(_BEYOND_ASCII.findall(sample)) < MIN_BYTES:
        return "", ""
    best = max(_scores(sample))
    if best.worth < ENOUGH:
        return "", ""
    text = sample.decode(CODECS[best.encoding], errors="replace")
    return best.encoding, best.language if any(letter.isalpha() and letter > "\x7f" for letter in text) else ""


class Guess(NamedTuple):
    """How well the sample reads in an encoding as a language; on a tie the earlier encoding wins."""

    worth: float
    precedence: int
    encoding: str
    language: str


def _scores(sample: bytes) -> Iterator[Guess]:
    for place, (encoding, alphabets) in enumerate(_candidates().items()):
        text = sample.decode(CODECS[encoding], errors="replace")
        letters = Counter(letter for letter in text if letter > "\x7f")
        octets = len(sample) - len(text) + letters.total()
        torn = WRONG * len(_MIXED.findall(text)) + TORN * len(_TORN.findall(text))
        for language, weights in alphabets:
            total = sum(weights.get(letter, _other(letter)) * times for letter, times in letters.items())
            yield Guess((total + torn) / octets, -place, encoding, language)


def words_beyond_ascii(body: bytes) -> bytes:
    """Return words that have a byte beyond ASCII, with blanks between them."""
    first = _BEYOND_ASCII.search(body)
    if first is None:
        return b""
    begin = max(0, first.start() - 64)
    found: list[bytes] = []
    length = 0
    for word in _WORD.finditer(body, begin, begin + SEARCHED_BYTES):
        if not word[0].isascii():
            found.append(word[0][: MEASURED_BYTES - length])
            length += len(found[-1]) + 1
            if length >= MEASURED_BYTES:
                break
    return b" ".join(found)


def _other(letter: str) -> float:
    """Return the scores of characters that are in no alphabet."""
    if letter in _SIGNS:
        return SIGN
    return 0.0 if letter.isalpha() else WRONG


@cache
def _candidates() -> dict[str, list[tuple[str, dict[str, float]]]]:
    """Return the languages of each encoding with the scores of their letters; the western encoding comes first."""
    found: dict[str, list[tuple[str, dict[str, float]]]] = {}
    for alphabet in ALPHABETS:
        for encoding in alphabet.encodings.split():
            found.setdefault(encoding, []).append((alphabet.language, _weights(alphabet)))
    return found | {encoding: [(language, weights)] for encoding, language, weights in _ideographic()}


def _weights(alphabet: Alphabet) -> dict[str, float]:
    small = {**dict.fromkeys(alphabet.other, LESS), **dict.fromkeys(alphabet.common, COMMON)}
    capitals = {letter.upper(): worth * _CAPITAL for letter, worth in small.items() if len(letter.upper()) == 1}
    return capitals | small


def _ideographic() -> list[tuple[str, str, dict[str, float]]]:
    """Return the encodings of two bytes a letter; a letter counts twice, once for each of its bytes."""
    kana = {**dict.fromkeys(map(chr, range(0x3041, 0x30FB)), 2 * COMMON), "ー": 2 * COMMON}
    halfwidth = dict.fromkeys(map(chr, range(0xFF61, 0xFFA0)), 0.05)  # any bytes read so in Shift_JIS
    signs = dict.fromkeys(_SIGNS - set("\xa0\xad"), 2 * SIGN)
    chinese_kana = dict.fromkeys(kana, 2 * 0.1)
    return [
        ("gb18030", "Chinese", _levels("gb2312", 0xB0, 0xD7) | chinese_kana | dict.fromkeys(_HAN, 2.6) | signs),
        ("big5", "Chinese", _levels("big5", 0xA4, 0xC6) | chinese_kana | dict.fromkeys(_TRADITIONAL, 2.6) | signs),
        ("euc-kr", "Korean", _levels("euc_kr", 0xB0, 0xC8) | dict.fromkeys(_HANGUL, 2.6) | signs),
        ("shift_jis", "Japanese", _levels("shift_jis", 0x88, 0x97, LESS) | halfwidth | kana | signs),
        ("euc-jp", "Japanese", _levels("euc_jp", 0xB0, 0xCF, LESS) | kana | signs),
    ]


def _levels(codec: str, first: int, last: int, common: float = 0.9) -> dict[str, float]:
    """Return the scores of two-byte letters: those whose first byte is within the common level score most."""
    worth: dict[str, float] = {}
    for lead in range(0x81, 0xFE):
        for trail in (*range(0x40, 0x7F), *range(0x80, 0xFF)):
            letter = bytes((lead, trail)).decode(codec, "ignore")
            if len(letter) == 1 and letter.isalpha():
                worth[letter] = 2 * (common if first <= lead <= last else 0.2 * common)
    return worth
