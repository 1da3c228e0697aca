import contextlib
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from judged import FERRY, MILL, SCHOOL, TYPED
import simsearch
from simsearch import Index, SimsearchError

BRIDGE = "The bridge over the river is closed for repairs until the end of the month, says the mayor"
MAYOR = BRIDGE.replace("the mayor", "a mayor")


@contextlib.contextmanager
def fails(code, match=None):
    with pytest.raises(SimsearchError, match=match) as e:
        yield
    assert e.value.code == code


@pytest.mark.parametrize("in_memory", [True, False])
def test_index(tmp_path, in_memory):
    with Index(None if in_memory else tmp_path / "made" / "idx", fields=["lang"]) as ix:
        assert len(ix) == 0 and list(ix.pairs()) == list(ix.groups()) == [] and ix.near(BRIDGE) == []
        assert ix.add(["a", "b"], [BRIDGE, "Something else altogether"], [{"lang": "en", "n": 1}, None]) == ["added", "added"]
        assert ix.add("b", "Something else altogether") == ["unchanged"]
        near = ix.near(MAYOR)
        assert [(m.id, round(m.jaccard, 4), m.fields) for m in near] == [("a", 0.9333, {"lang": "en"})] and near.total == 1
        assert ix.near(MAYOR, threshold=0.95) == [] and ix.near(MAYOR, threshold=0.95).nearest.id == "a"
        assert ix.near(MAYOR, where=["lang=de"]) == [] and ix.near(MAYOR, with_texts=True)[0].text == BRIDGE
        assert [[m.id for m in n] for n in ix.near([MAYOR, "nothing", "something else altogether"])] == [["a"], [], ["b"]]
        assert ix.check_and_add("c", MAYOR) == ("c", False, near[0]._replace(distance=ix.check_and_add("c", MAYOR).match.distance), (), "copy")
        assert ix.check_and_add("c", MAYOR, if_near="link").new is False and "c" in ix and "d" not in ix
        assert [c.new for c in ix.check_and_add(["d", "e"], ["One more text, and no other"] * 2)] == [True, False]
        assert [(p.a, p.b, round(p.jaccard, 4)) for p in ix.pairs()] == [("a", "c", 0.9333)] and list(ix.pairs(threshold=1)) == []
        assert [(g.ids, g.size, round(g.jaccard, 4)) for g in ix.groups()] == [(["a", "c"], 2, 0.9333)]
        assert [m.id for m in ix.near_id("a")] == ["c"]
        assert ix.get("a") == ("a", BRIDGE, {"lang": "en"}) and ix.get("z") is None
        assert ix.delete(["a", "z"]) == 1 and ix.delete("a") == 0 and len(ix) == 3
        with fails("bad_request", "want 0 or more"):
            ix.near("x", k=-1)
    with fails("closed"):
        len(ix)
    ix.close()
    if not in_memory:
        with Index(tmp_path / "made" / "idx") as ix:
            assert len(ix) == 3
        with fails("conflict", "'nothing' is asked for"):
            Index(tmp_path / "made" / "idx", keep="nothing")


def test_sets_and_fingerprints():
    with Index(holds="sets", threshold=0.5) as ix:
        ix.add(["a", "b"], [{"x", "y", "z"}, ["p", "q"]])
        assert [(m.id, m.jaccard) for m in ix.near({"x", "y"})] == [("a", pytest.approx(2 / 3))]
        assert [n.total for n in ix.near([{"x", "y"}, {"q"}])] == [1, 1]
    with Index(holds="fingerprints", k=3) as ix:
        ix.add(["a", "b"], [0xFF, 2**64 - 1])
        assert [(m.id, m.distance) for m in ix.near(0xFE)] == [("a", 1)] and ix.near(0)[:] == []
    with Index(passages=True) as ix:
        quoted = " ".join(f"wörd{i}" for i in range(100))
        ix.add("a", "Before it. " + quoted + ". After it.")
        match = ix.near("He says: " + quoted, passages=True)[0]
        assert ("He says: " + quoted).encode()[slice(*match.passages[0].query)].decode() == quoted and match.passages[0].words == 100


def test_copies():
    with Index() as ix:
        ix.add(["ferry", "typed", "mill", "school"], [FERRY, TYPED, MILL, SCHOOL])
        assert [(p.a, p.b, p.copy) for p in ix.pairs(threshold=0.8)] == [("mill", "school", None)]
        pair, = ix.pairs(copy=0.5)
        assert (pair.a, pair.b) == ("ferry", "typed") and 0.6 < pair.jaccard < 0.7 and 0.5 < pair.copy < 0.95
        assert [(p.a, p.b, p.copy) for p in ix.pairs()] == [("ferry", "typed", pair.copy)]
        assert list(ix.pairs(copy=0.95)) == [] and [g.ids for g in ix.groups(copy=0.5)] == [["ferry", "typed"]]
        assert [(m.id, m.copy, m.jaccard) for m in ix.near(FERRY, copy=0.5)] == [("ferry", 1, 1), ("typed", pair.copy, pair.jaccard)]
        assert [len(n) for n in ix.near([MILL, TYPED], copy=0.5)] == [1, 2]
        assert ix.check_and_add("mistyped", TYPED.replace("ferry", "fery"), copy=0.5).match.id == "typed"
        with fails("bad_request", "want one of jaccard, copy"):
            ix.near(FERRY, copy=0.5, k=3)
    with Index(copy=0.5) as ix:
        assert ix.info()["settings"]["copy"] == 0.5
        assert ix.check_and_add(["ferry", "typed", "mill", "school"], [FERRY, TYPED, MILL, SCHOOL])[1].match.copy == pair.copy
        assert len(ix) == 3 and ix.near(MILL)[0].copy == 1
    with fails("bad_request", "of texts that are kept"):
        Index(copy=0.5, keep="nothing")


