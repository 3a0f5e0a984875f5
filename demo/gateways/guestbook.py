"""Is a page new because its counter moved? To a checksum, yes; to a reader, no.

The guest book is the same at both addresses of the museum but for one number, and that grows with each visit: an
exact fingerprint never matches, a near-duplicate test does. It has no date, and its entity tag changes each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.answer import Answer
from demo.layout import framed, paragraphs

if TYPE_CHECKING:
    from demo.request import Visit

FIRST_VISITOR = 4117
_ENTRIES = """
We came for the smallest exhibit and stayed for the second smallest. The attendant lent my husband her glasses, and
he says that he now understands buttons. The cake in the lobby is excellent and should be listed as an exhibit in
its own right, perhaps between the comet dust and the left glove of the first mayor.

My class of nine-year-olds has voted: best was the drawer of lost keys, second the stuffed pike that everybody is
sure has moved. Worst was going home. Two children are still missing and have asked me to write that they are fine
and have been made curators.

I am a surveyor and would like to state that the room with the sloping floor is in fact level, and that it is the
rest of Seedville that slopes. I have told the town hall. They have asked me to write it here, where it can do no
harm, and to enjoy the view of the river from the window, which is level too.

Third visit this year. The label of the grey stone used to say that it fell from the sky; now it says that it was
found near where something fell. I admire a museum that can change its mind in public. Please dust the globe: there
is a new continent south of Africa and I believe that it is biscuit.

I left my umbrella here in spring and found it again today in a glass case, with a card that names me as the donor
and praises the handle. I did not have the heart to ask for it back. It was raining when I left, and I have never
been so proud to be wet.
""".strip().split("\n\n")


def guestbook(visit: Visit) -> Answer:
    """Answer with the guest book and the number of this visitor, counted since the server's start."""
    body = paragraphs(f"You are visitor number {FIRST_VISITOR + visit.times}.", *_ENTRIES)
    return Answer(200, framed("Guest book", body, site="Museum of Small Things", hue=160))
