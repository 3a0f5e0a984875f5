"""`doctor` says what is wrong, and the command that it names mends it; it never fails itself."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commands.__main__ import main
from commands.frame.command import parse_words
from crawldb.lock import CrawlLock
from crawldb.parts.division import folder_of
from crawldb.parts.partition import Partition
from extensions.doctor.data_folder import check_data_folder, check_log
from extensions.doctor.findings import OK, Diagnosis, Installation, carried_out
from extensions.doctor.installation import (
    CLUSTER_LOCK,
    LOCK,
    SET_UP,
    LockedPackage,
    check_extras,
    check_packages,
    deviations,
    extras,
    pins,
)
from frontier.job import CrawlJob
from frontier.session import Session
from tests.child import PATIENCE, elsewhere, end_of_own_fork
from tests.docs.conftest import ROOT, project_files
from tests.journey.conftest import html
from urls.canonical import canonicalize
from urls.records import LeaseEnd, Outcome
from urls.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.commands.conftest import Breadcrumb, Ended
    from tests.journey.conftest import Site

SECRET = "a-secret-of-the-operator"
NOBODY = 65534  # a user without rights


def free_port() -> Iterator[int]:
    """Yield a port at which this process listens, so that nobody else does."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


taken = pytest.fixture(free_port)


def findings(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, dict[str, str]]]:
    """Run `doctor --json`; return its exit code, and the last finding of each subject."""
    code = main(["doctor", "--json", *words])
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] == (code == 0)
    return code, {each["subject"]: each for each in told["findings"]}


def carry_out(command: str) -> None:
    subprocess.run(["/bin/sh", "-c", command], check=True, timeout=PATIENCE)


def test_a_sound_folder_has_no_fault_and_a_person_reads_it(
    bakery: Breadcrumb, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "-s", f"DATA_DIR={bakery.data}"]) == 0
    told = capsys.readouterr().out
    for subject in (
        "Breadcrumb",
        "Python",
        "SQLite",
        "system",
        "Chromium",
        "Java",
        "identity",
        "port",
        "clock",
        "disk",
    ):
        assert f" {subject}: " in told, subject
    assert f"ok     data folder: {bakery.data}" in told
    assert "schema version" in told
    assert "0 faults, " in told


def test_without_a_folder_it_names_the_first_crawl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = findings(capsys, "--data", f"{tmp_path}/none")
    assert (code, found["data folder"]["level"]) == (0, "warn")
    assert found["data folder"]["command"] == f"./breadcrumb crawl site -a seeds=URL --data {tmp_path}/none"
    assert not (tmp_path / "none").exists()


def test_a_file_in_its_place_is_moved_away_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "my data").write_text("")
    code, found = findings(capsys, "-s", f"DATA_DIR={tmp_path}/my data")
    assert (code, found["data folder"]["level"]) == (1, "fault")
    carry_out(found["data folder"]["command"])
    assert findings(capsys, "-s", f"DATA_DIR={tmp_path}/my data")[0] == 0


def test_a_folder_that_all_can_read_is_closed_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tmp_path.chmod(0o755)
    _, found = findings(capsys, "-s", f"DATA_DIR={tmp_path}")
    assert (found["data folder"]["level"], tmp_path.stat().st_mode & 0o777) == ("warn", 0o755)
    carry_out(found["data folder"]["command"])
    assert findings(capsys, "-s", f"DATA_DIR={tmp_path}")[1]["data folder"]["level"] == "ok"


def test_a_damaged_database_is_a_fault_and_the_others_are_examined(
    bakery: Breadcrumb, capsys: pytest.CaptureFixture[str]
) -> None:
    (bakery.data / "crawl.sqlite3").write_bytes(b"no database at all" * 1000)
    code, found = findings(capsys, "-s", f"DATA_DIR={bakery.data}")
    assert (code, found["crawl"]["level"]) == (1, "fault")
    assert found["crawl"]["command"] == f"./breadcrumb check --data {bakery.data}"
    assert bakery.run("check").code == 2, "which says the same, and what would work"
    assert found["clock"]["level"] == "ok"


