"""`serve`: opens the search page on a local web server, until Ctrl-C."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from commands.frame.command import Command
from commands.frame.command_settings import index_option
from commands.frame.data_folder import folder_option, formula_under, other_folders, policy_under
from commands.frame.exits import DONE, CommandError
from commands.frame.stopping import AGAIN
from commands.frame.terminal import pasteable
from extension_points import call_extensions
from urls.wording import counted

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from flask import Flask

    from commands.frame.command_settings import CommandSettings
    from indexer.evaluation import JudgedQuery


EVERY_NETWORK = {"", "0.0.0.0", "::"}  # noqa: S104 - what --host may be given as


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--host", default="127.0.0.1", help="IP address to listen on; 0.0.0.0 opens it to the network")
    parser.add_argument("--port", type=int, default=8080, help="port to listen on; 0 takes a free one")
    parser.add_argument("--judgements", metavar="FILE", help="queries with relevant pages, to evaluate a ranking")


def run(arguments: Namespace, settings: CommandSettings) -> int:
    """Serve the gateway."""
    from gateway import AddressUnusable, serve
    from gateway.browser_guard import InvalidHostName

    try:
        app = gateway(settings.data_dir, settings, _judgements(arguments.judgements))
    except InvalidHostName as error:
        raise CommandError(f"ALLOWED_HOSTS: {error}") from error
    for line in (*nothing_to_search(settings.data_dir), *other_folders("serve", arguments.typed, settings.data_dir)):
        print(line, file=sys.stderr)  # and it serves all the same: a first crawl may be about to begin
    if off := admin_is_off(settings["ADMIN_TOKEN"], arguments.host):
        print(off, file=sys.stderr)
    try:
        serve(
            app,
            arguments.host,
            arguments.port,
            ready=partial(_announce, host=arguments.host),
            stopping=announce_stopping,
        )
    except AddressUnusable as error:
        raise CommandError(str(error)) from error
    return DONE


def _judgements(name: str | None) -> tuple[JudgedQuery, ...]:
    if name is None:
        return ()
    from indexer.evaluation import MAX_FILE_BYTES, read_judgements

    try:
        with Path(name).open("rb") as file:
            return read_judgements(file.read(MAX_FILE_BYTES + 1))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CommandError(f"--judgements {name}: {reason}; docs/gateway.md shows such a file") from None


def nothing_to_search(data_dir: Path) -> list[str]:
    """Return what is missing for a search, with the command that makes it; [] if the index is there, or elsewhere."""
    from crawldb.databases import Parts
    from indexer import IndexFault, NoIndex
    from indexer.remote import configured_index, foreign_index
    from indexer.segments.generation import index_exists

    if foreign := foreign_index(data_dir):
        try:
            foreign.open_searcher()
        except IndexFault as fault:
            return [pasteable(f"serve: {fault}")]
        return []
    with Parts.in_folder(data_dir) as parts:
        if configured_index() or parts.divided or index_exists(data_dir):
            return []
    if call_extensions("folder_notices", data_dir=data_dir):  # they say it
        return []
    return [pasteable(f"serve: {NoIndex(data_dir / 'index')}")]


def admin_is_off(token: str, host: str) -> str:
    """Return a notice if the admin page is off but expected; else ""."""
    from gateway.browser_guard import LOOPBACK_HOSTS
    from gateway.operators.admin_session import MIN_TOKEN

    if len(token) >= MIN_TOKEN or (not token and (host in LOOPBACK_HOSTS or host == "::1")):
        return ""
    given = f"ADMIN_TOKEN has {counted(len(token), 'character')}" if token else "ADMIN_TOKEN is not set"
    return f"The admin page is off: {given}; it needs at least {MIN_TOKEN} characters."


def gateway(data_dir: Path, settings: CommandSettings, judgements: tuple[JudgedQuery, ...] = ()) -> Flask:
    """Return the gateway for a data folder, with the URL policy of these settings. Raises `CommandError`."""
    from gateway import GatewaySettings, create_app

    gateway_settings = GatewaySettings(
        link_only_results=settings.getbool("LINK_ONLY_RESULTS"),
        product=settings["PRODUCT"],
        contact=settings["CONTACT"],
        bot_url=settings["BOT_URL"],
        allowed_hosts=tuple(map(str, settings.getlist("ALLOWED_HOSTS"))),
        allow_submit=settings.getbool("ALLOW_SUBMIT"),
        complaints_per_hour=settings.getint("COMPLAINTS_PER_HOUR"),
        admin_token=settings["ADMIN_TOKEN"],
        admin_over_http=settings.getbool("ADMIN_OVER_HTTP"),
        search_timeout=settings.getfloat("SEARCH_TIMEOUT"),
        download_delay=settings.getfloat("DOWNLOAD_DELAY"),
        max_crawl_delay=settings.getfloat("MAX_CRAWL_DELAY"),
        concurrent_requests_per_domain=settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
        near_duplicate_threshold=settings.getfloat("NEAR_DUPLICATE_THRESHOLD"),
        stale_after=settings.getint("STALE_AFTER"),
        folder=folder_option(data_dir) + index_option(settings.assignments),
        policy_of=policy_under(settings),
        formula=formula_under(settings),
        judgements=judgements,
    )
    app = create_app(data_dir, gateway_settings)
    call_extensions("gateway_begins", app=app, data_dir=data_dir, settings=settings)
    return app


def announce_stopping(under_way: int) -> None:
    """Print how many requests the gateway waits for."""
    print(f"Stopping: waiting for {counted(under_way, 'request')} under way; {AGAIN}.", file=sys.stderr, flush=True)


def _announce(address: str, host: str) -> None:
    others = " and, from other machines, at the name or IP address of this one" if host in EVERY_NETWORK else ""
    print(f"Search at {address}{others} (Ctrl-C stops it)", flush=True)


COMMAND = Command(
    name="serve",
    example="--port 8080 --data demo",
    exits="0 stopped by Ctrl-C, 2 the server could not start",
    add_arguments=add_arguments,
    run=run,
)
