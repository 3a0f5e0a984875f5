"""Is a URL part of a trap: of a space that a server generates faster than a robot can fetch it?

    refusal = shape_refusal(canonicalize("http://a.example/x/x/x/"), depth=1, limits=Limits(), year=2026)

- `shape.py` checks one URL: its length, depth and extension, repeated path parts, far dates, overgrown queries.
- `pattern.py` groups URLs that one program may have made.
- `novelty.py` checks whether a page has content that its pattern lacks, and when a pattern is exhausted.
- `generated_urls.py` checks whether a site generates a page for any URL.

*HTTP: The Definitive Guide*, 9.1.10, names most of these rules, and says that each costs some good pages. So each
verdict is stored with its reason, `report traps` shows it, and `release` undoes it.
"""

from urls.rules import Rule

# Under these a URL can be suppressed as one of a trap: by its own shape, or by what its pattern or site has brought.
TRAP_RULES = (
    *(Rule.URL_LENGTH, Rule.DEPTH, Rule.REPEATED_PATH, Rule.FAR_DATE, Rule.QUERY),
    *(Rule.NO_YIELD, Rule.MADE_UP, Rule.PATTERN_BUDGET, Rule.SITE_BUDGET, Rule.HOST_BUDGET),
)
