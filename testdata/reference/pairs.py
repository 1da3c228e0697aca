#!/usr/bin/env python3
"""All near pairs of a collection by brute force: an implementation of its own.

It reads the specification, not the Go code, and shares none of it: normalising
by unicodedata, words by the rules of UAX #29 over the Word_Break property of the
`regex` module, stop words read from the source of bbalet/stopwords, hashes and
SimHash from fingerprint/testdata/golden.py, and each fingerprint compared with
each. Usage:

    python3 pairs.py DOCS.jsonl STOPWORDS_EN.go K > pairs.tsv

A line is a<TAB>b<TAB>distance, a before b in the order of the file. With K
"fingerprints" it prints id<TAB>fingerprint instead.
"""
import functools
import json
import os
import sys
import unicodedata

import regex

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "fingerprint", "testdata"))
from golden import murmur3, simhash  # noqa: E402

BREAKS = ["CR", "LF", "Newline", "Extend", "ZWJ", "Format", "Katakana", "Hebrew_Letter", "ALetter", "Single_Quote",
          "Double_Quote", "MidNumLet", "MidLetter", "MidNum", "Numeric", "ExtendNumLet", "WSegSpace", "Regional_Indicator"]
PATTERNS = [(name, regex.compile(r"\p{Word_Break=%s}" % name)) for name in BREAKS]
PICTOGRAPHIC = regex.compile(r"\p{Extended_Pictographic}")
UNSPACED = regex.compile(r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}"
                         r"\p{Script=Khmer}\p{Script=Myanmar}\u30fc]")
# What nobody sees, and vowel marks of Hebrew and Arabic.
DROPPED = regex.compile(r"(?V1)[\p{Cf}\p{Variation_Selector}\u034f[[\u0591-\u06ed\u0898-\u08ff\ufb1e]&&\p{Mn}--[\u0653-\u0655]]]")
AHLETTER = {"ALetter", "Hebrew_Letter"}
MIDNUMLETQ = {"MidNumLet", "Single_Quote"}


@functools.cache
def word_break(c):
    for name, pattern in PATTERNS:
        if pattern.match(c):
            return name
    return "Other"


@functools.cache
def is_unspaced(c):
    return bool(UNSPACED.match(c)) and (unicodedata.category(c)[0] in "LM" or unicodedata.category(c) == "Nl")


def breaks_before(text, i, classes):
    """Whether UAX #29 puts a boundary before text[i], 0 < i < len(text)."""
    left, right = classes[i - 1], classes[i]
    if left == right == "ALetter":
        return False  # WB5, here because most are such
    if {left, right} == {"ALetter", "WSegSpace"}:
        return True  # no rule is about them
    if left == "CR" and right == "LF":
        return False  # WB3
    if left in ("CR", "LF", "Newline") or right in ("CR", "LF", "Newline"):
        return True  # WB3a, WB3b
    if left == "ZWJ" and PICTOGRAPHIC.match(text[i]):
        return False  # WB3c
    if left == right == "WSegSpace":
        return False  # WB3d
    if right in ("Extend", "Format", "ZWJ"):
        return False  # WB4
    skip = ("Extend", "Format", "ZWJ")

    def before(j):
        j -= 1
        while j >= 0 and classes[j] in skip:
            j -= 1
        return j

    def after(j):
        j += 1
        while j < len(classes) and classes[j] in skip:
            j += 1
        return j

    def at(j):
        return classes[j] if 0 <= j < len(classes) else "none"

    p = before(i)
    left, left2, right2 = at(p), at(before(p)) if p >= 0 else "none", at(after(i))
    if left in AHLETTER and right in AHLETTER:
        return False  # WB5
    if left in AHLETTER and (right == "MidLetter" or right in MIDNUMLETQ) and right2 in AHLETTER:
        return False  # WB6
    if left2 in AHLETTER and (left == "MidLetter" or left in MIDNUMLETQ) and right in AHLETTER:
        return False  # WB7
    if left == "Hebrew_Letter" and right == "Single_Quote":
        return False  # WB7a
    if left == "Hebrew_Letter" and right == "Double_Quote" and right2 == "Hebrew_Letter":
        return False  # WB7b
    if left2 == "Hebrew_Letter" and left == "Double_Quote" and right == "Hebrew_Letter":
        return False  # WB7c
    if left in AHLETTER | {"Numeric"} and right == "Numeric":
        return False  # WB8, WB9
    if left == "Numeric" and right in AHLETTER:
        return False  # WB10
    if left2 == "Numeric" and (left == "MidNum" or left in MIDNUMLETQ) and right == "Numeric":
        return False  # WB11
    if left == "Numeric" and (right == "MidNum" or right in MIDNUMLETQ) and right2 == "Numeric":
        return False  # WB12
    if left == right == "Katakana":
        return False  # WB13
    if left in AHLETTER | {"Numeric", "Katakana", "ExtendNumLet"} and right == "ExtendNumLet":
        return False  # WB13a
    if left == "ExtendNumLet" and right in AHLETTER | {"Numeric", "Katakana"}:
        return False  # WB13b
    if left == right == "Regional_Indicator":  # WB15, WB16
        n = 0
        while p >= 0 and classes[p] == "Regional_Indicator":
            n, p = n + 1, before(p)
        return n % 2 == 0
    return True  # WB999


