"""Finds near documents with the defaults of other programs.

    near.py TEXTS

TEXTS has a JSON object a line: {"id": "0", "text": ..., "words": [...]}, with running numbers as ids. The output is a JSON
object a line for each program: {"name": ..., "pairs": [[0, 7], ...]}.
"""
import contextlib
import io
import itertools
import json
import logging
import os
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import datasets
import numpy as np
from datasketch import MinHash, MinHashLSH
from text_dedup import minhash as text_dedup

datasets.disable_progress_bars()
logging.disable(logging.CRITICAL)


def answer(name, pairs):
    print(json.dumps({"name": name, "pairs": sorted(pairs)}))


def with_datasketch(name, texts, **lsh):
    """As in its documentation: the set of the words of each text, MinHash, and what MinHashLSH returns."""
    index = MinHashLSH(num_perm=128, **lsh)
    sketches = list(MinHash.bulk([[w.encode() for w in set(words)] for words in texts], num_perm=128))
    pairs = []
    for i, m in enumerate(sketches):
        pairs.extend((j, i) for j in index.query(m))
        index.insert(i, m)
    answer(name, pairs)


def with_text_dedup(path):
    """Its command, python -m text_dedup.minhash, with the options that it requires. It makes clusters."""
    with tempfile.TemporaryDirectory() as out, contextlib.redirect_stderr(io.StringIO()):
        text_dedup.RNG = np.random.RandomState(text_dedup.SEED)  # as at its start
        text_dedup.main(
            ["--path", "json", "--data_files", path, "--split", "train", "--column", "text",
             "--output", os.path.join(out, "kept"), "--cache_dir", os.path.join(out, "cache")],
            standalone_mode=False)
    clusters = {}
    for i in list(text_dedup.uf.parent):
        clusters.setdefault(text_dedup.uf.find(i), []).append(i)
    answer("text-dedup", [p for c in clusters.values() for p in itertools.combinations(sorted(c), 2)])


def main():
    path = sys.argv[1]
    with open(path) as f:
        documents = [json.loads(line) for line in f]
    between_spaces = [d["text"].split() for d in documents]
    with_datasketch("datasketch", between_spaces)
    with_datasketch("datasketch, 0.5", between_spaces, threshold=0.5)
    with_datasketch("datasketch, 0.8, our words", [d["words"] for d in documents], threshold=0.8)
    with_text_dedup(path)


main()
