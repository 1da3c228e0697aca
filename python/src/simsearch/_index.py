"""Indexes, each held open by a process that answers on its standard output."""

import contextlib
import json
import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Set as AbstractSet
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union, overload

from ._child import Child, SimsearchError
from ._dedup import share
from ._private import Private

#: What is compared: a text, a ready-made fingerprint, or a ready-made set of items.
Content = Union[str, int, "AbstractSet[str]"]
Fields = Mapping[str, Any]


class Passage(NamedTuple):
    """What two texts have in common: from where to where, in bytes of each as UTF-8."""

    query: Tuple[int, int]
    document: Tuple[int, int]
    words: int
    edits: int


class Match(NamedTuple):
    """A document near a query. What was not compared is None."""

    id: str
    jaccard: Optional[float]
    distance: Optional[int]
    contained: Optional[float]
    copy: Optional[float]  # how likely it is that one text was made from the other
    fields: Dict[str, str]
    text: Optional[str]
    passages: List[Passage]
    turned: bool = False  # of pictures: it is near the query turned or mirrored


class Near(List[Match]):
    """Documents near a query, the nearest first. `total` counts those beyond the limit, too. If there is none, `nearest` is the nearest."""

    total: int
    nearest: Optional[Match]


class Checked(NamedTuple):
    """Whether a document was new, and else the nearest one, and in which facts the two differ. With differs, it was added all the same."""

    id: str
    new: bool
    match: Optional[Match]
    differs: Tuple[str, ...] = ()  # "numbers", "negations", "symbols", "names", "words"
    verdict: str = ""  # "same", "part", "form" or "copy"


class Document(NamedTuple):
    """A document of an index. Its text is None if the index keeps none."""

    id: str
    text: Optional[str]
    fields: Dict[str, str]


class Pair(NamedTuple):
    """Two documents that are near each other."""

    a: str
    b: str
    jaccard: Optional[float]
    distance: Optional[int]
    copy: Optional[float]  # how likely it is that one was made from the other


class IndexGroup(NamedTuple):
    """Near documents: each is near the first."""

    ids: List[str]
    size: int  # of more than 10,000, ids are the first
    jaccard: Optional[float]  # the smallest of two of them
    distance: Optional[int]  # the largest of two of them
    copy: Optional[float]  # the smallest probability of two of them


class Comparison(NamedTuple):
    """How near two texts are. `details` is all that the command compare says with --json."""

    jaccard: float
    distance: int
    contained: float  # the larger of the shares of each that the other has
    details: Dict[str, Any]


