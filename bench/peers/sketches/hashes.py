"""Times sketches of sets of ready 64-bit hashes by rensa and FastSketchLSH, one thread.

hashes.py FILE N K: FILE has the sets one after the other, each of N little-endian 64-bit hashes; sets 2i and 2i+1 are
pairs. K is the number of positions. Prints a JSON list of {"name", "seconds", "estimates"}: the processor time for all
sketches, in the best of nine runs, and the estimates of the pairs.

Both are called by what their manuals have for many sets of ready hashes: one call for all sets, which lie in one array.
CMinHash of rensa has no such function and takes a list of arrays.
"""
import json
import sys
import time

import numpy as np
from FastSketchLSH import FastSimilaritySketch
from rensa import CMinHash, RMinHash

RUNS = 9


def main():
    n, k = int(sys.argv[2]), int(sys.argv[3])
    hashes = np.fromfile(sys.argv[1], dtype=np.uint64)
    ends = np.arange(0, len(hashes) + 1, n, dtype=np.uint64)
    apart = np.split(hashes, len(hashes) // n)
    fast = FastSimilaritySketch(size=k, seed=42)
    out = []

    def add(name, make, rows, runs=RUNS):
        sketches, best = make(), None
        for _ in range(runs):
            start = time.process_time()
            sketches = make()
            seconds = time.process_time() - start
            best = seconds if best is None else min(best, seconds)
        values = np.array(rows(sketches))
        out.append({"name": name, "seconds": best, "estimates": (values[0::2] == values[1::2]).mean(axis=1).tolist()})

    add("rensa, RMinHash", lambda: RMinHash.digest_matrix_from_flat_token_hashes(hashes, ends, k, 42), lambda m: m.to_rows())
    add("rensa, RMinHash, rho", lambda: RMinHash.digest_matrix_from_flat_token_hashes_rho(hashes, ends, k, 42), lambda m: m.to_rows())
    add("rensa, CMinHash", lambda: CMinHash.digests64_from_token_hash_sets(apart, k, 42), lambda m: m, 1)
    add("FastSketchLSH", lambda: fast.batch_csr(hashes, ends, prehashed=True, num_threads=1), lambda m: m)
    json.dump(out, sys.stdout)


main()