def test_batches():
    texts = [f"text {i} of {i * i} and {i * 7919 % 10007}" for i in range(9000)]
    with Index(keep="nothing") as ix:
        ids = [str(i) for i in range(9000)]
        assert ix.add(ids, texts) == ["added"] * 9000 and len(ix) == 9000
        assert all(ids[i] in [m.id for m in near] for i, near in enumerate(ix.near(texts, threshold=1)))
        with pytest.raises(ValueError, match="2 ids, 1 contents"):
            ix.add(["a", "b"], ["a"])
        with fails("bad_request", "document 'x'"):
            ix.add(["x"], [12])
        with pytest.raises(TypeError, match="want a text"):
            ix.add("x", None)


def test_one_writes_and_others_read(tmp_path):
    with Index(tmp_path / "idx") as ix:
        ix.add("a", BRIDGE)
        with fails("failed", "index is being written"):
            Index(tmp_path / "idx")
        with Index(tmp_path / "idx", read_only=True) as reader:
            assert reader.near(MAYOR)[0].id == "a"
            with fails("read_only"):
                reader.add("b", "b")
    with fails("failed", "no index"):
        Index(tmp_path / "none", read_only=True)


def test_thread_pool():
    with Index(threshold=0.8) as ix, ThreadPoolExecutor(8) as pool:
        texts = [BRIDGE + "".join(f" {letter * i}" for letter in "vwxyz") for i in range(4)]
        checked = list(pool.map(lambda i: ix.check_and_add(f"{i}", texts[i % 4]), range(64)))
        assert sum(c.new for c in checked) == 4 == len(ix)
        assert {n[0].total for n in pool.map(lambda i: [ix.near(BRIDGE)], range(32))} == {1}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork(tmp_path):
    """A fork reads by a process of its own, and the index of its parent stays as it is."""
    for path in (tmp_path / "idx", None):
        ix = Index(path)
        ix.add("a", BRIDGE)
        answers, done = os.pipe()
        pid = os.fork()
        if pid == 0:
            said = "error"
            with contextlib.suppress(BaseException):
                near = ix.near(MAYOR)[0].id
                try:
                    ix.add("b", "b")
                except SimsearchError as e:
                    said = f"{near} {e.code}"
            ix.close()
            os.write(done, said.encode())
            os._exit(0)
        os.close(done)
        assert os.read(answers, 100) == b"a read_only"
        os.waitpid(pid, 0)
        os.close(answers)
        assert ix.add("c", "another") == ["added"] and len(ix) == 2
        begun = time.monotonic()
        ix.close()
        assert time.monotonic() - begun < 5


def ask(i):
    return simsearch.fingerprint(f"text {i}")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_process_pool():
    want = [ask(i) for i in range(4)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(ask, range(4)) == want
    assert ask(0) == want[0]


def interrupt(*_):
    raise KeyboardInterrupt


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_interrupted_and_killed():
    with Index() as ix:
        ix.add("a", BRIDGE)
        before = signal.signal(signal.SIGALRM, interrupt)
        for delay in (0.001, 0.003, 0.01, 0.03):
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, delay)
                while True:
                    ix.near([f"text {i}" for i in range(100)])
            assert ix.near(MAYOR)[0].id == "a"  # and not the answer to an earlier question
        signal.signal(signal.SIGALRM, before)
        ix._children[0].process.kill()
        ix._children[0].process.wait()
        with fails("failed"):
            ix.near(MAYOR)
        assert ix.near(MAYOR)[0].id == "a"


def test_compare_and_fingerprint():
    c = simsearch.compare(BRIDGE, MAYOR)
    assert (round(c.jaccard, 4), c.contained) == (0.9333, 1) and c.details["differences"]
    assert c.distance == bin(simsearch.fingerprint(BRIDGE) ^ simsearch.fingerprint(MAYOR)).count("1")
    assert simsearch.fingerprint("...") == simsearch.fingerprint(" ... ") != simsearch.fingerprint("the")


def test_ends_with_the_interpreter(tmp_path):
    code = (f"import tempfile; tempfile.tempdir = {str(tmp_path)!r}\nimport simsearch\n"
            "ix = simsearch.Index(); ix.add('a', 'a'); simsearch.fingerprint('text'); print(ix._children[0].process.pid)")
    pid = int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=30).stdout)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert [p.name for p in tmp_path.iterdir()] == ["temporary"]


def test_errors_travel():
    e = pickle.loads(pickle.dumps(SimsearchError("it is", "conflict", "line 3")))
    assert (str(e), e.code, e.where) == ("line 3: it is", "conflict", "line 3")
