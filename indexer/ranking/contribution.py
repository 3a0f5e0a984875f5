"""How does an extension add to scores? A contributor returns a contribution to each query, with parts that add up.

contributor.ask(query, snapshot, weight, deadline) -> contribution contribution.pages        results, even if they have
none of the words contribution.add_to       adds to the scores of all pages at once contribution.parts(page)  the same
for one page, for the explanation: the parts add up to it
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.query.deadline import Deadline
    from indexer.query.parser import Query
    from indexer.ranking.matching import Mask
    from indexer.ranking.score import AddedPart
    from indexer.ranking.term_scorer import Amounts, Pages
    from indexer.segments.snapshot import Snapshot

    Contributions = tuple["Contribution", ...]  # one of each contributor of a formula


class Contribution:
    """The scores that a contributor adds for one query in one snapshot. This one adds nothing.

    `pages` are results even if they have none of the words; filters hold for them, too. `notice` is a sentence on what
    could not be searched, or empty.
    """

    def __init__(self, notice: str = "") -> None:
        self.notice = notice
        self.pages: Pages = np.zeros(0, np.intp)

    def add_to(self, scores: Amounts, answers: Mask) -> None:
        """Add to the scores; those of `answers` are complete except for what extensions add and for demotions."""

    def parts(self, page: int) -> Iterator[AddedPart]:  # noqa: ARG002 - of a subclass
        """Yield what was added to the score of one page, not rounded."""
        yield from ()


class ScoreContributor(Protocol):
    """Adds to the scores of pages, next to their words (`extension_points.score_contributors`)."""

    name: str  # of its weight, which is one of `extension_points.ranking_weights`
    notice_key: str  # under which JSON has the notice
    elsewhere: str  # the notice where the index is not in the data folder, and nothing is added

    def ask(self, query: Query, snapshot: Snapshot, weight: float, deadline: Deadline) -> Contribution:
        """Return what it adds to the results of one query."""
