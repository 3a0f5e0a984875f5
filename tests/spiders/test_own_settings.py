"""The operator's own settings: their precedence, and every mistake reported with its place."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scrapy.settings import default_settings

from commands.frame.command_settings import CommandSettings, read_crawl_settings
from commands.frame.exits import CommandError
from crawldb.tables.fetches import AlarmRule
from crawldb.tables.sitemaps import SitemapRules
from gateway.settings import GatewaySettings
from indexer.links import PageRankSchedule
from spiders.arguments import SpiderArguments
from spiders.downloader.address_policy import LOOPBACK_CONCURRENCY
from spiders.downloader.handler import MAX_HEADER_BYTES
from spiders.own_settings import (
    CHOICES,
    FORMER,
    OURS,
    OwnSettingError,
    from_environment,
    from_file,
    own_settings,
    report_former_name,
)
from spiders.pace.host_pace import CONCURRENT_REQUESTS_PER_ADDRESS, RestBounds
from urls import traps
from urls.schedule import RevisitBounds

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = re.search(r"```toml\n(.*?)```", (ROOT / "docs" / "settings.md").read_text("utf-8"), re.DOTALL)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of one's own, which the environment names."""
    path = tmp_path / "mine.toml"
    monkeypatch.setenv("BREADCRUMB_SETTINGS", str(path))
    return path


def test_the_sample_of_the_documentation_can_be_used(file: Path) -> None:
    assert SAMPLE
    file.write_text(SAMPLE[1])
    held = CommandSettings()
    assert (held["CONTACT"], held.getfloat("DOWNLOAD_DELAY"), held.getbool("ALLOW_SUBMIT")) == (
        "you@example.org",
        2.5,
        True,
    )
    assert held.data_dir == Path("/var/lib/breadcrumb")


def test_the_order_is_default_file_environment_command_line(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("MAX_DEPTH = 1\nPROBE_AFTER = 1\nSTALE_AFTER = 1\n")
    monkeypatch.setenv("BREADCRUMB_PROBE_AFTER", "2")
    monkeypatch.setenv("BREADCRUMB_STALE_AFTER", "2")
    held = CommandSettings(["STALE_AFTER=4"])
    names = ("MAX_REVISIT", "MAX_DEPTH", "PROBE_AFTER", "STALE_AFTER")
    assert [held[name] for name in names] == [OURS["MAX_REVISIT"], 1, 2, 4]
    assert [held.getpriority(name) for name in names] == [20, 20, 20, 40]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param("MAX_DEPT = 3", r"line 1: there is no setting 'MAX_DEPT'; did you mean MAX_DEPTH", id="misspelt"),
        pytest.param("\n\nmax_depth = 3", r"line 3: .*did you mean MAX_DEPTH", id="in small letters"),
        pytest.param("DELAY = 3", r"did you mean RETRY_DELAY or .*DOWNLOAD_DELAY", id="one word of its name"),
        pytest.param("DEPTH_LIMT = 3", r"did you mean DEPTH_LIMIT", id="Scrapy's, misspelt"),
        pytest.param("X = '''\nMAX_DEPT = 1'''\nMAX_DEPT = 1", r"line 1: there is no setting 'X'", id="the first"),
        pytest.param("PRODUCT = '''\nMAX_DEPT = 1'''\nMAX_DEPT = 1", r"line 3: .*'MAX_DEPT'", id="not inside a text"),
        pytest.param("[where]\nDATA_DIR = 'x'", r"line 1: there is no setting 'where'", id="a table"),
        pytest.param("MAX_DEPTH = '3'", r"line 1: MAX_DEPTH must be a whole number: write MAX_DEPTH = 25", id="text"),
        pytest.param("MAX_DEPTH = true", r"must be a whole number", id="yes for a number"),
        pytest.param("ALLOW_SUBMIT = 1", r"must be yes or no: write ALLOW_SUBMIT = true or false", id="1 for yes"),
        pytest.param("DOWNLOAD_DELAY = inf", r"must be a number: write DOWNLOAD_DELAY = 1\.0", id="no end"),
        pytest.param("CONTACT = 5", r'must be text: write CONTACT = "…"', id="a number for text"),
        pytest.param("ALLOWED_PORTS = 80", r"must be a list .*= \[8080, 8443\]", id="a number for a list"),
        pytest.param("DEPTH_LIMIT = 'x'", r"DEPTH_LIMIT must be a whole number", id="Scrapy's, of another kind"),
        pytest.param("LOG_LEVEL = 'DEBG'", r"line 1: LOG_LEVEL=DEBG: choose one of CRITICAL, ", id="no level"),
        pytest.param("LOG_ENCODING = 'utf-88'", r"there is no such encoding", id="no encoding"),
        pytest.param("CONTACT = you@example.org", r"is no TOML: .*line 1.*text in quotes", id="text without quotes"),
        pytest.param("CONTACT = ''\nCONTACT = ''", r"is no TOML: .*line 2", id="twice"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_is_told_with_its_line(file: Path, content: str, said: str) -> None:
    file.write_text(content)
    with pytest.raises(OwnSettingError, match=f"(?s)^{re.escape(str(file))}.*{said}"):
        from_file(file)
    with pytest.raises(CommandError):
        CommandSettings()


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("BREADCRUMB_MAX_DEPT", "3", "did you mean BREADCRUMB_MAX_DEPTH"),
        ("BREADCRUMB_max_depth", "3", "did you mean BREADCRUMB_MAX_DEPTH"),
        ("BREADCRUMB_MAX_DEPTH", "deep", "BREADCRUMB_MAX_DEPTH=deep: MAX_DEPTH must be a whole number"),
    ],
)
def test_a_mistake_in_the_environment_is_told_with_its_variable(variable: str, value: str, said: str) -> None:
    with pytest.raises(OwnSettingError, match=said):
        from_environment({variable: value})


