"""How deep is a folder that contains itself? As deep as one walks: `/stairs/stairs/…`, `/lamp/mirror/lamp/mirror/…`

A symbolic link that points upwards makes such a path. Where every page is the same, its fingerprint ends the walk
(`/tower/up/` on this site is such a link); here each page tells something new, so that only the repeated parts of the
path give it away, in periods of one and of two (*HTTP: The Definitive Guide*, 9.1.10, pattern detection).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.answer import FOUNDED, Answer
from demo.gateways.missing import honest
from demo.layout import framed, paragraphs

if TYPE_CHECKING:
    from demo.request import Visit

MAX_STEPS = 1000  # of one path; a longer one is no longer a walk but an attack on our own patience
_LANDINGS = """
The first landing has a hook for a wet coat and a bench where the keeper takes off his boots. Every pair that he
ever wore stands below it, oldest to the left, all facing the sea.

Here the wall is painted white as high as a child can reach. Seven heights are marked in pencil, with seven names,
and an eighth mark, much higher, that says only: seagull.

A window like a slice of bread looks north. In the frost of one winter somebody drew a whale on it, and the glass
has kept a faint memory of the tail.

The handrail is a ship's rope from here on. It has been around the Cape twice, and it hums when the wind is right,
always the same three notes.

Someone has left a chess game on the sill: white to move, has been white to move for a year. Visitors are asked not
to help.

The steps are worn in the middle like spoons. Rain that gets in lies there and shows you eleven moons on a clear
night.

A door that leads nowhere is painted on the stone, with a painted key. The keeper's wife did it, to give the climb a
place to rest one's hopes.
""".strip().split("\n\n")
_REFLECTIONS = """
Brass polish, lamp oil and warm glass: the room smells of Sunday. The flame is no larger than a pear, and ships
thirty miles out set their clocks by it.

The mirror shows the lamp, and behind the lamp a mirror. The keeper covers it with a tablecloth in thunderstorms,
out of politeness.

A moth has been circling here since Thursday. It has a name, Augusta, and the right of way.

In this glass the sea is above and the sky below, and nobody on board the ships has noticed.

A second keeper stands in the depth of the mirror. He lifts his cup a little later than he should.

By now the light is greenish and as thin as soup at the end of the month. One could go on.
""".strip().split("\n\n")


def stairs(visit: Visit) -> Answer:
    """Answer with one landing: the folder `stairs` contains a folder `stairs`."""
    return _step(visit.path, ("stairs",), _LANDINGS, "Up the stairs")


def lamp(visit: Visit) -> Answer:
    """Answer with one reflection: `lamp` contains `mirror`, which contains `lamp`."""
    return _step(visit.path, ("lamp", "mirror"), _REFLECTIONS, "Lamp and mirror")


def _step(path: str, cycle: tuple[str, ...], texts: list[str], title: str) -> Answer:
    parts = path.strip("/").split("/")
    in_step = all(part == cycle[place % len(cycle)] for place, part in enumerate(parts))
    if not (in_step and path.endswith("/") and len(parts) <= MAX_STEPS):
        return honest(path)
    onward = cycle[len(parts) % len(cycle)]
    number = len(parts)
    body = paragraphs(
        texts[(number - 1) % len(texts)], f"This is place {number} of the walk, and there is no last one."
    )
    body += f'\n<p><a href="{onward}/">On to the {onward}</a></p>'
    return Answer(200, framed(f"{title}, {number}", body, site="The Lighthouse", hue=200), modified=FOUNDED)
