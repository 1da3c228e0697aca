"""Times the MinHash of datasketch, rensa and FastSketchLSH on sets of tokens, one thread.

peer.py FILE K: FILE has a JSON list of tokens a line; lines 2i and 2i+1 are pairs. Prints a JSON
list of {"name", "seconds", "estimates"}: the processor time for all sketches, and the estimates of the pairs.
"""
import json
import sys
import time
import zlib

import numpy as np
from datasketch import MinHash
from FastSketchLSH import FastSimilaritySketch
from rensa import CMinHash, RMinHash


def timed(make, sets):
    make(sets[:50])  # warm
    best = None
    for _ in range(3):
        start = time.process_time()
        sketches = make(sets)
        seconds = time.process_time() - start
        best = seconds if best is None else min(best, seconds)
    return best, sketches


def main():
    sets = [json.loads(line) for line in open(sys.argv[1])]
    k = int(sys.argv[2])
    encoded = [[token.encode() for token in tokens] for tokens in sets]
    hashed = [np.array([zlib.crc32(token.encode()) for token in tokens], dtype=np.uint64) for tokens in sets]
    out = []

    def add(name, make, data, estimate):
        seconds, sketches = timed(make, data)
        estimates = [float(estimate(sketches[i], sketches[i + 1])) for i in range(0, len(sketches), 2)]
        out.append({"name": name, "seconds": seconds, "estimates": estimates})

    def bulk(data):
        return list(MinHash.bulk(data, num_perm=k))

    def batched_hashes(data):
        sketches = []
        for elements in data:
            m = MinHash(num_perm=k, hashfunc=int, permutations=like.permutations, scheme=like.scheme)
            m.update_batch(elements)
            sketches.append(m)
        return sketches

    like = MinHash(num_perm=k)
    add("datasketch, bulk, hashing tokens (SHA-1)", bulk, encoded, lambda a, b: a.jaccard(b))
    add("datasketch, update_batch of ready 32-bit hashes", batched_hashes, hashed, lambda a, b: a.jaccard(b))

    def rensa(kind):
        def make(data):
            sketches = []
            for tokens in data:
                m = kind(num_perm=k, seed=42)
                m.update(tokens)
                m.digest()
                sketches.append(m)
            return sketches
        return make

    add("rensa, RMinHash, one at a time, hashing tokens", rensa(RMinHash), sets, lambda a, b: a.jaccard(b))
    add("rensa, CMinHash, one at a time, hashing tokens", rensa(CMinHash), sets, lambda a, b: a.jaccard(b))

    def agree(a, b):
        return np.mean(np.asarray(a) == np.asarray(b))

    def batch(data):
        return RMinHash.digest_matrix_from_token_sets(data, k, 42)

    def rows(data):
        return batch(data).to_rows()

    # The matrix has no rows that Python sees, so that it is timed alone and its rows are made afterwards.
    seconds, _ = timed(batch, sets)
    sketches = rows(sets)
    out.append({"name": "rensa, RMinHash, in one batch, hashing tokens", "seconds": seconds,
                "estimates": [float(agree(sketches[i], sketches[i + 1])) for i in range(0, len(sketches), 2)]})
    fast = FastSimilaritySketch(size=k, seed=42)
    add("FastSketchLSH, in one batch, hashing tokens", lambda data: fast.batch(data, num_threads=1), encoded, agree)
    json.dump(out, sys.stdout)


main()
