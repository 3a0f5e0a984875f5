# ruff: noqa: RUF001 - letters of other scripts are what this is about
"""Which encoding do undeclared bytes have? The one in which they read most like some language.

Only words with a byte beyond ASCII are evidence. A few hundred of them are decoded in each possible encoding. A letter
counts by its frequency in a language of that encoding: 1 for the common ones, less for rare ones and for capitals.
Things that no text contains (control characters, boxes, a Cyrillic letter inside a Latin word) count against it. The
best mean per byte wins. In a wrong encoding, Russian becomes capitals, signs and rare letters; Korean becomes rare
ideographs. Browsers do the same without a declaration (chardetng), with larger tables.

Decision 0020 says why this is no library: charset-normalizer and UnicodeDammit read the same texts there.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pages.encoding.labels import CODECS

if TYPE_CHECKING:
    from collections.abc import Iterator

MEASURED_BYTES = 1500  # of words beyond ASCII; more change nothing
SEARCHED_BYTES = 256 * 1024  # in which they are looked for, from the first such byte on
MIN_BYTES = 4  # beyond ASCII: fewer fit anything
ENOUGH = 0.45  # mean worth of a byte; the right encoding of real text has 0.6 to 1
# A byte of a letter of two bytes that may be ASCII is never one of these: they end a word in any encoding.
_WORD = re.compile(rb"[^\x00-\x2f\x3a-\x3f]++")
_BEYOND = re.compile(rb"[\x80-\xff]")
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
    if len(_BEYOND.findall(sample)) < MIN_BYTES:
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
    first = _BEYOND.search(body)
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
