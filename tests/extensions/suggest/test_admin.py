"""The admin page and `/stats` show the proposed options, and an operator applies one there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extensions.suggest.evidence import MIN_SAMPLES
from tests.gateway.conftest import gateway
from tests.gateway.operators.test_admin_page import TOKEN, act, log_in
from tests.samples import SEED, a_page, lease_all

if TYPE_CHECKING:
    from frontier.session import Session


def test_a_suggestion_is_applied_while_a_crawl_runs(session: Session) -> None:
    said = {f"http://a.example/{page}{case}": f"page {page}" for page in range(MIN_SAMPLES) for case in "aA"}
    lease_all(session)
    session.store.page(a_page(SEED, links=tuple(said)))
    lease_all(session)
    for url, text in said.items():
        session.store.page(a_page(url, text))
    client = gateway(session.database.path.parent, admin_token=TOKEN)
    log_in(client)
    page = client.get("/admin").text
    assert "a.example: letter-case" in page
    assert "./breadcrumb suggest --apply a.example letter-case" in client.get("/stats").text
    told = act(client, "apply", "a.example", "letter-case").text
    assert f"letter-case is on; {MIN_SAMPLES} URLs merged with another one. There is no index yet." in told
    assert "<h2>Suggestions</h2>" in page
    assert "<h2>Suggestions</h2>" not in told, "what is on is no suggestion any more"
    assert act(client, "apply", "a.example", "letter-case").status_code == 422
