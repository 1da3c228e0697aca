import datetime
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from judged import FERRY, MILL, SCHOOL, TYPED
import simsearch
from simsearch import _arrow, _child, _dedup
from simsearch._frames import rows

BRIDGE = "The bridge over the river is closed for repairs until the end of the month, says the mayor"
MAYOR = BRIDGE.replace("the mayor", "a mayor")
TEXTS = [BRIDGE, "Something else altogether", MAYOR, None, "Nothing of the kind", "And quite another one", "nothing of the KIND"]
KEPT = [True, True, False, True, True, True, False]
KEPT_FOR = [0, 1, 0, 3, 4, 5, 4]
IDS = list("abcdefg")


def check(result):
    assert result.kept == KEPT
    assert result.kept_for == KEPT_FOR
    assert [(p.row, p.kept_for, round(p.jaccard, 4)) for p in result.pairs] == [(2, 0, 0.9333), (6, 4, 1)]
    assert [g.rows for g in result.groups] == [[0, 2], [4, 6]]
    assert result.report["documents"] == 7 and result.report["removed"] == 2
    assert "2 of 7 documents" in result.html and repr(result) == "<Dedup: 5 of 7 rows kept, 2 groups>"


NOTES = {
    "dup_cluster": [1, None, 1, None, 2, None, 2], "dup_size": [2, 1, 2, 1, 2, 1, 2], "dup_kept": KEPT,
    "dup_kept_id": [None, None, "a", None, None, None, "e"], "dup_similarity": [None, None, 14 / 15, None, None, None, 1.0],
}


def table():
    return {"url": IDS, "body": TEXTS, "n": list(range(7))}


def test_lists():
    result = simsearch.dedup(TEXTS)
    check(result)
    assert result.kept_frame() == [t for t, k in zip(TEXTS, KEPT) if k]
    notes = {"dup_cluster": 1, "dup_size": 2, "dup_kept": False, "dup_kept_id": 0, "dup_similarity": 14 / 15}
    assert result.annotated()[2] == {"text": MAYOR, **notes}
    assert simsearch.dedup(tuple(TEXTS)).kept_frame() == tuple(t for t, k in zip(TEXTS, KEPT) if k)
    rows = [dict(zip(table(), row)) for row in zip(*table().values())]
    result = simsearch.dedup(rows, text="body", id="url")
    check(result)
    assert result.kept_frame() == [r for r, k in zip(rows, KEPT) if k]
    assert result.annotated()[6] == {**rows[6], "dup_cluster": 2, "dup_size": 2, "dup_kept": False, "dup_kept_id": "e", "dup_similarity": 1}
    assert simsearch.dedup([]).kept == []
    assert simsearch.dedup([None, "a", None, "👍", "👍"]).kept == [True, True, False, True, False]
    assert repr(simsearch.dedup(["a", "a"])) == "<Dedup: 1 of 2 rows kept, 1 group>"


def test_by():
    shared, rest = "Each of these texts has this very paragraph of some ten words", "And a few words more"
    texts = [f"One text\n\n{shared}", f"Another text of its own\n\n{shared}\n\n{rest}", shared, None]
    cut = [texts[0], f"Another text of its own\n\n{rest}", None, ""]
    result = simsearch.dedup(texts, by="paragraph")
    assert result.texts == cut and result.kept == [True, True, False, True] and result.kept_for == [0, 1, -1, 3]
    assert result.kept_frame() == [cut[0], cut[1], ""] and result.report["documents"] == 4 and "paragraph" in result.html
    assert repr(result) == "<Dedup: 3 of 4 rows kept, 0 groups>" and simsearch.dedup([], by="line").kept_frame() == []
    table = {"n": [0, 1, 2, 3], "body": texts}
    rows = [{"n": 0, "body": cut[0]}, {"n": 1, "body": cut[1]}, {"n": 3, "body": ""}]
    assert simsearch.dedup([dict(zip(table, row)) for row in zip(*table.values())], text="body", by="paragraph").kept_frame() == rows
    pandas = pytest.importorskip("pandas")
    frame = simsearch.dedup(pandas.DataFrame(table), text="body", by="paragraph").kept_frame()
    assert frame.to_dict("records") == rows and frame.index.tolist() == [0, 1, 3]
    for wrong, what in (({"by": "word"}, "by: unknown part"), ({"by": "line", "contained": 0.9}, "contained with by line")):
        with pytest.raises(simsearch.SimsearchError, match=what):
            simsearch.dedup(texts, **wrong)
    with pytest.raises(ValueError, match="exclude"):
        simsearch.dedup(texts, by="line", against=texts)


