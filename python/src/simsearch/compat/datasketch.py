"""MinHash and MinHashLSH as the package `datasketch` has them, with exact answers.

A MinHash of this module keeps the set itself: `jaccard` is exact, and a query returns just the keys whose sets are as similar as the
threshold says, none else and none missed from a threshold of 0.5 on. What differs: it takes more memory than a sketch, and a MinHash of
`datasketch` does not tell its set, so import both from here. A query that more than 1,000 different sets are near is an error; any number
of keys may have equal sets. What is not there: what a sketch consists of (`hashvalues`, `permutations`, `hashfunc`, `digest`), `bulk` and
`generator`; `params`, `weights`, `prepickle`, `storage_config`, `get_counts`, `get_subset_counts` and the query buffer of MinHashLSH; and
all other classes, such as WeightedMinHash, LeanMinHash, MinHashLSHForest, MinHashLSHEnsemble, HyperLogLog and HNSW.
"""

import contextlib
from typing import Any, Dict, FrozenSet, Hashable, Iterable, Iterator, List, Set, Tuple

from .._index import Index
from . import all_near


class MinHash:
    """A set of byte strings. num_perm and seed change no answer. As in the package, only sets with the same ones can be compared."""

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
        self._check(other, "merge")
        self.items |= other.items

    @classmethod
    def union(cls, *mhs: "MinHash") -> "MinHash":
        """Return the union of two sets or more."""
        if len(mhs) < 2:
            raise ValueError("Cannot union less than 2 number of MinHash")
        both = mhs[0].copy()
        for other in mhs[1:]:
            both.merge(other)
        return both

    def _check(self, other: "MinHash", what: str) -> None:
        if self.seed != other.seed:
            raise ValueError(f"Cannot {what} MinHash with different seeds")
        if self.num_perm != other.num_perm:
            raise ValueError(f"Cannot {what} MinHash with different numbers of permutation functions")

    def jaccard(self, other: "MinHash") -> float:
        """Return the Jaccard similarity, which is exact."""
        self._check(other, "compute jaccard given")
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
        return isinstance(other, MinHash) and (self.seed, self.num_perm, self.items) == (other.seed, other.num_perm, other.items)

    __hash__ = None  # type: ignore[assignment]


class MinHashLSH:
    """Finds the sets whose Jaccard similarity to that of a query is at least threshold. The other parameters change no answer. It can be
    pickled.
    """

    def __init__(self, threshold: float = 0.9, num_perm: int = 128, *_: Any, storage_config: Any = None, **__: Any) -> None:
        if storage_config is not None:
            raise ValueError("storage_config: sets are kept by simsearch; simsearch.Index has a directory of its own")
        self.threshold, self.h = threshold, num_perm
        self._index = Index(holds="sets", threshold=threshold)
        self._names: Dict[FrozenSet[bytes], str] = {}  # of different sets, each of which is one document
        self._keys: Dict[str, Dict[Hashable, None]] = {}  # with the set of a name, in the order in which they came
        self._sets: Dict[Hashable, FrozenSet[bytes]] = {}
        self._waiting: Dict[str, Set[str]] = {}
        self._n = 0

    def insert(self, key: Hashable, minhash: MinHash, check_duplication: bool = True) -> None:
        """Add the set of a key. It is an error if the key is there."""
        items = self._items(minhash)
        if key in self._sets:
            if check_duplication:
                raise ValueError("The given key already exists")
            self.remove(key)
        self._add(key, items)

    def _add(self, key: Hashable, items: FrozenSet[bytes]) -> None:
        self._sets[key] = items
        if not items:
            return
        if items not in self._names:
            self._n += 1
            self._names[items] = name = str(self._n)
            self._keys[name] = {}
            self._waiting[name] = _text(items)
            if len(self._waiting) == 4000:
                self._send()
        self._keys[self._names[items]][key] = None

    @contextlib.contextmanager
    def insertion_session(self, buffer_size: int = 50000) -> Iterator["MinHashLSH"]:
        """Insert many sets; each insertion is of many anyway."""
        yield self

    def merge(self, other: "MinHashLSH", check_overlap: bool = False) -> None:
        """Add all keys of another one with the same threshold, whose sets take the place of those that are there."""
        if (self.threshold, self.h) != (other.threshold, other.h):
            raise ValueError("Cannot merge MinHashLSH with different initialization parameters")
        if check_overlap and self._sets.keys() & other._sets.keys():
            raise ValueError("The keys are overlapping, duplicate key exists.")
        for key, items in other._sets.items():
            if key in self._sets:
                self.remove(key)
            self._add(key, items)

    def query(self, minhash: MinHash) -> List[Hashable]:
        """Return the keys of the sets that are near, the nearest first."""
        items = self._items(minhash)
        self._send()
        if not items:
            return []
        return [key for m in all_near(self._index, _text(items), threshold=self.threshold) for key in self._keys[m.id]]

    def remove(self, key: Hashable) -> None:
        """Remove a key. It is an error if it is not there."""
        if key not in self._sets:
            raise ValueError("The given key does not exist")
        items = self._sets.pop(key)
        if not items:
            return
        name = self._names[items]
        del self._keys[name][key]
        if not self._keys[name]:
            self._send()
            del self._names[items], self._keys[name]
            self._index.delete(name)

    def is_empty(self) -> bool:
        """Report whether there is no key."""
        return not self._sets

    def close(self) -> None:
        """End the process of the index, as the end of the object does."""
        self._index.close()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._sets

    def __getstate__(self) -> Tuple[float, int, Dict[Hashable, FrozenSet[bytes]]]:
        return self.threshold, self.h, self._sets

    def __setstate__(self, state: Tuple[float, int, Dict[Hashable, FrozenSet[bytes]]]) -> None:
        threshold, num_perm, sets = state
        self.__init__(threshold, num_perm)  # type: ignore[misc]
        for key, items in sets.items():
            self._add(key, items)

    def _send(self) -> None:
        self._index.add(self._waiting.keys(), self._waiting.values())
        self._waiting.clear()

    def _items(self, minhash: MinHash) -> FrozenSet[bytes]:
        if not isinstance(minhash, MinHash):
            name = f"{type(minhash).__module__}.{type(minhash).__name__}"
            raise TypeError(f"a {name} does not tell its set: want simsearch.compat.datasketch.MinHash")
        if len(minhash) != self.h:
            raise ValueError(f"Expecting minhash with length {self.h}, got {len(minhash)}")
        return frozenset(minhash.items)


def _text(items: FrozenSet[bytes]) -> Set[str]:
    return {item.hex() for item in items}
