"""A plain server before a library: server.py ENGINE DATA K DIRECTORY

ENGINE is flat, multihash:NHASH,BITS,FLIPS or ivf:LISTS,PROBES of FAISS, or lance:LISTS,PROBES. DATA is
64-bit little-endian integers. It answers POST with {"q": "HEX"} or {"q": ["HEX", ...]} by lists of
[id, distance], one for each query. Two processes share the port and the index, one thread each: uvicorn
with uvloop and httptools, and orjson. It prints its address when it is ready.
"""
import os
import socket
import sys

import numpy as np
import orjson
import uvicorn


def faiss_engine(setting, data, k):
    import faiss

    faiss.omp_set_num_threads(1)
    kind, _, numbers = setting.partition(":")
    numbers = [int(n) for n in numbers.split(",") if n]
    if kind == "flat":
        index = faiss.IndexBinaryFlat(64)
    elif kind == "multihash":
        index = faiss.IndexBinaryMultiHash(64, *numbers[:2])
        index.nflip = numbers[2]
    else:
        quantizer = faiss.IndexBinaryFlat(64)
        index = faiss.IndexBinaryIVF(quantizer, 64, numbers[0])
        index.nprobe = numbers[1]
        index.keep = quantizer
        index.train(data[:: max(1, len(data) // (numbers[0] * 64))])
    index.add(data)

    def near(queries):
        limits, distances, ids = index.range_search(queries, k + 1)  # strictly below
        limits, found = limits.tolist(), list(zip(ids.tolist(), distances.tolist()))
        return [found[a:b] for a, b in zip(limits, limits[1:])]

    return near


def lance_write(setting, data, directory):
    import lance
    import pyarrow as pa

    lists = int(setting.split(":")[1].split(",")[0])
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(data.reshape(-1)), 8)
    table = pa.table({"id": pa.array(np.arange(len(data))), "v": vectors})
    dataset = lance.write_dataset(table, directory, mode="overwrite")
    dataset.create_index("v", "IVF_FLAT", metric="hamming", num_partitions=lists)


def lance_engine(setting, directory, k):
    probes = int(setting.split(",")[1])
    dataset = None

    def one(q):
        wanted = {"column": "v", "q": q, "k": 20, "metric": "hamming", "nprobes": probes, "distance_range": (0, k + 1)}
        found = dataset.to_table(columns=["id", "_distance"], nearest=wanted)
        return list(zip(found["id"].to_pylist(), found["_distance"].to_pylist()))

    def near(queries):
        nonlocal dataset
        if dataset is None:  # after the fork, which its threads would not survive
            import lance

            dataset = lance.dataset(directory)
        return [one(q) for q in queries]

    return near


def main():
    engine, path, k, directory = sys.argv[1:]
    data = np.fromfile(path, dtype=np.uint8).reshape(-1, 8)
    if engine.startswith("lance"):
        if os.fork() == 0:  # an index is made in a process of its own, since threads do not survive a fork
            lance_write(engine, data, directory)
            os._exit(0)
        if os.wait()[1]:
            sys.exit("lance could not make the index")
        near = lance_engine(engine, directory, int(k))
    else:
        near = faiss_engine(engine, data, int(k))
    del data

    async def app(scope, receive, send):
        if scope["type"] != "http":
            return
        body, more = b"", True
        while more:
            part = await receive()
            body += part.get("body", b"")
            more = part.get("more_body", False)
        asked = orjson.loads(body)["q"]
        if isinstance(asked, str):
            asked = [asked]
        queries = np.frombuffer(bytes.fromhex("".join(asked)), dtype=np.uint8).reshape(-1, 8)[:, ::-1]
        answer = orjson.dumps(near(np.ascontiguousarray(queries)))
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    sock.listen(1024)
    print("%s:%d" % sock.getsockname(), flush=True)
    os.fork()
    config = uvicorn.Config(app, loop="uvloop", http="httptools", log_level="error", access_log=False, lifespan="off")
    uvicorn.Server(config).run(sockets=[sock])


if __name__ == "__main__":
    main()
