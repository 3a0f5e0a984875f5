"""Which program does a pod of a cluster run? Spark's executor if Kubernetes starts one, else the given command.

Spark starts an executor with the one word `executor`, and passes everything else in environment variables. Its own
image reads the same variables (entrypoint.sh in kubernetes/dockerfiles of Apache Spark). Containerfile.cluster begins
with this program.
"""

from __future__ import annotations

import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from spiders.own_folders import ROOMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EXECUTOR = "executor"
BACKEND = "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend"
JAVA_OPTION = re.compile(r"SPARK_JAVA_OPT_([0-9]+)")
OPTIONS = {
    "--driver-url": "SPARK_DRIVER_URL",
    "--executor-id": "SPARK_EXECUTOR_ID",
    "--cores": "SPARK_EXECUTOR_CORES",
    "--app-id": "SPARK_APPLICATION_ID",
    "--hostname": "SPARK_EXECUTOR_POD_IP",
    "--resourceProfileId": "SPARK_RESOURCE_PROFILE_ID",
    "--podName": "SPARK_EXECUTOR_POD_NAME",
}
MEMORY = "SPARK_EXECUTOR_MEMORY"


def command_of(words: Sequence[str], environment: Mapping[str, str], jars: str) -> list[str]:
    """Return the command line of a pod; `jars` is Spark's folder. Raises ValueError if a variable is missing."""
    if list(words) != [EXECUTOR]:
        return [str(ROOMS / "breadcrumb"), *words]
    missing = [name for name in (*OPTIONS.values(), MEMORY) if name not in environment]
    if missing:
        raise ValueError(
            f"{EXECUTOR}: {', '.join(missing)} is not set; Spark on Kubernetes starts executors, and sets it. "
            "For anything else give a command, such as: cluster --help"
        )
    numbered = [(int(found[1]), name) for name in environment if (found := JAVA_OPTION.fullmatch(name))]
    java = [environment[name] for _, name in sorted(numbered)]
    memory = [f"-Xms{environment[MEMORY]}", f"-Xmx{environment[MEMORY]}"]
    options = (word for option, name in OPTIONS.items() for word in (option, environment[name]))
    return ["java", *java, *memory, "-cp", f"{jars}/*", BACKEND, *options]


if __name__ == "__main__":
    spark = find_spec("pyspark")
    if spark is None or spark.origin is None:
        raise SystemExit("pod: pyspark is not installed; ./breadcrumb cluster --yes adds it")
    try:
        command = command_of(sys.argv[1:], os.environ, str(Path(spark.origin).parent / "jars"))
    except ValueError as mistake:
        raise SystemExit(f"pod: {mistake}") from None
    os.execvp(command[0], command)  # noqa: S606 - no shell is wanted
