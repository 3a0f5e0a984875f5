"""When does a calendar end? Never: each month links to the next, and nobody meant any harm.

The book's example of an innocent trap (9.1.9). A person stops turning pages; a robot needs a limit on how many pages
of one pattern (`/calendar?month&year`) it takes.
"""

from __future__ import annotations

from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING

from demo.answer import FOUNDED, Answer, refusal
from demo.layout import framed, paragraphs

if TYPE_CHECKING:
    from demo.request import Visit

FIRST_YEAR, LAST_YEAR = 1, 9999  # of the proleptic calendar: a person's life is too short for the difference
HOME_YEAR = 2026
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_WEATHER = (
    "snow up to the second window", "frost that draws ferns on the glass", "a wind with a smell of wet earth",
    "rain that cannot make up its mind", "blossom on every hedge", "long evenings and short tempers",
    "thunder behind the hills", "heat, and cats asleep under carts", "mist on the river until ten",
    "apples falling at night", "rooks, fog and the first stove fires", "dark at four and stars at five",
)  # fmt: skip
_EVENTS = (
    "the choir sings on the ferry", "the bakery gives away burnt crusts", "somebody repaints the station clock",
    "the lighthouse keeper comes to town", "the museum shows its smallest exhibit", "beans are weighed in public",
    "the goat wins an argument", "a kite is lost and found", "the mill wheel is stopped for a wedding",
    "old letters are read aloud", "children count the stairs of the tower", "the library airs its atlases",
    "a stranger asks for the way and stays", "the river gives back a hat", "plum stones are spat for a prize",
)  # fmt: skip


def month(visit: Visit) -> Answer:
    """Answer with the page of one month: `?year=2026&month=4`, January 2026 where nothing is said."""
    try:
        year, number = int(visit.query.get("year", HOME_YEAR)), int(visit.query.get("month", 1))
    except ValueError:
        return refusal(404, "A month has a number from 1 to 12, and a year has one too.")
    if not (1 <= number <= len(MONTHS) and FIRST_YEAR <= year <= LAST_YEAR):
        return refusal(404, "The calendar has the months 1 to 12 of the years 1 to 9999.")
    name = f"{MONTHS[number - 1]} {year}"
    days = _days(year, number)
    listed = "\n".join(f"<li>On the {day}th {escape(event)}.</li>" for day, event in days)
    onward = (
        _link(year, number + 1, "Next month"),
        _link(year, number - 1, "Month before"),
        _link(year + 1, number, "A year on"),
    )
    body = paragraphs(f"{name} in Seedville: expect {_WEATHER[number - 1]}.")
    body += f"\n<ul>\n{listed}\n</ul>\n<p>{' · '.join(onward)}</p>"
    return Answer(200, framed(name, body, site="The Almanac", hue=265), modified=FOUNDED)


def _days(year: int, number: int) -> list[tuple[int, str]]:
    """Return four days with what happens then: always the same for the same month."""
    dice = sha256(f"{year}-{number}".encode()).digest()
    days = (4 + dice[0] % 3, 9 + dice[1] % 4, 15 + dice[2] % 5, 24 + dice[3] % 5)
    first, stride = dice[4] % len(_EVENTS), (1, 2, 4, 7)[dice[5] % 4]
    return [(day, _EVENTS[(first + place * stride) % len(_EVENTS)]) for place, day in enumerate(days)]


def _link(year: int, number: int, words: str) -> str:
    year, number = year + (number - 1) // len(MONTHS), (number - 1) % len(MONTHS) + 1
    return f'<a href="/calendar?year={year}&amp;month={number}">{words}</a>'
