"""with_gaoya.py IN OUT: gaoya's index of strings, in bulk, as in its documentation, around which a script reads, verifies and writes."""
import sys

from common import THRESHOLD, read, write
from gaoya.minhash import MinHashStringIndex

lines, texts = read(sys.argv[1])
index = MinHashStringIndex(hash_size=32, jaccard_threshold=THRESHOLD - 0.1, num_hashes=128, num_bands=None, band_size=None,
                           analyzer="word", lowercase=True, ngram_range=(1, 1), id_container="vec")
index.par_bulk_insert_docs(list(range(len(texts))), texts)
write(sys.argv[2], lines, texts, index.par_bulk_query(texts))
