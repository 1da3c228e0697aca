# Writes the fixtures of this directory with pyarrow 26.0.1 and polars 2.1.0:
#
#	python3 make.py
#
# Each has 40 rows with an id, a text that is null in every tenth row, and columns of all kinds, which must come through.
import datetime
import decimal

import polars as pl
import pyarrow as pa

n = 40


def some(values, kind, every=7):
    return pa.array([None if i % every == every - 1 else v for i, v in enumerate(values)], kind)


sparse = pa.UnionArray.from_sparse(pa.array([i % 2 for i in range(n)], pa.int8()), [pa.array(range(n)), pa.array([str(i) for i in range(n)])])
dense = pa.UnionArray.from_dense(pa.array([i % 2 for i in range(n)], pa.int8()), pa.array([i // 2 for i in range(n)], pa.int32()),
                                 [pa.array(range(n // 2)), pa.array([str(i) for i in range(n // 2)])])
table = pa.table({
    "id": pa.array(range(n), pa.int64()),
    "text": pa.array([None if i % 10 == 9 else "text %d of a few words" % (i // 2) for i in range(n)], pa.string()),
    "big": some(["x%d" % i for i in range(n)], pa.large_string()),
    "view": some(["a view of a text, number %d" % i if i % 3 else "v%d" % i for i in range(n)], pa.string_view()),
    "bytes": some([b"\x00\xff%d" % i for i in range(n)], pa.binary()),
    "fixed": some([b"%04d" % i for i in range(n)], pa.binary(4)),
    "yes": some([i % 3 == 0 for i in range(n)], pa.bool_()),
    "tiny": some([i - 20 for i in range(n)], pa.int8()),
    "word": pa.array([2**64 - 1 - i for i in range(n)], pa.uint64()),
    "half": pa.array([i / 2 for i in range(n)], pa.float16()),
    "price": pa.array([i / 8 for i in range(n)], pa.float32()),
    "ratio": some([i / 7 for i in range(n)], pa.float64()),
    "money": some([decimal.Decimal("%d.25" % i) for i in range(n)], pa.decimal128(12, 2)),
    "day": some([datetime.date(2024, 1, 1) + datetime.timedelta(i) for i in range(n)], pa.date32()),
    "when": some([i * 1000 for i in range(n)], pa.timestamp("ms", tz="UTC")),
    "nano": pa.array([i * 1000 for i in range(n)], pa.timestamp("ns")),
    "clock": pa.array([i for i in range(n)], pa.time64("us")),
    "took": pa.array([i for i in range(n)], pa.duration("s")),
    "span": pa.array([pa.MonthDayNano([1, i, 2]) for i in range(n)], pa.month_day_nano_interval()),
    "none": pa.nulls(n),
    "tags": some([["a", "b"][: i % 3] for i in range(n)], pa.list_(pa.string())),
    "deep": some([[[i], [i, None]][: i % 3] for i in range(n)], pa.large_list(pa.list_(pa.int32()))),
    "pair": some([[i, -i] for i in range(n)], pa.list_(pa.int16(), 2)),
    "map": some([[("k%d" % i, i)] * (i % 3) for i in range(n)], pa.map_(pa.string(), pa.int64())),
    "meta": some([{"lang": "de" if i % 2 else "en", "n": i, "in": {"s": str(i)}} for i in range(n)],
                 pa.struct([("lang", pa.string()), ("n", pa.uint32()), ("in", pa.struct([("s", pa.string())]))])),
    "kind": some(["red" if i % 2 else "blue" for i in range(n)], pa.string()).dictionary_encode(),
    "kinds": pa.array([["red", "blue"][: i % 3] for i in range(n)], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "sparse": sparse,
    "dense": dense,
}).replace_schema_metadata({"made by": "make.py"})


def write(name, writer, table, rows, **options):
    with writer(name, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as w:
        for batch in table.to_batches(max_chunksize=rows):
            w.write_batch(batch)


write("stream.arrows", pa.ipc.new_stream, table, 16)
write("file.arrow", pa.ipc.new_file, table, 25)
write("zstd.arrows", pa.ipc.new_stream, table, 40, compression="zstd")
write("lz4.arrow", pa.ipc.new_file, table, 13, compression="lz4")
write("empty.arrows", pa.ipc.new_stream, table.slice(0, 0), 1)
frame = pl.from_arrow(table.select(["id", "text", "view", "tags", "meta", "kind", "when", "ratio"]))
frame.write_ipc("polars.arrow", compression="uncompressed")
frame.write_ipc_stream("polars.arrows", compression="lz4")

# Files of kinds that are not read.
ends = pa.RunEndEncodedArray.from_arrays(pa.array([n], pa.int32()), pa.array(["x"]))
views = pa.array([[i] for i in range(n)], pa.list_view(pa.int32()))
for name, column in [("run_ends", ends), ("list_views", views), ("large_list_views", pa.array(views.to_pylist(), pa.large_list_view(pa.int32())))]:
    write(f"unread/{name}.arrow", pa.ipc.new_file, pa.table({"text": table["text"].to_pylist(), "column": column}), n)
within = pa.StructArray.from_arrays([ends], ["inside"])
write("unread/within.arrows", pa.ipc.new_stream, pa.table({"text": table["text"].to_pylist(), "column": within}), n)
