"""Cleaning a DataFrame of Spark of near duplicates.

    kept = simsearch.spark.dedup(df, text="body", id="url", work="/shared/work")

The work is done by the program that comes with this package, in processes of their own in the tasks of Spark. All machines must have
the package, or a program that SIMSEARCH_PROGRAM names, and reach the directory of work.
"""

import os
from importlib import import_module
from typing import Any, Callable, Iterator, Optional, Sequence

from ._steps import Steps, dedup_files as _dedup_files, flags, removed, sketch_rows


def _each(session: Any) -> Callable[[int, Callable[[int], None]], None]:
    def each(n: int, do: Callable[[int], None]) -> None:
        session.sparkContext.parallelize(range(1, n + 1), n).foreach(do)

    return each


_PLACE = "_simsearch_place"  # a column that is there while the work is done


class _SketchPartition:
    """Sketches the rows of a partition, and yields how many there were."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        pyarrow = import_module("pyarrow")
        number = import_module("pyspark").TaskContext.get().partitionId() + 1
        n = sketch_rows(self.steps, number, batches)
        yield pyarrow.RecordBatch.from_pydict({"rows": pyarrow.array([n], pyarrow.int64())})


def dedup(
    df: Any, *, text: str = "text", id: str = "id", work: str, threshold: Optional[float] = None, k: Optional[int] = None,
    keep: Optional[str] = None, group: Optional[str] = None, spare: Optional[str] = None, features: Optional[str] = None,
    parts: Optional[int] = None, memory: Optional[str] = None, annotate: bool = False,
) -> Any:
    """Return the rows of df that are kept, or with annotate all rows, with the columns dup_kept (a bool), dup_kept_id (the id of the row
    that is kept in its place) and dup_similarity (or dup_distance, with k).

    text and id name columns. id is used with annotate alone: rows are removed by their places, so ids may be equal or missing. df is
    computed once, by DataFrame.checkpoint if the session has a directory for that, and else by localCheckpoint: Spark keeps the rows as
    long as the result is used. work is an empty directory that all machines reach, such as one on a network file system; it takes about
    as much as the text. Rows come in the order of the partitions: of rows that are equally good, the first is kept.

    What is near and what is kept are those of the command: threshold (0.8), k, keep ("longest", "first" or "cleanest"), group, spare and
    features. memory bounds each process, such as "2GB"; if it is None, half of a machine's memory. One process compares all
    sets and decides, on the machine of the driver, if it has the memory for that: on text, this takes a tenth of what joins in parts
    take. parts divides the sets in any case, into so many parts at least; there are more if memory asks for it.
    """
    session, functions = df.sparkSession, import_module("pyspark.sql.functions")
    df = df.withColumn(_PLACE, functions.monotonically_increasing_id())
    df = df.checkpoint() if session.sparkContext.getCheckpointDir() else df.localCheckpoint()
    shares = df.rdd.getNumPartitions()
    if shares == 0:
        return df.drop(_PLACE)
    steps = Steps(work, shares, parts, flags(threshold, k, keep, group, spare, features), memory)
    texts = df.select(df[text].cast("string").alias("text"))
    texts.mapInArrow(_SketchPartition(steps), "rows long").agg({"rows": "sum"}).collect()
    out = os.path.join(work, "out")
    steps.decide(_each(session), out)
    nearness, kind = ("dup_similarity", "double") if k is None else ("dup_distance", "int")
    lines = [(r["id"], r["kept_id"], float(r["similarity"]) if k is None else int(r["distance"])) for r in removed(out)]
    gone = session.createDataFrame(lines, f"{_PLACE} long, dup_kept_for long, {nearness} {kind}")
    if not annotate:
        return df.join(functions.broadcast(gone), _PLACE, "left_anti").drop(_PLACE)
    ids = df.select(functions.col(_PLACE).alias("dup_kept_for"), df[id].alias("dup_kept_id"))
    named = ids.join(functions.broadcast(gone), "dup_kept_for")
    joined = df.alias("of").join(functions.broadcast(named).alias("gone"), _PLACE, "left")
    return joined.select("of.*", functions.col("gone.dup_kept_for").isNull().alias("dup_kept"), "gone.dup_kept_id",
                         "gone." + nearness).drop(_PLACE)


def dedup_files(
    session: Any, inputs: Sequence[str], out: str, *, work: str, shares: int, parts: Optional[int] = None,
    threshold: Optional[float] = None, k: Optional[int] = None, keep: Optional[str] = None, group: Optional[str] = None,
    spare: Optional[str] = None, features: Optional[str] = None, memory: Optional[str] = None, options: Sequence[str] = (),
) -> None:
    """Do what `simsearch dedup --out OUT INPUT...` does: out then has kept, removed.jsonl and clusters.jsonl, with the same bytes. All
    machines must reach the inputs, out and work. The files are read in as many shares.
    options are further flags of the command, such as ["--text-field=body", "--keep=newest:date"].
    """
    steps = Steps(work, shares, parts, [*flags(threshold, k, keep, group, spare, features), *options], memory)
    _dedup_files(_each(session), steps, inputs, out)
