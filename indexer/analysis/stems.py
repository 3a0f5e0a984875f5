"""Which form do "running" and "runs" share? Snowball's stem, in the language of the page where its script fits.

A page in Russian quotes English names, and an English page Russian ones. So the stemmer is chosen by the page *and* the
script; each script has one language that stands in where the page's own does not fit (snowballstem.org).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from indexer.analysis.scripts import Script

if TYPE_CHECKING:
    from collections.abc import Iterable

SNOWBALL: dict[str, tuple[str, Script]] = {  # ISO 639-1: Snowball's name, and the script that it reads
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
STAND_IN: dict[Script, str] = {  # where the page's language is unknown, has no stemmer, or is of another script
    Script.LATIN: "english",
    Script.CYRILLIC: "russian",
    Script.GREEK: "greek",
    Script.ARMENIAN: "armenian",
    Script.ARABIC: "arabic",
    Script.DEVANAGARI: "hindi",
    Script.TAMIL: "tamil",
}


def stemmer_for(language: str, script: Script) -> str | None:
    """Return Snowball's name for the stemmer of a word of `script` on a page in `language`, or None for no stemmer."""
    name, reads = SNOWBALL.get(language, ("", None))
    return name if reads is script else STAND_IN.get(script)


@lru_cache(maxsize=4096)
def stemmers_of(languages: frozenset[str], script: Script) -> tuple[str | None, ...]:
    """Return every stemmer that pages in `languages` can have put a word of `script` through, in a fixed order."""
    found: Iterable[str | None] = (stemmer_for(language, script) for language in languages | {""})
    return tuple(sorted(set(found), key=str))


@lru_cache(maxsize=len(SNOWBALL))
def _snowball(name: str) -> Any:
    import Stemmer  # noqa: PLC0415 - a compiled extension: `import indexer` stays light

    return Stemmer.Stemmer(name, maxCacheSize=0)  # `stem` remembers, and without a cache threads may share it


@lru_cache(maxsize=1 << 17)  # words; about 20 MB when full
def stem(word: str, stemmer: str | None) -> str:
    """Return the stem of a lower-case word; without a stemmer the word itself."""
    return word if stemmer is None else str(_snowball(stemmer).stemWord(word))
