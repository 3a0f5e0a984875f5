"""In which language is this text? Cheap evidence first: the script, a few common words, then a classifier.

A declared `lang` is believed where the letters fit that language. Templates declare `en` for any text, so between
languages of one script the words decide. English, the commonest case, is recognised by its commonest words, without the
classifier (py3langid), which is loaded only when a page needs it. Answers are ISO 639-1, or empty: not known.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SAMPLE_CHARS = 3000  # read for letters and common words
CLASSIFIED_CHARS = 600  # read by the classifier: enough to tell Russian from Ukrainian, and about 0.1 ms
MIN_LETTERS = 20  # fewer say nothing about a language
ENGLISH_SHARE = 0.12  # of all words; English prose has 25 to 40 %, code with comments 12, other languages under 5
CONFIDENCE = 0.8  # below, the classifier is only guessing

_ENGLISH = frozenset("the of and to is that for with this are be it from by or which not you can as on".split())  # noqa: SIM905 - a row of words reads better
_LETTERS = re.compile(r"[^\W\d_]+")

# Scripts of one language each, and the letters that show them. Japanese comes before Chinese, because its kana stand
# beside the same ideographs.
_SINGLE = (
    ("ja", re.compile("[\u3041-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("he", re.compile("[\u05d0-\u05ea]")),
    ("th", re.compile("[\u0e01-\u0e4e]")),
    ("hy", re.compile("[\u0531-\u058f]")),
    ("ka", re.compile("[\u10d0-\u10ff]")),
)
_SHARED = (
    (re.compile("[\u0400-\u04ff]"), {"ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "tg", "mn", "tt"}),
    (re.compile("[\u0600-\u06ff]"), {"ar", "fa", "ur", "ps", "ug", "ku", "sd"}),
    (re.compile("[\u0900-\u097f]"), {"hi", "mr", "ne", "sa"}),
)
SCRIPT_SHARE = 0.3  # of the letters; an English page about Greek words stays English
KANA_SHARE = 0.05  # Japanese has at least this share of kana, Chinese none


def identify(text: str, *, declared: str = "") -> str:
    """Return the language of a text; `declared` is what `<html lang>` says (`en-US`, `zh_TW` …)."""
    claim = re.split("[-_]", declared.strip().lower(), maxsplit=1)[0]
    claim = claim if re.fullmatch("[a-z]{2}", claim) else ""
    sample = text[:SAMPLE_CHARS]
    foreign = len(sample) - len(sample.encode("ascii", "ignore"))
    if foreign < KANA_SHARE * len(sample):
        return _latin(sample, claim)  # a few accents and typographic quotes
    letters = "".join(_LETTERS.findall(sample))
    if len(letters) < MIN_LETTERS:
        return claim
    for language, script in _SINGLE:
        if len(script.findall(letters)) >= (KANA_SHARE if language == "ja" else SCRIPT_SHARE) * len(letters):
            return claim if claim == "yi" and language == "he" else language
    for script, languages in _SHARED:
        if len(script.findall(letters)) >= SCRIPT_SHARE * len(letters):
            return claim if claim in languages else _classified(sample, claim)
    return _latin(sample, claim)


def _latin(sample: str, claim: str) -> str:
    words = sample.lower().split()
    if len(sample) < MIN_LETTERS:
        return claim
    if sum(word in _ENGLISH for word in words) >= ENGLISH_SHARE * len(words):
        return "en"
    return _classified(sample, claim)


def _classified(sample: str, claim: str) -> str:
    # Words only: the classifier was trained on prose, and digits and signs lead it astray.
    prose = " ".join(_LETTERS.findall(sample)[: CLASSIFIED_CHARS // 4])[:CLASSIFIED_CHARS]
    if len(prose) < MIN_LETTERS:
        return claim
    language, probability = _identifier().classify(prose)
    # ISO 639-1 has two letters; the classifier knows a few languages that have only three.
    return str(language) if probability >= CONFIDENCE and len(language) == len("en") else claim


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # takes 0.3 s

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
