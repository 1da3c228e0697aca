"""Writes golden_super.txt: signatures by SuperMinHash with orders from a table, from the definition in internal/ground/section/FORMAT.md.

Its lines are those of golden.txt. Every element visits every position, and a position takes the least value of all.
"""
MASK = (1 << 64) - 1


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def split_mix(seed, n):
    return [mix((seed + 0x9E3779B97F4A7C15 * (i + 1)) & MASK) for i in range(n)]


def sketch(elements, k, seed):
    numbers = iter(split_mix(seed, 1 + k + 32 * k))
    key = next(numbers)
    factors = [next(numbers) & 0xFFFFFFFF | 1 for _ in range(k)]
    order = list(range(k))
    orders = []
    for _ in range(32):
        for i in range(k - 1, 1, -1):
            other = 1 + (next(numbers) * i >> 64)
            order[i], order[other] = order[other], order[i]
        orders.append(list(order))
    best = [1 << 64] * k
    for x in elements:
        h = mix(x ^ key)
        first, low = divmod(h * k, 1 << 64)
        fraction = low >> 16
        for i, behind in enumerate(orders[fraction % 32]):
            p = (first + behind) % k
            value = i << 48 | ((h * factors[p] & 0xFFFFFFFF) >> 8) << 24 if i else fraction
            best[p] = min(best[p], value)
    return bytes(mix(v) & 0xFF for v in best)


for positions, seed in (16, 0), (100, 7), (128, 0), (128, 1 << 63):
    for n in 1, 2, 5, 20, 200, 1000:
        print(positions, seed, n, sketch(split_mix(1000, n), positions, seed).hex())
