"""Does the comparison notice what went wrong? One spoilt fact each, and its sentence."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, cast

import pytest

from demo import compare, load

if TYPE_CHECKING:
    from demo import Facts

TRUTH = load()
BAKERY = "http://bakery.localhost:8400"
GAZETTE = "http://gazette.localhost:8400"


def told(facts: dict[str, Any]) -> list[str]:
    return compare(TRUTH, cast("Facts", facts))


@pytest.fixture
def facts() -> dict[str, Any]:
    """What a perfect robot would tell."""
    firsts = {min(group) for group in TRUTH.one_of}
    fetched = set(TRUTH.fetched | firsts)
    return {
        "fetched": fetched,
        "indexed": set(TRUTH.indexed | firsts),
        "suppressed": {refused.url: refused.rule for refused in TRUTH.refused},
        "requests": Counter(fetched),
        "clusters": {url: number for number, group in enumerate(TRUTH.similar) for url in group},
    }


def test_a_perfect_robot_has_nothing_to_hear(facts: dict[str, Any]) -> None:
    assert told(facts) == []


def test_of_documents_that_a_robot_does_not_read_nothing_is_expected(facts: dict[str, Any]) -> None:
    documents = {url for url in TRUTH.indexed if url.endswith((".pdf", ".docx"))}
    facts["indexed"] -= documents
    assert len(told(facts)) == len(documents) > 0
    assert told(facts | {"unread": {"pdf", "docx"}}) == []


def test_what_is_not_told_is_not_judged() -> None:
    assert compare(TRUTH, {}) == []


@pytest.mark.parametrize("key", ["fetched", "indexed"])
def test_a_missing_page_is_named_with_what_its_record_says(facts: dict[str, Any], key: str) -> None:
    facts[key].remove(f"{BAKERY}/breads/rye.html")
    facts["suppressed"][f"{BAKERY}/breads/rye.html"] = "depth"
    (sentence,) = told(facts)
    assert sentence.startswith(f"{BAKERY}/breads/rye.html ")
    assert sentence.endswith("(its record says: depth)")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (f"{BAKERY}/orders.html", "was generated, and no robot may request it: robots, Disallow: /orders is a prefix"),
        (f"{BAKERY}/breads/rye.html", "was generated, but exists"),
        (f"{GAZETTE}/xqzj", "was generated and is in the index"),
    ],
)
def test_an_address_that_was_made_up_leads_nowhere_and_is_no_result(
    facts: dict[str, Any], address: str, said: str
) -> None:
    facts["made_up"] = {f"{BAKERY}/xqzj", address}
    facts["indexed"] |= {f"{GAZETTE}/xqzj"} & facts["made_up"]
    assert any(f"{address} {said}" in sentence for sentence in told(facts))
    assert not any(f"{BAKERY}/xqzj" in sentence for sentence in told(facts))


def test_a_forbidden_request_is_found_in_the_log_alone(facts: dict[str, Any]) -> None:
    facts["requests"][f"{BAKERY}/orders.html"] = 1
    (sentence,) = told(facts)
    assert "was requested, which is forbidden: robots, Disallow: /orders is a prefix" in sentence


def test_a_visit_off_the_list_is_found(facts: dict[str, Any]) -> None:
    facts["requests"]["http://hills.localhost:8400/second.html"] = 1
    assert "which is forbidden" in told(facts)[0]


def test_an_alias_that_was_asked_for_is_found(facts: dict[str, Any]) -> None:
    facts["requests"]["http://post.localhost:8400/%7Efred/"] = 1
    (sentence,) = told(facts)
    assert "2 times in several spellings" in sentence


def test_a_trap_that_took_too_much_is_found(facts: dict[str, Any]) -> None:
    walked = {f"http://almanac.localhost:8400/doors/{number}" for number in range(41)}
    facts["fetched"] |= walked
    facts["requests"].update(walked)
    assert told(facts) == ["the trap http://almanac.localhost:8400/doors/ got 42 requests, at most 40 were expected"]


def test_both_copies_in_the_index_are_one_too_many(facts: dict[str, Any]) -> None:
    facts["indexed"] |= {"http://museum.localhost:8400/", "http://mirror.localhost:8400/"}
    (sentence,) = told(facts)
    assert sentence.endswith("are both in the index: they are copies, one is enough")


def test_near_copies_that_are_not_known_as_such_are_two_results_for_one(facts: dict[str, Any]) -> None:
    del facts["clusters"]["http://mirror.localhost:8400/visit.html"]
    (sentence,) = told(facts)
    assert sentence.endswith("are not in one cluster: one result is enough for them")


def test_no_copy_in_the_index_is_one_too_few(facts: dict[str, Any]) -> None:
    facts["indexed"] -= {"http://museum.localhost:8400/", "http://mirror.localhost:8400/"}
    (sentence,) = told(facts)
    assert sentence.endswith("is in the index: one should be")


def test_an_apology_in_the_index_is_found(facts: dict[str, Any]) -> None:
    facts["indexed"].add(f"{GAZETTE}/poems/ode-to-a-ferry.html")
    (sentence,) = told(facts)
    assert "should not be: soft-404" in sentence


def test_a_page_that_nobody_knows_is_found_where_robots_txt_is_not(facts: dict[str, Any]) -> None:
    facts["fetched"] |= {f"{BAKERY}/invented.html", f"{BAKERY}/robots.txt"}
    assert told(facts) == [f"{BAKERY}/invented.html was fetched, but is not in the truth"]


def test_a_wrong_word_is_found_and_a_finer_word_is_not(facts: dict[str, Any]) -> None:
    facts["suppressed"]["http://lighthouse.localhost:8400/stairs/stairs/stairs/"] = "repeated-path"
    assert told(facts) == []
    facts["suppressed"][f"{BAKERY}/kitchen/oven.html"] = "noindex"
    assert "was left out by the rule noindex, but the truth is robots" in told(facts)[0]


def test_a_page_left_out_without_a_record_is_found(facts: dict[str, Any]) -> None:
    del facts["suppressed"]["http://library.localhost:8400/diary.html"]
    assert "but has no rule" in told(facts)[0]


def test_a_link_that_is_no_page_needs_no_record(facts: dict[str, Any]) -> None:
    del facts["suppressed"]["mailto:milo@workshop.example"]
    assert told(facts) == []
