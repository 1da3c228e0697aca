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
from ._dedup import Dedup, Group, Removal, dedup
from ._index import Checked, Comparison, Document, Index, IndexGroup, Match, Near, Pair, Passage

__all__ = [
    "Checked", "Comparison", "Dedup", "Document", "Group", "Index", "IndexGroup", "Match", "Near", "Pair", "Passage", "Removal",
    "SimsearchError", "compare", "dedup", "fingerprint",
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
    words. It is an error if none are left.

    Of many texts an index makes them faster: `simsearch index`, then `simsearch export --as fingerprints`.
    """
    digits = compare(text, text).details["a"]["fingerprint"]
    if not digits:
        raise SimsearchError("the text has no fingerprint: it has nothing but stop words", "bad_request", "text")
    return int(digits, 16)
