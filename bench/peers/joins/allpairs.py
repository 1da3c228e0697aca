"""SetSimilaritySearch: the exact join AllPairs, in Python over numpy."""
import sys

from SetSimilaritySearch import all_pairs

from sets import measure, read

threshold = float(sys.argv[2])
lists = [s.tolist() for s in read(sys.argv[1])]


def join():
    found = all_pairs(lists, similarity_func_name="jaccard", similarity_threshold=threshold)
    return [(y, x) for x, y, _ in found], ""


measure(join, sys.argv[4])
