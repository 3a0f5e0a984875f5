"""Which characters form a word, which words count as forms of one another, and which say nothing by themselves?

**Scripts.** Words are found by a regular expression, with ranges of the Unicode standard's block list. The pattern for
any word character fails twice. It keeps a run of Chinese or Japanese as a single "word" of a sentence, since those
scripts put no blanks between words. It cuts Hindi, Arabic and Hebrew words at their vowel signs, which Python does not
count as word characters.

**Forms.** Words with the same stem, or with the same spelling without accents, are forms of one another. An index keeps
each word as it was typed, in lower case: `running`, `café`. So the exact word can count for more than another form, and
nothing is lost. Next to its words a segment has a table from forms to words: `english:run` to `running` and `runs`,
`folded:cafe` to `café`. A query looks its forms up in this table, and in the dictionary: a form that is a word itself
(`run`) needs no row.

The stems are Snowball's (snowballstem.org). A page in Russian quotes English names, and an English page Russian ones.
So the language of the page *and* the script of the word choose the stemmer. Each script has a default language.

Accents are folded where readers leave them out: in Latin and Greek, on the points of Hebrew and Arabic, on the Russian
letter yo. German ä is both a and ae (Unicode Technical Report 30, draft, "Diacritic Folding").

**Stop words.** They are indexed anyway: "To be or not to be" and "The Who" consist of little else, and a phrase needs
them in their places. A query ignores them for ranking as long as it has another word. The lists are short classes of
function words (articles, pronouns, prepositions, auxiliaries, question words).
"""
# ruff: noqa: RUF001  # the Russian list is in Russian letters, some of which look like Latin ones

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


class Script(Enum):
    """A writing system that analysis treats in its own way."""

    LATIN = "latin"
    CYRILLIC = "cyrillic"
    GREEK = "greek"
    ARMENIAN = "armenian"
    HEBREW = "hebrew"
    ARABIC = "arabic"
    DEVANAGARI = "devanagari"
    TAMIL = "tamil"
    UNSPACED = "unspaced"  # without blanks between words: split into bigrams, never stemmed
    OTHER = "other"


# Han, kana (not the middle dot), Hangul, and the scripts of South-East Asia that put no blanks between words.
UNSPACED = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ecd\u1000-\u1049\u1050-\u109d\u1780-\u17d3"
)
# Signs on or after a letter: accents, points, vowel signs, joiners, the soft hyphen.
MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09d7"
    "\u0a01-\u0a03\u0a3c-\u0a51\u0a70-\u0a75\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bd7"
    "\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d57\u0d81-\u0d83\u0dca-\u0df3"
    "\u00ad\u200c\u200d\u20d0-\u20f0\ufe20-\ufe2f"
)

HYPHENS = r"\-\u2010\u2011"  # for a character class
MAX_LINKED = 12  # words joined by dots and hyphens are one name; the next words begin another
_WORD = rf"[^\W{UNSPACED}]+(?:[{MARKS}]+[^\W{UNSPACED}]*)*"
# A word with the dots and hyphens inside a name, the signs of C++ and C#, and the "'s" behind it.
_NAME = rf"{_WORD}(?:[.{HYPHENS}]{_WORD}){{0,{MAX_LINKED - 1}}}(?:\+\+|#(?!\w))?(?:['\u2019]s(?!\w))?"
# A plain word, the fastest and most frequent case; a name; a name with the dashes of an option (-O2, --with-ssl) or the
# dot of a hidden file (.htaccess); an unspaced run.
TOKEN_PATTERN = re.compile(
    rf"[A-Za-z]+(?=[ \n,;:)])|{_NAME}|(?<![\w.+#)\]{HYPHENS}])(?:--?|\.)(?=[A-Za-z]){_NAME}|[{UNSPACED}]+"
)

_BLOCKS: tuple[tuple[int, int, Script], ...] = (  # first and last code point
    (0x41, 0x24F, Script.LATIN),
    (0x370, 0x3FF, Script.GREEK),
    (0x400, 0x52F, Script.CYRILLIC),
    (0x531, 0x58F, Script.ARMENIAN),
    (0x591, 0x5FF, Script.HEBREW),
    (0x600, 0x77F, Script.ARABIC),
    (0x900, 0x97F, Script.DEVANAGARI),
    (0xB80, 0xBFF, Script.TAMIL),
    (0x1E00, 0x1EFF, Script.LATIN),
    (0x1F00, 0x1FFF, Script.GREEK),
)
_UNSPACED = re.compile(f"[{UNSPACED}]")


