"""Cleaning data on many machines: the steps of the program, in an order that any engine can run.

A step is a process of the program that reads files and writes a file: `simsearch help step` describes them. An engine runs them
wherever it likes, if all of its machines reach the directory of work. A step may run twice or begin again on another machine: it
writes the same bytes, and its file appears complete or not at all.
"""

import json
import os
from importlib import import_module
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from ._child import Child, SimsearchError
from ._private import Private

# An engine calls a function for each of the numbers from 1 to n, wherever it likes, and returns when all have ended.
Each = Callable[[int, Callable[[int], None]], None]


def flags(
    threshold: Optional[float], k: Optional[int], keep: Optional[str], group: Optional[str], spare: Optional[str], features: Optional[str],
) -> List[str]:
    """Return the flags of the command that say what is near and what is kept."""
    given = {"jaccard": threshold, "k": k, "keep": keep, "group": group, "spare": spare, "features": features}
    if keep is not None and ":" in keep:
        raise SimsearchError("rows are sent with their texts alone: sort them by the column, and keep the first", "bad_request", "keep")
    return [f"--{name}={value}" for name, value in given.items() if value is not None]


class Steps:
    """The steps of one run, with their files in a directory. It can be sent to other processes."""

    def __init__(self, work: str, shares: int, parts: Optional[int], how: Sequence[str], memory: Optional[str]) -> None:
        self.work, self.shares, self.parts, self.how = work, shares, parts or 0, list(how)
        os.makedirs(work, exist_ok=True)
        self.common = ["--quiet"] + ([f"--memory={memory}"] if memory else [])

    def path(self, number: int, kind: str) -> str:
        return os.path.join(self.work, f"{number}.{kind}")

    def files(self, n: int, kind: str) -> List[str]:
        return [f"--in={self.path(i, kind)}" for i in range(1, n + 1)]

    def run(self, step: str, *args: str) -> bytes:
        """Run a step, and return what it prints. The error is a SimsearchError. A step that runs beside others has one processor."""
        threads = [] if step in ("plan", "components") else ["--threads=1"]
        child = Child(["step", step, *self.common, *threads, *args])
        try:
            printed = child.out.read()
            if child.end() != 0:
                raise child.error()
            child.out.close()
            return printed
        except BaseException:
            child.kill()
            raise

    def sketch(self, number: int, *inputs: str, alone: bool = False) -> None:
        """Sketch a share of inputs, or with alone all of them as that share."""
        self.run("sketch", f"--share={number}/{self.shares}", *(["--alone"] if alone else []), f"--out={self.path(number, 'sketch')}",
                 *self.how, "--", *inputs)

    def plan(self) -> None:
        """Find out how many parts there are: none if the step components can compare all sets itself."""
        parts = [f"--parts={self.parts}"] if self.parts else []
        self.parts = int(self.run("plan", *self.files(self.shares, "sketch"), *parts, f"--out={os.path.join(self.work, 'plan')}"))

    def scatter(self, number: int) -> None:
        self.run("scatter", f"--in={os.path.join(self.work, 'plan')}", f"--in={self.path(number, 'sketch')}",
                 f"--out={self.path(number, 'scattered')}")

    def join(self, part: int) -> None:
        self.run("join", f"--in={os.path.join(self.work, 'plan')}", *self.files(self.shares, "scattered"), f"--part={part}",
                 f"--out={self.path(part, 'pairs')}")

    def components(self, out: str) -> None:
        self.run("components", *self.files(self.shares, "sketch"), *self.files(self.parts, "pairs"), f"--out={out}")

    def keep(self, number: int, out: str, *inputs: str) -> None:
        self.run("keep", f"--share={number}/{self.shares}", f"--in={os.path.join(out, 'removed.jsonl')}", f"--out={out}", *self.how, "--",
                 *inputs)

    def decide(self, each: Each, out: str) -> None:
        """Find what is removed, when all shares have their sketches."""
        self.plan()
        if self.parts:
            each(self.shares, self.scatter)
            each(self.parts, self.join)
        self.components(out)


class Sketch:
    """Sketches a share of inputs; it can be sent to other processes, as Keep can."""

    def __init__(self, steps: Steps, inputs: Sequence[str]) -> None:
        self.steps, self.inputs = steps, list(inputs)

    def __call__(self, number: int) -> None:
        self.steps.sketch(number, *self.inputs)


class Keep:
    """Writes a share of inputs again, without what is removed."""

    def __init__(self, steps: Steps, inputs: Sequence[str], out: str) -> None:
        self.steps, self.inputs, self.out = steps, list(inputs), out

    def __call__(self, number: int) -> None:
        self.steps.keep(number, self.out, *self.inputs)


def dedup_files(each: Each, steps: Steps, inputs: Sequence[str], out: str) -> None:
    """Do what `simsearch dedup --out OUT INPUT...` does, on an engine."""
    each(steps.shares, Sketch(steps, inputs))
    steps.decide(each, out)
    each(steps.shares, Keep(steps, inputs, out))


# The place of a row is a number: that of its share, from 0, and below it, in so many bits, that of the row in the share, from 0. It is what
# monotonically_increasing_id of Spark yields.
_BITS = 33


def place(share: int, row: int) -> int:
    """Return the place of a row, which names it in the steps: ids of users may be equal, missing or of any type."""
    return (share - 1) << _BITS | row


def share_and_row(place: int) -> Tuple[int, int]:
    """Return what a place was made of."""
    return (place >> _BITS) + 1, place & ((1 << _BITS) - 1)


def sketch_rows(steps: Steps, number: int, batches: Iterable[Any]) -> int:
    """Sketch the rows of Arrow batches, by their column text, as a share, and return how many there are. They go by way of a file on this
    machine, under their places.
    """
    pyarrow = import_module("pyarrow")
    schema = pyarrow.schema([("id", pyarrow.large_string()), ("text", pyarrow.large_string())])
    n = 0
    with Private() as scratch:
        path = os.path.join(scratch.path, f"{number:06d}.arrows")  # the same wherever it is made
        with pyarrow.OSFile(path, "wb") as file, pyarrow.ipc.new_stream(file, schema) as writer:
            for batch in batches:
                places = pyarrow.array(range(place(number, n), place(number, n + batch.num_rows)), pyarrow.int64())
                n += batch.num_rows
                columns = [column.cast(pyarrow.large_string()) for column in (places, batch.column("text"))]
                writer.write(pyarrow.RecordBatch.from_arrays(columns, schema=schema))
        steps.sketch(number, path, alone=True)
    return n


def removed(out: str) -> List[Dict[str, Any]]:
    """Return what is removed: id and kept_id, which are places, and similarity, or with k distance."""
    with open(os.path.join(out, "removed.jsonl"), encoding="utf-8") as f:
        return [{**row, "id": int(row["id"]), "kept_id": int(row["kept_id"])} for row in map(json.loads, f)]
