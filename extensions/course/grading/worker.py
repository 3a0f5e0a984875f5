"""Which process opens what strangers hand in? This one: it grades one folder within bounds, and may die.

`python -m extensions.course.grading.worker NUMBER PAGE FOLDER` prints the grade as JSON (grade.py).
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

CPU_SECONDS = 60  # a folder takes 1 to 3
MEGABYTES = 4096  # of address space; an index is mapped into it


def limit_process() -> None:
    """Limit the time and the memory of this process."""
    for limit, most in ((resource.RLIMIT_CPU, CPU_SECONDS), (resource.RLIMIT_AS, MEGABYTES * 2**20)):
        _, hard = resource.getrlimit(limit)
        within = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(limit, (within, within))
        except (ValueError, OSError):
            continue  # macOS has no limit on address space


def print_grade(number: str, page: str, folder: str) -> None:
    """Grade a folder and print the grade."""
    limit_process()
    from extensions.course.grading.grade import grade

    print(json.dumps(grade(int(number), Path(page).read_text("utf-8"), Path(folder)).as_dict()))


if __name__ == "__main__":
    print_grade(*sys.argv[1:])
