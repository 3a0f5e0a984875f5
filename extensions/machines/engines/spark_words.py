"""What does a person read of what Spark says? Its error, in our sentence; all else is kept aside.

As it begins Spark warns of host names, libraries and its own log, on standard error. So what its Java says goes into a
file without a name, in which the error is looked up when something went wrong. Who gives `--conf spark.log.level=…`
asks for all of it.
"""

from __future__ import annotations

import re
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from spiders.own_settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

LOG_LEVEL = "spark.log.level"
MOST = 300  # characters of what Spark says
READ_BYTES = 64 * 1024  # of the end of what it said
_ERROR = re.compile(r'(?:Exception in thread "[^"]*" )?(?P<error>(?:ERROR|FATAL|[\w.]*(?:Error|Exception))\b.*)')


class SparkWords:
    """The output of Spark's Java: kept, or shown where a person has asked for it."""

    def __init__(self, conf: Mapping[str, str]) -> None:
        self._kept = None if LOG_LEVEL in conf else TemporaryFile()  # noqa: SIM115  open as long as Java may write

    def streams(self) -> dict[str, Any]:
        """Return where a process writes (as `subprocess.Popen` takes it); with nothing kept, where this one does."""
        return {} if self._kept is None else {"stdout": self._kept, "stderr": self._kept}

    def error(self) -> str:
        """Return the last error that it told, in one line; "" where there is none, or it was shown."""
        if self._kept is None:
            return ""
        self._kept.seek(max(0, self._kept.seek(0, 2) - READ_BYTES))
        lines = self._kept.read().decode("utf-8", "replace").splitlines()
        return next((found["error"][:MOST].strip() for line in reversed(lines) if (found := _ERROR.search(line))), "")

    def close(self) -> None:
        """Let the file go."""
        if self._kept is not None:
            self._kept.close()


# Of a task's Python: that its version is another (pyspark's PYTHON_VERSION_MISMATCH), and the end of a traceback.
OTHER_PYTHON = re.compile(r"Python in worker has different version: (\S+) than that in driver: (\d+\.\d+)")
RAISED = re.compile(r"Traceback \(most recent call last\):\n(?: .*\n)+(\S.*)")


def reason(error: Exception, said: str = "") -> str:
    """Return why Spark failed, without the pages of Java that follow; `said`: the last error that it told itself."""
    java = getattr(error, "java_exception", None)
    text = str(java.getMessage() if java is not None else error)
    if "Java gateway process exited" in text or "UnsupportedClassVersion" in text:
        if said and "UnsupportedClassVersion" not in said:
            return said
        return "its Java ended before it began; Spark 4 needs Java 17 or newer (java -version)"
    if told := _of_python(text):
        return told
    if "Cannot run program" in text or "No module named" in text:
        found = re.search(r"Cannot run program[^\n]*|No module named[^\n]*", text)
        return f"{found[0] if found else text}: an executor has no Breadcrumb at {ROOT} (docs/cluster.md)"
    if "Answer from Java side is empty" in text or "network" in text:
        return f"its Java has ended on this machine{f': {said}' if said else ''}"
    lost = re.search(r"Reason: ([^\n]*)", text)
    return (lost[1] if lost else text.partition("\n")[0])[:MOST]


def _of_python(text: str) -> str:
    """Return why a task's Python failed; "" where that is not what Spark says, or no Breadcrumb was found there."""
    if versions := OTHER_PYTHON.search(text):
        return (
            f"an executor has Python {versions[1]}, and here it is {versions[2]}: let both have the same "
            "(--conf spark.pyspark.python=PATH names it, the same path on every machine)"
        )
    raised = RAISED.search(text)
    return f"a task's Python failed: {raised[1]}"[:MOST] if raised and "No module named" not in raised[1] else ""
