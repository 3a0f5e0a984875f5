"""Sentences for small webs: what a shop spins from synonyms, and what people write on their own sites."""

from __future__ import annotations

import random
import re

_SPUN = (
    "A {good} {w} is {hard} to find, so {buyers} {ask} for {help} before they {order} one.",
    "Our {team} has {tested} every {w} on the market and {ranked} them by price.",
    "If you {want} a {w} that lasts, {look} at the {material} and the {finish} first.",
    "Many {buyers} {pay} too much for a {w} because they do not {compare} prices.",
    "The {w} was invented long ago, and {experts} still {use} one every day.",
    "You should {look} for a {w} with a {good} guarantee and {quick} delivery.",
    "There are three kinds of {w}: {cheap} ones, {good} ones and those for {experts}.",
    "Cleaning a {w} is {easy}: {use} warm water, a soft cloth and a little {patience}.",
    "Read {reviews} by {buyers} like you before you {order}, and {save} money today.",
    "Some {experts} {say} that size is what {counts}, others {look} at the {finish}.",
    "This {month} {prices} fell again, so it is a {good} time to {order}.",
    "A {cheap} {w} may look {good}, but its {material} will not last a {month}.",
    "In this guide we {say} what {counts} when you {want} to {order} for a {friend}.",
    "Small {w} models are {easy} to {use} in a flat, a garden or an office.",
    "We {ask} makers for {help} and {tested} what they {say} in our own workshop.",
    "{Experts} {say} that {patience} and {help} are what {buyers} need.",
    "Do not {order} from a seller who has no {reviews} and no telephone number.",
    "The weight, the {material} and the {finish} decide what you {pay}.",
    "Keep it in a dry place and it will be a {friend} for many years.",
    "{Compare} at least four offers, {save} the receipts and {ask} for a discount.",
)
_SYNONYMS = {
    "good": "good fine great solid decent superb",
    "hard": "hard difficult tricky tough",
    "buyers": "buyers customers shoppers people clients",
    "ask": "ask search beg look",
    "help": "help advice support guidance",
    "order": "order buy purchase get",
    "team": "team staff crew office",
    "tested": "tested tried checked examined",
    "ranked": "ranked sorted listed rated",
    "want": "want need desire seek",
    "look": "look glance peek aim",
    "material": "material metal wood fabric",
    "finish": "finish polish surface colour",
    "pay": "pay spend give",
    "compare": "compare match study",
    "experts": "experts masters specialists professionals",
    "use": "use take handle employ",
    "quick": "quick fast speedy prompt",
    "cheap": "cheap low-cost simple basic",
    "easy": "easy simple effortless",
    "patience": "patience care time",
    "reviews": "reviews opinions ratings tests",
    "save": "save keep spare",
    "say": "say claim tell explain",
    "counts": "counts matters helps",
    "month": "month season week year",
    "prices": "prices costs rates",
    "friend": "friend relative colleague companion",
}


def spun(word: str, words: int, seed: int) -> str:
    """Return about `words` words on `word`, spun from templates and synonyms."""
    choose = random.Random(f"{word} {seed}")
    text: list[str] = []

    def synonym(slot: re.Match[str]) -> str:
        name = slot[1]
        if name == "w":
            return word
        chosen = choose.choice(_SYNONYMS[name.lower()].split())
        return chosen.title() if name.istitle() else chosen

    lines: list[str] = []
    while len(" ".join(text).split()) < words:
        lines = lines or choose.sample(_SPUN, len(_SPUN))
        text.append(re.sub(r"\{(\w+)\}", synonym, lines.pop()))
    return " ".join(text)


_DIARY = (
    "On {day} we walked to the {place} and saw {number} {animals} in the {weather}.",
    "My {person} brought {food}, and we talked about the {thing} until it was dark.",
    "The {thing} broke again, so I spent {day} with a screwdriver and {number} screws.",
    "I have read {number} books this year, and the one about the {place} was the best.",
    "Nobody knew why the {animals} had left the {place}, but my {person} had an idea.",
    "We cooked {food} for {number} guests and forgot the salt.",
    "After {number} years the {place} is open again, with a new roof and old chairs.",
    "The {weather} lasted until {day}, and the {animals} stayed where it was warm.",
    "If you know how to mend a {thing}, please write to me.",
    "I drew the {place} from memory and got the {number} windows wrong.",
    "Our {person} sold the {thing} and bought a boat.",
    "It took {number} hours by train, with {food} and a window seat.",
    "The choir sang at the {place} on {day}, and even the {animals} were quiet.",
    "What I like about {food} is that it needs {number} minutes and no oven.",
    "There is a picture of the {thing} in the hall, painted in {weather}.",
    "My {person} says that {day} is no day for work.",
)
_NOUNS = {
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "place": "harbour library mill station castle market bridge orchard cinema lighthouse quarry chapel",
    "number": "three four five seven nine eleven twelve fifteen twenty thirty",
    "animals": "herons swans goats hedgehogs bats geese donkeys otters owls bees",
    "weather": "rain fog snow sunshine wind frost hail",
    "person": "sister uncle neighbour daughter teacher cousin grandmother landlord",
    "food": "soup pancakes plums dumplings bread cheese porridge apple-cake beans",
    "thing": "clock bicycle radio piano kettle camera stove ladder",
}


def diary(words: int, seed: str) -> str:
    """Return about `words` words as a person writes them on a site of their own."""
    choose = random.Random(seed)
    text: list[str] = []
    lines: list[str] = []
    while len(" ".join(text).split()) < words:
        lines = lines or choose.sample(_DIARY, len(_DIARY))
        text.append(re.sub(r"\{(\w+)\}", lambda slot: choose.choice(_NOUNS[slot[1]].split()), lines.pop()))
    return " ".join(text)
