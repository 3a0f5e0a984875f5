"""A revised page is what `dataclasses.replace` makes of it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from urls.records import CanonicalUrl, Page, revised

PAGE = Page(CanonicalUrl("http://a.example/"), "Bread", "Rye bread keeps.", language="en", body=b"<p>Rye bread keeps.")


@pytest.mark.parametrize("name", [field.name for field in fields(Page)])
def test_one_field_is_changed_and_the_others_stay(name: str) -> None:
    change: dict[str, Any] = {name: object()}
    assert revised(PAGE, **change) == replace(PAGE, **change)
    assert getattr(PAGE, name) is not change[name]


def test_what_it_has_already_is_no_change() -> None:
    assert revised(PAGE, language=PAGE.language, signature=b"") is PAGE
    assert revised(PAGE, language="en", status=404).status == 404


def test_a_field_that_no_page_has_is_refused() -> None:
    with pytest.raises(AttributeError):
        revised(PAGE, colour="red")  # type: ignore[call-arg]  # which mypy knows
