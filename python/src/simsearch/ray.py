"""Cleaning a Dataset of Ray of near duplicates.

    kept = simsearch.ray.dedup(ds, text="body", id="url", work="/shared/work")

The work is done by the program that comes with this package, in processes of their own in the tasks of Ray. All machines must have the
package, or a program that SIMSEARCH_PROGRAM names, and reach the directory of work.
"""

import os
from importlib import import_module
from typing import Any, Callable, Dict, List, Optional, Sequence

from ._steps import Steps, dedup_files as _dedup_files, flags, removed, share_and_row, sketch_rows


def _task(do: Callable[..., Any], runtime_env: Optional[Dict[str, Any]]) -> Any:
    """Return a task that Ray runs again if it or its machine is killed. It is an error if the program says that something is wrong."""
    return import_module("ray").remote(num_cpus=1, max_retries=-1, runtime_env=runtime_env)(do)


def _each(runtime_env: Optional[Dict[str, Any]]) -> Callable[[int, Callable[[int], None]], None]:
    def each(n: int, do: Callable[[int], None]) -> None:
        task = _task(lambda i: do(i), runtime_env)
        import_module("ray").get([task.remote(i) for i in range(1, n + 1)])

    return each


def _sketch(steps: Steps, number: int, text: str, table: Any) -> int:
    return sketch_rows(steps, number, import_module("pyarrow").table({"text": table.column(text)}).to_batches())


def _take(table: Any, id: str, rows: Sequence[int]) -> Any:
    return table.column(id).take(import_module("pyarrow").array(rows, "int64"))


def _rest(table: Any, rows: Sequence[int], found: Dict[str, Any]) -> Any:
    """Return a table without some of its rows, or if anything was found of these, all rows with that in columns, and dup_kept."""
    pyarrow = import_module("pyarrow")
    of: List[Optional[int]] = [None] * table.num_rows
    for i, row in enumerate(rows):
        of[row] = i
    kept = pyarrow.array([i is None for i in of], pyarrow.bool_())
    if not found:
        return table.filter(kept)
    table = table.append_column("dup_kept", kept)
    for name, values in found.items():
        table = table.append_column(name, values.take(pyarrow.array(of, pyarrow.int64())))
    return table


def dedup(
    ds: Any, *, text: str = "text", id: str = "id", work: str, threshold: Optional[float] = None, k: Optional[int] = None,
    keep: Optional[str] = None, group: Optional[str] = None, spare: Optional[str] = None, features: Optional[str] = None,
    parts: Optional[int] = None, memory: Optional[str] = None, annotate: bool = False,
    runtime_env: Optional[Dict[str, Any]] = None,
) -> Any:
    """Return the rows of ds that are kept, or with annotate all rows, with the columns dup_kept, dup_kept_id and dup_similarity (or
    dup_distance, with k).

    text and id name columns. id is used with annotate alone: rows are removed by their places, so ids may be equal or missing. work is an
    empty directory that all machines reach. Blocks and rows stay in their order. The other parameters are those of simsearch.spark.dedup; a
    task takes one processor. runtime_env is that of Ray's tasks, by which machines get this package, or SIMSEARCH_PROGRAM.
    """
    ray = import_module("ray")
    blocks = ds.to_arrow_refs()
    if not blocks:
        return ds
    steps = Steps(work, len(blocks), parts, flags(threshold, k, keep, group, spare, features), memory)
    sketch = _task(_sketch, runtime_env)
    ray.get([sketch.remote(steps, i, text, block) for i, block in enumerate(blocks, 1)])
    out = os.path.join(work, "out")
    steps.decide(_each(runtime_env), out)
    gone: List[List[Dict[str, Any]]] = [[] for _ in blocks]
    for r in removed(out):
        gone[share_and_row(r["id"])[0] - 1].append(r)
    found: List[Dict[str, Any]] = [{} for _ in blocks]
    if annotate:
        found = _found(gone, blocks, id, k, _task(_take, runtime_env))
    rest = _task(_rest, runtime_env)
    tables = [rest.remote(block, [share_and_row(r["id"])[1] for r in rows], more) for block, rows, more in zip(blocks, gone, found)]
    return ray.data.from_arrow_refs(tables)


def _found(gone: List[List[Dict[str, Any]]], blocks: Sequence[Any], id: str, k: Optional[int], take: Any) -> List[Dict[str, Any]]:
    """Return, for each block, columns about its rows that are removed: the id of the row that is kept, and how near that is."""
    pyarrow = import_module("pyarrow")
    kept: Dict[int, List[int]] = {1: []}  # the rows of each share; one share at least, for the type of ids
    at: Dict[int, int] = {}
    for place in sorted({r["kept_id"] for rows in gone for r in rows}):
        share, row = share_and_row(place)
        kept.setdefault(share, []).append(row)
        at[place] = len(at)
    columns = import_module("ray").get([take.remote(blocks[share - 1], id, rows) for share, rows in sorted(kept.items())])
    of = next((column.type for column in columns if column.type != pyarrow.null()), pyarrow.null())  # a block may have no id at all
    ids = pyarrow.chunked_array([chunk.cast(of) for column in columns for chunk in column.chunks], of)
    name, kind = ("dup_similarity", pyarrow.float64()) if k is None else ("dup_distance", pyarrow.int64())
    near = "similarity" if k is None else "distance"
    return [{"dup_kept_id": ids.take(pyarrow.array([at[r["kept_id"]] for r in rows], pyarrow.int64())),
             name: pyarrow.array([r[near] for r in rows]).cast(kind)} for rows in gone]


def dedup_files(
    inputs: Sequence[str], out: str, *, work: str, shares: int, parts: Optional[int] = None, threshold: Optional[float] = None,
    k: Optional[int] = None, keep: Optional[str] = None, group: Optional[str] = None, spare: Optional[str] = None,
    features: Optional[str] = None, memory: Optional[str] = None, options: Sequence[str] = (),
    runtime_env: Optional[Dict[str, Any]] = None,
) -> None:
    """Do what `simsearch dedup --out OUT INPUT...` does: out then has kept, removed.jsonl and clusters.jsonl, with the same bytes. All
    machines must reach the inputs, out and work. The files are read in as many shares.
    options are further flags of the command, such as ["--text-field=body", "--keep=newest:date"].
    """
    steps = Steps(work, shares, parts, [*flags(threshold, k, keep, group, spare, features), *options], memory)
    _dedup_files(_each(runtime_env), steps, inputs, out)