def test_the_environment_may_have_scrapys_settings_too() -> None:
    found = from_environment({"BREADCRUMB_CLOSESPIDER_TIMEOUT": "60", "BREADCRUMB_RETRY_TIMES": "5"})
    assert {name: own.value for name, own in found.items()} == {"CLOSESPIDER_TIMEOUT": 60.0, "RETRY_TIMES": 5}


def test_variables_of_others_are_left_alone() -> None:
    kubernetes = {"BREADCRUMB_SERVICE_HOST": "10.0.0.1", "BREADCRUMB_PORT": "tcp://10.0.0.1:80", "PATH": "/bin"}
    assert from_environment(kubernetes | {"BREADCRUMB_DATA": "demo", "BREADCRUMB_SETTINGS": "x"}) == {}


def test_a_named_file_that_is_not_there_is_a_mistake(file: Path) -> None:
    with pytest.raises(OwnSettingError, match=f"there is no file {file}"):
        own_settings()


def test_a_file_that_is_no_text_is_told(file: Path) -> None:
    file.write_bytes(b"CONTACT = '\xff'")
    with pytest.raises(OwnSettingError, match="no text in UTF-8"):
        from_file(file)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("SCOPE = 'hots'", "line 1: SCOPE='hots': choose host or domain"),
        ("\nMAX_DEPTH = -1", "line 2: MAX_DEPTH=-1 must not be negative"),
        ("CONTACT = 'me'", "line 1: CONTACT='me' is no e-mail address"),
    ],
)
def test_a_value_that_can_t_hold_is_told_with_its_line_unless_the_run_gave_it(
    file: Path, content: str, said: str
) -> None:
    file.write_text(content)
    with pytest.raises(CommandError, match=re.escape(f"{file}, {said}")):
        read_crawl_settings(CommandSettings(), SpiderArguments())
    name = content.split(maxsplit=1)[0]
    with pytest.raises(CommandError, match=rf"^{name}=") as told:
        read_crawl_settings(CommandSettings([f"{name}={-2 if name == 'MAX_DEPTH' else 'nowhere'}"]), SpiderArguments())
    assert str(file) not in str(told.value)


VALUES: dict[type, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(0, 2**40),
    float: st.floats(0, 1e9, allow_nan=False) | st.integers(0, 99),
    str: st.text(st.characters(min_codepoint=32, blacklist_categories=["Cs"], blacklist_characters="\x7f")),
}
NAMES = [name for name, value in OURS.items() if type(value) in VALUES]


