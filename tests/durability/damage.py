"""What does a damaged folder return? The same as the sound one, or a sentence with a remedy; never a traceback.

A trial flips a bit, blots a block out or cuts a file short, in one file of the index or of the crawl database. Then
everything that reads is called: the commands, the views of the gateway, and the start of a crawl. Then the remedy is
applied, and all are called again.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.__main__ import main
from commands.crawling.start import MISTAKES
from crawldb.database import FILE_NAME
from frontier.job import CrawlJob
from frontier.session import Session
from gateway import GatewaySettings, create_app
from tests.durability.generated_site import COMMON, VOCABULARY
from tests.forks import forked

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from tests.forks import ForkServer

BLOCK = 512  # bytes of a disk's block
KINDS = ("bit", "block", "cut")
ASK = "tests.durability.damage:ask"
REBUILD, BACKUP = "./breadcrumb index --rebuild", "put back a backup"
CURES = (REBUILD, BACKUP, "is damaged (")  # the last: of a page's record, with ./breadcrumb forget
MOVING = frozenset(  # two sound answers differ in these
    {"took_ms", "generation", "as_of", "committed_at", "position", "age_seconds", "free_bytes", "began", "ended"}
)
LOCKS = frozenset({"crawl.lock", "writer.lock"})  # hold the number of a process, or nothing
TRACEBACK = "Traceback"

Answers = dict[str, dict[str, Any]]  # by question: the code, what was answered, what was said beside it


@dataclass(slots=True)
class Trial:
    """What was done to which file, and what came of it."""

    file: str
    kind: str
    place: int
    told: int = 0  # questions that were answered by a sentence
    faults: list[str] = field(default_factory=list)
    silent: int = 0
    tracebacks: int = 0
    mended: bool | None = None  # by what was told; None: nothing was


def ask(arguments: list[str]) -> int:
    """Ask everything of the folder that the first word names, about the addresses that follow; print the answers."""
    folder, *urls = arguments
    data = Path(folder)
    print(json.dumps({name: _answer(question) for name, question in _questions(data, urls)}))
    return 0


def _questions(data: Path, urls: list[str]) -> Iterator[tuple[str, Callable[[], int]]]:
    queries = ("about", " ".join(VOCABULARY[:2]), f'"{VOCABULARY[0]} {COMMON[0]}" {VOCABULARY[2]}')
    words = [["search", "--json", "--explain", query] for query in queries]
    words += [["why", "--json", url] for url in urls]
    words += [["report", "--json"]]
    for line in words:
        yield " ".join(line), lambda line=line: main([line[0], "-s", f"DATA_DIR={data}", *line[1:]])  # type: ignore[misc]  # mypy can't infer it
    with create_app(data, GatewaySettings()).test_client() as client:
        for path in ("/api/search?q=about", f"/why?format=json&url={urls[0]}", "/stats?format=json", "/healthz"):
            yield path, lambda path=path: _get(client, path)  # type: ignore[misc]  # as above
    yield "crawl", lambda: _begin(data)


def _get(client: Any, path: str) -> int:
    answer = client.get(path)
    print(answer.text)
    return 0 if answer.status_code == 200 else 2


def _begin(data: Path) -> int:
    session = Session(data, CrawlJob(()))
    print(json.dumps(sorted(str(lease.url) for lease in session.frontier.lease(50, lambda _: 50))))
    session.close("stopped")
    return 0


def _answer(question: Callable[[], int]) -> dict[str, Any]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = question()
        except MISTAKES as mistake:
            code = 2
            print(mistake, file=err)
        except SystemExit as end:
            code = int(end.code or 0)
        except Exception:  # noqa: BLE001 - that is what is looked for
            code = -1
            print(f"{TRACEBACK} {traceback.format_exc()[-600:]}", file=err)
    return {"code": code, "out": _stable(out.getvalue()), "err": err.getvalue()}


def _stable(text: str) -> Any:
    """Return an answer without what two sound ones differ in."""
    try:
        return _without(json.loads(text))
    except ValueError:
        return text


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without(inner) for name, inner in value.items() if name not in MOVING}
    if isinstance(value, list):
        found = [_without(inner) for inner in value]
        return sorted(found, key=json.dumps) if found and isinstance(found[0], dict) and "score" in found[0] else found
    return value


class DamageTrials:
    """Damages copies of a folder that a crawl has left. `crawls`: of so many trials one starts a real crawl as well."""

    def __init__(self, sound: Path, folder: Path, urls: list[str], forks: ForkServer, crawls: int = 0) -> None:
        self._sound, self._data, self._urls = sound, folder / "data", urls
        self._forks, self._crawls = forks, crawls
        files = [path for path in sorted(sound.rglob("*")) if path.is_file() and path.stat().st_size]
        self._files = [path for path in files if path.name not in LOCKS and not path.name.endswith("-shm")]
        self._begin()
        self._right = self._ask()
        self.faults = [
            f"{name} of a sound folder: {it}" for name, it in self._right.items() if it["code"] not in {0, 1}
        ]

    def _begin(self) -> None:
        shutil.rmtree(self._data, ignore_errors=True)
        shutil.copytree(self._sound, self._data)

    def _ask(self) -> Answers:
        done = forked(self._forks, str(self._data), *self._urls, entry=ASK)
        if done.returncode or not done.stdout:
            return {"all": {"code": -1, "out": "", "err": f"{TRACEBACK}: exit {done.returncode} {done.stderr[-600:]}"}}
        found: Answers = json.loads(done.stdout)
        return found

    def trials(self, count: int, dice: random.Random) -> Iterator[Trial]:
        """Damage so many times: the files by turns, each place as likely as another."""
        for number in range(count):
            self._begin()
            path = self._files[number % len(self._files)]
            trial = self._damage(self._data / path.relative_to(self._sound), dice.choice(KINDS), dice)
            answers = self._ask()
            if self._crawls and number % self._crawls == 0:
                answers |= self._crawl()
            self._judge(trial, answers)
            if trial.told:
                self._mend(trial, " ".join(f"{it['err']} {it['out']}" for it in answers.values()))
            yield trial

    def _damage(self, path: Path, kind: str, dice: random.Random) -> Trial:
        content = bytearray(path.read_bytes())
        place = dice.randrange(len(content))
        if kind == "bit":
            content[place] ^= 1 << dice.randrange(8)
        elif kind == "block":
            place -= place % BLOCK
            content[place : place + BLOCK] = bytes(len(content[place : place + BLOCK]))
        else:
            del content[place:]
        with path.open("r+b") as file:  # in place, as a disk does
            file.write(content)
            file.truncate()
        return Trial(str(path.relative_to(self._data)), kind, place)

    def _crawl(self) -> Answers:
        done = forked(self._forks, "crawl", "site", "-s", f"DATA_DIR={self._data}")
        return {"a whole crawl": {"code": -done.returncode, "out": "", "err": f"{done.stdout} {done.stderr}"}}

    def _judge(self, trial: Trial, answers: Answers) -> None:
        for name, it in answers.items():
            said = f"{it['err']} {it['out']}"
            if TRACEBACK in said:
                trial.tracebacks += 1
                trial.faults.append(f"{name}: {it['err'][-700:]}")
            elif name in self._right and _is_same(it, self._right[name]):
                continue
            elif any(cure in said for cure in CURES):
                trial.told += 1
            elif name in self._right:
                trial.silent += 1
                trial.faults.append(f"{name}: answered {said[:300]} instead of {str(self._right[name]['out'])[:300]}")

    def _mend(self, trial: Trial, told: str) -> None:
        for path in self._data.glob(f"{FILE_NAME}*"):  # also where it was the index: a crawl has begun meanwhile
            path.unlink()
        shutil.copyfile(self._sound / FILE_NAME, self._data / FILE_NAME)
        if REBUILD in told:
            forked(self._forks, "index", "--rebuild", "-s", f"DATA_DIR={self._data}")
        wrong = [name for name, it in self._ask().items() if not _is_same(it, self._right.get(name, it | {"code": 2}))]
        trial.mended = not wrong
        if wrong:
            trial.faults.append(f"what was told did not help: {wrong}")


def _is_same(answer: dict[str, Any], right: dict[str, Any]) -> bool:
    return bool((answer["code"], answer["out"]) == (right["code"], right["out"]))