def test_pictures():
    root = os.path.join(os.path.dirname(__file__), "..", "..", "testdata", "pictures")
    if not os.path.isdir(root):
        pytest.skip("there are no pictures")
    near = {os.path.basename(file): [os.path.basename(m.id) for m in found] for file, found in simsearch.near_pictures(root).items()}
    assert len(near) == 7 and near["blank.png"] == near["harbour.jpg"] == []
    assert sorted(near["mill.jpg"]) == ["mill-cropped.jpg", "mill-small.webp", "mill-turned.jpg"]
    assert not any(simsearch.near_pictures(root, k=0).values())
    with pytest.raises(simsearch.SimsearchError, match="no such file"):
        simsearch.near_pictures("nowhere")


def test_numpy():
    numpy = pytest.importorskip("numpy")
    texts = numpy.array([t or "" for t in TEXTS])
    result = simsearch.dedup(texts)
    check(result)
    assert isinstance(result.kept_frame(), numpy.ndarray) and result.kept_frame().tolist() == texts[KEPT].tolist()
    check(simsearch.dedup(numpy.array(TEXTS, dtype=object)))
    with pytest.raises(TypeError, match="2 dimensions"):
        simsearch.dedup(numpy.array([["a", "b"]]))


def test_pandas():
    pandas = pytest.importorskip("pandas")
    df = pandas.DataFrame(table(), index=[5, 5, 4, 3, 2, 1, 0])
    for kind in ("object", "string", "category", "string[pyarrow]", "string[python]"):
        result = simsearch.dedup(df.astype({"body": kind}), text="body", id="url")
        check(result)
        assert result.kept_frame()["n"].tolist() == [0, 1, 3, 4, 5]
        notes = result.annotated()
        assert list(notes) == ["url", "body", "n", *NOTES] and notes.index.tolist() == df.index.tolist()
        assert {c: [None if pandas.isna(v) else v for v in notes[c]] for c in NOTES} == NOTES
    series = simsearch.dedup(df["body"])
    check(series)
    assert isinstance(series.kept_frame(), pandas.Series) and series.kept_frame().tolist()[:2] == TEXTS[:2]
    assert series.annotated()["dup_kept"].tolist() == KEPT


def test_polars():
    polars = pytest.importorskip("polars")
    df = polars.DataFrame(table())
    result = simsearch.dedup(df, text="body", id="url")
    check(result)
    assert result.kept_frame().equals(df.filter(polars.Series(KEPT)))
    assert result.annotated().select(list(NOTES)).to_dict(as_series=False) == NOTES
    check(simsearch.dedup(df["body"]))
    assert simsearch.dedup(df["body"]).annotated().columns == ["body", *NOTES]
    with pytest.raises(TypeError, match=r"data\.collect\(\)"):
        simsearch.dedup(df.lazy())


def test_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    for kind in [pyarrow.string(), pyarrow.large_string(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())]:
        data = pyarrow.table({"url": IDS, "body": pyarrow.array(TEXTS).cast(kind), "n": range(7)})
        result = simsearch.dedup(data, text="body", id="url")
        check(result)
        assert result.kept_frame() == data.filter(pyarrow.array(KEPT))
        assert result.annotated().select(list(NOTES)).to_pydict() == NOTES
    batch = data.to_batches()[0]
    check(simsearch.dedup(batch, text="body"))
    check(simsearch.dedup(data["body"]))
    assert simsearch.dedup(batch["body"]).annotated().column_names == ["text", *NOTES]


