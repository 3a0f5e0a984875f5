"""Spoofing costs a page a share of its score: a part below 0, with which the parts still add up."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import indexer
from indexer.ranking.demotion import Penalty, lowered
from indexer.ranking.weights import Formula
from indexer.segments.schema import pack_signals, unpack_signals
from urls.signals import SIGNAL_NAMES, Signal, SignalName

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from urls.records import Page

STUFFED = (Signal(SignalName.STUFFING, 1.0, "“rye” is 90 of 100 words"),)
BOMBED = (Signal(SignalName.ANCHOR_BOMB, 1.0, "9 links say “rye”"),)
SIGNALS = st.dictionaries(st.sampled_from(SIGNAL_NAMES), st.integers(1, 100).map(lambda hundredths: hundredths / 100))


@given(SIGNALS)
def test_strengths_are_read_as_they_were_packed(strengths: dict[SignalName, float]) -> None:
    packed = pack_signals((name.value, strength, "") for name, strength in strengths.items())
    assert unpack_signals(packed) == strengths
    assert 0 <= packed < 2**64


@given(st.integers(0, 2**64 - 1), st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1))
def test_no_column_of_a_strangers_makes_a_score_negative_or_greater(
    packed: int, score: float, linked: float, share: float
) -> None:
    assert -1e-6 <= lowered(score, lambda: linked, packed, Penalty(share=share)) <= score


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.lists(SIGNALS, min_size=4, max_size=4))
def test_the_parts_add_up_to_the_last_digit_and_the_order_is_that_of_the_scores(
    index: Callable[..., Any], page: Callable[..., Page], given_signals: list[dict[SignalName, float]]
) -> None:
    pages = [
        page(
            str(number),
            "rye bread " * (number + 1) + "and plums",
            title="Rye",
            anchors=("rye", "bread"),
            signals=tuple(Signal(name, value, f"evidence of {name}") for name, value in signals.items()),
        )
        for number, signals in enumerate(given_signals)
    ]
    hits = index(*pages).search("rye bread").hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        score, signals = hit.explain(), given_signals[int(hit.url.rpartition("/")[2])]
        assert sum((Decimal(str(part.value)) for part in score.parts), Decimal(0)) == score.value
        assert {part.term for part in score.demotions} == set(signals)
        assert all(part.value <= 0 and part.evidence == f"evidence of {part.term}" for part in score.demotions)
        shown = [line.split()[0] for line in score.lines()]
        assert sum(map(Decimal, shown[1:]), Decimal(0)) == Decimal(shown[0])
        told = json.loads(json.dumps(score.as_dict()))["parts"]
        assert round(sum(part["value"] for part in told), 4) == hit.score


def test_a_signal_at_full_strength_takes_its_penalty(index: Callable[..., Any], page: Callable[..., Page]) -> None:
    pages = page("honest", "rye bread"), page("cheat", "rye bread", signals=STUFFED)
    honest, cheat = index(*pages).search("rye").hits
    assert (honest.url[-6:], cheat.url[-5:]) == ("honest", "cheat")
    assert cheat.score == pytest.approx(0.01 * honest.score, abs=0.0001)
    [part] = cheat.explain().demotions
    assert part.value == pytest.approx(-0.99 * honest.score, abs=0.0001)
    assert str(part).startswith(f"{part.value:.4f}  stuffing: “rye” is 90 of 100 words; -({honest.score:.4f} x")


@pytest.mark.parametrize(
    "penalty",
    [Penalty(frozenset()), Penalty(share=0.0), Penalty(frozenset({SignalName.DOORWAY}))],
    ids=["no signal counts", "a penalty of nothing", "another signal counts"],
)
def test_a_signal_that_is_switched_off_takes_nothing(
    index: Callable[..., Any], page: Callable[..., Page], penalty: Penalty
) -> None:
    hits = (
        index(
            page("honest", "rye bread"), page("cheat", "rye bread", signals=STUFFED), formula=Formula(penalty=penalty)
        )
        .search("rye")
        .hits
    )
    assert hits[0].score == hits[1].score
    assert not any(hit.explain().demotions for hit in hits)


def test_an_anchor_bomb_takes_only_what_the_words_of_links_give(
    index: Callable[..., Any], page: Callable[..., Page]
) -> None:
    victim = page("victim", "lamps and wicks", anchors=("rye",), signals=BOMBED)
    searcher = index(victim, page("other", "lamps and wicks", anchors=("rye",)), page("third", "rye and wheat"))
    lamps, other = searcher.search("lamps").hits
    assert lamps.score == other.score
    by_name = {hit.url.rpartition("/")[2]: hit.score for hit in searcher.search("rye").hits}
    assert by_name["victim"] == pytest.approx(0.01 * by_name["other"], abs=0.0001)


def test_signals_survive_the_merging_of_segments(
    tmp_path: Path, index: Callable[..., Any], page: Callable[..., Page], found: Callable[..., list[str]]
) -> None:
    index(page("cheat", "rye rye", signals=STUFFED))
    for number in range(10):
        searcher = index(page(f"honest{number}", f"rye {'plum ' * 20}"))
    assert len(list((tmp_path / "index").glob("build-*/*.seg"))) < 11
    assert found(searcher, "rye")[-1] == "cheat"
    assert indexer.open_index(tmp_path).search("rye", 20).hits[-1].explain().demotions
