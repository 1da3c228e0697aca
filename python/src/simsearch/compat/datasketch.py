"""MinHash and MinHashLSH as the package `datasketch` has them, with exact answers.

A MinHash of this module keeps the set itself: `jaccard` is exact, and a query returns just the keys whose sets are as similar as the
threshold says, none else and none missed from a threshold of 0.5 on. What differs: it takes more memory than a sketch, has no
`hashvalues`, and a MinHash of `datasketch` does not tell its set, so that import both from here. A query with more than 1,000 answers is
an error.
"""

import contextlib
from typing import Any, Dict, Hashable, Iterable, Iterator, List, Set

from .._index import Index
from . import all_near


class MinHash:
    """A set of byte strings. num_perm and seed change nothing."""

    def __init__(self, num_perm: int = 128, seed: int = 1, **_: Any) -> None:
        self.num_perm, self.seed = num_perm, seed
        self.items: Set[bytes] = set()

    def update(self, b: bytes) -> None:
        """Add an item."""
        self.items.add(bytes(b))

    def update_batch(self, b: Iterable[bytes]) -> None:
        """Add items."""
        self.items.update(map(bytes, b))

    def merge(self, other: "MinHash") -> None:
        """Add the items of another set."""
        self.items |= other.items

    def jaccard(self, other: "MinHash") -> float:
        """Return the Jaccard similarity, which is exact."""
        either = len(self.items | other.items)
        return len(self.items & other.items) / either if either else 1.0

    def count(self) -> float:
        """Return the number of items."""
        return float(len(self.items))

    def is_empty(self) -> bool:
        """Report whether there is no item."""
        return not self.items

    def clear(self) -> None:
        """Remove all items."""
        self.items.clear()

    def copy(self) -> "MinHash":
        """Return a copy."""
        other = MinHash(self.num_perm, self.seed)
        other.items = set(self.items)
        return other

    def __len__(self) -> int:
        return self.num_perm

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MinHash) and self.items == other.items

    __hash__ = None  # type: ignore[assignment]


class MinHashLSH:
    """Finds the sets whose Jaccard similarity to that of a query is at least threshold. The other parameters change nothing."""

    def __init__(self, threshold: float = 0.9, num_perm: int = 128, *_: Any, storage_config: Any = None, **__: Any) -> None:
        if storage_config is not None:
            raise ValueError("storage_config: sets are kept by simsearch; simsearch.Index has a directory of its own")
        self.threshold, self.h = threshold, num_perm
        self._index = Index(holds="sets", threshold=threshold)
        self._ids: Dict[Hashable, str] = {}
        self._keys: Dict[str, Hashable] = {}
        self._waiting: Dict[str, Set[str]] = {}
        self._n = 0

    def insert(self, key: Hashable, minhash: MinHash, check_duplication: bool = True) -> None:
        """Add the set of a key. It is an error if the key is there."""
        items = _items(minhash)
        if key in self._ids:
            if check_duplication:
                raise ValueError("The given key already exists")
            self.remove(key)
        self._n += 1
        name = str(self._n)
        self._ids[key], self._keys[name] = name, key
        if items:
            self._waiting[name] = items
        if len(self._waiting) == 4000:
            self._send()

    @contextlib.contextmanager
    def insertion_session(self, buffer_size: int = 50000) -> Iterator["MinHashLSH"]:
        """Insert many sets; each insertion is of many anyway."""
        yield self

    def query(self, minhash: MinHash) -> List[Hashable]:
        """Return the keys of the sets that are near, the nearest first."""
        items = _items(minhash)
        self._send()
        if not items:
            return []
        return [self._keys[m.id] for m in all_near(self._index, items, threshold=self.threshold)]

    def remove(self, key: Hashable) -> None:
        """Remove a key. It is an error if it is not there."""
        if key not in self._ids:
            raise ValueError("The given key does not exist")
        self._send()
        name = self._ids.pop(key)
        del self._keys[name]
        self._index.delete(name)

    def is_empty(self) -> bool:
        """Report whether there is no key."""
        return not self._ids

    def close(self) -> None:
        """End the process of the index, as the end of the object does."""
        self._index.close()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._ids

    def _send(self) -> None:
        self._index.add(self._waiting.keys(), self._waiting.values())
        self._waiting.clear()


def _items(minhash: MinHash) -> Set[str]:
    if not isinstance(minhash, MinHash):
        name = f"{type(minhash).__module__}.{type(minhash).__name__}"
        raise TypeError(f"a {name} does not tell its set: want simsearch.compat.datasketch.MinHash")
    return {item.hex() for item in minhash.items}
