"""What follows for a command that has changed stored pages? Sites have other templates, and the index takes over."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from commands.frame.stopping import Stop
    from pipelines.review import PageReview


def judge_by_templates(review: PageReview, stop: Stop) -> int:
    """Learn the templates of sites, and judge those pages again in which they find other lines; count them."""
    changed = 0
    for found in review.judge_by_templates():
        changed += found
        if stop.asked:
            break
    return changed


def let_index_follow(data_dir: Path, *, begin: bool = False) -> str:
    """Let the index follow what has changed, of each part in its turn; return a sentence on that.

    Where there is no index, none is needed; with `begin` it is made.
    """
    from crawldb.databases import folders_of
    from indexer import IndexFault, IndexLocked
    from indexer.following import catch_up
    from indexer.position import is_there

    try:
        for folder in folders_of(data_dir):
            if begin or is_there(folder):
                catch_up(folder)
    except IndexLocked as busy:
        by = f"process {busy.pid}" if busy.pid else "another process"
        return f"The index is written by {by}, which takes over what has changed."
    except (IndexFault, OSError) as fault:
        return f"The index could not follow: {fault}"
    return "The index is up to date."
