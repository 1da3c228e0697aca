"""with_rensa.py IN OUT: rensa's sketches and its LSH, in batches, around which a script reads, verifies and writes."""
import sys

from common import THRESHOLD, read, words, write
from rensa import RMinHash, RMinHashLSH

PERMUTATIONS, BANDS, BATCH = 128, 16, 1000  # at the threshold, a pair is found with a probability of 0.95

lines, texts = read(sys.argv[1])
sketches = RMinHash.from_token_sets([list(words(t)) for t in texts], PERMUTATIONS, 42)
lsh = RMinHashLSH(THRESHOLD, PERMUTATIONS, BANDS)
lsh.insert_many(sketches)


def candidates():
    for first in range(0, len(sketches), BATCH):
        yield from lsh.query_all(sketches[first:first + BATCH])


write(sys.argv[2], lines, texts, candidates())
