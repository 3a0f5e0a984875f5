"""What does a robots.txt say, by four dialects? A pasted file or that of a site, with its deciding lines and its lint.

    /inside/robots?site=bakery.example&agents=Breadcrumb&urls=/private/
    /inside/robots?version=17&part=

- `text`: the file; a long one comes by POST
- `version`: a stored version, from a search in robots.txt files
- `agents`: names of robots or whole User-Agent strings
- `urls`: URLs or paths

The view shows what `breadcrumb robots --dialect all --lint` prints.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from flask import Blueprint, render_template, request
from werkzeug.exceptions import RequestEntityTooLarge

import reports.robots_verdicts
import robots.dialect
import robots.disagreement
from gateway.search_request import InvalidParameter, number_parameter, read_site, read_text
from gateway.served_crawl import served_crawl
from gateway.source_files import source_files_of
from reports.robots_verdicts import (
    RobotsSource,
    check_urls,
    few_of_each,
    lines_with_marks,
    notes_on,
    requested_paces,
    stored_robots,
    stored_version,
)
from robots import Dialect, lint, product_token
from urls.wording import PROGRAM, counted, shell_word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reports.robots_verdicts import MarkedLine, RequestedPace, UrlVerdicts
    from robots import Finding

MAX_BODY = 64 * 1024  # bytes of a form, the limit of the server; most files are far smaller
MAX_COMPARED = 100_000  # bytes of a file for which differences are explained
MAX_AGENTS, MAX_URLS = 3, 10
MAX_VERSION = 2**53  # exact as a float; a crawl has far fewer versions
MAX_AGENT, MAX_URL = 100, 2_000  # characters
EXAMPLE = """User-agent: *
Disallow: /kitchen/
Allow: /kitchen/window/

Disallow: /*.pdf$
Disalow: /ovens/

User-agent: bread
Disallow:
"""
EXAMPLE_URLS = ("/kitchen/window/", "/menu.pdf", "/ovens/")
_COMMA = re.compile(r",(?![^()]{0,200}\))")  # between agents; one within a comment is part of it
_BY_COMMAND = "save it, and run ./breadcrumb robots FILE --dialect=all --lint /path"
_TOO_LONG = f"the form has more than {MAX_BODY:,} bytes: {_BY_COMMAND}"

robots_view = Blueprint("inside_robots", __name__, template_folder="../templates")


@dataclass(frozen=True, slots=True)
class AgentVerdicts:
    """The verdicts for one robot by all dialects, and its requested pace."""

    agent: str
    judged: list[UrlVerdicts]
    paces: tuple[RequestedPace, ...]


@robots_view.route("/inside/robots", methods=["GET", "POST"])
def inside_robots() -> str:
    """Show the verdicts by all dialects, the deciding lines, and lint findings."""
    form = _form()
    site, text = read_site(read_text(request.args, "site")), form.get("text", "")
    version = int(number_parameter(request.args, "version", 0, 1, MAX_VERSION))
    pasted = bool(text.strip())
    crawl = served_crawl()
    agents = _cut("agents", _agents_of(form.get("agents", "")), MAX_AGENTS, MAX_AGENT) or (crawl.settings.product,)
    stored = None
    if not pasted:
        if version:
            stored = stored_version(crawl.parts(), read_text(request.args, "part"), version)
        elif site:
            stored = stored_robots(crawl.parts(), site)
    is_example = not (site or version or pasted)
    usual_urls = EXAMPLE_URLS if is_example else ("/",)
    urls = _cut("urls", form.get("urls", "").splitlines(), MAX_URLS, MAX_URL) or usual_urls
    source = stored or RobotsSource.of_text("the file", _octets(EXAMPLE if is_example else text), "pasted here")
    compared = len(source.body) <= MAX_COMPARED
    readings = [
        AgentVerdicts(agent, check_urls(source, agent, urls, list(Dialect), compared=compared), _paces(source, agent))
        for agent in agents
    ]
    few, more = few_of_each(lint(source.raw) if source.availability.file else ())
    return render_template(
        "inside/robots.html",
        site=site,
        stored=stored,
        version=version,
        is_example=is_example,
        text=source.body.decode("utf-8", "replace") if len(source.body) <= MAX_BODY else "",
        agents=agents,
        urls=urls,
        source=source,
        readings=readings,
        compared=compared,
        in_terminal=" ".join([f"{PROGRAM} robots", *map(shell_word, (source.name, "--dialect=all", *urls))]),
        notes=notes_on(source, urls),
        lines=_lines(source, readings, few),
        of_all=[finding for finding in few if not finding.line],
        findings=few,
        more=more,
        dialects=list(Dialect),
        sources=source_files_of(
            reports.robots_verdicts,
            robots.dialect,
            robots.disagreement,
            import_module("robots.lint"),
        ),
    )


def _form() -> Mapping[str, str]:
    request.max_content_length = request.max_form_memory_size = MAX_BODY
    try:
        return request.values
    except RequestEntityTooLarge:
        raise InvalidParameter(_TOO_LONG) from None


def _cut(name: str, pieces: Sequence[str], most: int, longest: int) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(piece.strip() for piece in pieces if piece.strip()))
    if len(found) > most:
        raise InvalidParameter(f"{name}: {len(found)} given, at most {most} are possible")
    if too_long := next((piece for piece in found if len(piece) > longest), ""):
        raise InvalidParameter(
            f"{name}: {too_long[:40]!r}… has {counted(len(too_long), 'character')}, at most {longest:,} are possible"
        )
    return found


def _octets(text: str) -> bytes:
    """Return a pasted file as octets; a browser sends line ends as CR LF."""
    return text.replace("\r\n", "\n").encode("utf-8", "replace")


def _agents_of(text: str) -> list[str]:
    """Return the product tokens of comma-separated names or User-Agent strings."""
    return [product_token(agent) for agent in _COMMA.split(text)]


def _paces(source: RobotsSource, agent: str) -> tuple[RequestedPace, ...]:
    return tuple(requested_paces(source.availability.file, agent)) if source.availability.file else ()


def _lines(source: RobotsSource, readings: Sequence[AgentVerdicts], findings: Sequence[Finding]) -> list[MarkedLine]:
    if not source.body:
        return []
    deciding = [
        (verdict.line, dialect.value)
        for reading in readings
        for judged in reading.judged
        for dialect, verdict in judged.verdicts.items()
        if verdict.line
    ]
    return lines_with_marks(source.body, deciding, [finding for finding in findings if finding.line])
