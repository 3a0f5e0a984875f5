"""Which URLs did the trap rules suppress, and why? `/inside/traps` shows yields, decisions, and how to undo them.

With `site`, only those of one site.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, render_template, request

import extensions.course.inside.trap_yields
import frontier.budgets
import reports.traps
import urls.generated_urls
import urls.traps
from extensions.course.inside.trap_yields import traps_of
from gateway.plots import Plot, bar_plot
from gateway.search_request import read_site, read_text
from gateway.served_crawl import served_crawl
from gateway.source_files import source_files_of
from reports.traps import harms_in_words
from urls.rules import Rule

if TYPE_CHECKING:
    from extensions.course.inside.trap_yields import TrapFigures

CATCHES_SHOWN = 40  # the largest; report traps --json has all
PATTERNS_DRAWN = 15
traps_view = Blueprint("inside_traps", __name__, template_folder="../templates")


@traps_view.get("/inside/traps")
def traps() -> str:
    """Show what the trap rules suppressed, of one site or of all."""
    site = read_site(read_text(request.args, "site"))
    found = traps_of(served_crawl().parts(), site)
    return render_template(
        "inside/traps.html",
        traps=found,
        site=site,
        harms=harms_in_words(found.harms),
        plot=wasted_plot(found),
        shown=CATCHES_SHOWN,
        meaning=lambda rule: Rule(rule).meaning,
        sources=source_files_of(
            urls.traps, urls.generated_urls, frontier.budgets, reports.traps,
            extensions.course.inside.trap_yields,
        ),
    )  # fmt: skip


def wasted_plot(found: TrapFigures) -> Plot:
    """Draw the patterns with the most wasted pages."""
    wasteful = [each for each in found.yields if each.wasted][:PATTERNS_DRAWN]
    return bar_plot(
        [(each.pattern, each.wasted) for each in wasteful],
        title="Pages without new content, by pattern",
        name="pattern",
        unit="pages wasted",
        one="page wasted",
        nothing="No pattern has wasted pages.",
    )
