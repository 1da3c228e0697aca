"""Writes golden.txt: signatures by fast similarity sketching, from the definition in internal/ground/section/FORMAT.md and the paper.

A line is "positions seed n HEX": the set is the outputs 1 to n of SplitMix64 seeded with 1000, HEX the signature of
a byte a position. Values are kept as pairs of round and fraction, the rounds of the paper one after the other for every
position, without the short cuts of the program.
"""
MASK = (1 << 64) - 1


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def split_mix(seed, n):
    return [mix((seed + 0x9E3779B97F4A7C15 * (i + 1)) & MASK) for i in range(n)]


def sketch(elements, positions, seed):
    keys = split_mix(seed, 2 * positions)
    best = [None] * positions
    for i in range(2 * positions):
        for x in elements:
            z = mix(x ^ keys[i])
            if i < positions:
                position, fraction = divmod(positions * z, 1 << 64)
            else:
                position, fraction = i - positions, z
            value = (i, fraction >> 16)
            if best[position] is None or value < best[position]:
                best[position] = value
        if all(best):
            break
    return bytes(mix(i << 48 | fraction) & 0xFF for i, fraction in best)


for positions, seed in (16, 0), (100, 7), (128, 0), (128, 1 << 63):
    for n in 1, 2, 5, 20, 200, 1000:
        elements = split_mix(1000, n)
        print(positions, seed, n, sketch(elements, positions, seed).hex())
