"""Cleaning a Dataset of Ray of near duplicates.

    kept = simsearch.ray.dedup(ds, text="body", id="url", work="/shared/work")

The work is done by the program that comes with this package, in processes of their own in the tasks of Ray. All machines must have the
package, or a program that SIMSEARCH_PROGRAM names, and reach the directory of work.
"""

import os
from importlib import import_module
from typing import Any, Callable, Dict, Optional, Sequence

from ._steps import Steps, dedup_files as _dedup_files, flags, removed, sketch_rows


def _task(do: Callable[..., Any], runtime_env: Optional[Dict[str, Any]]) -> Any:
    """Return a task that Ray runs again if it or its machine is killed. It is an error if the program says that something is wrong."""
    return import_module("ray").remote(num_cpus=1, max_retries=-1, runtime_env=runtime_env)(do)


def _each(runtime_env: Optional[Dict[str, Any]]) -> Callable[[int, Callable[[int], None]], None]:
    def each(n: int, do: Callable[[int], None]) -> None:
        task = _task(lambda i: do(i), runtime_env)
        import_module("ray").get([task.remote(i) for i in range(1, n + 1)])

    return each


def _sketch(steps: Steps, number: int, text: str, id: str, table: Any) -> int:
    table = import_module("pyarrow").table({"id": table.column(id), "text": table.column(text)})
    return sketch_rows(steps, number, table.to_batches())


def _rest(table: Any, id: str, gone: Any, annotate: bool, k: Optional[int]) -> Any:
    """Return the rows of a table that are not among what is removed, or all with what was found of them."""
    pyarrow = import_module("pyarrow")
    of = [gone.get(str(one)) for one in table.column(id).to_pylist()]
    if not annotate:
        return table.filter(pyarrow.array([one is None for one in of], pyarrow.bool_()))
    name, kind = ("dup_similarity", pyarrow.float64()) if k is None else ("dup_distance", pyarrow.int64())
    table = table.append_column("dup_kept", pyarrow.array([one is None for one in of], pyarrow.bool_()))
    table = table.append_column("dup_kept_id", pyarrow.array([one and one[0] for one in of], pyarrow.string()))
    return table.append_column(name, pyarrow.array([None if one is None else one[1] for one in of], kind))


def dedup(
    ds: Any, *, text: str = "text", id: str = "id", work: str, threshold: Optional[float] = None, k: Optional[int] = None,
    keep: Optional[str] = None, group: Optional[str] = None, spare: Optional[str] = None, features: Optional[str] = None,
    parts: Optional[int] = None, memory: Optional[str] = None, annotate: bool = False,
    runtime_env: Optional[Dict[str, Any]] = None,
) -> Any:
    """Return the rows of ds that are kept, or with annotate all rows, with the columns dup_kept, dup_kept_id and dup_similarity (or
    dup_distance, with k).

    text and id name columns. Each row must have an id of its own. work is an empty directory that all machines reach. Blocks and rows
    stay in their order. The other parameters are those of simsearch.spark.dedup; a task takes one processor.
    runtime_env is that of Ray's tasks, by which machines get this package, or SIMSEARCH_PROGRAM.
    """
    ray = import_module("ray")
    blocks = ds.to_arrow_refs()
    if not blocks:
        return ds
    steps = Steps(work, len(blocks), parts, flags(threshold, k, keep, group, spare, features), memory)
    sketch = _task(_sketch, runtime_env)
    ray.get([sketch.remote(steps, i, text, id, block) for i, block in enumerate(blocks, 1)])
    out = os.path.join(work, "out")
    steps.decide(_each(runtime_env), out)
    gone = ray.put({row["id"]: (row["kept_id"], float(row["similarity"]) if k is None else row["distance"]) for row in removed(out)})
    rest = _task(_rest, runtime_env)
    return ray.data.from_arrow_refs([rest.remote(block, id, gone, annotate, k) for block in blocks])


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
