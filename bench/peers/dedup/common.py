"""What the scripts around libraries have in common: reading, verifying, and writing what is kept."""
import json
import re

THRESHOLD = 0.8
WORD = re.compile(r"\w+")


def read(path):
    """The lines of a JSON Lines file, and their texts."""
    with open(path, encoding="utf-8") as f:
        lines = f.readlines()
    return lines, [json.loads(line)["text"] for line in lines]


def words(text):
    return set(WORD.findall(text.lower()))


def near(a, b):
    shared = len(a & b)
    return shared >= THRESHOLD * (len(a) + len(b) - shared)


def write(path, lines, texts, candidates):
    """Writes the lines without documents that are near an earlier one that is kept. candidates are, for each document,
    the numbers of others that may be near."""
    sets = {}

    def words_of(i):
        if i not in sets:
            sets[i] = words(texts[i])
        return sets[i]

    removed = set()
    for i, others in enumerate(candidates):
        for j in others:
            if j < i and j not in removed and near(words_of(i), words_of(j)):
                removed.add(i)
                break
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(line for i, line in enumerate(lines) if i not in removed)