def test_arrow_stream():
    """Whatever speaks Arrow's stream protocol is read, and a table comes back."""
    pyarrow = pytest.importorskip("pyarrow")

    class Relation:
        def __arrow_c_stream__(self, requested_schema=None):
            return pyarrow.table({"url": IDS, "body": TEXTS}).__arrow_c_stream__(requested_schema)

    result = simsearch.dedup(Relation(), text="body", id="url")
    check(result)
    assert result.kept_frame() == pyarrow.table({"url": IDS, "body": TEXTS}).filter(pyarrow.array(KEPT))


def test_names():
    """Errors have the names of parameters, and the module has no others than its own."""
    for how, said in [({"keep": "longst"}, "keep: unknown way"), ({"threshold": 2}, "threshold 2: want"),
                      ({"k": 3, "contained": 0.5}, "k and contained exclude each other")]:
        with pytest.raises(simsearch.SimsearchError, match=said):
            simsearch.dedup(["a", "b"], **how)
    assert {"dedup", "Index", "__version__"} < set(dir(simsearch)) and not {"os", "threading"} & set(dir(simsearch))
    assert simsearch.__version__[0].isdigit()


def test_datasets():
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_dict(table())
    result = simsearch.dedup(data, text="body", id="url")
    check(result)
    assert isinstance(result.kept_frame(), datasets.Dataset) and result.kept_frame()["n"][:] == [0, 1, 3, 4, 5]
    notes = result.annotated()
    assert {c: notes[c][:] for c in NOTES} == NOTES
    with pytest.raises(TypeError, match="one of its splits"):
        simsearch.dedup(datasets.DatasetDict({"train": data}), text="body")


def test_against(tmp_path):
    """What is near a reference goes, whatever the reference is: data, files or an index, with ids that are numbers of rows, too."""
    pandas = pytest.importorskip("pandas")
    texts = [MAYOR, "Nothing of the kind", FERRY, "nothing of the KIND", None]
    old = ["Something else altogether", BRIDGE, "And quite another one"]
    frame = pandas.DataFrame({"body": old})
    for against in (old, tuple(old), frame["body"]):
        result = simsearch.dedup(texts, against=against)
        assert result.kept == [False, True, True, False, True] and result.kept_for == [-1, 1, 2, 1, 4]
        assert [(p.row, p.kept_for, p.reference) for p in result.pairs] == [(0, -1, 1), (3, 1, None)]
        assert sorted((g.rows, g.reference) for g in result.groups) == [([0], 1), ([1, 3], None)]
        assert result.kept_frame() == [texts[1], texts[2], texts[4]]
    notes = simsearch.dedup(pandas.DataFrame({"body": texts, "url": list("abcde")}), text="body", id="url", against=frame).annotated()
    assert [None if pandas.isna(v) else v for v in notes["dup_reference"]] == [1, None, None, None, None]
    assert [None if pandas.isna(v) else v for v in notes["dup_kept_id"]] == [None, None, None, "b", None]
    assert notes["dup_size"].tolist() == [2, 2, 1, 2, 1]
    (tmp_path / "old.jsonl").write_text("".join(json.dumps({"id": str(i), "body": t}) + "\n" for i, t in enumerate(old)))
    with simsearch.Index(tmp_path / "idx") as index:
        index.add(["0", "1", "c"], old)
    for against in (f"{tmp_path / 'old.jsonl'}:body", tmp_path / "idx"):
        for group in ("star", "components"):
            result = simsearch.dedup(texts, against=against, group=group)
            assert [(p.row, p.kept_for, p.reference) for p in result.pairs] == [(0, -1, "1"), (3, 1, None)]
    assert simsearch.dedup([BRIDGE], against=[]).kept == [True] and simsearch.dedup([], against=old).kept == []
    assert simsearch.dedup([BRIDGE, MAYOR], against=old, threshold=1).kept_for == [-1, 1]
    with pytest.raises(ValueError, match="no column 'text'"):
        simsearch.dedup(texts, against=frame)
    with pytest.raises(simsearch.SimsearchError, match="nowhere"):
        simsearch.dedup(texts, against=tmp_path / "nowhere")
    with pytest.raises(simsearch.SimsearchError, match="^keep: unknown way"):
        simsearch.dedup(texts, against=tmp_path / "old.jsonl", keep="longst")
    with pytest.raises(simsearch.SimsearchError, match="^no document has a date"):
        simsearch.dedup([{"text": t, "n": "x"} for t in texts], against=tmp_path / "idx", keep="newest:n")
    (tmp_path / "old.parquet").write_bytes(b"PAR1 and no table")
    with pytest.warns(UserWarning, match="reference could not be compared, such as .*old.parquet$"):
        assert simsearch.dedup(texts, against=tmp_path / "old.parquet").kept.count(False) == 1


