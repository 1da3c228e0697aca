#!/usr/bin/env python3
"""Golden vectors of package fingerprint, by a second implementation.

It shares nothing with the Go code: MurmurHash3 x64-128 and FNV-1a are written
from their published descriptions, MD5 is hashlib's, and SimHash is the sum of the
specification with exact integers. Run it to print the vectors:

    python3 golden.py > golden.txt
"""
import hashlib

M = (1 << 64) - 1


def rotl(x, r):
    return (x << r | x >> (64 - r)) & M


def fmix(k):
    k ^= k >> 33
    k = k * 0xFF51AFD7ED558CCD & M
    k ^= k >> 33
    k = k * 0xC4CEB9FE1A85EC53 & M
    return k ^ k >> 33


def murmur3(data, seed=0):
    """The first of the two 64-bit halves of MurmurHash3_x64_128."""
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
    h1 = h2 = seed

    def mix1(k):
        return rotl(k * c1 & M, 31) * c2 & M

    def mix2(k):
        return rotl(k * c2 & M, 33) * c1 & M

    whole = len(data) // 16 * 16
    for i in range(0, whole, 16):
        h1 ^= mix1(int.from_bytes(data[i:i + 8], "little"))
        h1 = ((rotl(h1, 27) + h2) * 5 + 0x52DCE729) & M
        h2 ^= mix2(int.from_bytes(data[i + 8:i + 16], "little"))
        h2 = ((rotl(h2, 31) + h1) * 5 + 0x38495AB5) & M
    tail = data[whole:]
    h2 ^= mix2(int.from_bytes(tail[8:], "little"))
    h1 ^= mix1(int.from_bytes(tail[:8], "little"))
    h1 ^= len(data)
    h2 ^= len(data)
    h1 = (h1 + h2) & M
    h2 = (h2 + h1) & M
    h1, h2 = fmix(h1), fmix(h2)
    return (h1 + h2) & M


def fnv1a(data):
    h = 0xCBF29CE484222325
    for c in data:
        h = (h ^ c) * 0x100000001B3 & M
    return h


def md5(data):
    return int(hashlib.md5(data).hexdigest(), 16) & M


HASHES = {"murmur3": murmur3, "fnv1a": fnv1a, "md5": md5}


def simhash(features, bits, hash_function):
    """features is a list of (text, positive integer weight)."""
    v = [0] * bits
    for text, weight in features:
        h = hash_function(text.encode())
        for j in range(bits):
            v[j] += weight if h >> j & 1 else -weight
    return sum(1 << j for j in range(bits) if v[j] >= 0)


def word_gram(words):
    """The hash of a sequence of words: one word has its own, several a polynomial of theirs."""
    if len(words) == 1:
        return murmur3(words[0].encode())
    base = 0x9E3779B97F4A7C15
    return fmix(sum(murmur3(w.encode()) * base ** (len(words) - 1 - i) for i, w in enumerate(words)) & M)


def char_gram(text):
    """The hash of a sequence of characters: eight of its bytes after the other."""
    data, h = text.encode(), 0
    for i in range(0, len(data), 8):
        h = fmix(h ^ int.from_bytes(data[i:i + 8], "little"))
    return h


def grams(sequence, n):
    """All stretches of n elements, or the whole if it is shorter."""
    if len(sequence) <= n:
        return [sequence] if sequence else []
    return [sequence[i:i + n] for i in range(len(sequence) - n + 1)]


TEXTS = [
    "a", "ab", "abc", "zebra", "fingerprint", "near-duplicate", "fifteen letters",
    "sixteen letters!", "seventeen letters", "some thirty-one letters of text",
    "exactly thirty-two letters text.", "and thirty-three letters of text.",
    "Straße", "été", "近似", "重複検索", "word gram of three words",
]

DOCUMENTS = [
    [("a", 1)],
    [("a", 1), ("b", 1)],
    [("chair", 1), ("desk", 1), ("rug", 1), ("keyboard", 1), ("mouse", 1)],
    [("chair", 1), ("rug", 1), ("keyboard", 1)],
    [("quick", 1), ("brown", 1), ("fox", 1), ("jumps", 1), ("lazy", 1), ("dog", 1)],
    [("quick", 7), ("brown", 3), ("fox", 9), ("jumps", 1), ("lazy", 2), ("dog", 4)],
    [("fox", 1000000007), ("dog", 1000000006), ("gans", 3)],
    [("word%d" % i, 1) for i in range(1000)],
    [("word%d" % i, i % 17 + 1) for i in range(300)],
]


SENTENCES = [
    "", "one", "one two", "one two three", "three two one", "a a a a a a a", "a b b a b a a b", "straße été 近似 似",
    "the quick brown fox jumps over the lazy dog and a word of more than sixteen letters like internationalisation",
]


def main():
    print("# Do NOT make changes to the golden outputs: stored fingerprints depend on them.")
    print("# Made by golden.py. hash NAME TEXT(hex) HASH; simhash NAME BITS FINGERPRINT TEXT(hex)=WEIGHT ...")
    print("# word-grams N TEXT(hex) HASH ...; char-grams N TEXT(hex) HASH ...")
    for text in SENTENCES:
        for n in (1, 2, 3, 5, 8, 9, 64):
            encoded = text.encode().hex() or "-"
            print("word-grams", n, encoded, *("%016x" % word_gram(g) for g in grams(text.split(), n)))
            print("char-grams", n, encoded, *("%016x" % char_gram(g) for g in grams(text, n)))
    for name, function in HASHES.items():
        for text in TEXTS:
            print("hash", name, text.encode().hex(), "%016x" % function(text.encode()))
        for document in DOCUMENTS:
            for bits in (64, 32):
                features = " ".join("%s=%d" % (t.encode().hex(), w) for t, w in document)
                print("simhash", name, bits, "%0*x" % (bits // 4, simhash(document, bits, function)), features)


if __name__ == "__main__":
    main()
