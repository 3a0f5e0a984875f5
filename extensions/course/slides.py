"""`slides`: makes the slides of the course, a page of HTML a session, with pictures of the crawl given.

A session is a Markdown file of `sessions/`; a line `---` ends a slide. A line `{figure NAME}` is a figure of
figures.py. Each page stands by itself: it loads nothing, prints one slide a sheet, and is a scroll without its script.
"""

from __future__ import annotations

import re
from base64 import b64encode
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from commands.frame.command import Command
from commands.frame.data_folder import open_searcher, open_to_read
from commands.frame.exits import DONE, CommandError
from commands.frame.new_file import new_file
from reports.wording import counted
from spiders.own_folders import ROOMS

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable

    from commands.frame.command_settings import CommandSettings
    from gateway.plots import Plot

SESSIONS = Path(__file__).parent / "sessions"
STYLES = (ROOMS / "gateway" / "static" / "inside.css", SESSIONS / "slides.css")
PAGE = Markup("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<style>
{}</style>
</head>
<body>
<main>
{}
</main>
<script>{}</script>
</body>
</html>
""")
_BETWEEN = re.compile(r"^---$", re.MULTILINE)  # slides
_FIGURE = re.compile(r"^\{figure ([^\s}]+)\}$", re.MULTILINE)


def sessions() -> dict[int, Path]:
    """Return the source of each session, by its number."""
    return {int(path.name.partition("-")[0]): path for path in sorted(SESSIONS.glob("*.md"))}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("number", nargs="?", type=int, metavar="N", help="number of the session (default: all)")
    parser.add_argument("--to", required=True, metavar="FOLDER", help="write the pages into this folder")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Make the slides of one session, or of all."""
    from extensions.course.figures import LiveCrawl, figure_of

    known = sessions()
    if arguments.number is not None and arguments.number not in known:
        raise CommandError(f"there is no session {arguments.number}: choose 1 to {max(known)}")
    wanted = {arguments.number: known[arguments.number]} if arguments.number is not None else known
    with open_to_read(settings.data_dir):  # what a folder lacks is told before one is made
        pass
    folder = _folder(arguments.to)
    crawl = LiveCrawl(settings.data_dir, partial(open_searcher, settings.data_dir))
    paths = [folder / f"{source.stem}.html" for source in wanted.values()]
    with ExitStack() as files:  # on a full disk, no page is kept
        for source, path in zip(wanted.values(), paths, strict=True):
            page = slides_page(source.read_text("utf-8"), lambda name: figure_of(name, crawl))
            file = files.enter_context(new_file("--to", str(path)))
            file.write(page.encode())
            file.flush()
    print(*paths, sep="\n")
    print(f"Slides of {counted(len(wanted), 'session')}. Open a page in a browser: the arrow keys turn slides.")
    return DONE


def _folder(name: str) -> Path:
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(
            f"--to {name}: no folder can be made there ({error.strerror}); name one where you may write"
        ) from None
    return folder


def slides_page(source: str, figure: Callable[[str], Plot]) -> Markup:
    """Return the page of a session; `figure` returns a figure by its name, such as `states`."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False})
    slides = [_slide(text, markdown.render, figure) for text in _BETWEEN.split(source)]
    title = source.partition("\n")[0].lstrip("# ")
    style = Markup("\n".join(path.read_text("utf-8") for path in STYLES))  # noqa: S704 - files of ours
    script = (SESSIONS / "slides.js").read_text("utf-8")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return PAGE.format(policy, title, style, Markup("\n").join(slides), Markup(script))  # noqa: S704 - as above


def _slide(source: str, render: Callable[[str], str], figure: Callable[[str], Plot]) -> Markup:
    """Return a slide. A plot stands beside the words, and a table below them."""
    plots = [figure(name) for name in _FIGURE.findall(source)]
    words = Markup(render(_FIGURE.sub("", source)))  # noqa: S704 - Markdown of ours, without HTML
    kind = "slide drawn" if any(plot.picture for plot in plots) else "slide"
    drawn = Markup().join(_drawn(plot) for plot in plots)
    return Markup('<section class="{}">\n{}{}\n</section>').format(kind, words, drawn)


def _drawn(plot: Plot) -> Markup:
    """Return a figure: its picture, or else its numbers."""
    from extensions.course.figures import table_of_figure

    numbers = Markup('<div class="wide" tabindex="0" role="region" aria-label="{}">{}</div>')
    content = plot.picture or numbers.format(plot.title, table_of_figure(plot))
    return Markup("<figure><figcaption>{}</figcaption>{}</figure>").format(plot.title, content)


COMMAND = Command(
    name="slides",
    example="6 --to slides --data demo",
    exits="0 the slides are written, 2 they could not be made",
    add_arguments=add_arguments,
    run=run,
)
