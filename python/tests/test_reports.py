"""What is found of tests in data, how often searches are wrong, and fingerprints of many texts."""

import json
import pickle

import pytest

from judged import FERRY, MILL, SCHOOL
import simsearch

QUESTION = "How many of the forty apples that Ann and Bob picked on Monday are left if each of them eats three on Tuesday?"
TEXTS = ["Another text", f"é {QUESTION} 34", None, FERRY]


def test_decontaminate(tmp_path):
    pandas = pytest.importorskip("pandas")
    result = simsearch.decontaminate(TEXTS, [MILL, QUESTION])
    size = len(QUESTION) - 1  # without the question mark
    assert result.hits == [simsearch.Hit(1, "tests", 1, "text", 1.0, [((0, size), (3, 3 + size))])]
    assert result.kept == [True, False, True, True] and result.kept_frame() == [TEXTS[0], None, FERRY]
    assert repr(result) == "<Decontaminated: 3 of 4 rows kept>" and result.report["found"] == 1 and "<html" in result.html
    frame = pandas.DataFrame({"body": TEXTS})
    items = pandas.DataFrame({
        "id": ["x", "y", "z"], "question": [None, MILL, QUESTION], "n": [1, float("nan"), 2], "day": pandas.to_datetime(["2024-01-01"] * 3),
        "choices": [[], ["33", "34"], [FERRY]]})
    result = simsearch.decontaminate(frame, {"apples/é": items, "others": [SCHOOL]}, text="body")
    assert [h[:4] for h in result.hits] == [(1, "apples/é", 2, "question"), (3, "apples/é", 2, result.hits[1].field)]
    assert result.kept_frame()["body"].tolist()[0] == TEXTS[0] and len(result.kept_frame()) == 2
    path = tmp_path / "apples.jsonl"
    path.write_text(json.dumps({"id": "z", "question": QUESTION, "answer": FERRY}))
    for tests, found in ((path, {1, 3}), (f"{path}:question", {1}), ({"one": path, "two": [MILL]}, {1, 3})):
        result = simsearch.decontaminate(TEXTS, tests)
        assert {h.row for h in result.hits} == found and {h.item for h in result.hits} == {"z"}
        assert all(h.benchmark.endswith("apples.jsonl") for h in result.hits)
    assert simsearch.decontaminate(TEXTS, [SCHOOL]).kept == [True] * 4 and simsearch.decontaminate([], [SCHOOL]).kept == []
    with pytest.raises(simsearch.SimsearchError, match="nowhere"):
        simsearch.decontaminate(TEXTS, tmp_path / "nowhere")
    with pytest.raises(simsearch.SimsearchError, match="^words 0: want"):
        simsearch.decontaminate(TEXTS, [SCHOOL], words=0)


def test_copied(tmp_path):
    pandas = pytest.importorskip("pandas")
    essay = "In spring the mill at the river was sold to a family from the north, who kept three horses and a garden behind the house."
    words = essay.split()
    other = " ".join(["Later, as we know,"] + words[4:9] + ["quickly"] + words[9:])
    result = simsearch.copied(pandas.DataFrame({"essay": [FERRY, essay, None, other]}), text="essay")
    (pair,) = result.pairs
    assert (pair.a, pair.b, pair.shown) == (1, 3, True) and pair.once_in >= 1000 and result.groups == [[1, 3]]
    (of_a, of_b), = pair.passages
    assert essay[of_a[0]:of_a[1]].endswith("behind the house") and other[of_b[0]:of_b[1]].endswith("behind the house")
    assert pair.a_share > 0.6 and repr(result) == "<Copied: 1 pair of rows shares passages>" and "<html" in result.html
    task = tmp_path / "task.txt"
    task.write_text(essay)
    assert simsearch.copied([essay, other, FERRY], boilerplate=task).groups == []
    assert simsearch.copied([]).pairs == [] and simsearch.copied([FERRY, FERRY + " now"]).pairs[0].a_share == 1
    with pytest.raises(simsearch.SimsearchError, match="nowhere"):
        simsearch.copied([essay, other], boilerplate=[tmp_path / "nowhere"])


def test_evaluate():
    texts = [f"{t} {n}" for t in (FERRY, MILL, SCHOOL, QUESTION) for n in ("", "Monday", "on Tuesday")]
    result = simsearch.evaluate([{"body": t} for t in texts], text="body")
    at = {r.threshold: r for r in result.rates if r.k is None}
    assert at[0.8].found >= 12 and at[0.8].recall == at[0.8].precision == 1 and at[0.95].false_negatives > 0
    within = {r.k: r for r in result.rates if r.threshold is None}
    assert within[0].recall <= within[3].recall <= within[16].recall
    assert result.advice and result.report["facts"] and "<html" in result.html
    labels = [(0, 1, True), (3, 4, True), (0, 9, True), (1, 2, False)]
    at = {r.threshold: r for r in simsearch.evaluate(texts, labels=labels, features="word:2").rates}
    assert (at[0.5].found, at[0.5].false_positives, at[0.5].false_negatives) == (3, 1, 1)
    assert simsearch.evaluate(["a text"]).rates == []


def test_fingerprints():
    texts = [FERRY, "", "the", "👍", *[f"text {i}" for i in range(20)]]
    prints = simsearch.fingerprints(texts)
    assert prints == [simsearch.fingerprint(t) for t in texts]
    assert simsearch.fingerprints([{"body": None}, {"body": FERRY}], text="body") == [prints[1], prints[0]]
    assert simsearch.fingerprints([]) == []


def test_batches(tmp_path):
    """Functions of batches of Hugging Face datasets take an index and fingerprints, in other processes, too."""
    with simsearch.Index(tmp_path / "idx") as index:
        index.add(["f"], [FERRY])
        with pickle.loads(pickle.dumps(index)) as other:
            assert other.near(FERRY)[0].id == "f"
            with pytest.raises(simsearch.SimsearchError):
                other.add("g", MILL)
        datasets = pytest.importorskip("datasets")
        numpy = pytest.importorskip("numpy")
        fingerprints = simsearch.fingerprints
        data = datasets.Dataset.from_dict({"text": [MILL, FERRY, SCHOOL, FERRY + " indeed"]})
        for processes in (None, 2):
            new = data.filter(lambda batch: [not near for near in index.near(batch["text"])], batched=True, num_proc=processes)
            assert new["text"][:] == [MILL, SCHOOL]
            prints = data.map(lambda batch: {"print": numpy.array(fingerprints(batch["text"]), "uint64")}, batched=True, num_proc=processes)
            assert prints["print"][:] == fingerprints(data["text"][:])