class Index:
    """An index in the directory path, which is made if it is not there, or a temporary one, which ends with the object.

    Changes are on the disk when a method returns. The settings are of a new index: holds is "texts", "fingerprints" or "sets"; features
    such as "word:3"; threshold, k or copy, what is near if nothing else is said; keep "text" or "nothing"; fields, the names of those that
    are kept; passages, whether it finds shared passages. One process writes an index: others open it with read_only, which is what a fork of
    this process does by itself, and a process that it is sent to by pickle. Threads may share an index. Close it, or use it with `with`.
    """

    def __init__(
        self, path: Union[str, "os.PathLike[str]", None] = None, *, holds: Optional[str] = None, features: Optional[str] = None,
        threshold: Optional[float] = None, k: Optional[int] = None, copy: Optional[float] = None, keep: Optional[str] = None,
        fields: Sequence[str] = (), passages: bool = False, read_only: bool = False, threads: Optional[int] = None, memory: Optional[str] = None,
    ) -> None:
        self._lock, self._n, self._read_only = threading.RLock(), 0, read_only
        self._children: List[Child] = []  # one, or none yet
        self._flags = [f"--{name}={value}" for name, value in (("threads", threads), ("memory", memory)) if value is not None]
        settings = _given(holds=holds, features=features, jaccard=threshold, k=k, copy=copy, keep=keep, fields=list(fields),
                          passages=passages)
        private, self._inherited = None, []  # type: Optional[Private], List[int]
        if path is None:
            private = Private()
            self._inherited, path = private.descriptors(), os.path.join(private.path, "index")
        self._path = os.path.abspath(path)
        self._end = weakref.finalize(self, _end, self._children, private, os.getpid())
        try:
            if not read_only and (not os.path.isdir(self._path) or not os.listdir(self._path)):
                self._make(settings)
            else:
                have = self.info()["settings"]
                for name, value in settings.items():
                    if have.get(name) != value:
                        raise SimsearchError(f"the index {self._path} has {have.get(name)!r}, and {value!r} is asked for", "conflict", name)
        except BaseException:
            self.close()
            raise
        _indexes.add(self)

    def _make(self, settings: Dict[str, Any]) -> None:
        """Make the index apart, and put it in its place when it is whole."""
        parent = os.path.dirname(self._path)
        os.makedirs(parent, exist_ok=True)
        private = tempfile.mkdtemp(prefix=".simsearch-", dir=parent)
        try:
            child = Child(["serve", "--stdio", "--write", "--data", private])
            try:
                _ask(child, 1, "create", settings)
                child.end()
            finally:
                child.kill()
            with contextlib.suppress(OSError):
                os.rmdir(self._path)
            os.rename(os.path.join(private, "default"), self._path)
        finally:
            shutil.rmtree(private, ignore_errors=True)

    def _ask(self, op: str, body: Any = None) -> Any:
        with self._lock:
            if not self._end.alive:
                raise SimsearchError("the index is closed", "closed")
            if not self._children:
                where = ["--mount", f"default={self._path}"] if self._read_only else ["--write", "--index", self._path]
                self._children.append(Child(["serve", "--stdio", *where, *self._flags], inherit=self._inherited))
            self._n += 1
            try:
                return _ask(self._children[0], self._n, op, body)
            except SimsearchError as e:
                if e.code == "failed":
                    self._drop()
                raise
            except BaseException:  # an interruption: the answer may still come, and must not be taken for the next one
                self._drop()
                raise

    def _drop(self) -> None:
        self._children.pop().kill()

    def _batch(self, op: str, requests: Iterable[Dict[str, Any]]) -> Iterator[Any]:
        """Yield answers to requests, many of which are sent at once."""
        batch: List[Dict[str, Any]] = []
        size = 0
        for r in requests:
            n = len(r.get("text", "")) + 1000
            if batch and (len(batch) == 4000 or size + n > 8_000_000):
                yield from self._ask(op, batch)
                batch, size = [], 0
            batch.append(r)
            size += n
        if batch:
            yield from self._ask(op, batch)

    def add(self, ids: Union[str, Iterable[str]], contents: Union[Content, Iterable[Content]],
            fields: Union[Fields, Iterable[Optional[Fields]], None] = None) -> List[str]:
        """Add documents, which take the places of those with their ids. Return what became of each: "added", "replaced" or "unchanged"."""
        if isinstance(ids, str):
            ids, contents, fields = [ids], [contents], [fields]  # type: ignore[list-item]
        outcomes = list(self._batch("put", _documents(ids, contents, fields)))  # type: ignore[arg-type]
        return [_sound(o)["outcome"] for o in outcomes]

    @overload
    def near(  # type: ignore[overload-overlap]  # a text is a sequence of texts
        self, query: Content, *, threshold: Optional[float] = ..., k: Optional[int] = ..., contained: Optional[float] = ...,
        copy: Optional[float] = ..., passages: bool = ..., nearest: Optional[int] = ..., limit: Optional[int] = ..., where: Sequence[str] = ..., with_texts: bool = ...,
    ) -> Near: ...
    @overload
    def near(
        self, query: Sequence[Content], *, threshold: Optional[float] = ..., k: Optional[int] = ..., contained: Optional[float] = ...,
        copy: Optional[float] = ..., passages: bool = ..., nearest: Optional[int] = ..., limit: Optional[int] = ..., where: Sequence[str] = ..., with_texts: bool = ...,
    ) -> List[Near]: ...
    def near(
        self, query: Union[Content, Sequence[Content]], *, threshold: Optional[float] = None, k: Optional[int] = None,
        contained: Optional[float] = None, copy: Optional[float] = None, passages: bool = False, nearest: Optional[int] = None,
        limit: Optional[int] = None, where: Sequence[str] = (), with_texts: bool = False,
    ) -> Union[Near, List[Near]]:
        """Return the documents near a text, a fingerprint or a set, or of a list of these those near each.

        threshold, k, contained, copy or passages say what near is, and nearest asks for the nearest so many, however far. copy is the
        probability that one text was made from the other. limit is the most matches (20; 1000 at most). where has conditions on kept fields, such as "lang=en".
        """
        how = _nearness(threshold, k, contained, copy, passages=passages, nearest=nearest, limit=limit, where=list(where), with_texts=with_texts)
        if isinstance(query, (str, int, AbstractSet)):
            return _near(self._ask("near", {**_content(query), **how}))
        return [_near(answer) for answer in self._batch("near", ({**_content(q), **how} for q in query))]

    def near_id(
        self, id: str, *, threshold: Optional[float] = None, k: Optional[int] = None, copy: Optional[float] = None, limit: Optional[int] = None,
    ) -> Near:
        """Return the documents near a document of the index."""
        return _near(self._ask("near", {"id": id, **_nearness(threshold, k, None, copy, limit=limit)}))

    @overload
    def check_and_add(  # type: ignore[overload-overlap]
        self, id: str, content: Content, fields: Optional[Fields] = ..., *, if_near: Optional[str] = ..., threshold: Optional[float] = ...,
        k: Optional[int] = ..., contained: Optional[float] = ..., copy: Optional[float] = ...,
    ) -> Checked: ...
    @overload
    def check_and_add(
        self, id: Sequence[str], content: Sequence[Content], fields: Optional[Sequence[Optional[Fields]]] = ..., *,
        if_near: Optional[str] = ..., threshold: Optional[float] = ..., k: Optional[int] = ..., contained: Optional[float] = ...,
        copy: Optional[float] = ...,
    ) -> List[Checked]: ...
    def check_and_add(
        self, id: Union[str, Sequence[str]], content: Any, fields: Any = None, *, if_near: Optional[str] = None,
        threshold: Optional[float] = None, k: Optional[int] = None, contained: Optional[float] = None, copy: Optional[float] = None,
    ) -> Union[Checked, List[Checked]]:
        """Add a document, or several in their order, unless something near with the same facts is there. if_near says what else becomes of
        a near one: "reject" (it is not added), "link" (it is added all the same) or "replace" (it takes the place of all near it).
        """
        how = _nearness(threshold, k, contained, copy, if_near=if_near)
        docs = _documents([id], [content], [fields]) if isinstance(id, str) else _documents(id, content, fields)
        answers = [_sound(a) for a in self._batch("check_and_add", ({**d, **how} for d in docs))]
        checked = [Checked(a["id"], a["new"], _match(a["match"]) if "match" in a else None, tuple(a.get("differs", ())),
                           a.get("verdict", "")) for a in answers]
        return checked[0] if isinstance(id, str) else checked

    def delete(self, ids: Union[str, Iterable[str]]) -> int:
        """Delete documents by their ids, and return how many were there."""
        outcomes = list(self._batch("delete", ({"id": i} for i in ([ids] if isinstance(ids, str) else ids))))
        return sum(_sound(o)["outcome"] == "deleted" for o in outcomes)

    def get(self, id: str) -> Optional[Document]:
        """Return a document, or None if there is none of this id."""
        try:
            doc = self._ask("document", {"id": id})
        except SimsearchError as e:
            if e.code == "not_found":
                return None
            raise
        return Document(doc["id"], doc.get("text"), doc.get("fields", {}))

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self.get(id) is not None

    def __len__(self) -> int:
        return int(self.info()["documents"])

    def info(self) -> Dict[str, Any]:
        """Return what the index holds: documents, bytes, settings."""
        return self._ask("info")  # type: ignore[no-any-return]

    def pairs(self, *, threshold: Optional[float] = None, k: Optional[int] = None, copy: Optional[float] = None) -> Iterator[Pair]:
        """Yield all pairs of near documents, as they are when the first is asked for."""
        self.info()  # raises if the index is closed
        flags = [f"--{name}={value}" for name, value in (("threshold", threshold), ("k", k), ("copy", copy)) if value is not None]
        child = Child(["pairs", "--index", self._path, "--json", "--quiet", *flags, *self._flags])
        try:
            for line in child.out:
                p = json.loads(line)
                yield Pair(p["a"], p["b"], share(p, "jaccard"), p.get("distance"), share(p, "copy"))
            if child.end() > 1:  # 1: there are none
                raise child.error()
        finally:
            child.kill()

    def groups(self, *, threshold: Optional[float] = None, k: Optional[int] = None, copy: Optional[float] = None) -> Iterator[IndexGroup]:
        """Yield the groups of near documents, the largest first, as they are when the first is asked for."""
        how = _nearness(threshold, k, None, copy, limit=200, members=10_000)
        while True:
            page = self._ask("groups", how)
            for g in page["groups"]:
                yield IndexGroup([m["id"] for m in g["members"]], g["size"], share(g, "jaccard"), g.get("distance"), share(g, "copy"))
            if not page.get("cursor"):
                return
            how["cursor"] = page["cursor"]

    def compare(self, a: str, b: str) -> Comparison:
        """Compare two texts, by the features of the index."""
        c = self._ask("compare", {"a": {"text": a}, "b": {"text": b}})
        inside = max(c["a_in_b"]["exact"], c["b_in_a"]["exact"])
        return Comparison(float(c["jaccard"]["exact"]), c["distance"], float(inside), c)

    def close(self) -> None:
        """End the process, and remove the index if it is temporary. Closing again does nothing."""
        with self._lock:
            self._end()

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        return _reader, (self._path, os.urandom(8))

    def _after_fork(self) -> None:
        self._lock, self._read_only = threading.RLock(), True
        self._children.clear()


