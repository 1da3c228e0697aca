"""Spark and Ray keep what one machine keeps, byte for byte, with workers and tasks that are killed on the way.

tests/engines.txt lists the packages. scripts/python.sh installs them and runs these tests at the long level. SIMSEARCH_REQUIRE=engines,java
makes it a failure if one of them, or the Java that Spark runs on, is missing. SIMSEARCH_CORPORA is the number of random collections.
"""

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from simsearch._child import program

corpora = pytest.importorskip("corpora")  # it needs pyarrow
pytestmark = pytest.mark.long
root = Path(__file__).parents[2]


def absent(what: str, reason: str):
    """Skip the test, or fail it if SIMSEARCH_REQUIRE lists what is absent."""
    if what in os.environ.get("SIMSEARCH_REQUIRE", "").split(","):
        pytest.fail(f"{what} is required by SIMSEARCH_REQUIRE: {reason}")
    pytest.skip(reason)


def engine(name: str):
    try:
        return import_module(name)
    except ImportError as e:
        absent("engines", f"{name} is not installed: {e}")


def pyspark():
    """Return the module of Spark, if there is a Java that it runs on."""
    spark = engine("pyspark")
    java = os.path.join(os.environ["JAVA_HOME"], "bin", "java") if os.environ.get("JAVA_HOME") else shutil.which("java")
    if java is None:
        absent("java", "Spark needs Java 17 or 21, and there is no Java")
    said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    version = re.search(r'version "(\d+)', said)
    if version is None or version[1] not in ("17", "21"):
        absent("java", f"Spark needs Java 17 or 21, and this is {(said.splitlines() or [java])[0]}")
    return spark


def tree(pid: int) -> set:
    """Return a process and all that it has started, by their ids."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            pass
    found, before = {pid}, set()
    while found != before:
        before = set(found)
        found |= {child for child, parent in parents.items() if parent in before}
    return found


def listening(pids: set) -> list:
    """Return the addresses and ports on which processes listen."""
    addresses = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *rest = line.split()
            if state == "0A":
                words, _, port = local.partition(":")
                packed = b"".join(bytes.fromhex(words[i:i + 8])[::-1] for i in range(0, len(words), 8))
                name = socket.inet_ntop(socket.AF_INET6 if len(packed) == 16 else socket.AF_INET, packed)
                addresses[f"socket:[{rest[5]}]"] = (name.replace("::ffff:", ""), int(port, 16))
    found = []
    for pid in pids:
        try:
            found += [addresses[link] for link in map(os.readlink, Path(f"/proc/{pid}/fd").iterdir()) if link in addresses]
        except OSError:
            pass
    return found


def assert_loopback():
    """Assert that what this process has started listens, and on addresses of this machine alone."""
    if sys.platform == "linux":
        found = listening(tree(os.getpid()))
        assert found and {address for address, _ in found} <= {"127.0.0.1", "::1"}, found


def rows_of(seed: int) -> list:
    """Return rows with near and equal texts."""
    r = random.Random(seed)
    words = [f"w{i}" for i in range(3000)]
    texts = [[r.choice(words) for _ in range(40)] for _ in range(120)]
    rows = []
    for i in range(600):
        text = list(r.choice(texts) if r.random() < 0.6 else [r.choice(words) for _ in range(30)])
        for _ in range(r.randrange(4)):
            text[r.randrange(len(text))] = r.choice(words)
        rows.append({"id": f"row {i}", "text": " ".join(text)})
    return rows


def one_machine(source: Path, out: Path, **how) -> str:
    if "k" not in how:
        how = {"threshold": 0.8, **how}  # steps have no texts to judge
    flags = [f"--{name.replace('threshold', 'jaccard')}={value}" for name, value in how.items()]
    subprocess.run([program(), "dedup", "--quiet", "--out", str(out), *flags, str(source)], check=True)
    return corpora.digest(out)


def xargs(source: Path, out: Path, work: Path, jobs: int, **how) -> str:
    """Run all steps beside each other. Where one is killed, the script ends, and runs once more."""
    flags = [f"--{name.replace('threshold', 'jaccard')}={value}" for name, value in how.items()]
    env = {**os.environ, "PARTS": str(jobs), "STEPS": str(work), "SIMSEARCH": killer(work.parent, "$$")}
    for _ in range(4):
        script = subprocess.run(["sh", str(root / "scripts" / "steps.sh"), str(source), str(out), str(jobs), *flags], env=env,
                                stderr=subprocess.PIPE, text=True)
        if script.returncode == 0:
            return corpora.digest(out)
    raise AssertionError(script.stderr)


def killer(dir: Path, whom: str) -> str:
    """Return a program that, once for each of three steps, kills a process in the place of doing its work: itself or who has called it.
    It does so again when no file killed-* is left in the directory.
    """
    wrapper = dir / f"killer{len(whom)}"
    wrapper.write_text(f"""#!/bin/sh
