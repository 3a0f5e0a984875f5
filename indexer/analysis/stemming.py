"""Which words count as forms of one another? Those with the same stem, or with the same spelling without accents.

The index keeps each word as it was typed, in lower case: `running`, `café`. So the exact word can count for more than
another form, and nothing is lost. Next to its words a segment has a table from forms to words: `english:run` to
`running` and `runs`, `folded:cafe` to `café`. A query looks its forms up in this table, and in the dictionary: a form
that is a word itself (`run`) needs no row.

The stems are Snowball's (snowballstem.org). A page in Russian quotes English names, and an English page Russian ones.
So the language of the page *and* the script of the word choose the stemmer. Each script has a default language.

Accents are folded where readers leave them out: in Latin and Greek, on the points of Hebrew and Arabic, on the Russian
letter yo. German ä is both a and ae (Unicode Technical Report 30, draft, "Diacritic Folding").
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from indexer.analysis.scripts import Script, script_of

if TYPE_CHECKING:
    from collections.abc import Iterable

SNOWBALL: dict[str, tuple[str, Script]] = {  # ISO 639-1: the name of Snowball's stemmer, and its script
    "ar": ("arabic", Script.ARABIC),
    "ca": ("catalan", Script.LATIN),
    "da": ("danish", Script.LATIN),
    "de": ("german", Script.LATIN),
    "el": ("greek", Script.GREEK),
    "en": ("english", Script.LATIN),
    "es": ("spanish", Script.LATIN),
    "eu": ("basque", Script.LATIN),
    "fi": ("finnish", Script.LATIN),
    "fr": ("french", Script.LATIN),
    "ga": ("irish", Script.LATIN),
    "hi": ("hindi", Script.DEVANAGARI),
    "hu": ("hungarian", Script.LATIN),
    "hy": ("armenian", Script.ARMENIAN),
    "id": ("indonesian", Script.LATIN),
    "it": ("italian", Script.LATIN),
    "lt": ("lithuanian", Script.LATIN),
    "ne": ("nepali", Script.DEVANAGARI),
    "nl": ("dutch", Script.LATIN),
    "no": ("norwegian", Script.LATIN),
    "nb": ("norwegian", Script.LATIN),
    "nn": ("norwegian", Script.LATIN),
    "pt": ("portuguese", Script.LATIN),
    "ro": ("romanian", Script.LATIN),
    "ru": ("russian", Script.CYRILLIC),
    "sv": ("swedish", Script.LATIN),
    "ta": ("tamil", Script.TAMIL),
    "tr": ("turkish", Script.LATIN),
    "yi": ("yiddish", Script.HEBREW),
}
DEFAULT_STEMMER: dict[Script, str] = {  # if the page's language is unknown, without stemmer, or of another script
    Script.LATIN: "english",
    Script.CYRILLIC: "russian",
    Script.GREEK: "greek",
    Script.ARMENIAN: "armenian",
    Script.ARABIC: "arabic",
    Script.DEVANAGARI: "hindi",
    Script.TAMIL: "tamil",
}


def stemmer_for(language: str, script: Script) -> str | None:
    """Return the name of the stemmer for words of `script` on a page in `language`; None if there is none."""
    name, reads = SNOWBALL.get(language, ("", None))
    return name if reads is script else DEFAULT_STEMMER.get(script)


@lru_cache(maxsize=len(SNOWBALL))
def _snowball(name: str) -> Any:
    import Stemmer  # noqa: PLC0415 - a compiled extension: `import indexer` stays light

    return Stemmer.Stemmer(name, maxCacheSize=0)  # `stem` has the cache; without one of its own, threads may share it


@lru_cache(maxsize=1 << 17)  # words; about 20 MB when full
def stem(word: str, stemmer: str | None) -> str:
    """Return the stem of a lower-case word; without a stemmer, the word itself."""
    return word if stemmer is None else str(_snowball(stemmer).stemWord(word))


FOLDED = "folded"  # the kind of forms without accents; the other kinds are names of stemmers
_FOLDED_SCRIPTS = {Script.LATIN, Script.GREEK, Script.HEBREW, Script.ARABIC}
# Letters that Unicode does not decompose; ё loses its dots in most Russian print.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ё": "е", "ـ": ""}  # noqa: RUF001
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_MARK = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u064b-\u0652\u0670]+")


def fold(word: str) -> str:
    """Return a lower-case word without its accents."""
    if word.isascii():
        return word
    if script_of(word) not in _FOLDED_SCRIPTS:
        return word.translate(_LETTERS)
    letters = _MARK.sub("", unicodedata.normalize("NFD", word)).casefold().translate(_LETTERS)
    return unicodedata.normalize("NFC", letters)


def forms_of(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    """Return the forms of a lower-case word on pages in `languages` (ISO 639-1), each as `kind:form`, each once.

    Two words match if they share a form.
    """
    script = script_of(word)
    if script is Script.UNSPACED:
        return ()
    found = {f"{FOLDED}:{fold(written)}": None for written in (word, word.translate(_UMLAUTS))}
    if is_stemmable(word):
        for stemmer in sorted({str(stemmer_for(language, script) or "") for language in languages} - {""}):
            found[f"{stemmer}:{fold(stem(word, stemmer))}"] = None
    return tuple(form for form in found if letters_of(form))


def form_keys(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    """Return the rows of a word in the table of a segment; the pages that have it are in `languages`.

    A form that is the word itself needs no row: a query finds the word in the dictionary.
    """
    if word.isascii():  # a shortcut for most words: they have no accents
        if not word.isalpha():
            return ()
        stems = ((stemmer, stem(word, stemmer)) for stemmer in _latin_stemmers(frozenset(languages)))
        return tuple(f"{stemmer}:{fold(root)}" for stemmer, root in stems if fold(root) not in {word, ""})
    return tuple(form for form in forms_of(word, languages) if letters_of(form) != word)


@lru_cache(maxsize=256)
def _latin_stemmers(languages: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted({str(stemmer_for(language, Script.LATIN) or "") for language in languages} - {""}))


def letters_of(form: str) -> str:
    """Return the spelling of a form: `run` of `english:run`."""
    return form.partition(":")[2]


def is_stemmable(word: str) -> bool:
    """Return whether a word has a stem. Names, which have digits, dots or underscores, have none."""
    return word.isalpha() or not word.isascii()
