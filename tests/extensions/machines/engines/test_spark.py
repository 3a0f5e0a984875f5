"""Does Spark run the parts of a crawl as processes do? On a real cluster, an executor of which is killed meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.machines.driving.driver import EngineError
from extensions.machines.engines.spark import SparkLog, SparkTasks, check_can_run, idleness_message, reason
from extensions.machines.store.shared_store import SharedStore
from tests.child import PATIENCE, child, wait_until
from tests.extensions.machines.standalone import ROOT, needs_spark
from tests.journey.conftest import html, served_site

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.extensions.machines.standalone import Standalone

CLUSTER = [sys.executable, str(ROOT / "commands"), "cluster"]
HOSTS = [f"host{number}.localhost" for number in range(3)]


@pytest.mark.long  # a minute of CPU; .ci/run lets bench/cluster kill an executor, too
@needs_spark
def test_a_crawl_by_spark_loses_nothing_with_its_executor(spark: Standalone, tmp_path: Path) -> None:
    """One site links to what only a letter can tell another part of; its pages wait until an executor is dead."""
    with served_site() as site:
        for number, host in enumerate(HOSTS):
            onward = f"http://{HOSTS[(number + 1) % len(HOSTS)]}:{site.port}/only-{host}"
            site.pages[f"/of-{host}"] = html(host, onward, text=f"a story of {host}")
            site.pages[f"/only-{host}"] = html(f"only {host}", text=f"what only {host} leads to")
        held = site.hold(*(f"/of-{host}" for host in HOSTS))
        seeds = ",".join(f"http://{host}:{site.port}/of-{host}" for host in HOSTS)
        conf = [word for name, value in spark.settings().items() for word in ("--conf", f"{name}={value}")]
        words = [
            "--store",
            str(tmp_path),
            "--parts",
            "2",
            "--lease",
            "2",
            "--json",
            "--no-jobs",
            "-s",
            "DOWNLOAD_TIMEOUT=20",
            seeds,
        ]
        with child([*CLUSTER, "--master", spark.master, *conf, *words]) as driver:
            wait_until(lambda: any(path.startswith("/of-") for path in site.asked()), driver)
            spark.kill_executor()
            held.set()
            out, told = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 0, told
    parts = json.loads(out)["parts"]
    assert all(line.startswith("cluster: ") for line in told.splitlines()), "Spark's own words are kept aside"
    assert sum(part["pages"] for part in parts) == 2 * len(HOSTS)
    assert "stage 2: " in told, "the letters came in a stage of their own"


@pytest.mark.parametrize(
    ("master", "said"),
    [
        pytest.param("spark://127.0.0.1:9", "127.0.0.1:9 does not answer", id="nobody listens"),
        pytest.param("spark://127.0.0.1:9,127.0.0.1:99999", "127.0.0.1:9 does not answer", id="no port"),
        pytest.param("spark:7077", "give spark://HOST:PORT", id="no address"),
        pytest.param("processes[0]", "processes[N], which crawls on this machine", id="no processes"),
        pytest.param("local[x]", "local[N]", id="no number"),
    ],
)
def test_a_master_that_can_not_be_had_is_told_before_anything_begins(
    master: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    java = tmp_path / "java"  # any does: none is started
    java.touch(mode=0o755)
    monkeypatch.setitem(os.environ, "PATH", str(tmp_path))
    with pytest.raises(EngineError) as fault:
        check_can_run(master)
    assert said in str(fault.value)


def test_without_java_is_told_what_brings_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(os.environ, "PATH", str(tmp_path))
    monkeypatch.setitem(os.environ, "JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineError, match="Java 17 or newer"):
        check_can_run("local[2]")


def test_what_java_says_as_it_fails_stands_in_our_sentence_and_nowhere_else(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed: ./breadcrumb cluster --yes adds it")
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho WARNING: a word of no use >&2\necho Error: no memory for the heap >&2\nexit 1\n")
    java.chmod(0o755)
    words = ["--master", "local[2]", "--store", str(tmp_path / "store"), "http://a.localhost/"]
    environment = os.environ | {"JAVA_HOME": str(tmp_path)}
    done = subprocess.run(
        [*CLUSTER, *words], env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    began, ended = done.stderr.splitlines()
    assert (done.returncode, done.stdout, began) == (2, "", "cluster: starting Spark with local[2]")
    assert ended == "breadcrumb cluster: --master local[2]: Spark could not begin: Error: no memory for the heap"


@pytest.mark.parametrize(
    ("executors", "seconds", "said"),
    [
        pytest.param(2, 200.0, "", id="between two stages"),
        pytest.param(0, 20.0, "waiting for executors", id="they start"),
        pytest.param(0, 80.0, "no executor has started for 80 s: are there workers", id="none comes"),
    ],
)
def test_what_is_said_where_no_task_is_at_work(executors: int, seconds: float, said: str) -> None:
    told = idleness_message(executors, seconds)
    assert told.startswith(said)
    assert bool(told) is bool(said)


@pytest.mark.slow
@needs_spark
def test_ctrl_c_ends_a_job_on_tables_without_a_word_of_java(
    spark_here: SparkTasks, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    def press_when_at_work() -> None:
        wait_until(lambda: spark_here._context.statusTracker().getActiveJobsIds())
        os.kill(os.getpid(), signal.SIGINT)

    def sleeping(session: SparkSession, seconds: float = 60.0) -> int:
        slept: int = session.sparkContext.parallelize([seconds], 1).map(time.sleep).count()
        return slept

    person = threading.Thread(target=press_when_at_work)
    person.start()
    with pytest.raises(KeyboardInterrupt):
        spark_here.on_tables(sleeping)
    person.join()
    assert "Traceback" not in "".join(capfd.readouterr()) + caplog.text
    assert spark_here.on_tables(lambda session: sleeping(session, 0.0)) == 1, "another can be begun"


@needs_spark
def test_ctrl_c_while_spark_begins_says_that_the_job_was_not_done(tmp_path: Path) -> None:
    SharedStore.make(str(tmp_path), 2)
    words = ["--master", "local[1]", "--store", str(tmp_path), "--job", "pagerank"]
    with child([*CLUSTER, *words], stderr=subprocess.PIPE, text=True) as driver:
        assert driver.stderr is not None
        assert driver.stderr.readline() == "cluster: starting Spark with local[1]\n"
        driver.send_signal(signal.SIGINT)
        _, told = driver.communicate(timeout=PATIENCE)
    assert (driver.returncode, told) == (
        130,
        "cluster: --job pagerank ended before it was done: the same command does it\n",
    )


def test_who_asks_for_spark_s_own_words_gets_them() -> None:
    assert SparkLog({"spark.log.level": "WARN"}).streams() == {}


@given(
    st.lists(st.sampled_from([b"Error: x", b"java.lang.SomeException: y", b"WARN z", b"\xff", b"\n", b"\r"])).map(
        b"".join
    )
)
def test_of_whatever_java_says_the_error_is_one_line(said: bytes) -> None:
    words = SparkLog({})
    words.streams()["stderr"].write(said)
    error = words.error()
    words.close()
    assert len(error.splitlines()) == bool(error) == any(name in said for name in (b"Error", b"Exception"))


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        pytest.param("Job aborted due to stage failure: Task 3 in stage 0.0 failed 6 times, most recent failure: Lost "
                     "task 3.5 in stage 0.0 (TID 9) (10.0.0.7 executor 2): ExecutorLostFailure (executor 2 exited "
                     "caused by one of the running tasks) Reason: Command exited with code 137\nDriver stacktrace:",
                     "Command exited with code 137", id="executors are killed"),
        pytest.param("Task 0 failed: ModuleNotFoundError: No module named 'extensions'\n\tat org.apache",
                     "an executor has no Breadcrumb at", id="a machine without Breadcrumb"),
        pytest.param("[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number.",
                     "needs Java 17 or newer", id="an old Java"),
        pytest.param("[PYTHON_EXCEPTION] An exception was thrown from the Python worker: Traceback (most recent call "
                     'last):\n  File "worker.py", line 3072, in main\n    check_python_version(infile)\n'
                     "pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker "
                     "has different version: 3.12 than that in driver: 3.11, PySpark cannot run with different minor "
                     "versions.\nPlease check environment variables.\n\n\tat org.apache",
                     "an executor has Python 3.12, and here it is 3.11: let both", id="a machine with another Python"),
        pytest.param("[PYTHON_EXCEPTION] An exception was thrown from the Python worker: Traceback (most recent call "
                     'last):\n  File "worker.py", line 9, in main\n    process()\nValueError: 7 is odd\n\n\tat org',
                     "a task's Python failed: ValueError: 7 is odd", id="any other fault of a task's Python"),
        pytest.param("first line\nand pages of Java", "first line", id="anything else: its first line"),
    ],
)  # fmt: skip
def test_of_what_spark_says_the_reason_is_kept(raised: str, said: str) -> None:
    assert said in reason(RuntimeError(raised))
    assert "\n" not in reason(RuntimeError(raised))
