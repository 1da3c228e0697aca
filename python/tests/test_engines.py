"""Spark and Ray keep what one machine keeps, byte for byte, with a worker or a task that is killed on the way."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simsearch._child import SimsearchError, program

pytestmark = pytest.mark.long


def corpus(dir: Path, seed: int, files: int = 6, rows: int = 120) -> Path:
    """Write files with near and equal texts, one of them empty, and with one giant group."""
    r = random.Random(seed)
    words = [f"w{i}" for i in range(3000)]
    texts = [[r.choice(words) for _ in range(40)] for _ in range(rows)]
    template = [r.choice(words) for _ in range(50)]
    dir.mkdir()
    for f in range(files):
        with open(dir / f"{f}.jsonl", "w") as out:
            for i in range(0 if f == 2 else rows):
                text = list(r.choice(texts) if r.random() < 0.6 else [r.choice(words) for _ in range(30)])
                if f == 1:
                    text = list(template)
                for _ in range(r.randrange(4)):
                    text[r.randrange(len(text))] = r.choice(words)
                out.write(json.dumps({"id": f"{f}/{i}", "text": " ".join(text)}) + "\n")
    return dir


def result(dir: Path) -> dict:
    found = {name: (dir / name).read_bytes() for name in ("removed.jsonl", "clusters.jsonl")}
    for path in (dir / "kept").rglob("*"):
        if path.is_file():
            found[str(path.relative_to(dir))] = path.read_bytes()
    return found


def one_machine(source: Path, out: Path, *flags: str) -> dict:
    subprocess.run([program(), "dedup", "--quiet", "--out", str(out), *flags, str(source)], check=True)
    return result(out)


def killing(tmp_path: Path) -> str:
    """Return a program that kills the process that has called it, once for each step, and otherwise is the program."""
    wrapper = tmp_path / "killer"
    wrapper.write_text(f"""#!/bin/sh
mark={tmp_path}/killed-$2
case $2 in scatter|join|keep)
  if mkdir "$mark" 2>/dev/null; then kill -9 $PPID; exit 1; fi;;
esac
exec {program()} "$@"
""")
    wrapper.chmod(0o755)
    return str(wrapper)


@pytest.fixture(scope="module")
def spark():
    pyspark = pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("there is no Java, which Spark wants")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    session = (pyspark.sql.SparkSession.builder.master("local[2,8]").config("spark.ui.enabled", "false")
               .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate())
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def ray(tmp_path_factory):
    ray = pytest.importorskip("ray")
    home = os.environ.get("HOME")
    os.environ["HOME"] = str(tmp_path_factory.mktemp("home"))  # Ray writes a token there
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", logging_level="ERROR", log_to_driver=False)
    yield ray
    ray.shutdown()
    if home is not None:
        os.environ["HOME"] = home


@pytest.mark.parametrize("flags", [{}, {"k": 4, "group": "components"}, {"threshold": 0.6, "keep": "first", "spare": "numbers"}])
def test_spark_files(spark, tmp_path, flags):
    import simsearch.spark

    source = corpus(tmp_path / "corpus", 1)
    want = one_machine(source, tmp_path / "one", *[f"--{n.replace('threshold', 'jaccard')}={v}" for n, v in flags.items()])
    (tmp_path / "work").mkdir()
    simsearch.spark.dedup_files(spark, [str(source)], str(tmp_path / "two"), work=str(tmp_path / "work"), shares=3, parts=4, **flags)
    assert result(tmp_path / "two") == want


def test_spark_frame(spark, tmp_path):
    import simsearch
    import simsearch.spark

    rows = [json.loads(line) for path in sorted(corpus(tmp_path / "corpus", 2).iterdir()) for line in open(path)]
    df = spark.createDataFrame([(r["id"], r["text"], i) for i, r in enumerate(rows)], "id string, body string, n int").coalesce(1)
    df = df.repartitionByRange(4, "n").sortWithinPartitions("n")
    (tmp_path / "work").mkdir()
    kept = simsearch.spark.dedup(df, text="body", work=str(tmp_path / "work"))
    want = simsearch.dedup([r["text"] for r in rows])
    assert sorted(r["n"] for r in kept.collect()) == [i for i, is_kept in enumerate(want.kept) if is_kept]
    (tmp_path / "more").mkdir()
    every = simsearch.spark.dedup(df, text="body", work=str(tmp_path / "more"), annotate=True).collect()
    assert {r["n"]: r["dup_kept_id"] for r in every} == {
        i: None if for_ == i else rows[for_]["id"] for i, for_ in enumerate(want.kept_for)}
    twice = spark.createDataFrame([("a", "one two three"), ("a", "one two three")], "id string, text string")
    (tmp_path / "twice").mkdir()
    with pytest.raises(SimsearchError, match="several rows have the id"):
        simsearch.spark.dedup(twice, work=str(tmp_path / "twice"))


def test_spark_cluster_with_a_killed_worker(tmp_path):
    """A standalone cluster on this machine, of which a worker is killed while it works."""
    pyspark = pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("there is no Java, which Spark wants")
    home = Path(pyspark.__file__).parent
    env = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable,
           "SIMSEARCH_PROGRAM": program(), "PYTHONPATH": str(Path(__file__).parents[1] / "src")}

    def start(name, *args):
        return subprocess.Popen([str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1", *args],
                                env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def stop(process, how=signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
        except ProcessLookupError:
            pass
        process.wait()

    source = corpus(tmp_path / "corpus", 3)
    want = one_machine(source, tmp_path / "one")
    (tmp_path / "work").mkdir()
    slow = tmp_path / "slow"  # so that the worker is killed in the middle
    slow.write_text(f"#!/bin/sh\nsleep 1\nexec {program()} \"$@\"\n")
    slow.chmod(0o755)
    port = "17077"
    master = start("master.Master", "--port", port, "--webui-port", "0")
    workers = []
    try:
        for i in range(2):
            time.sleep(2)
            workers.append(start("worker.Worker", f"spark://127.0.0.1:{port}", "--cores", "1", "--memory", "1g", "--webui-port", "0",
                                 "--work-dir", str(tmp_path / f"worker{i}")))
        driver = subprocess.Popen([sys.executable, "-c", f"""