def uax29(text):
    classes = [word_break(c) for c in text]
    start = 0
    for i in range(1, len(text) + 1):
        if i == len(text) or breaks_before(text, i, classes):
            yield text[start:i]
            start = i


def unaccented(c):
    """A character without its accents, the marks from U+0300 to U+036F."""
    parts = unicodedata.normalize("NFD", c)
    if len(parts) > 1 and "\u0300" <= parts[1] <= "\u036f":
        return parts[0]
    return "" if "\u0300" <= c <= "\u036f" else c


def words(text):
    text = unicodedata.normalize("NFKC", text)
    text = "".join(unaccented(c) for c in DROPPED.sub("", text.casefold()))
    text = unicodedata.normalize("NFKC", text).replace("\u2019", "'")
    rest = ""
    run = ""
    blank = ""  # behind run

    def spaced(s):
        return [w for w in uax29(s) if any(unicodedata.category(c)[0] in "LN" for c in w)]

    def unspaced(s):
        return [s] if len(s) == 1 else [s[i:i + 2] for i in range(len(s) - 1)]

    out = []
    for c in text:
        if is_unspaced(c):
            out += spaced(rest)
            rest = ""
            run += c
            blank = ""
        elif run and regex.match(r"\p{White_Space}", c):
            blank += c
        else:
            if run:
                out += unspaced(run)
                run = ""
            rest += blank + c
            blank = ""
    return out + unspaced(run) + spaced(rest)


def stop_words(path):
    with open(path, encoding="utf-8") as f:
        return set(regex.findall(r'^\s*"((?:[^"\\]|\\.)*)":', f.read(), regex.MULTILINE))


def main():
    docs, stop_path, k = sys.argv[1:]
    stop = stop_words(stop_path)
    hashed = functools.cache(murmur3)
    ids, fingerprints = [], []
    with open(docs, encoding="utf-8") as f:
        for line in f:
            record = json.loads(line)
            counts = {}
            found = words(record["text"])
            for w in [w for w in found if w not in stop] or found:
                counts[w] = counts.get(w, 0) + 1
            ids.append(record["id"])
            # A text without words has one feature, itself.
            fingerprints.append(simhash((counts or {record["text"].strip(): 1}).items(), 64, hashed))
    if k == "fingerprints":
        for name, fp in zip(ids, fingerprints):
            print("%s\t%016x" % (name, fp))
        return
    for i, a in enumerate(fingerprints):
        for j in range(i + 1, len(fingerprints)):
            b = fingerprints[j]
            if (a ^ b).bit_count() <= int(k):
                print("%s\t%s\t%d" % (ids[i], ids[j], (a ^ b).bit_count()))


if __name__ == "__main__":
    main()
