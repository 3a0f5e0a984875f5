"""Which sites never end? Seven programs that make a new page for each new URL, the traps of the practice web.

Nothing in a URL shows that a program responds, and not a file. The book calls such a program a gateway, and its pages a
dynamic virtual web space (*HTTP: The Definitive Guide*, 9.1.9). Each program makes the same page again for the same
URL, so a robot can walk a trap twice.
"""

from __future__ import annotations

from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from demo.messages import TEXTS, Response, error_response, generated, not_found, paragraphs

if TYPE_CHECKING:
    from demo.messages import SiteRequest


FIRST_YEAR, LAST_YEAR = 1, 9999  # of the proleptic calendar: a person's life is too short for the difference
HOME_YEAR = 2026
_ALMANAC = TEXTS["almanac"]
_MONTHS, _WEATHER, _EVENTS, _ROOMS, _SOUNDS = (
    _ALMANAC[name] for name in ("months", "weather", "events", "rooms", "sounds")
)


def month(request: SiteRequest) -> Response:
    """Return the page of one month, as in `?year=2026&month=4`; the default is January 2026.

    Each month links to the next, without ill intent: the book's example of an innocent trap (9.1.9). A person stops; a
    robot needs a limit on the pages of one pattern (`/calendar?month&year`).
    """
    try:
        year, number = int(request.query.get("year", HOME_YEAR)), int(request.query.get("month", 1))
    except ValueError:
        return error_response(404, "A month has a number from 1 to 12, and a year has one too.")
    if not (1 <= number <= len(_MONTHS) and FIRST_YEAR <= year <= LAST_YEAR):
        return error_response(404, "The calendar has the months 1 to 12 of the years 1 to 9999.")
    name = f"{_MONTHS[number - 1]} {year}"
    days = _events_of(year, number)
    listed = "\n".join(f"<li>On the {day}th {escape(event)}.</li>" for day, event in days)
    onward = (
        _month_link(year, number + 1, "Next month"),
        _month_link(year, number - 1, "Month before"),
        _month_link(year + 1, number, "A year on"),
    )
    body = paragraphs(f"{name} in Seedville: expect {_WEATHER[number - 1]}.")
    body += f"\n<ul>\n{listed}\n</ul>\n<p>{' · '.join(onward)}</p>"
    return generated(name, body, site="The Almanac", hue=265)


def _events_of(year: int, number: int) -> list[tuple[int, str]]:
    """Return four days with their events, always the same for the same month."""
    dice = sha256(f"{year}-{number}".encode()).digest()
    days = (4 + dice[0] % 3, 9 + dice[1] % 4, 15 + dice[2] % 5, 24 + dice[3] % 5)
    first, stride = dice[4] % len(_EVENTS), (1, 2, 4, 7)[dice[5] % 4]
    return [(day, _EVENTS[(first + place * stride) % len(_EVENTS)]) for place, day in enumerate(days)]


def _month_link(year: int, number: int, words: str) -> str:
    year, number = year + (number - 1) // len(_MONTHS), (number - 1) % len(_MONTHS) + 1
    return f'<a href="/calendar?year={year}&amp;month={number}">{words}</a>'


_DOOR_WORDS: tuple[list[str], ...] = tuple(_ALMANAC["door_words"].values())
DOORS = 12**4  # every name that the words make; after so many the corridor begins again, and nobody has seen it
_DOOR_STRIDE, _DOOR_STEP = 6421, 7919  # a full walk through all names: Knuth, The Art of Computer Programming, 3.2.1.2


def door(request: SiteRequest) -> Response:
    """Return the room behind a door, and the one door that leads on.

    The names have no number and no repetition, and no two pages have the same text. Only the distance from the home
    page grows, so only a limit on depth ends the walk.
    """
    number = _door_number(request.path.removeprefix("/doors/"))
    name = " ".join(_door_name(number)) if number else "first"
    onward = _door_name((number * _DOOR_STRIDE + _DOOR_STEP) % DOORS)
    mood, wood, metal, thing = onward
    dice = sha256(name.encode()).digest()
    rooms = [_ROOMS[(dice[0] + place * 5) % len(_ROOMS)] for place in range(2)]
    sound = _SOUNDS[dice[1] % len(_SOUNDS)]
    body = paragraphs(
        f"Behind the {name} door you find {rooms[0]}, and beyond that {rooms[1]}. {sound}",
        f"There is one more door, and it looks {mood}. It is of {wood}, with a knocker of {metal} in the shape of a "
        f"{thing}. You may have read that all corridors end. Not this one: it is made while you walk.",
    )
    body += f'\n<p><a href="/doors/{"-".join(onward)}">Open it</a></p>'
    return generated(f"The {name} door", body, site="The Almanac", hue=265)


