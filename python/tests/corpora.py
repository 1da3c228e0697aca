"""Random collections in all formats that dedup writes again, with near and equal texts, skewed words, empty files and giant groups."""

import csv
import gzip
import hashlib
import io
import json
import lzma
import random
import zipfile
from pathlib import Path
from typing import Callable, Dict, List

import pyarrow
import pyarrow.parquet


def _table(rows: List[dict]) -> pyarrow.Table:
    return pyarrow.table({name: pyarrow.array([r[name] for r in rows], kind) for name, kind in
                          (("id", pyarrow.string()), ("text", pyarrow.string()), ("n", pyarrow.int64()))})


def _lines(rows: List[dict]) -> bytes:
    return "".join(json.dumps(r) + "\n" for r in rows).encode()


def _cells(rows: List[dict], separator: str) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, ["id", "text", "n"], delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def _compressed(rows: List[dict], how: str) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(sink, how) as out:
        out.write(_lines(rows))
    return sink.getvalue().to_pybytes()


def _arrow(rows: List[dict], new: Callable) -> bytes:
    sink, table = io.BytesIO(), _table(rows)
    with new(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=17)
    return sink.getvalue()


def _parquet(rows: List[dict]) -> bytes:
    sink = io.BytesIO()
    pyarrow.parquet.write_table(_table(rows), sink, row_group_size=19)
    return sink.getvalue()


def _crawl(rows: List[dict]) -> bytes:
    records = [f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <urn:{r['n']}>\r\nWARC-Target-URI: http://example.com/{r['id']}\r\n"
               f"Content-Type: text/plain\r\nContent-Length: {len(r['text'])}\r\n\r\n{r['text']}\r\n\r\n" for r in rows]
    return "".join(records).encode()


def _mail(rows: List[dict]) -> bytes:
    return "".join(f"From a@example.com Thu Jan  1 00:00:00 2026\nMessage-ID: <{r['id']}@example.com>\nSubject: x\n\n{r['text']}\n\n"
                   for r in rows).encode()


def _word(row: dict) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        z.writestr("word/document.xml",
                   f'<w:document xmlns:w="{space}"><w:body><w:p><w:r><w:t>{row["text"]}</w:t></w:r></w:p></w:body></w:document>')
    return out.getvalue()


# Files of many documents, by their endings.
_formats: Dict[str, Callable[[List[dict]], bytes]] = {
    "jsonl": _lines, "jsonl.gz": lambda rows: gzip.compress(_lines(rows), mtime=0), "ndjson.xz": lambda rows: lzma.compress(_lines(rows)),
    "jsonl.zst": lambda rows: _compressed(rows, "zstd"), "json": lambda rows: json.dumps(rows).encode(),
    "csv": lambda rows: _cells(rows, ","), "tsv": lambda rows: _cells(rows, "\t"), "parquet": _parquet,
    "arrow": lambda rows: _arrow(rows, pyarrow.ipc.new_file), "arrows": lambda rows: _arrow(rows, pyarrow.ipc.new_stream),
    "wet": _crawl, "mbox": _mail,
}
# Files of one document.
_single: Dict[str, Callable[[dict], bytes]] = {
    "txt": lambda r: r["text"].encode(), "html": lambda r: f"<html><body><main><p>{r['text']}</p></main></body></html>".encode(), "docx": _word,
}


def write(dir: Path, seed: int) -> Path:
    """Write a collection: files of several formats, some in a deeper directory. Some collections are small."""
    r = random.Random(seed)
    words = [f"w{i}" for i in range(2000)]

    def word() -> str:
        return words[int(len(words) * r.random() ** 4)] if r.random() < 0.5 else r.choice(words)

    def fresh(n: int) -> List[str]:
        return [word() for _ in range(n)]

    seen, template = [fresh(20)], fresh(50)
    crowded, count = r.random() < 0.3, 0

    def row(crowd: bool) -> dict:
        nonlocal count
        count += 1
        text = list(template) if crowd else fresh(r.randrange(1, 60)) if r.random() < 0.3 else list(r.choice(seen))
        for _ in range(r.randrange(4)):
            text[r.randrange(len(text))] = word()
        if r.random() < 0.1:
            text += ["not", str(r.randrange(100))]
        seen.append(text)
        return {"id": f"d{count}", "text": " ".join(text), "n": count}

    dir.mkdir()
    (dir / "deep").mkdir()
    for i in range(r.randrange(2, 9)):
        name = r.choice(list(_formats))
        rows = [row(False) for _ in range(r.choice([0, 1, 5, 20, 60]))]
        if rows or name not in ("csv", "tsv", "json"):
            (dir / r.choice(["", "deep"]) / f"{r.randrange(1000)}-{i}.{name}").write_bytes(_formats[name](rows))
    for i in range(r.randrange(6)):
        name = r.choice(list(_single))
        (dir / f"{i}.{name}").write_bytes(_single[name](row(False)))
    if crowded:  # one giant group, in a file of its own, and the largest
        (dir / "deep" / "crowd.jsonl").write_bytes(_lines([row(True) for _ in range(400)]))
    (dir / "empty.jsonl").write_bytes(b"")
    return dir


def settings(seed: int) -> Dict[str, object]:
    """Return random parameters of dedup_files."""
    r = random.Random(-seed - 1)
    how: Dict[str, object] = {}
    if r.random() < 0.3:
        how["k"] = r.randrange(8)
    elif r.random() < 0.5:
        how["threshold"] = round(r.uniform(0.5, 1), 3)
    if r.random() < 0.5:
        how["keep"] = r.choice(["first", "longest", "cleanest"])
    if r.random() < 0.3:
        how["group"] = "components"
    elif r.random() < 0.3:
        how["spare"] = "numbers,negations"
    return how


def digest(out: Path) -> str:
    """Return the SHA-256 of what a run has written: the lists and all kept files, with their names."""
    sha = hashlib.sha256()
    files = [out / "removed.jsonl", out / "clusters.jsonl", *(path for path in (out / "kept").rglob("*") if path.is_file())]
    for path in sorted(files):
        data = path.read_bytes()
        sha.update(f"{path.relative_to(out)} {len(data)}\n".encode() + data)
    return sha.hexdigest()
