"""A trial ends after so many pages in all, or so many requests of each site."""

from spiders.trial import Trial


def test_a_crawl_that_is_no_trial_has_no_end() -> None:
    trial = Trial()
    trial.fetched()
    assert trial.limit(8, 100) == trial.room("a", 8) == 8
    assert not trial.is_over()
    assert not trial.has_had([])


def test_pages_in_all_end_it_and_those_under_way_count() -> None:
    trial = Trial(pages=3)
    assert trial.limit(8, 0) == 3
    trial.fetched()
    assert trial.limit(8, 2) == 0
    trial.fetched()
    trial.fetched()
    assert trial.is_over()


def test_each_site_has_its_own_room_and_what_was_refused_takes_none() -> None:
    trial = Trial(each=2)
    trial.leased("a")
    trial.leased("a")
    assert (trial.room("a", 8), trial.room("b", 8)) == (0, 2)
    trial.not_asked("a")
    assert trial.room("a", 8) == 1


def test_it_is_over_when_every_site_with_something_due_has_had_its_share() -> None:
    trial = Trial(each=1)
    trial.leased("a")
    assert not trial.has_had(["a", "b"])
    trial.leased("b")
    assert trial.has_had(["a", "b"])
