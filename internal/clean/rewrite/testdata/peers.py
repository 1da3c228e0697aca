# python3 peers.py make DIR
#
# writes Parquet and Arrow files to DIR: in each compression, with texts that compress to all, most, a half … of their size, in each
# version of pages, with dictionaries and without.
#
# python3 peers.py check DIR
#
# fails unless what DIR/rewritten/N/NAME has is what DIR/NAME has, with all columns, their types and metadata, but for rows that are left
# out, for each program that reads NAME. Of the lists in DIR/read.json, each has NAME, N, the numbers and texts that have been read of rows that
# may go, the columns that are added, and what has been read as turns[].content. Of those rows, every third one goes, as N says.
import json
import os
import random
import sys

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

letters = [chr(c) for c in [*range(0x21, 0x7F), *range(0xC0, 0x250), *range(0x4E00, 0x5200)]]


def table(ratio, rows):
    rng = random.Random(ratio * 100 + rows)
    texts, noise = [], []
    for i in range(rows):
        size = rng.choice([0, 3, 40, 400, 3000])
        texts.append(None if i % 10 == 9 else " ".join(f"w{i}"[: rng.randint(1, 9)] + "".join(
            rng.choices(letters, k=max(1, int(10 / ratio)))) + "a" * max(0, int(10 - 10 / ratio)) for _ in range(size // 10 + 1)))
        noise.append(rng.randbytes(int(size / ratio)) + bytes(size - int(size / ratio)))
    return pa.table({
        "id": pa.array(range(rows), pa.int64()),
        "text": pa.array(texts, pa.string()),
        "noise": pa.array(noise, pa.binary()),
        "turns": pa.array([[{"role": "user", "content": t}] * (i % 3) if i % 5 else None for i, t in enumerate(texts)],
                          pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))),
        "score": pa.array([None if i % 7 == 3 else rng.random() for i in range(rows)], pa.float64()),
    }).replace_schema_metadata({"made by": "peers.py"})


def make(to):
    for ratio in [1, 1.5, 2, 3, 10, 100]:
        small, large = table(ratio, 90), table(ratio, 250)
        for codec in ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]:
            for version in ["1.0", "2.0"]:
                for dictionary in [True, False]:
                    t, page = (large, 1 << 20) if version == "1.0" and not dictionary else (small, 4000)
                    pq.write_table(t, f"{to}/{codec}-{ratio}-v{version[0]}-{dictionary}.parquet", compression=codec,
                                   data_page_version=version, use_dictionary=dictionary, row_group_size=len(t) * 2 // 3,
                                   data_page_size=page, write_page_index=dictionary)
        for codec in [None, "lz4", "zstd"]:
            for name, writer in [("arrow", pa.ipc.new_file), ("arrows", pa.ipc.new_stream)]:
                with writer(f"{to}/{codec}-{ratio}.{name}", small.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as w:
                    for batch in small.to_batches(max_chunksize=37):
                        w.write_batch(batch)
    nulls = [[None] * (i % 3) if i % 4 else None for i in range(len(small))]
    of_nulls = small.append_column("nulls", pa.nulls(len(small))).append_column("nulls listed", pa.array(nulls, pa.list_(pa.null())))
    of_nulls = of_nulls.append_column("nulls within", pa.array([{"n": None, "i": i} for i in range(len(small))],
                                                               pa.struct([("n", pa.null()), ("i", pa.int8())])))
    for name, t in [("few", small), ("nulls", of_nulls)]:
        for dictionary in [True, False]:
            with pq.ParquetWriter(f"{to}/{name}-empty-{dictionary}.parquet", t.schema, use_dictionary=dictionary) as w:
                for begin, end in [(0, 0), (0, 40), (40, 40), (40, 40), (40, len(t)), (0, 0)]:
                    w.write_table(t[begin:end])


def arrow(path):
    if path.endswith(".parquet"):
        return pq.read_table(path)
    with (pa.ipc.open_stream if path.endswith("s") else pa.ipc.open_file)(path) as r:
        return r.read_all()


def polars(path):
    read = {"parquet": pl.read_parquet, "arrow": pl.read_ipc, "arrows": pl.read_ipc_stream}[path.rpartition(".")[2]]
    return read(path)


def duck(path, columns):
    names = ", ".join('"%s"' % n for n in columns)
    return [r[0] for r in duckdb.sql(f"select cast(t as varchar) from (select {names} from read_parquet('{path}')) t").fetchall()]


def chunks(path):
    file = pq.ParquetFile(path)
    groups = [g for g in map(file.metadata.row_group, range(file.metadata.num_row_groups)) if g.num_rows > 0]
    for i in range(len(file.schema)):
        c = file.schema.column(i)
        stored = groups[0].column(i) if groups else None
        yield (c.path, c.physical_type, str(c.logical_type), c.converted_type, c.max_definition_level, c.max_repetition_level,
               stored and stored.compression, stored and any("DICTIONARY" in e for e in stored.encodings))


def check(dir):
    known, readers = {}, {"polars": 0, "duckdb": 0}
    for name, n, numbers, texts, added, turns in json.load(open(f"{dir}/read.json")):
        path, out = f"{dir}/{name}", f"{dir}/rewritten/{n}/{name}"
        a, b = known.get(name) or known.setdefault(name, arrow(path)), arrow(out)
        has = a["text"].to_pylist()
        assert len(texts) == len(has) - has.count(None), (name, len(texts))
        for i, text in zip(numbers, texts):
            assert text == has[i], (name, i, text, has[i])
        if turns is not None:
            chats = ["\n".join(m["content"] for m in c if m["content"] is not None) for c in a["turns"].to_pylist() if c is not None]
            assert turns == [c for c in chats], (name, turns, chats)
        gone = {i for i in numbers if i % 3 == n}
        rows = [i for i in range(len(a)) if i not in gone]
        assert b.schema.names == a.schema.names + added, (name, b.schema.names)
        old = a.schema.names
        assert (a.schema.metadata or {}) == (b.schema.metadata or {}), (name, b.schema.metadata)
        for field in old:
            assert a.schema.field(field).equals(b.schema.field(field), check_metadata=True), (name, field)
            if a.schema.field(field).type != pa.null() and "union" not in str(a.schema.field(field).type):
                assert b[field].to_pylist() == [v for i, v in enumerate(a[field].to_pylist()) if i not in gone], (name, field)
        b.validate(full=True)
        values = {"cluster": rows, "near": [None] * len(rows), "kept": [i % 2 == 0 for i in rows], "by": ["x"] * len(rows)}
        stay = [None if v is None else v for v in has]
        for field in added:
            want = [None if stay[i] is None else v for i, v in zip(rows, values[field])]
            assert b[field].to_pylist() == want, (name, field, b[field].to_pylist())
        try:
            before = polars(path)
        except BaseException:  # a panic of Rust is one
            before = None
        if before is not None:
            readers["polars"] += 1
            assert polars(out).select(old).equals(before[rows]), (name, "polars reads other rows")
        if name.endswith(".parquet"):
            readers["duckdb"] += 1
            assert duck(out, old) == [r for i, r in enumerate(duck(path, old)) if i not in gone], (name, "DuckDB reads other rows")
            was = list(chunks(path))
            assert not len(b) or list(chunks(out))[: len(was)] == was, (name, was, list(chunks(out)))
    print(readers)
    assert min(readers.values()) > 20, readers


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    check(sys.argv[2])