case $2 in scatter|join|keep)
  if mkdir "{dir}/killed-$2" 2>/dev/null; then kill -9 {whom}; exit 1; fi;;
esac
exec "{program()}" "$@"
""")
    wrapper.chmod(0o755)
    return str(wrapper)


def killed(dir: Path) -> list:
    """Return the steps in which a process was killed, and let it happen again."""
    steps = sorted(path.name[len("killed-"):] for path in dir.glob("killed-*"))
    for path in dir.glob("killed-*"):
        path.rmdir()
    return steps


@pytest.fixture(scope="module")
def deadly(tmp_path_factory):
    """A directory with a program that kills the worker that has called it, once a step."""
    dir = tmp_path_factory.mktemp("deadly")
    killer(dir, "$PPID")
    yield dir


@pytest.fixture(scope="module")
def spark(deadly):
    module = pyspark()
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    with pytest.MonkeyPatch.context() as patch:  # workers have the environment that the session begins with
        patch.setenv("SIMSEARCH_PROGRAM", str(deadly / "killer5"))
        session = (module.sql.SparkSession.builder.master("local[2,8]").config("spark.ui.enabled", "false")
                   .config("spark.sql.shuffle.partitions", 4).config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate())
    session.sparkContext.setLogLevel("OFF")  # tasks fail here
    yield session
    session.stop()


@pytest.fixture(scope="module")
def ray(deadly, tmp_path_factory):
    # Ray writes a token under the home directory, and listens on all addresses unless it is told that there is no cluster.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        module = engine("ray")
        engine("ray.data")
        module.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False,
                    runtime_env={"env_vars": {"SIMSEARCH_PROGRAM": str(deadly / "killer5")}})
        yield module
        module.shutdown()


one_result = {}  # the digest of what one machine and xargs made of each random collection


def compare(tmp_path: Path, seed: int, dedup_files, deadly: Path):
    """Clean a random collection on one machine, by xargs and by an engine, of which a process is killed in each of three steps, and assert
    that all results are equal. For some collections, the engine leaves it to one process to compare all.
    """
    how, r = corpora.settings(seed), random.Random(seed)
    source = deadly / f"collection {seed}"
    if seed not in one_result:
        corpora.write(source, seed)
        want = one_machine(source, tmp_path / "one", **how)
        (tmp_path / "work").mkdir()
        assert xargs(source, tmp_path / "xargs", tmp_path / "work", 8, **how) == want, how
        assert killed(tmp_path) == ["join", "keep", "scatter"]
        one_result[seed] = want
    shares, parts = r.randrange(1, 6), r.randrange(5) or None
    (tmp_path / "steps").mkdir()
    dedup_files([str(source)], str(tmp_path / "engine"), work=str(tmp_path / "steps"), shares=shares, parts=parts, **how)
    assert corpora.digest(tmp_path / "engine") == one_result[seed], f"{shares} shares, {parts} parts, {how}"
    assert killed(deadly) == (["join", "keep", "scatter"] if parts else ["keep"])


seeds = range(int(os.environ.get("SIMSEARCH_CORPORA", "10")))


@pytest.mark.parametrize("seed", seeds)
def test_spark_files(spark, deadly, tmp_path, seed):
    import simsearch.spark

    compare(tmp_path, seed, lambda *args, **how: simsearch.spark.dedup_files(spark, *args, **how), deadly)
    if seed == 0:
        assert_loopback()


@pytest.mark.parametrize("seed", seeds)
def test_ray_files(ray, deadly, tmp_path, seed):
    import simsearch.ray

    compare(tmp_path, seed, simsearch.ray.dedup_files, deadly)
    if seed == 0:
        assert_loopback()


def test_spark_frame(spark, deadly, tmp_path):
    import simsearch
    import simsearch.spark

    rows = rows_of(2)
    df = spark.createDataFrame([(r["id"], r["text"], i) for i, r in enumerate(rows)], "id string, body string, n int").coalesce(1)
    df = df.repartitionByRange(4, "n").sortWithinPartitions("n")
    (tmp_path / "work").mkdir()
    kept = simsearch.spark.dedup(df, text="body", work=str(tmp_path / "work"))
    want = simsearch.dedup([r["text"] for r in rows], threshold=0.8)
    assert sorted(r["n"] for r in kept.collect()) == [i for i, is_kept in enumerate(want.kept) if is_kept]
    (tmp_path / "more").mkdir()
    every = simsearch.spark.dedup(df, text="body", work=str(tmp_path / "more"), annotate=True).collect()
    assert {r["n"]: r["dup_kept_id"] for r in every} == {
        i: None if for_ == i else rows[for_]["id"] for i, for_ in enumerate(want.kept_for)}
    killed(deadly)


def ids_of(kind: str, n: int) -> list:
    """Return ids of a type of Spark for n rows, of which many are equal and some are missing."""
    import datetime
    import decimal

    day = datetime.datetime(2024, 1, 1, 12, 30)
    make = {"string": str, "long": int, "double": lambda i: i / 8, "boolean": lambda i: i % 2 == 0, "date": lambda i: (day + datetime.timedelta(i)).date(),
            "timestamp": lambda i: day + datetime.timedelta(seconds=i), "binary": lambda i: bytes([i, 255]), "decimal(9,2)": lambda i: decimal.Decimal(i) / 4}
    return [None if i % 7 == 0 else make[kind](i % 5) for i in range(n)]


kinds = ["string", "long", "double", "boolean", "date", "timestamp", "binary", "decimal(9,2)"]


@pytest.mark.parametrize("kind", kinds)
def test_spark_ids(spark, deadly, tmp_path, kind):
    """Rows go by their places: ids may be equal in all partitions, missing, and of any type."""
    import simsearch
    import simsearch.spark

    rows = rows_of(3)[:200]
    ids = ids_of(kind, len(rows))
    df = spark.createDataFrame([(one, r["text"], i) for i, (one, r) in enumerate(zip(ids, rows))], f"id {kind}, text string, n int")
    df = df.coalesce(1).repartitionByRange(4, "n").sortWithinPartitions("n").union(df.limit(0))  # with a partition that is empty
    (tmp_path / "work").mkdir()
    every = simsearch.spark.dedup(df, work=str(tmp_path / "work"), annotate=True)
    assert every.columns == ["id", "text", "n", "dup_kept", "dup_kept_id", "dup_similarity"]
    want = simsearch.dedup([r["text"] for r in rows], threshold=0.8)
    assert {r["n"]: (r["id"], r["dup_kept"], r["dup_kept_id"]) for r in every.collect()} == {
        i: (ids[i], for_ == i, None if for_ == i else ids[for_]) for i, for_ in enumerate(want.kept_for)}
    if kind == "string":
        (tmp_path / "more").mkdir()
        kept = simsearch.spark.dedup(df, id="absent", work=str(tmp_path / "more"))
        assert kept.columns == df.columns
        assert sorted(r["n"] for r in kept.collect()) == [i for i, is_kept in enumerate(want.kept) if is_kept]
    killed(deadly)


def test_spark_cluster_with_a_killed_worker(tmp_path):
    """A standalone cluster on this machine, of which a worker is killed while it works."""
    home = Path(pyspark().__file__).parent
    source = corpora.write(tmp_path / "corpus", 3)
    want = one_machine(source, tmp_path / "one")
    (tmp_path / "work").mkdir()
    slow = tmp_path / "slow"  # so that the worker is killed while a task runs
    slow.write_text(f"#!/bin/sh\nsleep 1\nexec {program()} \"$@\"\n")
    slow.chmod(0o755)
    env = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable,
           "PYSPARK_DRIVER_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    started = []

    def start(name, *args):
        """Start a part of the cluster, and return it with the file of what it says."""
        log = tmp_path / f"{len(started)}.log"
        with open(log, "wb") as said:
            started.append(subprocess.Popen(
                [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1", "--port", "0",
                 "--webui-port", "0", *args], env=env, stdout=said, stderr=said, start_new_session=True))
        return log

    def said(log, pattern, patience=120):
        until = time.monotonic() + patience
        while time.monotonic() < until:
            found = re.search(pattern, log.read_text(errors="replace"), re.S)
            if found:
                return found[0]
            time.sleep(0.2)
        raise AssertionError(f"nobody says {pattern}: {log.read_text(errors='replace')[-3000:]}")

    def stop(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)  # it began a group of its own
        except ProcessLookupError:
            pass
        process.wait()

    driver = None
    try:
        master = start("master.Master")
        address = said(master, r"spark://127\.0\.0\.1:\d+")
        for i in range(2):
            start("worker.Worker", address, "--cores", "1", "--memory", "1g", "--work-dir", str(tmp_path / f"worker{i}"))
        said(master, r"Registering worker.*Registering worker")
        with open(tmp_path / "driver.log", "wb") as log:
            driver = subprocess.Popen([sys.executable, "-c", f"""
