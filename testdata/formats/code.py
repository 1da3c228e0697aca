import os

# One of three.
def one(path, *, deep=False):
    names = []
    for name in os.listdir(path):
        full = os.path.join(path, name)
        if deep and os.path.isdir(full):
            names.extend(one(full, deep=True))
        elif name.endswith(".txt"):
            names.append(full)
    return sorted(names)


class Words:
    def two(self, text):
        """Counts words."""
        counts = {}
        for word in text.lower().split():
            word = word.strip(".,;:!?")
            if not word:
                continue
            counts[word] = counts.get(word, 0) + 1
        return {w: n for w, n in counts.items() if n > 1}

    def short(self):
        return 1

    @staticmethod
    def three(a, b):
        rows = list(range(len(b) + 1))
        for i, x in enumerate(a):
            last, rows[0] = rows[0], i + 1
            for j, y in enumerate(b):
                rows[j + 1], last = min(rows[j] + 1, rows[j + 1] + 1, last + (x != y)), rows[j + 1]
        return rows[-1]