import pyspark, simsearch.spark
session = (pyspark.sql.SparkSession.builder.master("spark://127.0.0.1:{port}").config("spark.ui.enabled", "false")
           .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
           .config("spark.executorEnv.SIMSEARCH_PROGRAM", {str(slow)!r}).config("spark.executorEnv.PYTHONPATH", {env["PYTHONPATH"]!r})
           .config("spark.executor.memory", "512m").getOrCreate())
simsearch.spark.dedup_files(session, [{str(source)!r}], {str(tmp_path / "two")!r}, work={str(tmp_path / "work")!r}, shares=6)
"""], env=env, stderr=subprocess.PIPE)
        until = time.time() + 120
        while not list((tmp_path / "work").glob("*.sketch")) and time.time() < until and driver.poll() is None:
            time.sleep(0.2)
        stop(workers[0])
        _, said = driver.communicate(timeout=300)
        assert driver.returncode == 0, said.decode()[-3000:]
    finally:
        for process in [*workers, master]:
            stop(process)
    assert result(tmp_path / "two") == want


def test_ray_files_with_killed_tasks(ray, tmp_path, monkeypatch):
    import simsearch.ray

    source = corpus(tmp_path / "corpus", 4)
    want = one_machine(source, tmp_path / "one")
    (tmp_path / "work").mkdir()
    killer = killing(tmp_path)
    env = {"env_vars": {"SIMSEARCH_PROGRAM": killer}}
    simsearch.ray.dedup_files([str(source)], str(tmp_path / "two"), work=str(tmp_path / "work"), shares=3, runtime_env=env)
    assert result(tmp_path / "two") == want
    assert sorted(p.name for p in tmp_path.glob("killed-*")) == ["killed-join", "killed-keep", "killed-scatter"]


def test_ray_dataset(ray, tmp_path):
    import simsearch
    import simsearch.ray

    rows = [json.loads(line) for path in sorted(corpus(tmp_path / "corpus", 5).iterdir()) for line in open(path)]
    ds = ray.data.from_items([{"url": r["id"], "text": r["text"], "n": i} for i, r in enumerate(rows)], override_num_blocks=3)
    for work in ("work", "more"):
        (tmp_path / work).mkdir()
    want = simsearch.dedup([r["text"] for r in rows])
    kept = simsearch.ray.dedup(ds, id="url", work=str(tmp_path / "work")).take_all()
    assert sorted(r["n"] for r in kept) == [i for i, is_kept in enumerate(want.kept) if is_kept]
    every = simsearch.ray.dedup(ds, id="url", work=str(tmp_path / "more"), annotate=True).take_all()
    assert {r["n"]: r["dup_kept_id"] for r in every} == {
        i: None if for_ == i else rows[for_]["id"] for i, for_ in enumerate(want.kept_for)}