def test_options():
    assert simsearch.dedup([BRIDGE, BRIDGE + " again"], keep="first").kept == [True, False]
    assert simsearch.dedup([BRIDGE, BRIDGE + " again"], keep="longest").kept == [False, True]
    rows = [{"text": BRIDGE, "date": "2024-01-01"}, {"text": BRIDGE, "date": "2025-01-01"}, {"text": BRIDGE, "date": None}]
    assert simsearch.dedup(rows, keep="newest:date").kept == [False, True, False]
    near = simsearch.dedup([BRIDGE, MAYOR], k=20)
    assert near.pairs[0].jaccard is None and near.pairs[0].distance <= 20 and near.groups[0].distance == near.pairs[0].distance
    assert near.annotated()[near.pairs[0].row]["dup_distance"] == near.pairs[0].distance
    assert simsearch.dedup([BRIDGE, MAYOR], threshold=1).kept == [True, True]
    assert simsearch.dedup([BRIDGE, MAYOR, "x"], preset="text-dedup", threads=1).kept_for == [0, 0, 2]
    assert simsearch.dedup([BRIDGE, MAYOR], features="word:3", threshold=0.5, group="components", memory="500MB").kept == [True, False]
    assert simsearch.dedup([BRIDGE + f" {i}" for i in range(9)] + ["a", "b c"], boilerplate=2).kept.count(False) == 0
    numbers = simsearch.dedup([BRIDGE + " 1", BRIDGE + " 2"])
    assert numbers.pairs[0].differs == ("numbers",)
    assert simsearch.dedup([BRIDGE + " 1", BRIDGE + " 2"], spare="numbers").kept == [True, True]
    inside = simsearch.dedup([BRIDGE, "He told us: " + BRIDGE + ", and nobody else knew why it was so at all"], contained=0.9)
    assert inside.kept == [False, True] and inside.pairs[0].contained == 1 and inside.pairs[0].copy is None


def test_copies():
    texts = [FERRY, TYPED, MILL, SCHOOL]
    assert simsearch.dedup(texts, threshold=0.8).kept == [True, True, False, True]
    judged = simsearch.dedup(texts, copy=0.5)
    assert judged.kept == [True, False, True, True]
    assert 0.5 < judged.pairs[0].copy < 0.95 and judged.pairs[0].jaccard < 0.8 and judged.report["copy"] == 0.5
    assert simsearch.dedup(texts).pairs == judged.pairs
    assert all(simsearch.dedup(texts, copy=0.95).kept)
    with pytest.raises(simsearch.SimsearchError, match="^copy and threshold exclude each other"):
        simsearch.dedup(texts, copy=0.5, threshold=0.8)


def test_odd_texts():
    texts = ["a\nb", 'a"b', "a\\b", "\x00\x1f", "half \ud83d of a pair", "\U0001f600 smile", "\u2028", "a\nb"]
    assert simsearch.dedup(texts).kept_for == [0, 0, 0, 3, 4, 5, 6, 0]  # words are what is compared


def test_a_text_that_is_too_long():
    with pytest.warns(UserWarning, match="simsearch: -:2: "):
        assert simsearch.dedup(["a b", "x" * (70 << 20), "a b"]).kept == [True, True, False]
    with pytest.raises(simsearch.SimsearchError, match="a batch of rows has 40 MB, and a memory of 23 MB"):
        simsearch.dedup(["a b", "x y " * (10 << 20), "a b"], memory="100MB")


