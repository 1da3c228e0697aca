# equal.py BEFORE AFTER REMAINDER [COLUMN...]: checks that AFTER has the rows of BEFORE whose number is no multiple of REMAINDER, all
# columns but the named ones as they are, and these behind them. Polars reads it, too.
import sys

import polars as pl
import pyarrow as pa


def read(path):
    with open(path, "rb") as f:
        file = f.read(6) == b"ARROW1"
    with (pa.ipc.open_file if file else pa.ipc.open_stream)(path) as r:
        table = r.read_all()
    table.validate(full=True)
    return file, table


was_file, before = read(sys.argv[1])
is_file, after = read(sys.argv[2])
n, names = int(sys.argv[3]), sys.argv[4:]
assert was_file == is_file
rows = [i for i in range(len(before)) if i % n]
assert after.schema.metadata == before.schema.metadata, after.schema.metadata
assert after.column_names == [c for c in before.column_names if c not in names] + names, after.column_names
for name in before.column_names:
    if name in names:
        continue
    assert after.schema.field(name).equals(before.schema.field(name), check_metadata=True), name
    values = before[name].to_pylist()
    assert after[name].to_pylist() == [values[i] for i in rows], name
for name in names:
    expected = {"cluster": rows, "near": [None] * len(rows), "kept": [i % 2 == 0 for i in rows],
                "kind": ["x"] * len(rows)}[name]
    assert after[name].to_pylist() == expected, (name, after[name].to_pylist())
if set(after.column_names) <= {"id", "text", "view", "tags", "meta", "when", "ratio"} | set(names):
    assert len((pl.read_ipc if is_file else pl.read_ipc_stream)(sys.argv[2])) == len(rows)
