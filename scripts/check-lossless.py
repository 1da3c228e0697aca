#!/usr/bin/env python3
"""Checks that nothing was lost by simsearch dedup --lossless --out RESULT INPUT...

It reads RESULT/removed.jsonl and, of the inputs, JSON Lines and text files, also in gzip. It needs nothing but Python 3.9. For each removed
document it compares the text with that of the document that was kept, by the rules of docs/DEDUP.md. If one line is wrong, it names the
first ten of such lines, and its status is 1. It holds the texts of removed documents and of those kept for them, and no others.
"""
import argparse
import gzip
import json
import os
import re
import sys
import unicodedata

WORDS = 3  # of a sequence


class Classes(dict):
    """The class of each character: a letter or mark, A capital, 9 number, white space, . end of a sentence, , other punctuation, + else."""

    def __missing__(self, code):
        c, category = chr(code), unicodedata.category(chr(code))
        if c in ".!?":
            of = "."
        elif c <= " " or category in ("Lu", "Lt"):
            of = " " if c <= " " else "A"
        else:
            of = {"L": "a", "M": "a", "N": "9", "Z": " ", "P": "+" if c in "-%" else ","}.get(category[0], "+")
        self[code] = of
        return of


CLASSES = Classes()


class Contents:
    """What a text has: words in their order, numbers, names, and words that begin with a capital letter."""

    def __init__(self, text):
        text = unicodedata.normalize("NFKC", text)
        classes = text.translate(CLASSES)
        self.words, self.numbers, self.names, self.capitals = [], set(), set(), set()
        end = None  # of the word in front
        for found in re.finditer("[aA9]+", classes):
            word = text[found.start():found.end()].casefold()
            self.words.append(word)
            if classes[found.start()] == "A":
                self.capitals.add(word)
                if end is not None and "." not in classes[end:found.start()]:
                    self.names.add(word)
            end = found.end()
        for found in re.finditer("[^ ]+", classes):
            if "9" in found.group():
                inner = found.group().strip(".,")
                begin = found.start() + len(found.group()) - len(found.group().lstrip(".,"))
                self.numbers.add(text[begin:begin + len(inner)].casefold())

    def sequences(self, n):
        return {tuple(self.words[i:i + n]) for i in range(len(self.words) - n + 1)}


def documents(path, field, id_field):
    """Yields the number, the id and the text of each document of a file."""
    name = path[:-3] if path.endswith(".gz") else path
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        if name.endswith(".txt"):
            yield 1, None, file.read().decode("utf-8-sig", "replace")
            return
        number = 0
        for line in file:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict) and isinstance(record.get(field), str):
                number += 1
                yield number, record.get(id_field), re.sub("[\ud800-\udfff]", "\ufffd", record[field])


def wrong(text, kept, inside, known):
    """Says what is wrong with a certificate, or returns None. known has the contents of the kept text."""
    if "bytes" in inside:
        if text != kept:
            return "the texts are not equal"
        return None if len(text.encode()) == inside["bytes"] else "the text has another length"
    mine = Contents(text)
    n = min(WORDS, len(mine.words))
    if n == 0:
        return None if text == kept else "the texts have no words, and are not equal"
    if not known:
        known.append(Contents(kept))
    other, grams = known[0], mine.sequences(n)
    for what, some, all_of in (("sequence", grams, other.sequences(n)), ("number", mine.numbers, other.numbers),
                               ("name", mine.names, other.capitals)):
        if not some <= all_of:
            return "a %s is not in the kept document: %r" % (what, min(some - all_of))
    if (len(mine.words), len(grams) if n == WORDS else 0) != (inside.get("words", 0), inside.get("grams", 0)):
        return "the numbers of words and sequences are others"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("result")
    parser.add_argument("input", nargs="+")
    parser.add_argument("--text-field", default="text")
    parser.add_argument("--id-field", default="id")
    of = parser.parse_args()
    faults, rows, by_kept, at = [], {}, {}, 0
    with open(os.path.join(of.result, "removed.jsonl"), encoding="utf-8") as lines:
        for at, line in enumerate(lines, 1):
            row = json.loads(line)
            if "inside" not in row or (row["source"], row.get("number")) in rows:
                faults.append((at, "it has no certificate" if "inside" not in row else "its document is that of another line"))
                continue
            removed, kept = (row["source"], row.get("number")), (row["inside"]["source"], row["inside"]["number"])
            rows[removed] = (at, row["inside"], row["id"], row["kept_id"])
            by_kept.setdefault(kept, []).append(removed)
    roots, texts, wanted = [os.path.abspath(path) for path in of.input], {}, rows.keys() | by_kept.keys()
    for source in sorted({key[0] for key in wanted}):
        path = os.path.abspath(source)
        if any(path == root or path.startswith(os.path.join(root, "")) for root in roots) and os.path.isfile(path):
            for number, is_id, text in documents(path, of.text_field, of.id_field):
                if (source, number) in wanted:
                    texts[source, number] = (is_id, text)
    for kept, removed in by_kept.items():
        known = []
        for key in removed:
            line, inside, *ids = rows[key]
            (is_id, text), (kept_id, kept_text) = texts.get(key, (0, None)), texts.get(kept, (0, None))
            if kept in rows:
                fault = "what is kept for it is removed, too"
            elif text is None or kept_text is None:
                fault = "the inputs have no such documents"
            elif any(has is not None and "\\" not in says and str(has) != says for has, says in zip((is_id, kept_id), ids)):
                fault = "the documents have other ids"
            else:
                fault = wrong(text, kept_text, inside, known)
            if fault:
                faults.append((line, fault))
    for line, why in sorted(faults)[:10]:
        print("line %d of removed.jsonl: %s" % (line, why))
    print("%d lines, %d of them wrong" % (at, len(faults)))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
