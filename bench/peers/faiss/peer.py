"""FAISS under the protocol of bench: peer.py DATA QUERIES K SETTING

SETTING is flat, or multihash:NHASH,BITS,FLIPS. One thread, queries in one batch.
MultiHash finds all within K only if every K differing bits leave one of the hashes
within FLIPS; what it misses shows in matches.
"""
import json
import sys
import time

import faiss
import numpy as np


def mix(x):
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def main():
    data_path, queries_path, k, setting = sys.argv[1:]
    faiss.omp_set_num_threads(1)
    data = np.fromfile(data_path, dtype=np.uint8).reshape(-1, 8)
    queries = np.fromfile(queries_path, dtype=np.uint8).reshape(-1, 8)
    before = resident()
    start = time.process_time()
    if setting == "flat":
        index = faiss.IndexBinaryFlat(64)
    else:
        nhash, bits, flips = map(int, setting.split(":")[1].split(","))
        index = faiss.IndexBinaryMultiHash(64, nhash, bits)
        index.nflip = flips
    index.add(data)
    build = time.process_time() - start
    size = (resident() - before) / len(data)
    start = time.process_time()
    limits, _, ids = index.range_search(queries, int(k) + 1)  # strictly below
    query = (time.process_time() - start) / len(queries) * 1e6
    of = np.repeat(np.arange(len(queries), dtype=np.uint64), np.diff(limits.astype(np.int64)))
    with np.errstate(over="ignore"):
        checksum = int(mix(of << np.uint64(32) | ids.astype(np.uint64)).sum(dtype=np.uint64))
    print(json.dumps({"build_s": build, "batch_us": query, "bytes": size, "matches": len(ids), "checksum": "%016x" % checksum}))


if __name__ == "__main__":
    main()
