"""Times find_all of simhash-cpp, by its binding simhash-pybind: peer.py DATA K.

DATA are distinct 64-bit little-endian fingerprints. find_all cuts fingerprints into blocks and sorts them once for each choice of
blocks. Numbers of blocks from K+1 to K+4 are tried, and the fastest counts. The time is that of the call, with the
conversion of the set of integers and of the pairs, which is in its binding. Prints
{"seconds": processor time, "pairs": ..., "blocks": ...} as JSON.
"""
import json
import sys
import time

import numpy as np
from simhash import c_find_all


def main():
    values = set(np.fromfile(sys.argv[1], dtype="<u8").tolist())
    k = int(sys.argv[2])
    best = None
    for blocks in range(k + 1, k + 5):
        start = time.process_time()
        pairs = len(c_find_all(values, blocks, k))
        seconds = time.process_time() - start
        if best is None or seconds < best["seconds"]:
            best = {"seconds": seconds, "pairs": pairs, "blocks": blocks}
    json.dump(best, sys.stdout)


main()
