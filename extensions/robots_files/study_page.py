"""Which robots do all robots.txt files name, favour and shut out? `/inside/robots-study` plots it; bars link to files.

The numbers are those of `breadcrumb report robots`, at most ten minutes old.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from flask import Blueprint, render_template

from extensions.robots_files import HOW_FILES_COME
from extensions.robots_files.study import history, one_file
from extensions.robots_files.study import study as study_module
from extensions.robots_files.study.study import SIZES, stored_study
from gateway.plots import Plot, bar_plot
from gateway.served_crawl import kept_in_app, served_crawl
from gateway.source_files import source_files_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from extensions.robots_files.study.study import RobotNumbers, RobotsStudy

STUDY_SECONDS = 600.0  # between two studies: a thousand files take a second or two
STUDIED = 3_000  # versions of robots.txt files: more would keep a page waiting
DRAWN = 15  # bars: a glance can compare that many
ROBOTS_TOLD = 100  # of the table
MONTHS = 24
robots_study_view = Blueprint("inside_robots_study", __name__, template_folder="templates")


@robots_study_view.get("/inside/robots-study")
def robots_study() -> str:
    """Show the study of the crawl's robots.txt files."""
    study = _remembered_study()
    return render_template(
        "inside/robots_study.html",
        study=study,
        told=study.robots[:ROBOTS_TOLD],
        studied=STUDIED,
        robots=robot_plots(study),
        asked=[delay_plot(study), sitemap_plot(study)],
        files=[size_plot(study), lint_plot(study), answer_plot(study)],
        changes=[kind_plot(study), month_plot(study), added_plot(study)],
        search=search_for,
        how_files_come=HOW_FILES_COME,
        sources=source_files_of(study_module, one_file, history),
    )


def _remembered_study() -> RobotsStudy:
    """Return the study of STUDIED versions, at most STUDY_SECONDS old."""
    return kept_in_app("robots_study", STUDY_SECONDS, lambda: stored_study(served_crawl().parts(), STUDIED))


def search_for(question: str) -> str:
    """Return the URL of the search for the files that a number counts."""
    return "/search?" + urlencode({"in": "robots", "q": question})


def robot_plots(study: RobotsStudy) -> list[Plot]:
    """Draw the robots that most files name, favour, disfavour and shut out, and the kinds of robots."""
    return [
        _robot_plot(study, "Robots by how many files name them", lambda robot: robot.named),
        _robot_plot(study, "Favoured: may fetch more than robots that are not named", lambda robot: robot.favoured),
        _robot_plot(study, "Disfavoured: may fetch less", lambda robot: robot.disfavoured),
        _robot_plot(study, "Shut out: may fetch nothing", lambda robot: robot.shut_out, " disallow:/"),
        _counts_plot(study.kinds, "Files by the kinds of robots that they name", "kind"),
    ]


def _robot_plot(study: RobotsStudy, title: str, number_of: Callable[[RobotNumbers], int], narrower: str = "") -> Plot:
    numbers = sorted(((robot.name, number_of(robot)) for robot in study.robots), key=lambda each: -each[1])
    bars = [(name, number) for name, number in numbers if number][:DRAWN]
    links = {name: search_for(f"agent:{name}{narrower}") for name, _ in bars}
    return bar_plot(bars, title=title, name="robot", unit="files", one="file", nothing="No robot is.", links=links)


def delay_plot(study: RobotsStudy) -> Plot:
    """Draw the most frequent Crawl-delays, the shortest first."""
    often = sorted(study.delays.items(), key=lambda each: -each[1])[:DRAWN]
    bars = [(f"{seconds:.12g} s", number) for seconds, number in sorted(often)]
    links = {f"{seconds:.12g} s": search_for(f"crawl-delay:{seconds:.12g}") for seconds, _ in often}
    nothing = "No file asks for a Crawl-delay."
    return bar_plot(bars, title="Crawl-delay", name="seconds", unit="files", one="file", nothing=nothing, links=links)


def sitemap_plot(study: RobotsStudy) -> Plot:
    """Draw how many files name sitemaps, and on which hosts."""
    numbers = {
        "no sitemap": study.files - study.with_sitemaps,
        "on its host alone": study.with_sitemaps - study.with_sitemaps_elsewhere - study.with_sitemaps_unplaced,
        "on other hosts too": study.with_sitemaps_elsewhere,
        "own host not known": study.with_sitemaps_unplaced,
    }
    links = {"no sitemap": search_for("-sitemap:http*")}
    return _counts_plot(numbers, "Sitemaps", "where", links)


def size_plot(study: RobotsStudy) -> Plot:
    """Draw the sizes of files."""
    links, least = {}, 0
    for name, less in SIZES.items():
        most = "" if less == float("inf") else f"{less - 1:.0f}"
        links[name] = search_for(f"size:{least}..{most}" if most else f"size:>={least}")
        least = int(less) if most else 0
    return _counts_plot(study.sizes, "Sizes", "size", links)


def lint_plot(study: RobotsStudy) -> Plot:
    """Draw the most frequent findings of the lint."""
    links = {rule: search_for(f"lint:{rule}") for rule in study.findings}
    return _counts_plot(study.findings, "What a lint finds", "rule", links, "A lint has nothing to say of any file.")


def answer_plot(study: RobotsStudy) -> Plot:
    """Draw the latest responses of servers for their robots.txt, by status."""
    nothing = "No server was asked: all files are imported."
    return _counts_plot(study.answers, "What servers answered, by status", "status", nothing=nothing, unit="sites")


def kind_plot(study: RobotsStudy) -> Plot:
    """Draw the subjects of changes."""
    nothing = "No file has changed while it was watched."
    return _counts_plot(study.history.by_kind, "What changed", "kind", nothing=nothing, unit="changes")


def month_plot(study: RobotsStudy) -> Plot:
    """Draw the number of changes in each of the latest months with any."""
    by_month, nothing = dict(list(study.history.by_month.items())[-MONTHS:]), "There is no change to place in time."
    return _counts_plot(by_month, "Changes by month", "month", nothing=nothing, unit="changes")


def added_plot(study: RobotsStudy) -> Plot:
    """Draw the robots that files named for the first time."""
    added = dict(list(study.history.robots_added.items())[:DRAWN])
    links = {name: search_for(f"agent:{name}") for name in added}
    nothing = "No file has named a new robot."
    return _counts_plot(added, "Newly named robots", "robot", links, nothing, "changes")


def _counts_plot(
    counts: Mapping[str, int],
    title: str,
    name: str,
    links: Mapping[str, str] | None = None,
    nothing: str = "",
    unit: str = "files",
) -> Plot:
    bars = [(str(each), number) for each, number in counts.items() if number]
    links = {each: (links or {})[each] for each, _ in bars if each in (links or {})}
    one = unit.removesuffix("s")
    return bar_plot(bars, title=title, name=name, unit=unit, one=one, nothing=nothing, links=links)
