"""Classes with the names and methods of other packages, over an index of this one. Each says in what it differs."""

from typing import Any

from .._child import SimsearchError
from .._index import Index, Near


def all_near(index: Index, query: Any, **how: Any) -> Near:
    """Return all documents near a query."""
    near: Near = index.near(query, limit=1000, **how)
    if near.total > len(near):
        raise SimsearchError(f"{near.total:,} documents are near, and 1,000 at most are told of: ask Index.groups", "too_large")
    return near
