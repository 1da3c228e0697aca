# Writes the fixtures of this directory with pyarrow 26.0.1:
#
#	python3 make.py
#
# Each has 40 rows with an id, a text that is null in every tenth row, and columns that readers must not mind.
import pyarrow as pa
import pyarrow.parquet as pq

n = 40
table = pa.table({
    "id": pa.array(range(n), pa.int64()),
    "text": pa.array([None if i % 10 == 9 else "text %d of a few words" % (i // 2) for i in range(n)], pa.string()),
    "meta": pa.array([None if i % 7 == 6 else {"lang": "de" if i % 2 else "en", "n": i} for i in range(n)], pa.struct([("lang", pa.string()), ("n", pa.uint32())])),
    "tags": pa.array([["a", "b"][: i % 3] for i in range(n)], pa.list_(pa.string())),
    "when": pa.array([i * 1000 for i in range(n)], pa.timestamp("ms", tz="UTC")),
    "price": pa.array([i / 8 for i in range(n)], pa.float32()),
    "big": pa.array(["x%d" % i for i in range(n)], pa.large_string()),
}).replace_schema_metadata({"made by": "make.py"})

pq.write_table(table, "snappy_v1.parquet", row_group_size=16)
pq.write_table(table, "zstd_v2.parquet", compression="zstd", data_page_version="2.0", row_group_size=25, write_page_index=True)
pq.write_table(table, "plain_gzip.parquet", compression="gzip", use_dictionary=False)
pq.write_table(table, "delta.parquet", compression="none", use_dictionary=False, data_page_version="2.0",
               column_encoding={"id": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY", "big": "DELTA_LENGTH_BYTE_ARRAY", "price": "BYTE_STREAM_SPLIT"})
pq.write_table(table, "brotli_old.parquet", compression="brotli", version="1.0", store_schema=False, row_group_size=7)
pq.write_table(table.slice(0, 0), "empty.parquet")

# groups/nulls.parquet has five rows in two row groups, with empty ones before, between and behind them, and columns of nothing but nulls.
rows = pa.table({
    "text": ["one two", "three", None, "four five six", "seven"],
    "nulls": pa.nulls(5),
    "listed": pa.array([[None] * i for i in range(5)], pa.list_(pa.null())),
    "within": pa.array([{"n": None, "i": i} for i in range(5)], pa.struct([("n", pa.null()), ("i", pa.int8())])),
})
with pq.ParquetWriter("groups/nulls.parquet", rows.schema, compression="none") as w:
    for begin, end in [(0, 0), (0, 2), (2, 2), (2, 5), (0, 0)]:
        w.write_table(rows[begin:end])
