"""Does a URL smell of a trap? Of a cycle that a server invents faster than any robot can walk it.

    refusal = shape_refusal(canonicalize("http://a.example/x/x/x/"), depth=1, limits=Limits(), year=2026)

`shape.py` looks at a URL alone: its length, depth and ending, path parts in a rhythm, dates that no calendar needs,
heaps of parameters. The others look at what URLs of one kind have brought: which are of one kind (`pattern.py`),
whether a page says anything new, and when a kind has had its chance (`novelty.py`), and whether its site makes pages up
(`made_up.py`). *HTTP: The Definitive Guide*, 9.1.10, names most of these rules, and says that each costs some good
pages. So each verdict is kept with its reason, is shown by `report traps`, and can be undone by `release`.
"""

from urls.rules import Rule

# Under these a URL can be suppressed as one of a trap: by its own shape, or by what its pattern or site has brought.
TRAP_RULES = (
    *(Rule.URL_LENGTH, Rule.DEPTH, Rule.REPEATED_PATH, Rule.FAR_DATE, Rule.QUERY),
    *(Rule.NO_YIELD, Rule.MADE_UP, Rule.PATTERN_BUDGET, Rule.SITE_BUDGET, Rule.HOST_BUDGET),
)
