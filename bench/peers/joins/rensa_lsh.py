"""rensa: RMinHash and RMinHashLSH, by their functions for batches.

The number of bands, which divides 128, is the least that finds a pair at the threshold with a probability of 0.85: 16
at 0.8, for 0.947, and 32 at 0.5, for 0.873. The batch functions run on as many threads as RAYON_NUM_THREADS says.
"""
import sys
from functools import cache

from rensa import RMinHash, RMinHashLSH

from sets import jaccard, measure, read

sets, threshold = read(sys.argv[1]), float(sys.argv[2])
tokens = [[format(x, "x") for x in s.tolist()] for s in sets]  # it takes text


@cache
def features(i):
    return frozenset(tokens[i])


def join():
    bands = next(b for b in (1, 2, 4, 8, 16, 32, 64, 128) if 1 - (1 - threshold ** (128 // b)) ** b >= 0.85)
    lsh = RMinHashLSH(threshold, 128, bands)
    sketches = RMinHash.from_token_sets(tokens, 128, 42)
    lsh.insert_many(sketches)
    pairs = []
    batch = 1000
    for first in range(0, len(sketches), batch):
        for i, near in enumerate(lsh.query_all(sketches[first : first + batch]), first):
            pairs += ((i, j) for j in near if i < j and jaccard(features(i), features(j)) >= threshold)
    return pairs, f"{bands} bands of {128 // bands}"


measure(join, sys.argv[4])
