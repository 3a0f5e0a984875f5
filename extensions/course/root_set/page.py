"""From which seeds does a crawl reach its pages? `/inside/root-set` shows what each adds, and what would be lost.

- /inside/root-set?seed=http://bakery.localhost:8400/ shows what a crawl without this seed would lose
- /inside/root-set?url=http://bakery.localhost:8400/rye.html shows the seeds that reach this page
"""

from __future__ import annotations

from flask import Blueprint, render_template, request

from gateway.search_request import number_parameter, read_text
from gateway.served_crawl import served_crawl

SEEDS_SHOWN = 50
root_set_view = Blueprint("inside_root_set", __name__, template_folder="../templates")


@root_set_view.get("/inside/root-set")
def root_set_page() -> str:
    """Show what each seed reaches; with `seed` what would be lost without it, with `url` the seeds that reach it."""
    from extensions.course.root_set import study  # SciPy takes a third of a second

    parts = served_crawl().parts()
    number = int(number_parameter(request.args, "part", 1, 1, len(parts.parts)))
    database = parts.of(parts.parts[number - 1])
    url, seed = read_text(request.args, "url"), read_text(request.args, "seed")
    shown: dict[str, object] = {"divided": parts.divided, "part": number, "parts": len(parts.parts), "most": study.MOST}
    studied = study.remembered_root_set(database)
    if studied is not None:
        found = studied.found
        shown |= {"found": found, "few": SEEDS_SHOWN, "numbers": study.number_plot(found)}
        shown |= {"cover": study.cover_plot(found), "picture": study.parts_plot(found), "drawn": study.PARTS_DRAWN}
        shown |= study.about_seed(database, studied, seed) if seed else {}
        shown |= study.about_page(found, url) if url else {}
    return render_template("inside/root_set.html", sources=study.SOURCES, url=url, seed=seed, **shown)
