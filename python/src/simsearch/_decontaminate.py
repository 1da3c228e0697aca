"""Finding the items of tests in data."""

import json
import os
from collections.abc import Mapping
from typing import Any, Dict, Generic, List, NamedTuple, Optional, Tuple, TypeVar, Union

from ._arrow import missing
from ._dedup import arguments, lines, report, run, text_column
from ._frames import rows
from ._private import Private

T = TypeVar("T")
Place = Tuple[int, int]


class Hit(NamedTuple):
    """A field of an item that is found in a row."""

    row: int
    benchmark: str  # the file or the directory of the item, or the name of its data
    item: Union[int, str]  # its row, or its id in a file
    field: str
    share: float  # of the words of the field
    passages: List[Tuple[Place, Place]]  # from where to where in the field, and in the text of the row, in bytes of UTF-8


class Decontaminated(Generic[T]):
    """What `decontaminate` has found. Rows are numbered from 0, in the order of the data."""

    kept: List[bool]  #: of each row, whether nothing is found in it
    hits: List[Hit]  #: what is found, in the order of the rows
    report: Dict[str, Any]  #: the report.json of the command
    html: str  #: the report as a page, which shows the texts

    def __init__(self, data: Any, out: str, names: Dict[str, str]) -> None:
        self._rows, self.kept, self.hits = data, [True] * len(data), []
        for h in lines(out, "hits.jsonl"):
            own = names.get(os.path.basename(h["benchmark"]))
            places = [((a[0], a[1]), (b[0], b[1])) for a, b in h["spans"]]
            self.hits.append(Hit(int(h["document"]), h["benchmark"] if own is None else own, h["item"] if own is None else int(h["item"]),
                                 h["field"], float(h["share"]), places))
            self.kept[self.hits[-1].row] = False
        self.report, self.html = report(out)

    def kept_frame(self) -> T:
        """Return the rows in which nothing is found, as data of the kind that came in."""
        return self._rows.take(self.kept)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<Decontaminated: {self.kept.count(True):,} of {len(self.kept):,} rows kept>"


def decontaminate(
    data: T, tests: Any, *, text: Optional[str] = None, words: Optional[int] = None, threads: Optional[int] = None,
    memory: Optional[str] = None, progress: Optional[bool] = None,
) -> Decontaminated[T]:
    """Find the rows that have items of tests, such as a benchmark of language models.

    data is of any kind that dedup takes, and text names its column of texts. tests is the path of a file or of a directory of items, such
    as "gsm8k.jsonl" or "gsm8k.jsonl:question", or data: each row is an item, and each text in it a field. A dict gives several, such as
    {"gsm8k": df, "mmlu": dataset}; a path in it keeps its own name. What counts is so many words (13) in a row, in an item and in a row of
    the data. The other parameters are those of dedup.

        clean = simsearch.decontaminate(df, "gsm8k.jsonl", text="body").kept_frame()
    """
    of = rows(data)
    with Private() as private:
        args = ["--format=arrow", *arguments(passage_words=words, threads=threads, memory=memory)]
        names: Dict[str, str] = {}
        for name, test in (tests if isinstance(tests, Mapping) else {"tests": tests}).items():
            if not isinstance(test, (str, os.PathLike)):
                test, own = os.path.join(private.path, f"simsearch-tests-{len(names)}.jsonl"), test
                names[os.path.basename(test)] = str(name)
                _write(own, test)
            args.append(f"--test={os.fspath(test)}")
        out = run("decontaminate", of.pieces(text_column(of, text)), len(of), args, private, progress, ends=(0, 1))  # 1: nothing is found
        return Decontaminated(of, out, names)


def _write(data: Any, path: str) -> None:
    """Write the rows of data as items, which have the numbers of the rows."""
    of = rows(data)
    names = of.names()
    with open(path, "w", encoding="utf-8") as file:
        for row, values in enumerate(zip(*(of.column(name) for name in names or [""]))):
            fields = {name: value for name, value in zip(names or ["text"], values) if not missing(value)}
            file.write(json.dumps({**fields, "id": str(row)}, default=_plain) + "\n")


def _plain(value: Any) -> Any:
    """Return an array as a list; what is neither a text nor has any, such as a date, says nothing."""
    return value.tolist() if hasattr(value, "tolist") else None
