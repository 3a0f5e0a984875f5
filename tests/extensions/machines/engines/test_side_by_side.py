"""How does a farm read the ends of its processes? The test starts real ones, with given ends."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from crawldb.parts.partition import Partition
from extensions.machines.driving.stages import PartProgress, TurnEnd
from extensions.machines.engines.side_by_side import SideBySide
from tests.child import wait_until
from urls.schedule import Mode

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from extensions.machines.driving.driver import EndedTurn

PART = PartProgress(Partition(2, 3))


def farm(folder: Path, program: str, told: list[str]) -> SideBySide:
    def command(words: Sequence[str]) -> list[str]:
        return [sys.executable, "-c", program, *words]

    return SideBySide(folder, ["-a", "seeds=http://a.localhost/"], Mode.DUE, command, told.append)


def end_of(engine: SideBySide) -> EndedTurn:
    (end,) = ends_of(engine, 1)
    return end


def ends_of(engine: SideBySide, count: int) -> list[EndedTurn]:
    found: list[EndedTurn] = []

    def has_ended() -> bool:
        found.extend(engine.ended())
        return len(found) >= count

    wait_until(has_ended)
    return found


@pytest.mark.parametrize(
    ("program", "end", "said"),
    [
        pytest.param("", TurnEnd.AT_REST, "", id="done"),
        pytest.param("raise SystemExit(1)", TurnEnd.AT_REST, "", id="it has no host"),
        pytest.param(
            "import sys; sys.stderr.write('no disk'); sys.exit(2)", TurnEnd.MISTAKEN, "no disk", id="it refused"
        ),
        pytest.param(
            "import sys; sys.stderr.write('in use'); sys.exit(74)", TurnEnd.FAILED, "in use", id="hindered for now"
        ),
        pytest.param("import os; os.kill(os.getpid(), 9)", TurnEnd.FAILED, "was killed", id="killed"),
        pytest.param("import sys; sys.exit(130)", TurnEnd.FAILED, "", id="somebody else interrupted it"),
    ],
)
def test_the_exit_code_of_a_crawl_says_how_its_turn_ended(
    tmp_path: Path, program: str, end: TurnEnd, said: str
) -> None:
    engine = farm(tmp_path, program, [])
    engine.begin([PART])
    ended = end_of(engine)
    assert (ended.number, ended.end) == (2, end)
    assert said in ended.told


def test_a_part_that_can_t_be_started_has_failed_and_the_others_begin(tmp_path: Path) -> None:
    engine = farm(tmp_path, "", [])
    (tmp_path / "part-2.log").mkdir()  # as on a disk that takes nothing
    engine.begin([PART, PartProgress(Partition(3, 3))])
    first, second = ends_of(engine, 2)  # they may end together
    assert (first.number, first.end, "can't be started" in first.told) == (2, TurnEnd.FAILED, True)
    assert (second.number, second.end) == (3, TurnEnd.AT_REST)


def test_a_crawl_is_told_its_part_and_after_its_rest_asks_only_for_what_is_new(tmp_path: Path) -> None:
    told: list[str] = []
    engine = farm(tmp_path, "import sys; print(*sys.argv[1:], file=sys.stderr); sys.exit(3)", told)
    for each in (PART, PART.after(TurnEnd.AT_REST).after(TurnEnd.FAILED)):
        engine.begin([each])
        end_of(engine)
    first, second = (tmp_path / "part-2.log").read_text().splitlines()
    assert first == "crawl site -a seeds=http://a.localhost/ -a part=2/3 -a mode=due"
    assert second.endswith("-a mode=discover")
    assert "takes over from" in told[1]


def test_ctrl_c_reaches_each_crawl_also_one_that_begins_just_then(tmp_path: Path) -> None:
    told: list[str] = []
    engine = farm(tmp_path, "import sys; sys.stdin.read()", told)
    engine.stop()
    engine.begin([PART])
    assert end_of(engine).end is TurnEnd.CUT_SHORT
    assert sum("Ctrl-C again" in line for line in told) == 1
    engine.close()