def test_a_missing_index_is_made_by_the_command(bakery: Breadcrumb, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(bakery.data / "index")
    _, found = findings(capsys, "-s", f"DATA_DIR={bakery.data}")
    assert found["index"]["command"] == f"./breadcrumb index --data {bakery.data}"
    assert bakery.run("index").code == 0
    assert "index" not in findings(capsys, "-s", f"DATA_DIR={bakery.data}")[1]


def test_a_crawl_at_work_and_the_log_of_a_failed_one_are_shown(
    bakery: Breadcrumb, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = CrawlLock(bakery.data)
    assert (
        f"process {os.getpid()} crawls"
        in str(main(["doctor", "-s", f"DATA_DIR={bakery.data}"])) + capsys.readouterr().out
    )
    lock.release()
    failed = bakery.data / "api_crawls" / "12"
    failed.mkdir(parents=True)
    (failed / "exit_code").write_text("1\n")
    (failed / "log").write_text("first\nno page \x1b[31mcame\n")
    assert main(["doctor", "-s", f"DATA_DIR={bakery.data}"]) == 0
    told = capsys.readouterr().out
    assert f"{failed}/log: first / no page ?[31mcame" in told
    assert f"tail {failed}/log" in told


def test_a_fault_is_shown_with_the_command_that_shows_its_reason(
    bakery: Breadcrumb, capsys: pytest.CaptureFixture[str]
) -> None:
    url = canonicalize("http://bakery.localhost:8400/burnt.html")
    session = Session(bakery.data, CrawlJob((url,)))
    session.frontier.lease(1000, lambda _: 1000)
    session.store.outcome(Outcome(url, LeaseEnd.FAILED, Rule.FAULT, "the oven was too hot"))
    session.close("finished")
    _, found = findings(capsys, "-s", f"DATA_DIR={bakery.data}")
    assert found["last fault"]["text"] == f"{url}: the oven was too hot"
    assert found["last fault"]["command"] == f"./breadcrumb why {url} --data {bakery.data}"
    assert "the oven was too hot" in bakery.run("why", url).out


def test_a_crawl_of_an_earlier_version_is_upgraded_by_the_command(
    bakery: Breadcrumb, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    request.getfixturevalue("next_version")
    _, found = findings(capsys, "-s", f"DATA_DIR={bakery.data}")
    assert (found["crawl"]["level"], "schema version" in found["crawl"]["text"]) == ("warn", True)
    assert found["crawl"]["command"] == f"./breadcrumb report --data {bakery.data}"
    assert bakery.run("report").code == 0
    assert findings(capsys, "-s", f"DATA_DIR={bakery.data}")[1]["crawl"]["level"] == "ok"


@pytest.mark.slow
def test_a_crawl_that_did_not_finish_is_continued_by_the_command(
    empty: Breadcrumb, site: Site, in_scrapy: Callable[..., Ended], capsys: pytest.CaptureFixture[str]
) -> None:
    site.pages = {"/": html("Home")}
    Session(empty.data, CrawlJob((canonicalize(f"{site.url}/"),))).close("killed")
    _, found = findings(capsys, "-s", f"DATA_DIR={empty.data}")
    assert found["last crawl"]["text"] == "run 1 did not finish (killed, stopped twice, or its disk failed)"
    assert found["last crawl"]["command"] == f"./breadcrumb crawl site --data {empty.data}"
    assert in_scrapy("crawl", "site").code == 0
    assert "last crawl" not in findings(capsys, "-s", f"DATA_DIR={empty.data}")[1]


def test_a_divided_crawl_is_continued_by_farm_and_a_missing_part_is_no_folder_without_a_crawl(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seeds = (canonicalize("http://a.localhost/"),)
    for part in (Partition(1, 2), Partition(2, 2)):
        Session(folder_of(tmp_path, part), CrawlJob(seeds, partition=part)).close("killed")
    _, found = findings(capsys, "--data", str(tmp_path))
    assert found["last crawl"]["command"] == f"./breadcrumb farm --data {tmp_path}"
    shutil.rmtree(tmp_path / "part-2")
    code, found = findings(capsys, "--data", str(tmp_path))
    assert (code, found["crawl"]["command"]) == (1, f"./breadcrumb farm SEEDS --data {tmp_path}")
    assert "part 2/2 of the crawl" in found["crawl"]["text"]


def test_a_wrong_setting_is_named_with_its_line_and_no_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "breadcrumb.toml"
    file.write_text(f'ADMIN_TOKEN = "{SECRET}"\nDOWNLOAD_DELAY = "slow"\n')
    file.chmod(0o644)
    monkeypatch.setenv("BREADCRUMB_INDEX", f"https://me:{SECRET}@search.example/")
    monkeypatch.setenv("BREADCRUMB_SETTINGS", str(file))
    assert main(["doctor", "-s", f"DATA_DIR={tmp_path}"]) == 1
    told = capsys.readouterr().out
    assert (f"{file}, line 2: DOWNLOAD_DELAY must be a number" in told, SECRET in told) == (True, False)
    assert f"sed -n 2p {file}" in told
    assert f"chmod 600 {file}" in told
    carry_out(f"chmod 600 {file}")
    file.write_text(f'ADMIN_TOKEN = "{SECRET}"\nDOWNLOAD_DELAY = 2\n')
    assert main(["doctor", "-s", f"DATA_DIR={tmp_path}"]) == 0
    told = capsys.readouterr().out
    assert ("ADMIN_TOKEN, DOWNLOAD_DELAY" in told, "chmod 600" in told, SECRET in told) == (True, False, False)


def test_a_variable_that_means_nothing_is_unset_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BREADCRUMB_CONTACTS", "me@example.org")
    code, found = findings(capsys, "-s", f"DATA_DIR={tmp_path}")
    assert (code, found["settings"]["command"]) == (1, "unset BREADCRUMB_CONTACTS")
    monkeypatch.delenv("BREADCRUMB_CONTACTS")
    assert findings(capsys, "-s", f"DATA_DIR={tmp_path}")[0] == 0


def test_the_robot_gets_its_identity_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, found = findings(capsys, "-s", f"DATA_DIR={tmp_path}")
    assert found["identity"]["level"] == "warn"
    for word in found["identity"]["command"].removeprefix("export ").split():
        monkeypatch.setenv(*word.split("=", 1))
    assert findings(capsys, "-s", f"DATA_DIR={tmp_path}")[1]["identity"]["level"] == "ok"


def test_a_port_in_use_is_named_with_the_option_for_another(
    tmp_path: Path, taken: int, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = findings(capsys, "-s", f"DATA_DIR={tmp_path}", "--port", str(taken))
    assert (code, f"{taken} of 127.0.0.1 is in use" in found["port"]["text"]) == (0, True)
    command, *options = found["port"]["command"].removeprefix("./breadcrumb ").split()
    arguments = parse_words(import_module(f"commands.{command}").COMMAND, options)
    assert (arguments.port != taken, arguments.set) == (True, [f"DATA_DIR={tmp_path}"])


def test_without_any_package_it_says_so(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-P", "-m", "commands", "doctor", "--json", "-s", f"DATA_DIR={tmp_path}"],
        env=elsewhere() | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    found = {each["subject"]: each for each in json.loads(done.stdout)["findings"]}
    assert (done.returncode, done.stderr) == (1 if (ROOT / ".venv").exists() else 0, "")
    assert "missing" in found["settings"]["text"]
    assert found["data folder"]["level"] == "ok"


def test_a_reader_may_leave_early(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    line = [sys.executable, "-P", "-m", "commands", "doctor", "--json", "-s", f"DATA_DIR={tmp_path}"]
    env = elsewhere() | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(line, env=env, stdout=writer, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    os.close(writer)
    assert done.stderr == b""


def test_a_lock_is_held_beside_the_environment() -> None:
    assert len(pins(ROOT / "requirements.lock")) > 50
    right = LockedPackage("pytest", pytest.__version__, for_some=False)
    old, none, windows = (
        right._replace(version="1.0"),
        LockedPackage("crumb-none", "1", for_some=False),
        LockedPackage("wheat", "1", for_some=True),
    )
    assert deviations([right, windows]) == ([], [])
    assert deviations([right, old]) == ([], []), "one of them is for another Python"
    assert deviations([old, none]) == (["crumb-none"], [f"pytest {pytest.__version__}, not 1.0"])


def test_the_command_for_an_extra_adds_it(launcher: Any) -> None:
    found = list(extras(ROOT))
    assert len(found) == len(list(ROOT.glob("extensions/*/extra.txt"))) + 1
    for _, lock, command in found:
        program, name, *words = command.split()
        assert (program, words[-2:]) == ("./breadcrumb", ["--yes", "--help"])
        assert command == shlex.join(command.split()), "a shell passes each word as it is"
        assert str(lock.relative_to(ROOT)) in launcher["needed"](name, tuple(words)), command
    assert found[-1][1].name == CLUSTER_LOCK


@pytest.fixture
def launcher(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The functions of the launcher, in an environment where no extra was added."""
    names: dict[str, Any] = {"__name__": "launcher", "__file__": str(ROOT / "breadcrumb")}
    exec(compile((ROOT / "breadcrumb").read_text(), "breadcrumb", "exec"), names)
    monkeypatch.setitem(names, "installed", str)
    return names


def test_a_check_that_fails_is_a_finding(tmp_path: Path) -> None:
    def check_some_thing(_: Installation) -> Iterator[Diagnosis]:
        yield Diagnosis(OK, "some thing", "it is there")
        raise OSError("it burns")

    _, fault = carried_out(check_some_thing, Installation(ROOT, tmp_path))
    assert fault == ("fault", "some thing", "OSError: it burns", "")


def test_the_folder_of_another_user_has_no_log_to_show(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "api_crawls").mkdir(parents=True)
    folder.chmod(0)

    def look_as_another_user() -> None:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        assert not list(carried_out(check_log, Installation(ROOT, folder)))

    assert end_of_own_fork(look_as_another_user) == 0, "the finding about the folder is enough"
    folder.chmod(0o700)


def test_your_own_folder_without_rights_gets_them_by_the_command() -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made, "data")
        folder.mkdir(0)
        owner = os.geteuid() or NOBODY
        for each in (Path(made), folder):
            os.chown(each, owner, -1)

        def mend_as_its_owner() -> None:
            os.setuid(owner)
            [fault] = carried_out(check_data_folder, Installation(ROOT, folder))
            assert fault.command == f"chmod u+rwx {folder}"
            carry_out(fault.command)

        assert end_of_own_fork(mend_as_its_owner) == 0
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_on_a_read_only_disk_is_not_said_to_lack_rights(tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "none", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False).returncode:
        pytest.skip("only root mounts a disk, and not everywhere")
    try:
        [fault] = carried_out(check_data_folder, Installation(ROOT, tmp_path))
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
    assert f"the disk of {tmp_path} is read-only" in fault.text
    assert fault.command == f"df {tmp_path}"


@pytest.mark.parametrize(
    ("mode", "command"),
    [
        pytest.param(0o777, f"rm -rf .venv && {SET_UP}", id="in your own folder"),
        pytest.param(0o555, f'sudo chown -R "$(id -un)" . && {SET_UP}', id="in a folder of another user"),
    ],
)
def test_an_environment_that_you_may_not_run_has_a_command_that_makes_one(mode: int, command: str) -> None:
    with tempfile.TemporaryDirectory() as made:
        root = Path(made)
        (root / ".venvs" / "1" / "bin").mkdir(parents=True)
        (root / ".venvs" / "1" / "bin" / "python").symlink_to(sys.executable)
        (root / ".venv").symlink_to(".venvs/1")
        (root / LOCK).touch()
        (root / LOCK).chmod(0o644)
        for each, rights in {root / ".venvs" / "1": 0, root / ".venvs": mode, root: mode}.items():
            each.chmod(rights)

        def look_as_another_user() -> None:
            if os.geteuid() == 0:
                os.setuid(NOBODY)
            place = Installation(root, root / "data")
            [fault] = carried_out(check_packages, place)
            assert (fault.level, fault.command) == ("fault", command)
            assert "you may not run the Python of .venv" in fault.text
            assert not list(carried_out(check_extras, place))

        assert end_of_own_fork(look_as_another_user) == 0
        for each in (root, root / ".venvs", root / ".venvs" / "1"):
            each.chmod(0o700)


@pytest.mark.slow
def test_the_launcher_runs_it_without_an_environment_and_makes_none(tmp_path: Path) -> None:
    for path in project_files():
        if path.is_relative_to(ROOT / "tests") or path.is_relative_to(ROOT / "bench"):
            continue
        target = tmp_path / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    done = subprocess.run(
        [sys.executable, tmp_path / "breadcrumb", "doctor"],
        env=elsewhere(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "there is no environment yet: the first command makes it" in done.stdout
    assert not (tmp_path / ".venv").exists()
