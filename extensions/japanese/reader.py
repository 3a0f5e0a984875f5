"""How is Japanese pronounced? Each word of a text with its reading in kana: 東京 is とうきょう. By SudachiPy.

Japanese spells a word in several ways: 林檎, りんご and リンゴ are the same word, and とうきょう may mean 東京. They
share their reading. It depends on the words around; SudachiPy and its dictionary find it (Takaoka et al., "Sudachi: a
Japanese Tokenizer for Business", LREC 2018). Its shortest words are used: 東京 matches in 東京タワー.

A reading has one form: hiragana, each long vowel spelt the same way (おおさか, オーサカ: おうさか), and one kana for
sounds that are the same today (ぢ: じ). Single kana are left out: a dozen words share each. So are particles and
endings, which are on every page, and numbers, whose readings the library lacks.
"""

from __future__ import annotations

import re
import sys
import threading
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from extensions.japanese import are_wanted, read_readings
from indexer.analysis.readings import MAX_READ_CHARS, WordReading
from indexer.faults import IndexFault

if TYPE_CHECKING:
    from collections.abc import Iterator

INSTALLED_BY = "./breadcrumb index --readings"
LANGUAGE = "ja"
LEAST_READING, MAX_READING = 2, 16  # kana of a word; longer ones are names of several words, found as written
PIECE_CHARS = 1_000  # read at once: the library rejects more than 49,149 bytes
KANA = "\u3041-\u3096\u309d\u309e\u30a1-\u30f6\u30fc-\u30fe\uff66-\uff9f\u3099\u309a"
_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_PIECE = re.compile(
    rf"[0-9\uff10-\uff19]{{0,20}}[{KANA}{_HAN}][{KANA}{_HAN}0-9\uff10-\uff19、。「」・]{{0,{PIECE_CHARS}}}"
)
_SPOKEN = re.compile(rf"[{KANA}{_HAN}]+")
_FUNCTION = frozenset({"助詞", "助動詞", "補助記号", "記号", "空白"})  # particles, endings, signs, blanks
_HIRAGANA = {code: code - 0x60 for code in (*range(0x30A1, 0x30F7), 0x30FD, 0x30FE)}
_HIRAGANA |= {ord(here): there for here, there in zip("ゎゐゑをぢづゕゖ", "わいえおじずかか", strict=True)}
_HIRAGANA |= {ord(here): there for here, there in zip("ヮヰヱヲヂヅヵヶ", "わいえおじずかか", strict=True)}
# A foreign v, pronounced as b; and the name of the country: people type either of its two readings.
_SAME = {"ゔぁ": "ば", "ゔぃ": "び", "ゔぇ": "べ", "ゔぉ": "ぼ", "ゔ": "ぶ", "にっぽん": "にほん"}
_ROWS = {
    "あ": "あかがさざただなはばぱまやらわぁゃ",
    "い": "いきぎしじちにひびぴみりぃえけげせぜてでねへべぺめれぇ",
    "う": "うくぐすずつぬふぶぷむゆるぅゅおこごそぞとどのほぼぽもよろぉょ",
}
_LONG = {kana: vowel for vowel, row in _ROWS.items() for kana in row}  # the vowel of ー after a kana
_E_ROW, _O_ROW = frozenset("えけげせぜてでねへべぺめれぇ"), frozenset("おこごそぞとどのほぼぽもよろぉょ")
_READING = re.compile("[ぁ-ん]+")


class ReadingFault(IndexFault):
    """The reader of Japanese is not installed, or does not load."""


def normal_reading(kana: str) -> str:
    """Return kana in the form for comparison; "" for text that is not kana, or too short or too long."""
    letters: list[str] = []
    for letter in unicodedata.normalize("NFKC", kana[: 2 * MAX_READING]).translate(_HIRAGANA):
        before = letters[-1] if letters else ""
        if letter == "ゝ":
            letters.append(before)
        elif letter == "ゞ":
            letters.append(unicodedata.normalize("NFC", f"{before}\u3099")[:1])
        elif letter == "ー" or (letter == "え" and before in _E_ROW) or (letter == "お" and before in _O_ROW):
            letters.append(_LONG.get(before, letter))
        else:
            letters.append(letter)
    reading = "".join(letters)
    for spelling, same in _SAME.items():
        reading = reading.replace(spelling, same)
    return reading if LEAST_READING <= len(reading) <= MAX_READING and _READING.fullmatch(reading) else ""


class JapaneseReader:
    """Reads Japanese; threads may share it. Raises ReadingFault if the library is not installed."""

    def __init__(self) -> None:
        try:
            from sudachipy import Dictionary, SplitMode

            self._tokenizer: Any = Dictionary(dict="small").tokenizer(mode=SplitMode.A)
        except Exception as error:  # any fault of it, or of its dictionary
            message = str(error).partition("\n")[0][:200]
            raise ReadingFault(
                f"what reads Japanese is not installed, or does not load ({message}): {INSTALLED_BY} adds it"
            ) from error
        self._reading = threading.Lock()  # the library rejects a second thread

    def words(self, text: str, start: int = 0, end: int | None = None) -> Iterator[WordReading]:
        """Yield the words from `start` to `end` that have a reading, in their order."""
        stop = min(len(text) if end is None else end, start + MAX_READ_CHARS)
        for piece in _PIECE.finditer(text, start, stop):
            with self._reading:
                found = [
                    (each.begin(), each.end(), each.reading_form())
                    for each in self._tokenizer.tokenize(piece[0])
                    if each.part_of_speech()[0] not in _FUNCTION
                ]
            for begin, after, kana in found:
                if _SPOKEN.fullmatch(piece[0], begin, after) and (reading := normal_reading(kana)):
                    yield WordReading(piece.start() + begin, piece.start() + after, reading)


@lru_cache(maxsize=1)
def _loaded() -> JapaneseReader | ReadingFault:
    try:
        return JapaneseReader()
    except ReadingFault as fault:
        return fault


def load_reader() -> JapaneseReader:
    """Return the reader of Japanese. Raises ReadingFault."""
    found = _loaded()
    if isinstance(found, ReadingFault):
        raise found
    return found


def chosen_reader() -> JapaneseReader | None:
    """Return the reader of Japanese if it is on and available."""
    found = _loaded() if are_wanted() else None
    return None if isinstance(found, ReadingFault) else found


def begin_to_read(*, asked: bool) -> None:
    """Read Japanese from now on. If that fails, raise if `asked`, else print the reason and continue."""
    read_readings(wanted=True)
    try:
        load_reader()
    except ReadingFault as fault:
        if asked:
            raise
        print(f"index: Japanese is not read: {fault}", file=sys.stderr)