def test_mistakes(monkeypatch):
    with pytest.raises(ValueError, match=r"no column 'text': the data have the columns 'body'"):
        simsearch.dedup([{"body": "a"}])
    with pytest.raises(ValueError, match="the data have no columns; id= names one"):
        simsearch.dedup(["a"], id="url")
    with pytest.raises(TypeError, match="row 2001 has no text, but 7 of the type int"):
        simsearch.dedup(["a"] * 2001 + [7])
    with pytest.raises(TypeError, match="give a list of texts"):
        simsearch.dedup("a text")
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="the columns 0 and 2 .from 0. are both called 'text'"):
        simsearch.dedup(pandas.DataFrame([["a", 1, "b"]], columns=["text", "n", "text"]))
    with pytest.raises(simsearch.SimsearchError, match="^threshold 2.0: want a similarity"):
        simsearch.dedup(["a"], threshold=2.0)
    monkeypatch.setenv("SIMSEARCH_PROGRAM", "/no/such/program")
    with pytest.raises(simsearch.SimsearchError, match="cannot be started"):
        simsearch.dedup(["a"])


def test_defaults_of_the_user_change_nothing(tmp_path, monkeypatch):
    (tmp_path / "simsearch").mkdir()
    (tmp_path / "simsearch" / "config").write_text("[dedup]\njaccard = 0.5\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("SIMSEARCH_INDEX", str(tmp_path / "none"))
    assert simsearch.dedup(["a b c d", "a b c e"]).kept == [True, True]
    with simsearch.Index(threshold=0.5) as ix:
        ix.add(["a", "b"], ["a b c d", "a b c e"])
        assert len(list(ix.pairs())) == 1


def test_same_as_the_command(tmp_path):
    texts = [" ".join(f"word{(i * j) % 97}" for j in range(1, 30)) for i in range(600)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in enumerate(texts)))
    subprocess.run([_child.program(), "dedup", "--quiet", "--out", tmp_path / "out", tmp_path / "a.jsonl"], check=True)
    kept = [json.loads(line)["id"] for line in (tmp_path / "out" / "kept" / "a.jsonl").read_text().splitlines()]
    result = simsearch.dedup(texts)
    assert [row for row, is_kept in enumerate(result.kept) if is_kept] == kept and 0 < len(kept) < 600
    removed = [json.loads(line) for line in (tmp_path / "out" / "removed.jsonl").read_text().splitlines()]
    assert [(p.row, p.kept_for, p.jaccard) for p in result.pairs] == [(int(r["id"]), int(r["kept_id"]), r["similarity"]) for r in removed]


