"""Does a page by itself look like spoofing? Hidden words, stuffed words, other content for readers than for robots.

Each signal is a number with its evidence, and rejects nothing (urls/signals.py). Doorways, link farms and anchor bombs
show only when several pages are compared. groups.py finds them after a run, with what is noted here.

Stuffing is measured against what is usual. In running text the commonest content word has a few hundredths of all
words; a short text may repeat its subject more. Honest repetition is spread, one to a row of a list or a sentence, and
stuffing is close together. Pages of code and tables repeat words too. So the word must be in the page's title, its
headings, its description or its URL, unless the text has hardly any other word.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from indexer.analysis.words import is_stop_word
from pages.text.layout import has_repeated_lines, text_lines
from pipelines.filters import PageFilter
from urls.canonical import UnusableUrl, canonicalize
from urls.records import revised
from urls.signals import Signal, SignalName, signal, strength, strongest, tokens
from urls.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from urls.records import Page

MAX_JUDGED_CHARS = 20_000  # of a text: what repeats itself does so from the beginning
MOST_COMMON = 25  # words that are looked through for one that says something
SHORTEST = 3  # letters of a Latin word that says something
NEAR = 4  # words from one to the next of the same: closer than sentences repeat a word
CROWDED_SHARE = 0.5  # of the repetitions of a word, that stand so close
LONG, LIST_SHARE = 500, 0.5  # words of a text that may be a long list; of what follows a word there, that is new
ALLOWED_TIMES = 6  # that a word may stand in any text, however short
SPELLINGS = 3  # in which a word may stand at first sight: with a comma, with a full stop, with neither
ONLY_WORD = 0.4  # share of a text from which a word is nearly all that it says
MIN_TITLE_TIMES, TITLE_SHARE = 3, 0.3
MIN_DESCRIPTION_TIMES, DESCRIPTION_SHARE = 4, 0.25
MIN_PROMISED, MIN_TEXT_WORDS = 6, 50  # words of title and description; of the text that has none of them
MIN_REDIRECT_WORDS = 20  # of a page that leads away immediately: with fewer it is a stub
MIN_RESIDUE_WORDS, MAX_RESIDUE_WORDS = 7, 1_000  # of a text, without what it calls itself: doorways are short
MAX_RESIDUE_CHARS = 8 * MAX_RESIDUE_WORDS  # more need not be counted
KEY_BYTES = 8
_MARKS = ".,;:!?()[]{}\"'*“”‘’«»…、。，（）「」"  # noqa: RUF001 - marks of all scripts
_UNSPACED = frozenset({"ja", "zh", "th", "lo", "km", "my"})  # languages whose words have no blanks between them


@dataclass(frozen=True, slots=True)
class SpoofThresholds:
    """From when on something is a sign."""

    hidden_words: float = 20  # words that the page itself hides and nothing ever shows; full strength at twice that
    stuffed_share: float = 0.15  # of a long text that one word may be; the commonest of an honest text has about 0.03


USUAL = SpoofThresholds()


class Spoofing(PageFilter):
    """Adds the signals of spoofing, which lower the score of a page and reject nothing."""

    def apply(self, page: Page) -> Page:
        """Add the signals that markup and words give."""
        if page.refusals:
            return revised(page, signals=(), residue=0)
        return with_spoofing_signals(page)


def with_spoofing_signals(page: Page, thresholds: SpoofThresholds = USUAL) -> Page:
    """Return the page with its signals, and with what the judgement of several pages needs."""
    words = _words(page, page.text[:MAX_JUDGED_CHARS])
    found = [*_hidden(page, thresholds), *_stuffed(page, words, thresholds), *_cloaked(page, words)]
    residue = _residue(page, words)
    return revised(page, signals=strongest(found), residue=residue, lead=_lead(page))


def _words(page: Page, text: str) -> list[str]:
    """Return words as blanks divide them, in lower case: names such as `os.path` stay whole."""
    return tokens(text) if page.language[:2] in _UNSPACED else text.lower().split()


def _hidden(page: Page, thresholds: SpoofThresholds) -> Iterator[Signal]:
    disguise, least = page.disguise, max(thresholds.hidden_words, 1)
    if disguise.words >= least:
        evidence = f"{counted(disguise.words, 'word')} hidden by {disguise.ways}, such as “{disguise.sample}”"
        yield signal(SignalName.HIDDEN_TEXT, strength(disguise.words, least), evidence)


def _stuffed(page: Page, words: Sequence[str], thresholds: SpoofThresholds) -> Iterator[Signal]:
    allowed = ALLOWED_TIMES + thresholds.stuffed_share * len(words)
    if _commonest(page, words, allowed):  # else there is no need to look closer
        bare = _bare(words)
        names = _names(page)
        for word, times in _commonest(page, bare):
            named = word in names or times > ONLY_WORD * len(bare)
            if times <= allowed or not named or _is_list(bare, word, times):
                continue
            crowded = _crowded(page, word)
            if crowded >= CROWDED_SHARE * times:
                often = f"{counted(crowded, 'time')} close to the one before"
                evidence = f"“{word}” is {times} of {counted(len(bare), 'word')}, {often}"
                yield signal(SignalName.STUFFING, strength(times, allowed), evidence)
    if page.language[:2] in _UNSPACED:
        return  # a letter is no word, and a short text repeats some
    for place, text, least, share in (
        ("title", page.title, MIN_TITLE_TIMES, TITLE_SHARE),
        ("description", page.description, MIN_DESCRIPTION_TIMES, DESCRIPTION_SHARE),
        *(("alt of a picture", alt, MIN_DESCRIPTION_TIMES, DESCRIPTION_SHARE) for alt in page.pictures),
    ):
        if text.count(" ") + 1 < least:
            continue
        said = _bare(_words(page, text))
        word, times = next(iter(_commonest(page, said)), ("", 0))
        if times >= max(least, share * len(said)):
            evidence = f"its {place} says “{word}” {times} times in {counted(len(said), 'word')}"
            yield signal(SignalName.STUFFING, strength(times, least), evidence)


def _bare(words: Sequence[str]) -> list[str]:
    return [bare for word in words if (bare := word if word.isalpha() else _without_marks(word))]


def _without_marks(word: str) -> str:
    return word.strip(_MARKS).removesuffix("'s").removesuffix("’s")  # noqa: RUF001


def _commonest(page: Page, words: Sequence[str], allowed: float = 0) -> list[tuple[str, int]]:
    """Return the commonest words that say something and may stand there more often than `allowed`, and how often."""
    languages = frozenset({page.language[:2]})
    return [
        (word, times)
        for word, times in _most_common(words, allowed)
        if any(map(str.isalpha, word))
        and (len(word) >= SHORTEST or not word.isascii())
        and not is_stop_word(word, languages)
    ]


def _most_common(words: Sequence[str], allowed: float) -> list[tuple[str, int]]:
    """Return the MOST_COMMON commonest of the words that may stand there more often than `allowed`."""
    least = allowed / SPELLINGS
    often = [(word, times) for word, times in Counter(words).items() if times > least]
    return sorted(often, key=itemgetter(1), reverse=True)[:MOST_COMMON]


def _is_list(words: Sequence[str], word: str, times: int) -> bool:
    """Return whether a long text says something new after a word each other time: an index or a table does."""
    following = {after for before, after in pairwise(words) if before == word}
    return len(words) > LONG and len(following) > LIST_SHARE * times


def _crowded(page: Page, word: str) -> int:
    """Return how often a word follows itself closely in one line, or is in a repeated line."""
    crowded = 0
    said: set[tuple[str, ...]] = set()
    for line in page.text[:MAX_JUDGED_CHARS].split("\n"):
        words = tuple(_bare(_words(page, line)))
        places = [place for place, each in enumerate(words) if each == word]
        crowded += len(places) if words in said else sum(after - before <= NEAR for before, after in pairwise(places))
        said.add(words)
    return crowded


def _names(page: Page) -> set[str]:
    """Return the words by which a page calls itself."""
    path = unquote(urlsplit(page.url).path)
    named = " ".join((page.title, *page.headings[:1], page.description))
    return {*tokens(f"{named} {path}"), *_bare(_words(page, named))}


def _cloaked(page: Page, words: Sequence[str]) -> Iterator[Signal]:
    target = page.disguise.leads_to
    if target and len(words) >= MIN_REDIRECT_WORDS and _is_elsewhere(page, target):
        evidence = f"a script leads readers to {target[:100]} at once, and robots read its text"
        yield signal(SignalName.CLOAKING, 1.0, evidence)
    if len(words) < MIN_TEXT_WORDS or not page.title:
        return
    languages = frozenset({page.language[:2]})
    promised = {word for word in tokens(f"{page.title} {page.description}") if not is_stop_word(word, languages)}
    if len(promised) < MIN_PROMISED or not promised.isdisjoint(words):
        return
    text = f"{page.text} {' '.join(page.headings)}".lower()
    if any(word[: max(4, len(word) - 3)] in text for word in promised):
        return  # the beginning of a word is enough: texts have it in other forms
    if _is_latin(text) == _is_latin(page.title):
        sample = " ".join(sorted(promised)[:MIN_PROMISED])
        yield signal(SignalName.CLOAKING, 1.0, f"no word of its title and description is in its text: {sample}")


def _is_elsewhere(page: Page, target: str) -> bool:
    try:
        return canonicalize(urljoin(page.url, target)) != page.url
    except (UnusableUrl, ValueError):
        return False


def _is_latin(text: str) -> bool:
    """Return whether most letters are Latin: a title in another script is not compared."""
    letters = [letter for letter in text[:1000] if letter.isalpha()]
    return 2 * sum(map(str.isascii, letters)) > len(letters)


def _residue(page: Page, words: Sequence[str]) -> int:
    """Return a key of a text without its own name; 0: it is too short, or too long for a doorway."""
    if len(page.text) > MAX_RESIDUE_CHARS:
        return 0
    if has_repeated_lines(page.layout):  # what doorways have in common looks like their site's template
        words = _words(page, text_lines(page).without_site_template().text[:MAX_JUDGED_CHARS])
    if not MIN_RESIDUE_WORDS <= len(words) <= MAX_RESIDUE_WORDS:
        return 0
    names = _names(page)
    left = [word for word in _bare(words) if word not in names]
    if len(left) < MIN_RESIDUE_WORDS:
        return 0
    return int.from_bytes(blake2b(" ".join(left).encode(), digest_size=KEY_BYTES).digest(), signed=True) or 1


def _lead(page: Page) -> str:
    """Return the other host to which a page links, where it is one only: doorways lead there."""
    if not any(link.url for link in page.links):
        return page.lead  # a stored page: where its links lead is not in its record
    hosts = {link.url.split("/", 3)[2] for link in page.links} - {urlsplit(page.url).netloc}
    return next(iter(hosts)) if len(hosts) == 1 else ""