import pyspark.sql, simsearch.spark
session = (pyspark.sql.SparkSession.builder.master("{address}").config("spark.ui.enabled", "false")
           .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
           .config("spark.executorEnv.SIMSEARCH_PROGRAM", {str(slow)!r}).config("spark.executorEnv.PYTHONPATH", {env["PYTHONPATH"]!r})
           .config("spark.executor.memory", "512m").getOrCreate())
simsearch.spark.dedup_files(session, [{str(source)!r}], {str(tmp_path / "two")!r}, work={str(tmp_path / "work")!r}, shares=8)
"""], env=env, stdout=log, stderr=log)
        until = time.monotonic() + 300
        while not list((tmp_path / "work").glob("*.sketch")) and driver.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        assert_loopback()
        sketches = len(list((tmp_path / "work").glob("*.sketch")))
        assert 1 <= sketches < 8 and driver.poll() is None, (tmp_path / "driver.log").read_text(errors="replace")[-3000:]
        assert list((tmp_path / "worker0").glob("app-*/*")), "the worker that is to be killed has run nothing"
        stop(started[1])
        assert driver.wait(300) == 0, (tmp_path / "driver.log").read_text(errors="replace")[-3000:]
        said(master, r"Removing worker|Lost executor|Removing executor")
    finally:
        for process in started:
            stop(process)
        if driver is not None:
            driver.kill()
            driver.wait()
    assert corpora.digest(tmp_path / "two") == want


def test_ray_dataset(ray, deadly, tmp_path):
    import simsearch
    import simsearch.ray

    rows = rows_of(5)
    ds = ray.data.from_items([{"url": r["id"], "text": r["text"], "n": i} for i, r in enumerate(rows)], override_num_blocks=3)
    for work in ("work", "more"):
        (tmp_path / work).mkdir()
    want = simsearch.dedup([r["text"] for r in rows], threshold=0.8)
    kept = simsearch.ray.dedup(ds, id="url", work=str(tmp_path / "work")).take_all()
    assert sorted(r["n"] for r in kept) == [i for i, is_kept in enumerate(want.kept) if is_kept]
    every = simsearch.ray.dedup(ds, id="url", work=str(tmp_path / "more"), annotate=True).take_all()
    assert {r["n"]: r["dup_kept_id"] for r in every} == {
        i: None if for_ == i else rows[for_]["id"] for i, for_ in enumerate(want.kept_for)}
    killed(deadly)


@pytest.mark.parametrize("kind", kinds)
def test_ray_ids(ray, deadly, tmp_path, kind):
    """Rows go by their places, as those of Spark do."""
    import pyarrow

    import simsearch
    import simsearch.ray

    rows = rows_of(3)[:200]
    ids = ids_of(kind, len(rows))
    table = pyarrow.table({"id": ids, "text": [r["text"] for r in rows], "n": list(range(len(rows)))})
    ds = ray.data.from_arrow([table.slice(i, 60) for i in range(0, len(rows), 60)])
    for work in ("work", "more"):
        (tmp_path / work).mkdir()
    want = simsearch.dedup([r["text"] for r in rows], threshold=0.8)
    every = simsearch.ray.dedup(ds, work=str(tmp_path / "work"), annotate=True).take_all()
    assert {r["n"]: (r["id"], r["dup_kept"], r["dup_kept_id"]) for r in every} == {
        i: (ids[i], for_ == i, None if for_ == i else ids[for_]) for i, for_ in enumerate(want.kept_for)}
    kept = simsearch.ray.dedup(ds, id="absent", work=str(tmp_path / "more")).take_all()
    assert sorted(r["n"] for r in kept) == [i for i, is_kept in enumerate(want.kept) if is_kept]
    killed(deadly)


@pytest.mark.parametrize("heading", ["Spark", "Ray", "Daft", "Hugging Face datasets"])
def test_page(heading, request, deadly, tmp_path, monkeypatch):
    """The lines of docs/SCALE.md keep one of each group."""
    import pyarrow.dataset
    import pyarrow.parquet

    request.getfixturevalue("spark" if heading == "Spark" else "ray")
    engine({"Spark": "pyspark", "Ray": "ray", "Daft": "daft"}.get(heading, "datasets"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    r = random.Random(6)
    rows = []
    for i in range(150):  # four texts that are near each other and of several lengths: the longest is kept in whatever order rows are read
        words = [f"w{r.randrange(10**6)}" for _ in range(40)]
        rows += [{"id": f"row {i} {j}", "text": " ".join([*words, *(f"w{r.randrange(10**6)}" for _ in range(j))])} for j in range(4)]
    r.shuffle(rows)
    (tmp_path / "crawl").mkdir()
    for i in range(0, len(rows), 200):
        some = pyarrow.table({"url": [r["id"] for r in rows[i:i + 200]], "body": [r["text"] for r in rows[i:i + 200]]})
        pyarrow.parquet.write_table(some, tmp_path / "crawl" / f"{i}.parquet")
    page = (root / "docs" / "SCALE.md").read_text(encoding="utf-8")
    lines = re.search(rf"^### {heading}\n.*?```python\n(.*?)```", page, re.S | re.M)[1]
    exec(lines.replace("/shared", str(tmp_path)), {})
    made = [*tmp_path.glob("clean.parquet"), *(tmp_path / "clean").glob("*.parquet")]
    kept = pyarrow.dataset.dataset([str(path) for path in made]).to_table()
    assert sorted(kept.column("url").to_pylist()) == sorted(f"row {i} 3" for i in range(150))
    killed(deadly)
