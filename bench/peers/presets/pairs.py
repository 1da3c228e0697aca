"""Compares the pairs of --preset with those of the programs that it follows.

    pairs.py SIMSEARCH TEXTS

TEXTS has a JSON object a line: {"id": ..., "text": ...}. Each program makes signatures with its defaults; two texts are a pair if they share a
band. Pairs that one program alone has are judged by the exact Jaccard similarity of their sequences of five words, without further
normalising.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np


def with_datatrove(texts):
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupSignature
    from datatrove.utils.hashing import HashConfig

    config = MinhashConfig(hash_config=HashConfig(precision=64))
    step = MinhashDedupSignature(output_folder=tempfile.mkdtemp(), config=config, language="eng")
    for text in texts:
        shingles = step.get_shingles(text)
        yield [tuple(map(int, band)) for band in step.get_signature(shingles)] if len(shingles) else []


def with_text_dedup(texts):
    from text_dedup import minhash
    from text_dedup.utils import MinHashArgs, optimal_param, sha1_hash

    of = MinHashArgs
    bands, rows = optimal_param(of.threshold, of.num_perm, false_positive_weight=0.5, false_negative_weight=0.5)
    prime = np.uint64((1 << 61) - 1)
    random = np.random.RandomState(of.seed)
    functions = (random.randint(1, prime, size=(of.num_perm,), dtype=np.uint64), random.randint(0, prime, size=(of.num_perm,), dtype=np.uint64))
    for i, text in enumerate(texts):
        if len(minhash.NON_ALPHA.split(text.lower())) < of.min_length:
            yield []
            continue
        yield minhash.embed_func(
            text, i, num_perm=of.num_perm, ngram_size=of.ngram, min_length=of.min_length, permutations=functions,
            hashranges=[(b * rows, (b + 1) * rows) for b in range(bands)], hash_func=lambda b: sha1_hash(b, d=32), dtype=np.uint64,
            max_hash=np.uint32((1 << 32) - 1), modulo_prime=prime)["__signatures__"]


def pairs_of(signatures):
    tables = collections.defaultdict(list)
    for i, bands in enumerate(signatures):
        for band in enumerate(bands):
            tables[band].append(i)
    return {(a, b) for docs in tables.values() for n, b in enumerate(docs) for a in docs[:n]}


def ours(program, like, path, number):
    with tempfile.TemporaryDirectory() as index:
        subprocess.run([program, "index", "--quiet", "--index", index, "--preset", like, path], check=True)
        out = subprocess.run([program, "pairs", "--quiet", "--index", index], check=True, capture_output=True, text=True).stdout
    return {tuple(sorted(number[name] for name in line.split("\t")[:2])) for line in out.splitlines()}


def main():
    program, path = sys.argv[1:]
    with open(path) as f:
        rows = [json.loads(line) for line in f]
    texts, number = [r["text"] for r in rows], {str(r["id"]): i for i, r in enumerate(rows)}

    def grams(i):
        words = re.findall(r"\w+", texts[i].lower())
        return {tuple(words[at:at + 5]) for at in range(max(1, len(words) - 4))}

    def similarity(pair):
        a, b = map(grams, pair)
        return len(a & b) / len(a | b)

    for like, least, signatures in ("fineweb", 0.75, with_datatrove), ("text-dedup", 0.7, with_text_dedup):
        we, they = ours(program, like, path, number), pairs_of(signatures(texts))
        print(json.dumps({
            "like": like, "texts": len(texts), "both": len(we & they), "ours alone": len(we - they), "theirs alone": len(they - we),
            "of these below": sum(similarity(p) < least for p in they - we),
        }))


main()
