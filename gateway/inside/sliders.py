"""Which numbers of the ranking can be turned, how far, and what do they mean? A slider each, in groups.

A slider begins at the number that the gateway ranks by. It reaches twice as far where that number is beyond its usual
end, and goes in steps on which that number lies: a browser would move it to a step by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from extension_points import added_weights
from gateway.searching.question import BadQuestion
from indexer.ranking.weights import MIN_HALF, NAMES, Formula, changes_in, weights_from

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexer.ranking.demotion import Penalty

MAX_NUMBER = 30  # characters; a float is written in fewer
PENALTY = "penalty"  # the slider of SPOOF_PENALTY; the others have the names of weights
_STEPS = (0.1, 0.05, 0.01)
_GROUPS: Mapping[str, Mapping[str, tuple[str, float, float]]] = {  # name: what it means, from, to
    "What a page says": {
        "body": ("main text", 0, 5),
        "headings": ("headings", 0, 5),
        "title_said": ("title, as a sentence of the text", 0, 5),
        "description": ("description", 0, 5),
        "reading": ("how its Japanese is spoken", 0, 5),
        "spoken": ("most that a reading gives", 0, 5),
        "template": ("menus, header, footer", 0, 5),
    },
    "What it is called": {
        "title": ("title", 0, 5),
        "anchors": ("words of links to it", 0, 5),
        "url_words": ("words of its address", 0, 5),
        "name": ("most that a name gives", 0, 5),
        "sentence_name": ("the same for a question that is a sentence", 0, 5),
    },
    "Saturation (k1): so often gives half of the most": {
        "said": ("of what it says", MIN_HALF, 5),
        "called": ("of what it is called", MIN_HALF, 5),
    },
    "Words that stand together": {
        "near_text": ("in the text", 0, 5),
        "near_name": ("in title, links, address", 0, 5),
        "near": ("how much nearness gives half of the most", MIN_HALF, 5),
    },
    "The page, whatever the words": {
        "pagerank": ("PageRank", 0, 2),
        "entrance": ("first page of the site that is named", 0, 5),
        "all_words": ("it has all words", 0, 2),
        "other_form": ("another form of a word, beside 1 for the word", 0, 2),
        "sentence_form": ("the same for a question that is a sentence", 0, 2),
        "language": ("the question's language", 0, 2),
        PENALTY: ("what a sign of spoofing takes", 0, 1),
    },
    "Length (b): a longer field must say it more often": {
        "body_length": ("main text", 0, 1),
        "headings_length": ("headings", 0, 1),
        "title_length": ("title", 0, 1),
        "anchors_length": ("words of links", 0, 1),
        "url_words_length": ("address", 0, 1),
        "description_length": ("description", 0, 1),
        "reading_length": ("how its Japanese is spoken", 0, 1),
        "template_length": ("menus, header, footer", 0, 1),
    },
}


@dataclass(frozen=True, slots=True)
class Slider:
    """One number of the ranking: what it is now, what the gateway ranks by, and between which ends it is turned."""

    name: str
    meaning: str
    least: float
    most: float
    step: str
    value: float
    saved: float


@dataclass(frozen=True, slots=True)
class SliderGroup:
    """Sliders that belong together."""

    title: str
    sliders: tuple[Slider, ...]

    @property
    def is_turned(self) -> bool:
        """Whether one of them is."""
        return any(each.value != each.saved for each in self.sliders)


def turned_formula(saved: Formula, parameters: Mapping[str, str]) -> Formula:
    """Return the formula that the parameters of a request make of the saved one, for this request alone.

    Raises BadQuestion for a number that can't hold.
    """
    given = [f"{name}={parameters[name].strip()[:MAX_NUMBER]}" for name in NAMES if parameters.get(name, "").strip()]
    try:
        weights = weights_from([*changes_in(saved.weights), *given])
    except ValueError as error:
        raise BadQuestion(str(error)) from None
    return replace(saved, weights=weights, penalty=_penalty(saved.penalty, parameters.get(PENALTY, "").strip()))


def _penalty(saved: Penalty, text: str) -> Penalty:
    if not text:
        return saved
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise BadQuestion(f"{PENALTY}={text[:MAX_NUMBER]}: give a share of a score from 0, nothing, to 1, all of it")
    return replace(saved, share=share)


def slider_groups(saved: Formula, turned: Formula) -> tuple[SliderGroup, ...]:
    """Return all sliders as they stand; what an extension adds to scores has one where it does."""
    contributors = {each.name for each in saved.contributors}
    groups = dict(_GROUPS) | {
        each.name.capitalize(): {each.name: (each.label, 0, each.most)}
        for each in added_weights()
        if each.name in contributors
    }
    return tuple(
        SliderGroup(title, tuple(_slider(name, *told, saved, turned) for name, told in some.items()))
        for title, some in groups.items()
    )


def _slider(name: str, meaning: str, least: float, most: float, saved: Formula, turned: Formula) -> Slider:
    before, now = _number(saved, name), _number(turned, name)
    while most < max(before, now):
        most *= 2
    least = min(least, before, now)
    step = next((each for each in _STEPS if all(_is_on(value, each, least) for value in (before, now))), None)
    return Slider(name, meaning, least, most, f"{step:g}" if step else "any", now, before)


def _is_on(value: float, step: float, least: float) -> bool:
    steps = (value - least) / step
    return abs(steps - round(steps)) < 1e-6  # noqa: PLR2004 - the error of a division


def _number(formula: Formula, name: str) -> float:
    return formula.penalty.share if name == PENALTY else float(getattr(formula.weights, name))


def changes(saved: Formula, turned: Formula) -> dict[str, str]:
    """Return the parameters that make the turned formula of the saved one."""
    sliders = (each for group in slider_groups(saved, turned) for each in group.sliders)
    return {each.name: f"{each.value!r}".removesuffix(".0") for each in sliders if each.value != each.saved}


def settings_that_keep(saved: Formula, turned: Formula) -> Iterator[str]:
    """Yield the settings, as NAME=VALUE, under which every search ranks by the turned formula."""
    if turned.weights != saved.weights:
        yield f"RANKING={','.join(changes_in(turned.weights))}"
    if turned.penalty != saved.penalty:
        yield f"SPOOF_PENALTY={turned.penalty.share!r}".removesuffix(".0")
