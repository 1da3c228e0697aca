"""datasketch: MinHash of ready 32-bit hashes, MinHashLSH with the bands that it chooses for the threshold."""
import sys
from functools import cache

from datasketch import MinHash, MinHashLSH

from sets import jaccard, measure, read

sets, threshold = read(sys.argv[1]), float(sys.argv[2])


@cache
def features(i):
    return frozenset(sets[i].tolist())


def join():
    like = MinHash(num_perm=128)
    sketches = []
    for s in sets:
        m = MinHash(num_perm=128, hashfunc=int, permutations=like.permutations, scheme=like.scheme)
        m.update_batch((s >> 32).tolist())
        sketches.append(m)
    lsh = MinHashLSH(threshold=threshold, num_perm=128)
    with lsh.insertion_session() as session:
        for i, m in enumerate(sketches):
            session.insert(i, m, check_duplication=False)
    pairs = []
    for i, m in enumerate(sketches):
        pairs += ((i, j) for j in lsh.query(m) if i < j and jaccard(features(i), features(j)) >= threshold)
    return pairs, f"{lsh.b} bands of {lsh.r}"


measure(join, sys.argv[4])
