# python3 equal.py ORIGINAL REWRITTEN REMAINDER [ADDED...]
#
# fails unless REWRITTEN has the rows of ORIGINAL whose number leaves a remainder other than 0 when it is divided
# by REMAINDER, all columns with their types and metadata, and the columns ADDED behind them. DuckDB must read
# the same.
import sys
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

original, rewritten, remainder = sys.argv[1], sys.argv[2], int(sys.argv[3])
added = sys.argv[4:]
a, b = pq.read_table(original), pq.read_table(rewritten)
want = a.take(pa.array([i for i in range(a.num_rows) if i % remainder], pa.int64()))
assert b.schema.names == a.schema.names + added, (b.schema.names, a.schema.names)
assert pa.schema(list(b.schema)[:len(a.schema)], b.schema.metadata).equals(a.schema, check_metadata=True), (a.schema, b.schema)
for name in a.schema.names:
    assert a.schema.field(name).equals(b.schema.field(name), check_metadata=True), (a.schema.field(name), b.schema.field(name))
assert (a.schema.metadata or {}) == (b.schema.metadata or {}), (a.schema.metadata, b.schema.metadata)
assert b.select(a.schema.names).equals(want), "the rows differ"
b.validate(full=True)

fa, fb = pq.ParquetFile(original), pq.ParquetFile(rewritten)
ca, cb = fa.schema, fb.schema
for i in range(len(ca)):
    x, y = ca.column(i), cb.column(i)
    assert (x.path, x.physical_type, str(x.logical_type), x.converted_type, x.max_definition_level, x.max_repetition_level) == (
        y.path, y.physical_type, str(y.logical_type), y.converted_type, y.max_definition_level, y.max_repetition_level), (x, y)
if fa.metadata.num_row_groups and fb.metadata.num_row_groups:
    for i in range(len(ca)):
        x, y = fa.metadata.row_group(0).column(i), fb.metadata.row_group(0).column(i)
        assert x.compression == y.compression, (x.compression, y.compression)
        assert ("RLE_DICTIONARY" in x.encodings or "PLAIN_DICTIONARY" in x.encodings) == ("RLE_DICTIONARY" in y.encodings), (x.encodings, y.encodings)

columns = ", ".join('"%s"' % n for n in a.schema.names)
query = "select cast(t as varchar) from (select %s from read_parquet('%s')) t"
rows = [r for i, r in enumerate(duckdb.sql(query % (columns, original)).fetchall()) if i % remainder]
assert duckdb.sql(query % (columns, rewritten)).fetchall() == rows, "DuckDB reads other rows"