def test_threads():
    found = []
    threads = [threading.Thread(target=lambda: found.append(simsearch.dedup(TEXTS).kept)) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [KEPT] * 8


class Tqdm:
    """Stands for the bar of tqdm."""

    made = []

    def __init__(self, **how):
        self.total, self.n, self.said, self.closed = how["total"], 0, [], False
        Tqdm.made.append(self)

    def update(self, n):
        self.n += n

    def set_postfix_str(self, s):
        self.said.append(s)

    def close(self):
        self.closed = True


def test_progress(monkeypatch):
    module = type(sys)("tqdm.auto")
    module.tqdm = Tqdm
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    monkeypatch.setitem(sys.modules, "tqdm", type(sys)("tqdm"))
    simsearch.dedup(TEXTS * 1000, progress=True)
    assert [(b.total, b.n, b.closed) for b in Tqdm.made] == [(7000, 7000, True)]
    bar = _dedup._Bar(1, True)
    bar.hear("comparing: 32%, 250 MB of memory")
    bar.hear("simsearch: about 170,000 documents: 20 s")
    assert Tqdm.made[1].said == ["comparing: 32%"]
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert simsearch.dedup(TEXTS, progress=True).kept == KEPT  # there is no tqdm


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_interrupted(tmp_path):
    """Ctrl-C ends the call and its process, and leaves nothing; the next call works."""
    program = f"""
import simsearch, tempfile
tempfile.tempdir = {str(tmp_path / "temporary")!r}
class Endless(list):
    def __iter__(self):
        for i in range(10**9):
            if i == 20_000:
                print("begun", flush=True)
            yield f"text {{i}}"
try:
    simsearch.dedup(Endless(["a text"]))
except KeyboardInterrupt:
    print("interrupted", [c.process.returncode for c in simsearch._child._children], simsearch.dedup(["a", "a"]).kept)
"""
    p = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert p.stdout.readline() == "begun\n"
    os.killpg(p.pid, signal.SIGINT)  # as a terminal does
    assert p.communicate(timeout=30)[0] == "interrupted [-9] [True, False]\n" and p.returncode == 0


def test_rows_of_engines_go_by_their_places(tmp_path):
    """What Spark and Ray do: ids are no part of it, so equal ones in two shares mean nothing."""
    pyarrow = pytest.importorskip("pyarrow")
    from simsearch import _steps

    shares = [[BRIDGE, "Something else altogether"], [], ["Nothing of the kind at all, and not near", MAYOR, BRIDGE]]
    steps = _steps.Steps(str(tmp_path / "work"), 3, None, [], None)
    for number, texts in enumerate(shares, 1):
        batches = [pyarrow.RecordBatch.from_pydict({"id": ["x"], "text": [text]}) for text in texts]
        assert _steps.sketch_rows(steps, number, batches) == len(texts)
    steps.decide(lambda n, do: [do(i) for i in range(1, n + 1)], str(tmp_path / "out"))
    found = {(_steps.share_and_row(r["id"]), _steps.share_and_row(r["kept_id"])) for r in _steps.removed(str(tmp_path / "out"))}
    assert found == {((3, 1), (1, 0)), ((3, 2), (1, 0))}


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_killed(tmp_path):
    """A process that is killed leaves texts for no longer than until the next call; what lives, and what is not ours, stays."""
    import simsearch._private as private

    code = f"""
import simsearch, tempfile, time
tempfile.tempdir = {str(tmp_path)!r}
ix = simsearch.Index()
ix.add("a", "secret text")
def texts():
    yield "secret text of a frame"
    print("begun", flush=True)
    time.sleep(60)
class Slow(list):
    __iter__ = lambda self: texts()
simsearch.dedup(Slow(["a"]))
"""
    for number in (signal.SIGTERM, signal.SIGKILL):
        p = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert p.stdout.readline() == "begun\n"
        left = set(tmp_path.glob("simsearch-*"))
        assert len(left) == 2
        mine = tmp_path / "simsearch-python-mine"
        mine.mkdir()
        link = tmp_path / "simsearch-python-link"
        link.symlink_to(tmp_path.parent)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(private.tempfile, "tempdir", str(tmp_path))
            assert simsearch.dedup(["a", "a"]).kept == [True, False]
            assert set(tmp_path.glob("simsearch-*")) == left | {mine, link}
            p.send_signal(number)
            p.wait()
            p.stdout.close()
            for _ in range(100):  # its processes end when their inputs do
                simsearch.dedup(["a", "a"])
                if set(tmp_path.glob("simsearch-*")) == {mine, link}:
                    break
                time.sleep(0.1)
        assert set(tmp_path.glob("simsearch-*")) == {mine, link}
        mine.rmdir()
        link.unlink()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_while_it_runs():
    """A fork does not keep the input of the process open."""
    begun, go_on = threading.Event(), threading.Event()

    class Slow(list):
        def __iter__(self):
            yield BRIDGE
            yield from ["x"] * 3000
            begun.set()
            go_on.wait(30)
            yield MAYOR

    found = []
    data = Slow([None] * 3002)
    thread = threading.Thread(target=lambda: found.append(simsearch.dedup(data).kept_for[-1]))
    thread.start()
    assert begun.wait(30)
    pid = os.fork()
    if pid == 0:
        time.sleep(60)
        os._exit(0)
    try:
        go_on.set()
        thread.join(30)
        assert found == [0]
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_stream():
    """Rows are the same stream by our own writer and by that of pyarrow, which reads both."""
    pyarrow = pytest.importorskip("pyarrow")
    texts = ["", "a text", None, "\u00fc\u20ac\U0001f600", "x" * (5 << 20), *["y" * 3000] * 5000]
    keys = [None, 3, datetime.date(2024, 2, 29), *[1.5] * 5002]
    array = pyarrow.array(texts)
    chunked = pyarrow.chunked_array([array[:3], array[:0], array[3:]]).cast(pyarrow.large_string())
    for of_key in (None, keys):
        want = {"id": list(range(len(texts))), "key": [""] * len(texts), "text": [t or "" for t in texts]}
        if of_key:
            want["key"] = ["", "3", "2024-02-29", *["1.5"] * 5002]
        for data in (texts, array, chunked, array.cast(pyarrow.string_view())):
            parts = list(_arrow.stream(rows(data).pieces(""), of_key))
            assert sum(n for n, _ in parts) == len(texts)
            with pyarrow.ipc.open_stream(b"".join(bytes(memoryview(block)) for _, block in parts)) as reader:
                batches = list(reader)
            for batch in batches:
                batch.validate(full=True)
                assert batch.nbytes < 5 << 20 or batch.num_rows == 1
            assert pyarrow.Table.from_batches(batches).to_pydict() == want
            assert not any(field.nullable for field in batches[0].schema)
    with pytest.raises(TypeError, match="row 10001 has no text, but b'a' of the type bytes"):
        list(_arrow.stream(rows(["b"] * 10_001 + [b"a"]).pieces(""), None))
    with pytest.raises(TypeError, match="row 1 has no text, but 7 of the type int"):
        list(_arrow.stream(rows(pyarrow.array([None, 7])).pieces(""), None))


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="seconds of processors")
def test_a_million_rows(tmp_path):
    """Data of each kind take no more than 1.3 times the processors that the command takes of a file."""
    import random
    import resource

    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    r = random.Random(1)
    story = " ".join("".join(r.choices("abcdefghij", k=r.randrange(2, 9))) for _ in range(100_000))
    part = lambda: story[(at := r.randrange(len(story) - 300)):at + 300]  # noqa: E731
    texts = [f"{part()} {part()}" for _ in range(950_000)]
    texts += [f"{t} again" for t in texts[:50_000]]
    with open(tmp_path / "a.jsonl", "w") as f:
        f.writelines(f'{{"id": "{i}", "text": "{t}"}}\n' for i, t in enumerate(texts))

    def took(do):
        before = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        result = do()
        after = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return result, sum(a.ru_utime + a.ru_stime - b.ru_utime - b.ru_stime for a, b in zip(after, before))

    line = [_child.program(), "dedup", "--quiet", "--out", tmp_path / "out", tmp_path / "a.jsonl"]
    _, command = took(lambda: subprocess.run(line, check=True))
    removed = [json.loads(line) for line in (tmp_path / "out" / "removed.jsonl").read_text().splitlines()]
    kinds = {
        "object": lambda: pandas.DataFrame({"text": pandas.Series(texts, dtype="object")}),
        "pyarrow": lambda: pandas.DataFrame({"text": pandas.Series(texts, dtype="string[pyarrow]")}),
        "polars": lambda: polars.DataFrame({"text": texts}),
        "arrow": lambda: pyarrow.table({"text": texts}),
        "list": lambda: texts,
    }
    for kind in os.environ.get("SIMSEARCH_FRAMES", "object").split():
        data = kinds[kind]()
        (result, kept), ours = took(lambda: (lambda result: (result, result.kept_frame()))(simsearch.dedup(data)))
        print(f"{kind}: {ours:.1f} s of processors, the command {command:.1f} s: {ours / command:.2f} times as many")
        assert ours <= 1.3 * command
        assert len(kept) == sum(result.kept) == 1_000_000 - len(result.pairs)
        assert [(p.row, p.kept_for) for p in result.pairs] == [(int(r["id"]), int(r["kept_id"])) for r in removed] and len(removed) >= 50_000