def script_of(word: str) -> Script:
    """Return the script of the first letter of a word; digits and signs alone are OTHER."""
    if word.isascii():
        return Script.LATIN if any(map(str.isalpha, word)) else Script.OTHER
    for character in word:
        if not character.isalpha():
            continue
        if _UNSPACED.match(character):
            return Script.UNSPACED
        code = ord(character)
        return next((script for first, last, script in _BLOCKS if first <= code <= last), Script.OTHER)
    return Script.OTHER


@lru_cache
def alphabet_of(script: Script) -> str:
    """Return all letters that words of a script can have in an index: in lower case, as NFKC leaves them."""
    every = (chr(code) for first, last, of in _BLOCKS if of is script for code in range(first, last + 1))
    return "".join(one for one in every if one.isalpha() and unicodedata.normalize("NFKC", one).lower() == one)


def is_unspaced(run: str) -> bool:
    """Return whether a match of TOKEN_PATTERN is of a script without blanks."""
    return not run[0].isascii() and _UNSPACED.match(run[0]) is not None


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
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ё": "е", "ـ": ""}
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
        for stemmer in _stemmers(frozenset(languages), script):
            found[f"{stemmer}:{fold(stem(word, stemmer))}"] = None
    return tuple(form for form in found if letters_of(form))


