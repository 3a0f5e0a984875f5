"""Does a page show a search engine something else than its readers? Signals, each a number with its evidence.

Spoofing makes a page look better to an engine than it is (*HTTP: The Definitive Guide*, 9.6; Gyöngyi and Garcia-Molina,
"Web Spam Taxonomy", 2005). No sign of it is proof: a menu is hidden text too, and a glossary repeats a word. So no page
is rejected for it. A signal has a strength from 0 to 1 and its evidence. It lowers the page's score, as a part of the
explanation (indexer/ranking/demotion.py).

Stuffing is measured by the commonest word of a text, compared with what a text of that length would have. In scripts
without blanks each character is a word, so repetition is found there too.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from urls.wording import ExplainedWord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class SignalName(ExplainedWord):
    """The kinds of signals: the word of SPOOF_SIGNALS, and a clause for people. The index keeps their order."""

    HIDDEN_TEXT = "hidden-text", "it has words that no reader sees"
    STUFFING = "stuffing", "it says a word far more often than its length allows"
    DOORWAY = "doorway", "it is one of several pages that differ in a name and lead to one place"
    LINK_FARM = "link-farm", "it belongs to sites with little text, or with one name, that link to each other"
    ANCHOR_BOMB = "anchor-bomb", "few sites call it, many times over, what it does not speak of"
    CLOAKING = "cloaking", "it shows robots something else than its readers"


SIGNAL_NAMES = tuple(SignalName)
MAX_EVIDENCE = 300  # characters


@dataclass(frozen=True, slots=True)
class Disguise:
    """The text in the markup of a page that its readers never see."""

    words: int = 0  # that are hidden, and are no honest hiding
    ways: str = ""  # how, for people
    sample: str = ""  # the first of them
    leads_to: str = ""  # where a script leads at once, as it is written
    hides: bool = False  # some elements are no text, however few words they have


NO_DISGUISE = Disguise()


@dataclass(frozen=True, slots=True)
class Signal:
    """One sign of spoofing. `value` has two digits, from 0 to 1; `evidence` is a clause that says what was found."""

    name: SignalName
    value: float
    evidence: str

    def __str__(self) -> str:
        return f"{self.name} {self.value:.2f}: {self.evidence}"


def signal(name: SignalName, strength: float, evidence: str) -> Signal:
    """Return a signal, its number brought to 0.01 … 1 and its evidence to a bounded length."""
    return Signal(name, min(max(round(strength, 2), 0.01), 1.0), evidence[:MAX_EVIDENCE])


def strength(measured: float, threshold: float) -> float:
    """Return how strong a sign is: 0.9 where the threshold is just reached, 1 at twice that.

    There is hardly any middle. A sign is taken for one only where an honest reason is unlikely, and then a page that
    cheats a little must not stand before one that doesn't either.
    """
    return 0.8 + 0.1 * measured / threshold


def strongest(signals: Iterable[Signal]) -> tuple[Signal, ...]:
    """Return one signal for each name, the strongest, in the order of the names."""
    best: dict[SignalName, Signal] = {}
    for each in signals:
        if each.name not in best or best[each.name].value < each.value:
            best[each.name] = each
    return tuple(best[name] for name in SIGNAL_NAMES if name in best)


def signal_names(words: Iterable[object]) -> frozenset[SignalName]:
    """Return the signals that the setting SPOOF_SIGNALS names. Raises ValueError for a word that is none."""
    named: set[SignalName] = set()
    for word in words:
        try:
            named.add(SignalName(str(word)))
        except ValueError:
            raise ValueError(f"SPOOF_SIGNALS={word}: choose among {', '.join(SIGNAL_NAMES)}") from None
    return frozenset(named)


MIN_TOKENS = 20  # in fewer a word that stands there twice or three times says nothing
DISTINCT_SHARE = 1 / 3  # of a text, that is new: a menu of twenty names that begin alike has more
STUFFED_SHARE = 0.2  # of a text that nobody is meant to read: the commonest word of any language has 0.08
_TOKENS = re.compile("[\u3040-\u30ff\u3400-\u9fff]|[^\\W\\d_]{2,}")


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, without numbers and single characters."""
    return _TOKENS.findall(text.lower())


def commonest(words: Sequence[str]) -> tuple[str, int]:
    """Return the commonest of some words, and its count; ("", 0) for no words."""
    return Counter(words).most_common(1)[0] if words else ("", 0)


def is_stuffed(words: Sequence[str]) -> bool:
    """Return whether these words, which are no text for a reader, mostly repeat one of them, and few others."""
    if len(words) < MIN_TOKENS or len(set(words)) > DISTINCT_SHARE * len(words):
        return False
    return commonest(words)[1] >= STUFFED_SHARE * len(words)
