"""`serve`: the gateway over the data folder, until Ctrl-C."""

from __future__ import annotations

import json
import signal
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

from commands.frame.command_settings import CommandSettings
from commands.serve import admin_is_off, gateway, nothing_to_search
from extension_points import built_in
from gateway.served_crawl import served_crawl

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from tests.commands.conftest import Breadcrumb


@contextmanager
def serving(bakery: Breadcrumb, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with bakery.start("serve", "--port", "0", *options) as process:
        assert process.stdout
        line = process.stdout.readline()
        assert line.startswith("Search at http://127.0.0.1:")
        try:
            yield process, line.removeprefix("Search at ").partition("/ ")[0]
        finally:
            process.kill()


@pytest.mark.slow
def test_it_says_where_and_answers_there(bakery: Breadcrumb) -> None:
    with serving(bakery) as (_, address), urlopen(f"{address}/api/search?q=rye") as answer:
        assert json.load(answer)["hits"][0]["title"] == "Rye bread"


@pytest.mark.slow
def test_opened_to_every_network_it_prints_an_address_that_opens(bakery: Breadcrumb) -> None:
    with serving(bakery, "--host", "0.0.0.0") as (_, address), urlopen(f"{address}/healthz") as answer:
        assert answer.status == 200


def test_a_name_that_is_none_is_told(bakery: Breadcrumb) -> None:
    done = bakery.run("serve", "-s", "ALLOWED_HOSTS=http://mill/")
    assert (done.code, done.out) == (2, "")
    assert "ALLOWED_HOSTS: 'http://mill/' is no host name: give one such as search.example.org, without " in done.err


@pytest.mark.skipif("whoosh" not in built_in(), reason="the extension that reads such a folder")
def test_what_it_shows_names_the_folder_and_the_index(tmp_path: Path) -> None:
    place = f"INDEX=whoosh:{tmp_path / 'elsewhere'}"
    app = gateway(tmp_path, CommandSettings([place]))
    with app.app_context():
        assert served_crawl().settings.folder == f" --data {tmp_path} -s {place}"


@pytest.mark.slow
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_when_asked(bakery: Breadcrumb, ending: signal.Signals) -> None:
    with serving(bakery) as (process, _):
        process.send_signal(ending)
        _, err = process.communicate()
        assert (process.returncode, err) == (0, "")


def test_a_port_in_use_is_told(bakery: Breadcrumb) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = bakery.run("serve", "--port", str(port))
    assert (done.code, done.out) == (2, "")
    assert f"port {port}" in done.err


@pytest.mark.parametrize("port", ["70000", "-1", "many"])
def test_a_port_that_is_none_is_told(bakery: Breadcrumb, port: str) -> None:
    done = bakery.run("serve", "--port", port)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err


def test_judgements_that_can_not_be_read_are_told_before_anything_is_served(bakery: Breadcrumb, tmp_path: Path) -> None:
    file = tmp_path / "judged.tsv"
    done = bakery.run("serve", "--judgements", str(file))
    assert (done.code, done.out) == (2, "")
    assert "No such file" in done.err
    file.write_text("rye bread\tnowhere\n")
    done = bakery.run("serve", "--judgements", str(file))
    assert (done.code, done.out) == (2, "")
    assert "line 1: 'nowhere' is not a URL" in done.err


def test_without_an_index_it_says_in_the_terminal_what_is_missing(tmp_path: Path, bakery: Breadcrumb) -> None:
    [line] = nothing_to_search(tmp_path)
    assert f"{tmp_path}/index: there is no index here yet. Crawl something first: ./breadcrumb crawl site" in line
    assert nothing_to_search(bakery.data) == []


@pytest.mark.parametrize(
    ("token", "host", "said"),
    [
        ("", "127.0.0.1", ""),
        ("", "0.0.0.0", "The admin page is off: ADMIN_TOKEN is not set; it needs at least 16 characters."),
        ("short", "127.0.0.1", "The admin page is off: ADMIN_TOKEN has 5 characters; it needs at least 16 characters."),
        ("sixteen letters!", "0.0.0.0", ""),
    ],
)
def test_who_may_miss_the_admin_page_is_told_that_it_is_off(token: str, host: str, said: str) -> None:
    assert admin_is_off(token, host) == said
