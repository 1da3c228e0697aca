"""Cleaning data of near duplicates."""

import importlib
import json
import os
import re
import sys
import warnings
from typing import Any, Callable, Dict, Generic, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

from ._arrow import stream
from ._child import Child, SimsearchError
from ._frames import Rows, rows
from ._private import Private

T = TypeVar("T")


class Removal(NamedTuple):
    """A row that is removed, and the near one that is kept in its place."""

    row: int
    kept_for: int  # -1 if that is no row of the data, but one of the reference
    jaccard: Optional[float]
    distance: Optional[int]  # in bits, if fingerprints are compared
    contained: Optional[float]  # the share of it that the kept one has, if it is removed for that
    copy: Optional[float]  # how likely one is a copy of the other, if that is asked for
    differs: Tuple[str, ...]  # facts in which the two differ: "numbers", "negations", "symbols", "names", "order"
    verdict: str = ""  # "same", "part", "form" or "copy"
    reference: Union[int, str, None] = None  # the row of the reference that it is near, or the id of a document of files or of an index


class Group(NamedTuple):
    """Rows that one is kept for, which comes first."""

    rows: List[int]
    jaccard: Optional[float]  # the smallest of two of them
    distance: Optional[int]  # the largest of two of them, if fingerprints are compared
    reference: Union[int, str, None] = None  # that of the reference that all rows are near, as in Removal: none of them is kept


class Dedup(Generic[T]):
    """What `dedup` has found. Rows are numbered from 0, in the order of the data."""

    kept: List[bool]  #: of each row, whether it is kept
    kept_for: List[int]  #: of each row, the one that is kept in its place; itself if it is kept, and -1 if that is in the reference
    groups: List[Group]  #: of two or more, the largest first
    pairs: List[Removal]  #: the rows that are removed, in their order
    texts: Optional[List[Optional[str]]]  #: with by, of each row, its text without what is repeated, and None if nothing is left
    report: Dict[str, Any]  #: the report.json of the command
    html: str  #: the report as a page

    def __init__(self, data: Rows, ids: Optional[Sequence[Any]], out: str, reference: Optional[Callable[[str], Any]], column: str = "",
                 by: bool = False) -> None:
        self._rows, self._ids, self._has_reference, self._column = data, ids, reference is not None, column
        self.kept, self.kept_for = [True] * len(data), list(range(len(data)))
        self.pairs, self.groups, self.texts = [], [], None
        self.report, self.html = report(out)
        if by:
            left = {int(row["id"]): row["text"] for row in lines(out, _written(out))}
            self.texts = [left.get(i) for i in range(len(data))]
            self.kept = [text is not None for text in self.texts]
            self.kept_for = [i if is_kept else -1 for i, is_kept in enumerate(self.kept)]
            return
        for r in lines(out, "removed.jsonl"):
            row, distance, of = int(r["id"]), r.get("distance"), None
            if reference is not None and r.get("reference"):
                kept, of = -1, reference(r["kept_id"])
            else:
                kept = int(r["kept_id"])
            self.pairs.append(Removal(row, kept, float(r["similarity"]) if distance is None else None, distance,
                                      share(r, "contained"), share(r, "copy"), tuple(r.get("differs", ())), r.get("verdict", ""), of))
            self.kept[row], self.kept_for[row] = False, kept
        near = {p.row: p.reference for p in self.pairs}
        for g in lines(out, "clusters.jsonl"):
            distance = g.get("max_distance")
            of = near.get(int(g["ids"][1]))
            members = [int(row) for row in (g["ids"] if of is None else g["ids"][1:])]
            self.groups.append(Group(members, float(g["min_similarity"]) if distance is None else None, distance, of))

    def kept_frame(self) -> T:
        """Return the rows that are kept, as data of the kind that came in. With by, their texts are without what is repeated, and data
        that are texts alone are a list.
        """
        if self.texts is None:
            return self._rows.take(self.kept)  # type: ignore[no-any-return]
        if not self._column:
            return [text for text in self.texts if text is not None]  # type: ignore[return-value]
        return rows(self._rows.annotate({self._column: self.texts})).take(self.kept)  # type: ignore[no-any-return]

    def annotated(self) -> Any:
        """Return all rows, with what was found of each: dup_cluster (the number of its group, from 1), dup_size (of the group), dup_kept,
        dup_kept_id (of the row that is kept in its place) and dup_similarity, or dup_distance. With against, dup_reference is the row of
        the reference that is kept in its place, or the id of the document. Rows of lists and arrays are dicts then.
        """
        n = len(self.kept)
        cluster: List[Optional[int]] = [None] * n
        size = [1] * n
        for number, group in enumerate(self.groups, 1):
            for row in group.rows:
                cluster[row], size[row] = number, len(group.rows) + (group.reference is not None)
        kept_id: List[Any] = [None] * n
        reference: List[Any] = [None] * n
        similarity: List[Optional[float]] = [None] * n
        distance: List[Optional[int]] = [None] * n
        for p in self.pairs:
            reference[p.row] = p.reference
            if p.reference is None:
                kept_id[p.row] = p.kept_for if self._ids is None else self._ids[p.kept_for]
            similarity[p.row], distance[p.row] = p.jaccard, p.distance
        columns: Dict[str, List[Any]] = {"dup_cluster": cluster, "dup_size": size, "dup_kept": self.kept, "dup_kept_id": kept_id}
        if any(d is not None for d in distance):
            columns["dup_distance"] = distance
        else:
            columns["dup_similarity"] = similarity
        if self._has_reference:
            columns["dup_reference"] = reference
        return self._rows.annotate(columns)

    def __repr__(self) -> str:
        groups = "1 group" if len(self.groups) == 1 else f"{len(self.groups):,} groups"
        return f"<Dedup: {sum(self.kept):,} of {len(self.kept):,} rows kept, {groups}>"


