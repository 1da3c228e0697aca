"""What the peers in Python share: reading sets, memory, and the result.

A peer is called peer.py SETS THRESHOLD THREADS PAIRS. SETS has 64-bit little-endian integers: the number
of sets, where each begins and ends among the features, and the features. The peer writes the pairs at or above the
threshold to PAIRS, as two 32-bit integers each, and prints one JSON object.
"""
import json
import time

import numpy as np


def read(path):
    """Returns the sets as arrays, which are parts of one."""
    everything = np.fromfile(path, dtype="<u8")
    n = int(everything[0])
    ends, features = everything[1 : n + 2].tolist(), everything[n + 2 :]
    return [features[ends[i] : ends[i + 1]] for i in range(n)]


def status(name):
    """Returns the value of a line of /proc/self/status, in bytes."""
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    return 0


def measure(join, pairs_path):
    """Calls join, which returns the pairs and a note, and reports what it took."""
    loaded = status("VmRSS:")
    try:
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")  # the peak from here on
    except OSError:
        pass
    start, worked = time.perf_counter(), time.process_time()
    pairs, note = join()
    seconds, processor = time.perf_counter() - start, time.process_time() - worked
    peak = status("VmHWM:")
    np.array(pairs, dtype="<u4").tofile(pairs_path)
    print(json.dumps({"seconds": seconds, "processor": processor, "loaded": loaded, "peak": peak, "note": note}))


def jaccard(a, b):
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared)
