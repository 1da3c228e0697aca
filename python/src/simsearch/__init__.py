"""Near-duplicate search for documents.

    kept = simsearch.dedup(df, text="body").kept_frame()

    with simsearch.Index("idx") as index:
        index.add(ids, texts)
        index.near("a text")
"""

import os as _os
import threading as _threading
from typing import List as _List, Optional as _Optional

from ._child import SimsearchError
from ._copied import Copied, Shared, copied
from ._decontaminate import Decontaminated, Hit, decontaminate
from ._dedup import Dedup, Group, Removal, dedup
from ._evaluate import Evaluation, Rate, evaluate
from ._fingerprints import fingerprints
from ._index import Checked, Comparison, Document, Index, IndexGroup, Match, Near, Pair, Passage
from ._pictures import near_pictures

__all__ = [
    "Checked", "Comparison", "Copied", "Decontaminated", "Dedup", "Document", "Evaluation", "Group", "Hit", "Index", "IndexGroup", "Match", "Near",
    "Pair", "Passage", "Rate", "Removal", "Shared", "SimsearchError", "compare", "copied", "decontaminate", "dedup", "evaluate", "fingerprint",
    "fingerprints", "near_pictures",
]

_scratch: _Optional[Index] = None
_making = _threading.Lock()


def _after_fork() -> None:
    global _making
    _making = _threading.Lock()


if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_after_fork)


def __dir__() -> _List[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> str:
    if name == "__version__":  # of the package as it is installed
        from importlib.metadata import PackageNotFoundError, version
        try:
            return version("simsearch")
        except PackageNotFoundError:
            return "0+source"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def compare(a: str, b: str) -> Comparison:
    """Say how near two texts are: the Jaccard similarity of their sets of words, the distance of their fingerprints, and why."""
    global _scratch
    with _making:
        if _scratch is None:
            _scratch = Index()
    return _scratch.compare(a, b)


def fingerprint(text: str) -> int:
    """Return the 64-bit SimHash fingerprint of a text, as an index and the command compare have it by default: of its words without stop
    words. fingerprints makes those of many texts at once.
    """
    return int(compare(text, text).details["a"]["fingerprint"], 16)
