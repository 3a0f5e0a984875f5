"""The notice before the first crawl that leaves this machine."""

import pytest

from commands.crawling.start import NOTICE, first_run_notice


def test_the_first_crawl_that_leaves_this_machine_is_told_of_complaints() -> None:
    assert first_run_notice(1, ["bakery.localhost", "www.example.org"]) == NOTICE
    assert "If a site owner complains" in NOTICE


@pytest.mark.parametrize(
    ("run", "hosts"),
    [
        pytest.param(2, ["www.example.org"], id="a later run"),
        pytest.param(1, ["bakery.localhost", "127.0.0.1", "::1"], id="a crawl of this machine"),
        pytest.param(1, [], id="no seed"),
    ],
)
def test_nobody_else_is_told(run: int, hosts: list[str]) -> None:
    assert first_run_notice(run, hosts) == ""