def _reader(path: str, _: bytes) -> Index:
    """Return an index that has been sent to another process, which reads it. No two pickles are equal, since what an index answers changes:
    `datasets` takes no earlier result for that of a function that asks one.
    """
    return Index(path, read_only=True)


_indexes: "weakref.WeakSet[Index]" = weakref.WeakSet()


def _after_fork() -> None:
    for index in list(_indexes):
        index._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _end(children: List[Child], private: Optional[Private], owner: int) -> None:
    while children:
        child = children.pop()
        child.end(10)
        child.kill()
    if private and os.getpid() == owner:  # and no fork of it
        private.remove()


def _ask(child: Child, n: int, op: str, body: Any) -> Any:
    request = json.dumps({"id": n, "op": op, "body": body}, ensure_ascii=False, separators=(",", ":"))
    line = child.out.readline() if child.write(request.encode("utf-8", "backslashreplace") + b"\n") else b""
    if not line:
        child.end(10)
        raise child.error()
    answer = json.loads(line)
    if answer["status"] >= 400:
        raise _error(answer["body"]["error"])
    return answer["body"]


def _error(e: Dict[str, str]) -> SimsearchError:
    return SimsearchError(e["message"], e["code"], e.get("where", ""))


def _sound(outcome: Dict[str, Any]) -> Dict[str, Any]:
    """Return the outcome of a document of a batch, or raise its error. The other documents have been taken."""
    if "error" in outcome:
        e = _error(outcome["error"])
        raise SimsearchError(f"document {outcome['id']!r}: {e}", e.code)
    return outcome