def _door_name(number: int) -> tuple[str, ...]:
    """Return the four words of a door: its number in base 12, with a word for each digit."""
    return tuple(words[number // 12**place % 12] for place, words in enumerate(_DOOR_WORDS))


def _door_number(name: str) -> int:
    """Return the number of a door, or 0 for an unknown name."""
    parts = name.split("-")
    if len(parts) != len(_DOOR_WORDS) or any(part not in words for part, words in zip(parts, _DOOR_WORDS, strict=True)):
        return 0
    return sum(
        words.index(part) * 12**place for place, (part, words) in enumerate(zip(parts, _DOOR_WORDS, strict=True))
    )


MOST_DIGITS = 12  # of a number; a longer one is 404
_METER_STEPS = (1, 10, 100)


def reading(request: SiteRequest) -> Response:
    """Return one reading of the water meter, with links to later ones: the plainest trap, a counter."""
    number = request.path.removeprefix("/reading/")
    if not number.isdecimal() or len(number) > MOST_DIGITS:
        return not_found(request.path)
    body = paragraphs(f"The meter of Seedville shows {number} buckets. It has never been known to stop.")
    links = " · ".join(f'<a href="/reading/{int(number) + step}">{step} on</a>' for step in _METER_STEPS)
    return generated(f"Reading {number}", f"{body}\n<p>{links}</p>", site="The Waterworks", hue=190)


_FILTERS: dict[str, list[str]] = TEXTS["lamp_shop"]["filters"]
_LAMPS: list[str] = TEXTS["lamp_shop"]["lamps"]
_LAMPS_SHOWN = 5


def lamps(request: SiteRequest) -> Response:
    """Return the lamps that the chosen filters leave, with links that add one more filter.

    Four filters with four values each make 625 pages of the same twelve lamps. No page is a copy of another, and none
    has anything new: only their content shows that.
    """
    chosen = {name: value for name, value in request.query.items() if value in _FILTERS.get(name, ())}
    first = sum(_FILTERS[name].index(value) * 5**place for place, (name, value) in enumerate(sorted(chosen.items())))
    step = (1, 5, 7, 11)[len(chosen) % 4]
    listed = paragraphs(*(_LAMPS[(first + place * step) % len(_LAMPS)] for place in range(_LAMPS_SHOWN)))
    links = "\n".join(
        f'<li><a href="/lamps?{escape(urlencode(sorted((chosen | {name: value}).items())))}">{value}</a></li>'
        for name, values in _FILTERS.items()
        for value in values
    )
    return generated("Lamps", f"{listed}\n<ul>\n{links}\n</ul>", site="The Lamp Shop", hue=48)


_SHELVES: dict[str, tuple[str, str]] = _ALMANAC["shelves"]  # by path: title and text


def counter(request: SiteRequest) -> Response:
    """Return the counter or a shelf; every link has a new session id in its query.

    The URLs never end while the three texts never change. Fingerprints end it: a robot does not follow the links of a
    known page.
    """
    if request.path not in _SHELVES:
        return not_found(request.path)
    title, text = _SHELVES[request.path]
    session = request.query.get("sid", "")
    links = [
        f'<li><a href="{path}?sid={_next_session(session, request.path, path)}">{name}</a></li>'
        for path, (name, _) in _SHELVES.items()
        if path != request.path
    ]
    body = paragraphs(text) + "\n<ul>\n" + "\n".join(links) + "\n</ul>"
    return generated(title, body, site="The Almanac", hue=265)


def _next_session(session: str, here: str, there: str) -> str:
    return sha256(f"{session} {here} {there}".encode()).hexdigest()[:16]


_CLOAKROOMS: dict[str, str] = TEXTS["cloakrooms"]
TOKEN_LENGTH = 24


def cloakroom(request: SiteRequest) -> Response:
    """Return one room of the cloakroom; every link has a new session id, the slip, in its path.

    Each page shows the number of its slip, so none is a copy of another. The slip gives it away: a token that is never
    the same, before names that always are.
    """
    slip, _, name = request.path.removeprefix("/slip/").partition("/")
    if name not in _CLOAKROOMS or len(slip) > TOKEN_LENGTH:
        return not_found(request.path)
    links = "\n".join(
        f'<li><a href="/slip/{_next_slip(slip, name, other)}/{other}">{other}</a></li>' for other in _CLOAKROOMS
    )
    body = paragraphs(_CLOAKROOMS[name], f"Your slip has the number {slip}. Please keep it.")
    return generated(f"The room of {name}", f"{body}\n<ul>\n{links}\n</ul>", site="The Cloakroom", hue=320)


def _next_slip(slip: str, here: str, there: str) -> str:
    return sha256(f"{slip} {here} {there}".encode()).hexdigest()[:TOKEN_LENGTH]


MAX_STEPS = 1000  # folders of a path; a longer path is 404
_LIGHTHOUSE = TEXTS["lighthouse"]


def stairs(request: SiteRequest) -> Response:
    """Return one landing: the folder `stairs` contains a folder `stairs`.

    A symbolic link that points upwards makes such a path. Where every page is the same, its fingerprint ends the walk
    (`/tower/up/` on this site). Here each page says something new, so only the repeated parts of the path give it away
    (*HTTP: The Definitive Guide*, 9.1.10, pattern detection).
    """
    return _step(request.path, ("stairs",), _LIGHTHOUSE["landings"], "Up the stairs")


def lamp(request: SiteRequest) -> Response:
    """Return one reflection: `lamp` contains `mirror`, which contains `lamp`, so the path repeats in twos."""
    return _step(request.path, ("lamp", "mirror"), _LIGHTHOUSE["reflections"], "Lamp and mirror")


def _step(path: str, cycle: tuple[str, ...], texts: list[str], title: str) -> Response:
    parts = path.strip("/").split("/")
    in_step = all(part == cycle[place % len(cycle)] for place, part in enumerate(parts))
    if not (in_step and path.endswith("/") and len(parts) <= MAX_STEPS):
        return not_found(path)
    onward = cycle[len(parts) % len(cycle)]
    number = len(parts)
    body = paragraphs(
        texts[(number - 1) % len(texts)], f"This is place {number} of the walk, and there is no last one."
    )
    body += f'\n<p><a href="{onward}/">On to the {onward}</a></p>'
    return generated(f"{title}, {number}", body, site="The Lighthouse", hue=200)
