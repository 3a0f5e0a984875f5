"""Does a URL smell of a trap? Of a cycle that a server invents faster than any robot can walk it.

    refusal = shape_refusal(canonicalize("http://a.example/x/x/x/"), depth=1, limits=Limits())

One file a rule, each with its claim. The first four look at a URL alone: its length, depth and ending (`shape.py`),
path parts in a rhythm (`cycle.py`), dates that no calendar needs (`dates.py`), heaps of parameters (`query.py`). The
others look at what URLs of one kind have brought: which are of one kind (`pattern.py`), whether a page says anything
new (`novelty.py`, `echo.py`), when a kind has had its chance (`patience.py`), and whether its site makes pages up
(`standing.py`, `made_up.py`). *HTTP: The Definitive Guide*, 9.1.10, names
most of them, and says that each costs some good pages: so each verdict is kept with its reason, is shown by
`report traps`, and can be undone by `release`.
"""

from urls.rules import Rule
from urls.traps.pattern import Pattern, PatternKind, pattern_of, patterns_of, trees_of
from urls.traps.shape import Limits, dynamic_sign, far_date, overgrown_query, repeated_parts, shape_refusal

# Rules under which a URL can be suppressed, and which `release` undoes.
OF_SHAPE = (Rule.URL_LENGTH, Rule.DEPTH, Rule.REPEATED_PATH, Rule.FAR_DATE, Rule.QUERY)
OF_YIELD = (Rule.NO_YIELD, Rule.MADE_UP, Rule.PATTERN_BUDGET, Rule.SITE_BUDGET, Rule.HOST_BUDGET)
TRAP_RULES = (*OF_SHAPE, *OF_YIELD)

__all__ = [
    "OF_SHAPE", "OF_YIELD", "TRAP_RULES", "Limits", "Pattern", "PatternKind", "dynamic_sign", "far_date",
    "overgrown_query", "pattern_of", "patterns_of", "repeated_parts", "shape_refusal", "trees_of",
]  # fmt: skip