def _content(content: Any) -> Dict[str, Any]:
    if isinstance(content, str):
        return {"text": content}
    if isinstance(content, int):
        return {"fingerprint": f"{content:016x}"}
    if isinstance(content, Iterable) and not isinstance(content, (bytes, Mapping)):
        return {"set": sorted(content)}
    raise TypeError(f"{content!r:.80} of the type {type(content).__name__}: want a text, a fingerprint or a set of items")


def _documents(ids: Iterable[str], contents: Iterable[Any], fields: Optional[Iterable[Optional[Fields]]]) -> Iterator[Dict[str, Any]]:
    ids, contents = list(ids), list(contents)
    more = list(fields) if fields is not None else [None] * len(ids)
    if not len(ids) == len(contents) == len(more):
        raise ValueError(f"{len(ids)} ids, {len(contents)} contents and {len(more)} fields: want one of each for each document")
    for i, content, f in zip(ids, contents, more):
        yield {"id": i, **_content(content), **({"fields": dict(f)} if f else {})}


def _nearness(threshold: Optional[float], k: Optional[int], contained: Optional[float], copy: Optional[float], **more: Any) -> Dict[str, Any]:
    return _given(jaccard=threshold, k=k, contained=contained, copy=copy, **more)


def _given(**values: Any) -> Dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None and value is not False and value != []}


def _match(m: Dict[str, Any]) -> Match:
    passages = [Passage(tuple(p["query"]), tuple(p["document"]), p["words"], p["edits"]) for p in m.get("passages", ())]
    return Match(m["id"], share(m, "jaccard"), m.get("distance"), share(m, "contained"), share(m, "copy"), m.get("fields", {}), m.get("text"),
                 passages)


def _near(answer: Dict[str, Any]) -> Near:
    near = Near(map(_match, answer["matches"]))
    near.total = answer["total"]
    near.nearest = _match(answer["nearest"]) if "nearest" in answer else None
    return near
