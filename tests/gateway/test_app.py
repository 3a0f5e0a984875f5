"""What does the application do at its start, and what not?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from werkzeug.routing import Rule

from gateway import GatewaySettings, create_app

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_route_is_compiled_when_a_url_of_it_is_made_and_not_at_the_start(
    bakery: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []
    of_werkzeug = Rule._compile_builder

    def compile_one(rule: Rule, append_unknown: bool = True) -> object:
        compiled.append(rule.rule)
        return of_werkzeug(rule, append_unknown)

    monkeypatch.setattr(Rule, "_compile_builder", compile_one)
    app = create_app(bakery, GatewaySettings())
    assert compiled == []
    urls = app.url_map.bind("127.0.0.1")
    assert [urls.build("static", {"filename": "a b.css"}) for _ in range(2)] == ["/static/a%20b.css"] * 2
    assert urls.build("static", {"filename": "a.css", "v": "1"}) == "/static/a.css?v=1"
    assert set(compiled) == {"/static/<path:filename>"}
    assert len(compiled) <= 2
