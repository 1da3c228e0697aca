"""Simhash and SimhashIndex as the package `simhash` has them.

The values are the same, so that stored ones stay of use, and so are the answers: all within k bits. What differs: fingerprints that
are indexed have 64 bits; a query that more than 1,000 different fingerprints are near is an error, while any number of objects may have
equal ones; `bucket_size` and `get_keys` are missing.
"""

import hashlib
import re
from collections import Counter
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from .._index import Index
from . import all_near

Features = Union[Mapping[str, float], Iterable[Union[str, Tuple[str, float]]]]


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data).digest()


class Simhash:
    """The fingerprint of a text (of its lower-case word characters, four at a time), of features, maybe with weights, or a ready one."""

    def __init__(
        self, value: Any, f: int = 64, reg: str = r"[\w\u4e00-\u9fcc]+", hashfunc: Optional[Callable[[bytes], Any]] = None, log: Any = None,
    ) -> None:
        if f % 8:
            raise ValueError("f must be a multiple of 8")
        self.f, self.reg, self.hashfunc = f, reg, hashfunc or _md5
        self.value = self._of(value)

    def _of(self, value: Any) -> int:
        if isinstance(value, Simhash):
            return value.value
        if isinstance(value, int):
            return value
        if isinstance(value, str):
            content = "".join(re.findall(self.reg, value.lower()))
            value = Counter(content[i:i + 4] for i in range(max(len(content) - 3, 1)))
        items = value.items() if isinstance(value, Mapping) else ((v, 1) if isinstance(v, str) else v for v in value)
        sums, total = [0.0] * self.f, 0.0
        for feature, weight in items:
            total += weight
            h = self.hashfunc(feature.encode("utf-8"))
            bits = int.from_bytes(h[-self.f // 8:], "big") if isinstance(h, bytes) else h & ((1 << self.f) - 1)
            while bits:
                low = bits & -bits
                sums[low.bit_length() - 1] += weight
                bits ^= low
        return sum(1 << i for i, s in enumerate(sums) if s > total / 2)

    def distance(self, another: "Simhash") -> int:
        """Return the number of bits in which two fingerprints differ."""
        assert self.f == another.f
        return bin(self.value ^ another.value).count("1")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Simhash) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


class SimhashIndex:
    """Finds fingerprints within k bits. Values of `simhash.Simhash` will do as well as those of this module."""

    def __init__(self, objs: Iterable[Tuple[Any, Any]], f: int = 64, k: int = 2, log: Any = None) -> None:
        if f != 64:
            raise ValueError(f"f = {f}: fingerprints of 64 bits are indexed")
        self.f, self.k = f, k
        self._index = Index(holds="fingerprints", k=max(k, 1))
        self._ids: Dict[int, Dict[str, None]] = {}  # of the objects with a value, which is one document
        self._waiting: Dict[str, int] = {}
        for obj_id, simhash in objs:
            self.add(obj_id, simhash)

    def add(self, obj_id: Any, simhash: Any) -> None:
        """Add the fingerprint of an object, under its id and its value, as the package does: an id may have several."""
        value = simhash.value
        if value not in self._ids:
            self._ids[value] = {}
            self._waiting[f"{value:016x}"] = value
            if len(self._waiting) == 4000:
                self._send()
        self._ids[value][str(obj_id)] = None

    def delete(self, obj_id: Any, simhash: Any) -> None:
        """Delete the fingerprint of an object."""
        value = simhash.value
        self._ids.get(value, {}).pop(str(obj_id), None)
        if self._ids.get(value) == {}:
            self._send()
            del self._ids[value]
            self._index.delete(f"{value:016x}")

    def get_near_dups(self, simhash: Any) -> List[str]:
        """Return the ids of the objects within k bits, as strings."""
        self._send()
        return list({id: None for m in all_near(self._index, simhash.value, k=self.k) for id in self._ids[int(m.id, 16)]})

    def close(self) -> None:
        """End the process of the index, as the end of the object does."""
        self._index.close()

    def _send(self) -> None:
        self._index.add(self._waiting.keys(), self._waiting.values())
        self._waiting.clear()
