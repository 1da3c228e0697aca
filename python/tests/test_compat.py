import pickle
import random

import pytest

from simsearch.compat.datasketch import MinHash, MinHashLSH
from simsearch.compat.simhash import Simhash, SimhashIndex


def test_simhash_values():
    simhash = pytest.importorskip("simhash")
    r = random.Random(1)
    texts = ["", "a", "How are you? I am fine. Thanks.", "ÄÖÜ 漢字 text"]
    texts += ["".join(r.choices("abcde fgh", k=r.randrange(400))) for _ in range(100)]
    for text in texts:
        assert Simhash(text).value == simhash.Simhash(text).value
    for features in (["aaa", "bbb"], [("aaa", 3), ("bbb", 60), ("c", 1)], {"x": 2, "y": 3}, {"x": 0.5, "y": 0.7}):
        assert Simhash(features).value == simhash.Simhash(features).value
        assert Simhash(features, f=128).value == simhash.Simhash(features, f=128).value
    assert Simhash(texts[2]).distance(Simhash(texts[1])) == simhash.Simhash(texts[2]).distance(simhash.Simhash(texts[1]))


def test_simhash_index():
    simhash = pytest.importorskip("simhash")
    r = random.Random(2)
    values = [r.getrandbits(64) for _ in range(200)]
    values += [v ^ sum(1 << r.randrange(64) for _ in range(r.randrange(5))) & (2**64 - 1) for v in values]
    objs = [(f"o{i},", Simhash(v)) for i, v in enumerate(values)]
    ours, theirs = SimhashIndex(objs, k=3), simhash.SimhashIndex([(i, simhash.Simhash(s.value)) for i, s in objs], k=3)
    for index in (ours, theirs):
        index.delete("o7,", objs[7][1] if index is ours else simhash.Simhash(values[7]))
        index.add("o8,", objs[9][1] if index is ours else simhash.Simhash(values[9]))
    found = 0
    for v in values:
        want = sorted(theirs.get_near_dups(simhash.Simhash(v)))
        assert sorted(ours.get_near_dups(simhash.Simhash(v))) == want
        found += len(want)
    assert found > 500
    ours.close()
    equal = SimhashIndex([(i, Simhash(5)) for i in range(3000)])
    equal.delete(7, Simhash(5))
    assert equal.get_near_dups(Simhash(4)) == [str(i) for i in range(3000) if i != 7]
    equal.close()
    many = SimhashIndex([(i, Simhash(1 << i % 64 | 1 << i // 64)) for i in range(1400)], k=4)
    with pytest.raises(Exception, match="[1-9],[0-9]* documents are near"):
        many.get_near_dups(Simhash(0))


def test_minhash_lsh():
    r = random.Random(3)
    sets = [{f"w{r.randrange(40)}".encode() for _ in range(20)} for _ in range(300)]
    lsh, hashes = MinHashLSH(threshold=0.6, num_perm=128), []
    with lsh.insertion_session() as session:
        for i, s in enumerate(sets):
            m = MinHash(num_perm=128)
            m.update_batch(s)
            hashes.append(m)
            session.insert(("key", i), m)
    found = 0
    for m in hashes:
        want = {("key", i) for i, other in enumerate(hashes) if m.jaccard(other) >= 0.6}
        assert set(lsh.query(m)) == want
        found += len(want)
    assert found > 300 and ("key", 3) in lsh and "key" not in lsh
    lsh.remove(("key", 3))
    assert ("key", 3) not in lsh and ("key", 3) not in lsh.query(hashes[3])
    with pytest.raises(ValueError, match="already exists"):
        lsh.insert(("key", 4), hashes[3])
    with pytest.raises(ValueError, match="does not exist"):
        lsh.remove(("key", 3))
    lsh.insert("empty", MinHash())
    assert lsh.query(MinHash()) == [] and "empty" in lsh
    lsh.remove("empty")
    again = pickle.loads(pickle.dumps(lsh))
    assert all(again.query(m) == lsh.query(m) for m in hashes[::17])
    more = MinHashLSH(threshold=0.6)
    for i in range(3000):  # equal sets are one document
        more.insert(i, hashes[0])
    more.remove(5)
    assert set(more.query(hashes[0])) == set(range(3000)) - {5}
    more.merge(lsh)
    assert set(more.query(hashes[0])) == set(range(3000)) - {5} | set(lsh.query(hashes[0]))
    with pytest.raises(ValueError, match="overlapping"):
        more.merge(lsh, check_overlap=True)
    with pytest.raises(ValueError, match="different initialization"):
        more.merge(MinHashLSH(threshold=0.7))
    for do in (more.query, lambda m: more.insert("x", m)):
        with pytest.raises(ValueError, match="length 128, got 64"):
            do(MinHash(num_perm=64))
    for index in (lsh, again, more):
        index.close()


def test_minhash():
    sets = [MinHash() for _ in range(3)]
    for i, m in enumerate(sets):
        m.update_batch([b"a", str(i).encode()])
    both = MinHash.union(*sets)
    assert both.items == {b"a", b"0", b"1", b"2"} and len(sets[0].items) == 2 and pickle.loads(pickle.dumps(both)) == both
    assert both.jaccard(sets[0]) == 0.5
    with pytest.raises(ValueError, match="less than 2"):
        MinHash.union(both)
    for other, why in ((MinHash(64), "numbers of permutation"), (MinHash(seed=2), "seeds")):
        for do in (both.jaccard, both.merge):
            with pytest.raises(ValueError, match=f"different {why}"):
                do(other)
        assert both != other


def test_minhash_of_datasketch():
    datasketch = pytest.importorskip("datasketch")
    with pytest.raises(TypeError, match="datasketch.minhash.MinHash does not tell its set: want simsearch.compat.datasketch.MinHash"):
        MinHashLSH().insert("a", datasketch.MinHash())
    a, b = MinHash(), datasketch.MinHash()
    for m in (a, b):
        for word in "one two three".split():
            m.update(word.encode())
    assert a.count() == 3 and a.jaccard(a.copy()) == b.jaccard(b) == 1 and len(a) == len(b) and not a.is_empty()