def dedup(
    data: T, *, text: Optional[str] = None, id: Optional[str] = None, against: Any = None, by: Optional[str] = None, threshold: Optional[float] = None,
    k: Optional[int] = None, contained: Optional[float] = None, copy: Optional[float] = None, keep: Optional[str] = None,
    group: Optional[str] = None, spare: Optional[str] = None, features: Optional[str] = None, preset: Optional[str] = None,
    boilerplate: Optional[float] = None, threads: Optional[int] = None, memory: Optional[str] = None, progress: Optional[bool] = None,
) -> Dedup[T]:
    """Find the rows that are near others, and keep one of those that are near each other.

    data is a list or a tuple of texts or dicts, a NumPy array, data of Arrow, pandas, polars or Hugging Face datasets, or whatever speaks
    Arrow's stream protocol. text and id name columns; without text it is "text", and without id rows are named by their numbers. A missing
    text is an empty one, and these are equal.

    against is a reference: rows that are near one of it are removed, too. It is data of any of these kinds, with the same column of texts,
    or the path of an index, of a file or of a directory of files. The texts of data are on the disk while the program works.

    by cuts repetitions within texts in place of whole rows: "paragraph", "line" or "passage" (50 words or more that have occurred before).
    The first one stays. kept_frame() has the texts without them, and no row of which nothing is left.

    Two texts are near if one was probably made from the other: with a probability of copy (0.6) or more. With threshold, they are near if
    their sets of words have that Jaccard similarity or more. Other ways, and which of the near ones is kept, are those of the command: k,
    contained, keep (such as "first" or "newest:date", by a column), group, spare, features, preset and boilerplate (a share of the texts
    such as 0.1, or a number of them); so are threads and memory (such as "2GB").
    progress shows a bar of tqdm; None does on a terminal and in a notebook.

        kept = simsearch.dedup(df, text="body", id="url").kept_frame()
    """
    of = rows(data)
    column = text_column(of, text)
    ids = list(of.column(_column(id, of.names(), "id"))) if id is not None else None
    keys: Optional[Iterable[Any]] = None
    if keep is not None and ":" in keep:
        keep, _, field = keep.partition(":")
        keys, keep = of.column(_column(field, of.names(), "keep")), keep + ":key"
    args = ["--dry-run", *arguments(threshold=threshold, k=k, contained=contained, copy=copy, keep=keep, group=group, spare=spare,
                                    features=features, preset=preset, boilerplate=boilerplate, threads=threads, memory=memory)]
    with Private() as private:
        named: Optional[Callable[[str], Any]] = None
        if by is not None:
            if against is not None:
                raise ValueError("against= and by= exclude each other")
            return Dedup(of, ids, _cut(of, column, [f"--by={by}", *args[1:]], private, progress), None, column, True)
        if against is not None:
            path, named = _reference(against, text, private)
            args.append(f"--against={path}")
        if named is not str:  # files have a format of their own
            args.append("--format=arrow")
        return Dedup(of, ids, run("dedup", of.pieces(column), len(of), args, private, progress, keys), named)


def _cut(of: Rows, column: str, args: Sequence[str], private: Private, progress: Optional[bool]) -> str:
    """Cut repetitions out of texts, which are in a file meanwhile, and return the directory that the command has written."""
    path, out = os.path.join(private.path, "texts.jsonl"), os.path.join(private.path, "out")
    with open(path, "w", encoding="ascii") as file:
        for row, text in enumerate(of.column(column)):
            file.write(json.dumps({"id": str(row), "text": text if isinstance(text, str) else ""}) + "\n")
    with _Bar(len(of), progress) as bar:
        _send(Child(["dedup", path, "--format=jsonl", f"--out={out}", *args], stdout=False, heard=bar.hear, tmp=private), (), bar, (0,))
    return out


