"""Which addresses of an index are understood? Those of docs/settings.md; for others, an error says what would work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.machines.opensearch.address import PASSWORD, USER
from extensions.machines.opensearch.engine import ClusterIndex
from indexer import IndexFault
from indexer.remote import parse_index_setting

HOSTS = st.from_regex(r"[a-z0-9.-]{1,20}", fullmatch=True)
SECRETS = st.text(st.characters(categories=("L", "N"), max_codepoint=0x7E), min_size=8, max_size=20)


@pytest.mark.parametrize(
    ("text", "hosts", "name", "encrypted"),
    [
        ("opensearch://localhost:9200/breadcrumb", (("localhost", 9200),), "breadcrumb", False),
        ("opensearch://localhost/bread-1/", (("localhost", 9200),), "bread-1", False),
        ("opensearchs://a.example,b.example:9443/bread", (("a.example", 9200), ("b.example", 9443)), "bread", True),
        (" opensearch://[::1]:9201/bread ", (("[::1]", 9201),), "bread", False),
    ],
)
def test_an_address_names_hosts_and_an_index(
    text: str, hosts: tuple[tuple[str, int], ...], name: str, *, encrypted: bool
) -> None:
    assert parse_index_setting(text) == ClusterIndex(hosts, name, encrypted)


SUCH_AS = r"Give an address such as opensearch://localhost:9200/breadcrumb( or whoosh:\S+)?, or nothing"


def test_what_would_work_is_said() -> None:
    with pytest.raises(IndexFault, match=SUCH_AS):
        parse_index_setting("localhost:9200")


def test_nothing_means_the_data_folder() -> None:
    assert parse_index_setting("") is parse_index_setting("  ") is None


def test_user_and_password_are_in_the_address_or_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(USER, "baker")
    monkeypatch.setenv(PASSWORD, "rye")
    for text, login in (
        ("opensearch://localhost/bread", ("baker", "rye")),
        ("opensearch://me:p%40ss@localhost/bread", ("me", "p@ss")),
    ):
        found = ClusterIndex.read(text)
        assert (found.user, found.password) == login
        assert str(found) == "opensearch://localhost:9200/bread"


@given(st.lists(st.tuples(HOSTS, st.integers(1, 65535)), min_size=1, max_size=4), SECRETS, SECRETS)
def test_what_is_printed_is_read_again_and_has_no_password(
    hosts: list[tuple[str, int]], user: str, password: str
) -> None:
    told = ",".join(f"{host}:{port}" for host, port in hosts)
    found = parse_index_setting(f"opensearch://{user}:{password}@{told}/bread")
    assert found == ClusterIndex(tuple(hosts), "bread", user=user, password=password)
    assert str(found) == f"opensearch://{told}/bread"
    assert f"{user!r}" not in repr(found)


def told_of(text: str) -> str:
    """What is said of an address, whether it is one or not."""
    try:
        return str(parse_index_setting(text))
    except IndexFault as fault:
        return str(fault)


@given(st.sampled_from(["", "opensearch:", "opensearch://"]), st.text(max_size=30))
def test_any_other_text_is_refused_in_words(scheme: str, text: str) -> None:
    assert "hidden-one" not in told_of(f"{scheme}me:hidden-one@{text}")
    assert told_of(f"{scheme}{text}"), "whatever it is, something is said"