def form_keys(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    """Return the rows of a word in the table of a segment; the pages that have it are in `languages`.

    A form that is the word itself needs no row: a query finds the word in the dictionary.
    """
    if word.isascii():  # a shortcut for most words: they have no accents
        if not word.isalpha():
            return ()
        stems = ((stemmer, stem(word, stemmer)) for stemmer in _stemmers(frozenset(languages), Script.LATIN))
        return tuple(f"{stemmer}:{fold(root)}" for stemmer, root in stems if fold(root) not in {word, ""})
    return tuple(form for form in forms_of(word, languages) if letters_of(form) != word)


@lru_cache(maxsize=256)
def _stemmers(languages: frozenset[str], script: Script) -> tuple[str, ...]:
    return tuple(sorted({str(stemmer_for(language, script) or "") for language in languages} - {""}))


def letters_of(form: str) -> str:
    """Return the spelling of a form: `run` of `english:run`."""
    return form.partition(":")[2]


def is_stemmable(word: str) -> bool:
    """Return whether a word has a stem. Names, which have digits, dots or underscores, have none."""
    return word.isalpha() or not word.isascii()


_ENGLISH = """
a about above across actually after afterwards again against ago all almost alone along already also although always am
among amongst an and another any anybody anyhow anyone anything anyway anywhere are aren around as aside at away back
be became because become becomes becoming been before beforehand behind being below beside besides between beyond both
but by came can cannot cant come comes consider could couldn d did didn do does doesn doing don done down during e each
eg either else elsewhere enough especially et etc even ever every everybody everyone everything everywhere except far
few followed following for former formerly from further furthermore gave get gets getting give given gives go goes
going gone got had hadn happens hardly has hasn have haven having he hence her here hereby herein hers herself hi him
himself his how however i ie if in inc indeed instead into inward is isn it its itself just keep keeps kept know known
knows lately later latter least less lest let like liked likely ll look looking looks m made mainly make makes making
many may maybe me mean means meanwhile might mine more moreover most mostly much must mustn my myself name namely near
nearly necessary need needn needs neither never nevertheless next no nobody none nonetheless nor not nothing now
nowhere obviously of off often oh ok okay on once one ones only onto or other others otherwise ought our ours ourselves
out over overall own particular particularly per perhaps please possible probably put quite rather re really relatively
respectively s said same saw say saying says see seeing seem seemed seeming seems seen self several shall shan she
should shouldn since so some somebody somehow someone something sometime sometimes somewhat somewhere soon still such
sure t take taken takes tell than that the their theirs them themselves then thence there thereafter thereby therefore
therein these they thing things think this those though through throughout thru thus to together too took toward
towards tried tries truly try trying under unless unlike until unto up upon us use used uses using usually ve very via
want wants was wasn way we well went were weren what whatever when whence whenever where whereas whereby wherein
whereupon wherever whether which whichever while whither who whoever whole whom whose why will with within without won
would wouldn yes yet you your yours yourself yourselves
"""
_GERMAN = """
aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin
bis bist da damit dann das dass dasselbe daß dein deine dem den denn der deren derer des dessen dich die dies diese
diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einige einigen einiger er es etwas
euch euer eure für gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren
ihrer im in indem ins ist jede jedem jeden jeder jedes jene jetzt kann kein keine keinem keinen keiner können könnte
machen man manche mehr mein meine mich mir mit muss musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine
seinem seinen seiner selbst sich sie sind so solche soll sollte sondern sonst über um und uns unser unsere unter viel
vom von vor während war waren warst was weil welche welchem welchen welcher welches wenn wer werde werden wie wieder
will wir wird wirst wo wollen worden wurde würde würden zu zum zur zwar zwischen
"""
_FRENCH = """
à ai ainsi après au aucun aussi autre aux avait avant avec avoir car ce ceci cela celle celles celui ces cet cette ceux
chaque comme comment d dans de depuis des donc dont du elle elles en encore entre es est et étaient était étant été
être eu eux fait font il ils j je l la là le les leur leurs lors lui m ma mais me même mes mon n ne ni nos notre nous on
ont ou où par parce pas pendant peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans
se sera ses si son sont sous sur t ta te tes toi ton tous tout toute toutes très tu un une vers vos votre vous y
"""
_SPANISH = """
a al algo algunas algunos ante antes aquel aquella como con contra cómo cuál cuáles cuando cuándo cuánto cuántos de del
desde donde dónde durante e el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está están estas
este esto estos fue fueron ha habían había han hasta hay la las le les lo los más me mi mis mucho muchos muy nada ni no
nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque que qué quien quién quienes se sea ser
si sí sin sobre son su sus también tanto te tiene tienen todo todos tu tus un una uno unos y ya yo
"""
_ITALIAN = """
a ad agli ai al alla alle allo anche c che chi ci come con contro cosa cui da dagli dai dal dalla dalle dallo de degli
dei del della delle dello di dove e è ed era erano essere fra gli ha hanno i il in io l la le lei li lo loro lui ma mi
mia mio ne negli nei nel nella nelle nello noi non nostro o ogni per perché più quale quali quando quanto quella quelle
quelli quello questa queste questi questo se sei si sia sono sotto sta su sua sue sugli sui sul sulla sulle suo suoi tra
tu tutti tutto un una uno vi voi
"""
_PORTUGUESE = """
a à ao aos aquela aquele aquilo as às até com como da das de dela dele deles do dos e é ela elas ele eles em entre era
essa esse esta está estas este estes eu foi foram há isso isto já la lhe mais mas me mesmo meu minha muito na não nas
nem no nos nós o os ou para pela pelas pelo pelos por porque qual quais quando quanto que quem são se sem ser seu seus
só sua suas também te tem têm toda todo todos tu um uma umas uns você vocês
"""
_DUTCH = """
aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen had heb
hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na
naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waren
want was wat werd wezen wie wil worden wordt zal ze zelf zich zij zijn zo zonder zou
"""
_RUSSIAN = """
а без более больше будет будто бы был была были было быть в вам вас вдруг ведь во вот впрочем все всего всех всю вы где
да даже два для до другой его ее её ей ему если есть еще ещё ж же за зачем здесь и из или им иногда их к как какая какие
какими каких какое какой каком какому каким какую кем ко когда кого ком кому которая которое которой котором которого
которому которую которые которых который кто куда ли лучше между меня мне много может можно мой моя мы на над надо
наконец нас не него нее неё ней нельзя нет ни нибудь никогда ним них ничего но ну о об один он она они оно опять от
отчего перед по под после потом потому почему почти при про раз разве с сам свое своё свои свою себе себя сейчас сколько
со так такое такой там тебя тем теперь то тогда того тоже только том тот тою тут ты у уж уже хорошо хоть чего чей чем
через что чтоб чтобы чье чьё чью чья эта эти этим этих это этого этой этом этот эту я является являются
"""
STOP_WORDS: dict[str, frozenset[str]] = {  # ISO 639-1
    language: frozenset(words.split())
    for language, words in {
        "en": _ENGLISH,
        "de": _GERMAN,
        "fr": _FRENCH,
        "es": _SPANISH,
        "it": _ITALIAN,
        "pt": _PORTUGUESE,
        "nl": _DUTCH,
        "ru": _RUSSIAN,
    }.items()
}
_DEFAULT_LANGUAGES = frozenset({"en", "ru"})  # as for stems: for pages of unknown language


def is_stop_word(word: str, languages: frozenset[str]) -> bool:
    """Return whether a lower-case word is a stop word in one of the languages, or in a default language."""
    return any(word in STOP_WORDS.get(language, ()) for language in languages | _DEFAULT_LANGUAGES)