def _written(out: str) -> str:
    """Return the name of the file of texts that a command has written into a directory."""
    return next(os.path.relpath(os.path.join(path, names[0]), out) for path, _, names in os.walk(os.path.join(out, "kept")) if names)


def _reference(against: Any, text: Optional[str], private: Private) -> Tuple[str, Callable[[str], Any]]:
    """Return the path of a reference, and what makes the name of one of its documents of an id."""
    if isinstance(against, (str, os.PathLike)):
        return os.fspath(against), str
    of = rows(against)
    path = os.path.join(private.path, "reference.arrows")
    with open(path, "wb") as file:
        for _, block in stream(of.pieces(text_column(of, text, "against")), None):
            file.write(block)
    return path, int


def arguments(**values: Any) -> List[str]:
    """Return the flags of values that are not None."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in values.items() if value is not None]


def run(command: str, pieces: Iterable[Any], n: int, args: Sequence[str], private: Private, progress: Optional[bool],
        keys: Optional[Iterable[Any]] = None, ends: Sequence[int] = (0,), into: str = "out") -> str:
    """Run a command on n texts, and return the directory that it has written, which the flag into names. ends are the statuses of a run that
    was right.
    """
    out = os.path.join(private.path, "out")
    with _Bar(n, progress, command) as bar:
        line = [command, "-", f"--{into}={out}", "--skip=bad", *args]
        _send(Child(line, stdout=False, heard=bar.hear, tmp=private), stream(pieces, keys), bar, ends)
    return out


def _send(child: Child, blocks: Iterable[Tuple[int, Any]], bar: "_Bar", ends: Sequence[int]) -> None:
    try:
        for n, block in blocks:
            if not child.write(block):
                break
            bar.add(n)
        status = child.end()
    except BaseException:  # an interruption, too
        child.kill()
        raise
    if status not in ends:
        raise child.error()
    for line in child.said():
        if line.startswith("simsearch: standard input: "):  # it ends there: rows behind it were not read
            raise SimsearchError(line[len("simsearch: standard input: "):])
        if " of the reference could not be compared" in line:
            warnings.warn(line.rpartition(": ")[0], stacklevel=4)
        if line.startswith("simsearch: -"):  # a row that cannot be read
            warnings.warn(line, stacklevel=4)


def text_column(of: Rows, text: Optional[str], parameter: str = "text") -> str:
    """Return the name of the column of texts, or "" if the data are texts alone."""
    names = of.names()
    return _column(text or "text", names, "text") if names or text and parameter == "text" else ""


def _column(name: str, names: List[str], parameter: str) -> str:
    if name not in names:
        has = "the columns " + ", ".join(map(repr, names)) if names else "no columns"
        raise ValueError(f"there is no column {name!r}: the data have {has}; {parameter}= names one")
    if names.count(name) > 1:
        which = " and ".join(str(i) for i, other in enumerate(names) if other == name)
        raise ValueError(f"the columns {which} (from 0) are both called {name!r}: rename all but one")
    return name


def share(of: Dict[str, Any], name: str) -> Optional[float]:
    """Return a number that may be missing."""
    return float(of[name]) if name in of else None


def lines(out: str, name: str) -> Iterator[Any]:
    """Yield the lines of a list that a command has written."""
    with open(os.path.join(out, name), encoding="utf-8") as f:
        yield from map(json.loads, f)


def report(out: str) -> Tuple[Dict[str, Any], str]:
    """Return the report that a command has written, and its page."""
    with open(os.path.join(out, "report.json"), encoding="utf-8") as f, open(os.path.join(out, "report.html"), encoding="utf-8") as page:
        return json.load(f), page.read()


class _Bar:
    """A bar of tqdm, if there is one to be shown."""

    def __init__(self, n: int, shown: Optional[bool], command: str = "dedup") -> None:
        self.bar: Any = None
        if shown is None:
            shown = sys.stderr is not None and sys.stderr.isatty() or "ipykernel" in sys.modules
        if shown:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # that a notebook has no widgets
                    self.bar = importlib.import_module("tqdm.auto").tqdm(total=n, unit="row", desc=command, delay=1)
            except ImportError:
                pass

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def add(self, n: int) -> None:
        if self.bar is not None:
            self.bar.update(n)

    def hear(self, line: str) -> None:
        """Show in which phase the process is, such as "comparing: 32%, 250 MB of memory"."""
        phase = re.match(r"[a-z][^:]*: \d+%", line)
        if self.bar is not None and phase:
            self.bar.set_postfix_str(phase.group())