def test_a_line_ends_where_toml_ends_it(file: Path) -> None:
    file.write_text('DATA_DIR = "a\x85b\u2028c"\nCONTACT = "me@example.com"', "utf-8")
    assert [own.place for own in from_file(file).values()] == [f"{file}, line 1", f"{file}, line 2"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), names=st.lists(st.sampled_from(NAMES), unique=True, max_size=5))
def test_whatever_is_of_its_kind_is_read_as_it_was_written(file: Path, data: st.DataObject, names: list[str]) -> None:
    values = {
        name: data.draw(st.sampled_from(CHOICES[name]) if name in CHOICES else VALUES[type(OURS[name])])
        for name in names
    }
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    file.write_text("\n".join(lines), "utf-8")
    found = from_file(file)
    assert {name: own.value for name, own in found.items()} == values
    assert [own.place for own in found.values()] == [f"{file}, line {number}" for number in range(1, len(lines) + 1)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary() | st.text().map(str.encode) | st.sampled_from(["A = 1", "[[a]]"]).map(str.encode))
def test_no_file_raises_anything_else(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with suppress(OwnSettingError):
        from_file(file)


def test_scrapys_own_settings_are_those_that_scrapy_has(file: Path) -> None:
    names = [name for name in vars(default_settings) if name.isupper() and name not in OURS]
    plain = [name for name in names if type(getattr(default_settings, name)) in (bool, int, str)]
    assert len(plain) > 50
    file.write_text("\n".join(f"{name} = {json.dumps(getattr(default_settings, name))}" for name in plain))
    assert set(from_file(file)) == set(plain)


def in_the_environment(*words: str) -> subprocess.CompletedProcess[str]:
    scrapy = [sys.executable, "-P", "-m", "scrapy", *words]
    return subprocess.run(
        scrapy, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_scrapys_own_tools_know_them(file: Path) -> None:
    file.write_text("CONTACT = 'you@example.org'")
    done = in_the_environment("settings", "--get", "CONTACT")
    assert (done.returncode, done.stdout.strip()) == (0, "you@example.org")
    file.write_text("CONTCT = 'you@example.org'")
    done = in_the_environment("settings", "--get", "CONTACT")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{file}, line 1: there is no setting 'CONTCT'; did you mean CONTACT?\n"


@pytest.mark.parametrize(("name", "value"), FORMER.items())
def test_a_former_setting_has_no_effect_and_is_named_with_the_value_that_holds(
    name: str, value: str, file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report_former_name.cache_clear()
    file.write_text(f"{name} = 7\n")
    monkeypatch.setenv(f"BREADCRUMB_{name}", "8")
    held = CommandSettings([f"{name}=9"])
    said = capsys.readouterr().err.splitlines()
    assert name not in held.as_dict()
    assert [line.partition(":")[0] for line in said] == [
        f"{file}, line 1",
        f"the environment variable BREADCRUMB_{name}",
        f"-s {name}=9",
    ]
    assert all(line.endswith(f"it is always {value}") for line in said)
    assert f"{name} ({value})" in (ROOT / "docs" / "settings.md").read_text("utf-8")


def test_the_constants_have_the_values_that_are_said() -> None:
    held = {
        "PATH_REPEATS": traps.PATH_REPEATS,
        "QUERY_PARAMETERS": traps.QUERY_PARAMETERS,
        "SITEMAP_FILES": SitemapRules().files,
        "HEADERS_MAXSIZE": MAX_HEADER_BYTES,
        "MAX_URL_LENGTH": traps.Limits().max_url_length,
        "DOMAIN_SITES": traps.Limits().domain_sites,
        "MIN_REVISIT": RevisitBounds().least,
        "MAX_HOST_REST": RestBounds().most,
        "CONCURRENT_REQUESTS_PER_ADDRESS": CONCURRENT_REQUESTS_PER_ADDRESS,
        "LOOPBACK_CONCURRENCY": LOOPBACK_CONCURRENCY,
        "ALARM_AFTER": AlarmRule().after,
        "ALARM_FAILURES": AlarmRule().share,
        "SUBMITS_PER_HOUR": GatewaySettings().submits_per_hour,
        "PAGERANK_CHANGED": PageRankSchedule().changed,
    }
    others = {
        name: value for name, value in FORMER.items() if not name.startswith(("SPOOF_", "REQUEST_LOG_"))
    }  # of extensions
    assert {name: str(value) for name, value in held.items()} == others
