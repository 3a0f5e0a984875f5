"""Does `why` tell which lines are no main text, and by which rule?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawldb.pages.pages import Pages
from reports.why.gather import around_text
from reports.why.record import AroundText
from reports.why.rows import template_rows
from tests.pipelines.test_template_review import COUNT, SLOGAN, address, body, crawl, review

if TYPE_CHECKING:
    from frontier.session import Session


def test_lines_are_told_by_the_rule_that_took_them_out(session: Session) -> None:
    menu = "<nav>" + "".join(f"<li><a href=/x{number}>Entry {number}</a>" for number in range(6)) + "</nav>"
    crawl(session, {number: body(number, head=menu) for number in range(COUNT)})
    review(session)
    page = Pages(session.database).get(address(2))
    assert page is not None
    told = [row.text for row in template_rows(around_text(session.database, page))]
    five = ", ".join(f"“Entry {number}”" for number in range(5))
    why = "by its markup, its links or its place"
    site = f"as other pages of its site have the same (learnt from {COUNT} pages of it)"
    assert told == [
        f"6 lines are template, not main text, {why}: {five}, ….",
        f"Taken for a template, too, {site}: 1 line, “{SLOGAN}”.",
    ]


def test_of_a_page_that_is_all_main_text_nothing_is_told() -> None:
    assert list(template_rows(AroundText())) == []
