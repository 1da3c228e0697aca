"""Who copied from whom."""

import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from ._dedup import arguments, lines, report, run, text_column
from ._frames import rows
from ._private import Private

Place = Tuple[int, int]


class Shared(NamedTuple):
    """Two rows that share more than independent texts on one subject do."""

    a: int
    b: int
    a_share: float  # of the words of a, those in passages that b has, too
    b_share: float
    once_in: int  # of so many pairs of independent texts, about one shares as much
    shown: bool  # whether that is 1,000 or more; the others are listed to be looked at
    given: bool  # whether they share hardly more than what a tenth of the rows have
    passages: List[Tuple[Place, Place]]  # from where to where in both texts, in bytes of UTF-8


class Copied:
    """What `copied` has found. Rows are numbered from 0, in the order of the data."""

    pairs: List[Shared]  #: whole copies first, then the least likely
    groups: List[List[int]]  #: rows that pairs connect which are shown, the largest group first
    report: Dict[str, Any]  #: the report.json of the command
    html: str  #: the report as a page, which shows the texts side by side

    def __init__(self, out: str) -> None:
        self.pairs = [
            Shared(int(p["a"]), int(p["b"]), float(p["a_share"]), float(p["b_share"]), int(p["once_in"]), bool(p["shown"]), bool(p.get("given")),
                   [((x["a"][0], x["a"][1]), (x["b"][0], x["b"][1])) for x in p["passages"]])
            for p in lines(out, "pairs.jsonl")]
        self.report, self.html = report(out)
        self.groups = [[int(row) for row in group] for group in self.report["groups"]]

    def __repr__(self) -> str:
        shown = sum(p.shown for p in self.pairs)
        return f"<Copied: {shown:,} {'pair of rows shares' if shown == 1 else 'pairs of rows share'} passages>"


def copied(
    data: Any, *, text: Optional[str] = None, boilerplate: Union[float, str, "os.PathLike[str]", Sequence[Union[float, str]]] = (), threads: Optional[int] = None,
    memory: Optional[str] = None, progress: Optional[bool] = None,
) -> Copied:
    """Find the rows that share more than independent texts do, such as essays of which one was copied from another.

    data is of any kind that dedup takes, each row is a text, and text names the column. boilerplate is the path of a text that does not
    count, such as a task, or a share of the rows, such as 0.1, for what so many have (half, if you do not say, and "none" counts all), or a
    list of these. The other parameters are those of dedup. Texts are compared as words; for programs, give files to the command
    simsearch pairs --passages, which knows their languages.

        for p in simsearch.copied(df, text="essay").pairs:
            print(p.a, p.b, p.once_in)
    """
    of = rows(data)
    known = [boilerplate] if isinstance(boilerplate, (float, int, str, os.PathLike)) else boilerplate
    with Private() as private:
        args = ["--passages", "--format=arrow", *arguments(threads=threads, memory=memory), *(f"--boilerplate={b}" for b in known)]
        return Copied(run("pairs", of.pieces(text_column(of, text)), len(of), args, private, progress, ends=(0, 1)))  # 1: no pair is shown
