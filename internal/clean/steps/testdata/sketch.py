"""Reads a sketch that `simsearch step sketch` has written, and prints it as lines of JSON.

It is a second implementation of the format of internal/ground/section/FORMAT.md, "The files of steps", on nothing but the standard
library. The first line is the header, and each other line a document: its file, its id, the length and the digest
of its text, its facts, what --keep compares, and the features of its set, or its fingerprint.
"""
import json
import struct
import sys

ALIGN, HEADER, FOOTER, BLOCK, IN_CONTENTS, SUMS_BLOCK = 64, 64, 32, 512, 16, 4096
NO_SET = 0xFFFFFFFF


def crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


TABLE = crc_table()


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


class Damaged(Exception):
    pass


def check(data, block, sums, what):
    """Compares the checksum of each block of data, which may end with a shorter one."""
    want = struct.unpack("<%dI" % (len(sums) // 4), sums)
    got = [crc32c(data[at:at + block]) for at in range(0, len(data), block)]
    if list(want) != got:
        raise Damaged("a checksum of %s is wrong" % what)


def padded(n):
    return n + -n % ALIGN


def sections(data):
    """Returns the sections of a section file by their names, after checking all of their bytes."""
    if data[:8] != b"SIMSEG\r\n" or data[-8:] != b"SIMEND\r\n" or len(data) < HEADER + FOOTER:
        raise Damaged("it is no section file, or is cut short")
    if struct.unpack_from("<I", data, 8)[0] != 3:
        raise Damaged("another version of section files")
    foot = len(data) - FOOTER
    at, length, digest, _ = struct.unpack_from("<QQII", data, foot)
    if at + length != foot:
        raise Damaged("the table of contents is not where the footer says")
    contents = data[at:foot]
    if crc32c(contents, crc32c(data[:HEADER])) != digest:
        raise Damaged("the checksum of the table of contents is wrong")
    found, place, count = {}, 4, struct.unpack_from("<I", contents)[0]
    for _ in range(count):
        size = contents[place]
        name = contents[place + 1:place + 1 + size].decode()
        offset, length = struct.unpack_from("<QQ", contents, place + 1 + size)
        place += 17 + size
        whole = data[offset:offset + padded(length)]
        blocks = -(-len(whole) // BLOCK)
        if blocks <= IN_CONTENTS:
            check(whole, BLOCK, contents[place:place + 4 * blocks], name)
            place += 4 * blocks
        else:  # the checksums lie behind the section, and have checksums of their own
            sums = data[offset + len(whole):offset + len(whole) + padded(4 * blocks)]
            of_sums = -(-len(sums) // SUMS_BLOCK)
            check(sums, SUMS_BLOCK, contents[place:place + 4 * of_sums], name)
            check(whole, BLOCK, sums[:4 * blocks], name)
            place += 4 * of_sums
        found[name] = data[offset:offset + length]
    return found


def integers(data, code):
    return struct.unpack("<%d%s" % (len(data) // struct.calcsize(code), code), data)


def documents(data):
    """Yields the header of a sketch, and then its documents, as objects."""
    part = sections(data)
    header = json.loads(part["about"])
    if header["kind"] != "sketch" or header["v"] != 4:
        raise Damaged("no sketch of version 4")
    yield header
    sizes = integers(part["sets.sizes"], "I")
    features = integers(part["sets.features"], "Q")
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    lengths, texts = integers(part["documents.lengths"], "I"), integers(part["documents.digests"], "Q")
    sets, facts = integers(part["documents.sets"], "I"), integers(part["documents.facts"], "I")
    ends = integers(part["ids.ends"], "Q")
    keys = [integers(part[name], "Q") for name in ("keys", "keys.whole") if name in part]
    doc = 0
    for file in header.get("files", []):
        for _ in range(file["documents"]):
            one = {
                "file": file["path"],
                "id": part["ids"][ends[doc - 1] if doc else 0:ends[doc]].decode("utf-8", "backslashreplace"),
                "length": lengths[doc],
                "digest": "%016x" % texts[doc],
                "facts": list(facts[11 * doc:11 * doc + 11]),
            }
            if keys:
                one["keys"] = [of[doc] for of in keys]
            if sets[doc] != NO_SET:
                one["set"] = ["%016x" % f for f in features[starts[sets[doc]]:starts[sets[doc] + 1]]]
            yield one
            doc += 1


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            for line in documents(file.read()):
                print(json.dumps(line, sort_keys=True))
