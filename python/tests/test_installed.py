"""What a user meets first: the wheel, the types, a notebook, the page that says how."""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import simsearch

root = Path(__file__).parents[1]


@pytest.mark.skipif("SIMSEARCH_WHEEL" not in os.environ, reason="make python builds the wheel")
def test_a_clean_place(tmp_path):
    venv.create(tmp_path / "clean", with_pip=True)
    scripts = tmp_path / "clean" / ("Scripts" if os.name == "nt" else "bin")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("SIMSEARCH_", "PYTHON"))}

    def run(*command, **how):
        return subprocess.run(command, env=env, cwd=tmp_path, check=True, capture_output=True, text=True, **how).stdout

    run(scripts / "python", "-m", "pip", "install", "--no-index", "--no-deps", os.environ["SIMSEARCH_WHEEL"])
    lines = 'The ferry leaves at nine\nAnother text\nthe ferry leaves at nine!\n'
    assert run(scripts / "simsearch", "dedup", "-", "--format", "lines", "--quiet", input=lines).count("\n") == 2
    assert run(scripts / "python", "-m", "simsearch", "version").startswith("simsearch ")
    code = "import simsearch; print(simsearch.dedup(['a text', 'a text', 'another']).kept_for)"
    assert run(scripts / "python", "-c", code) == "[0, 0, 2]\n"
    with pytest.raises(subprocess.CalledProcessError) as e:
        run(scripts / "simsearch", "near", "--index", "none", "x")
    assert e.value.returncode == 2 and "no index" in e.value.stderr
    uvx = shutil.which("uvx", path=os.path.dirname(sys.executable))
    if uvx:
        env.update(UV_PYTHON=sys.executable, UV_CACHE_DIR=str(tmp_path / "uv"), UV_PYTHON_DOWNLOADS="never")
        assert run(uvx, "--offline", "--from", os.environ["SIMSEARCH_WHEEL"], "simsearch", "version").startswith("simsearch ")


def test_types(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text(
        "import simsearch\n"
        "reveal_type(simsearch.dedup(['a']).kept_frame())\n"
        "with simsearch.Index('idx') as ix:\n"
        "    reveal_type(ix.near('a')[0].jaccard)\n"
        "    reveal_type(ix.near(['a', 'b']))\n"
        "    reveal_type(ix.check_and_add('a', 'b').new)\n"
        "    reveal_type(simsearch.decontaminate(['a'], 'b.jsonl').kept_frame())\n"
        "    reveal_type(simsearch.evaluate(['a']).rates[0].k)\n"
        "    ix.near('a', threshhold=1)\n")
    env = {**os.environ, "MYPYPATH": str(Path(simsearch.__file__).parents[1]) if "SIMSEARCH_INSTALLED" not in os.environ else ""}
    line = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "use.py"]
    said = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True).stdout
    types = re.findall(r'Revealed type is "(.*)"', said.replace("builtins.", ""))
    types = [re.sub(r"Union\[(\w+), None\]", r"\1 | None", t) for t in types]
    assert types == ["list[str]", "float | None", "list[simsearch._index.Near]", "bool", "list[str]", "int | None"], said
    assert "threshhold" in said and said.count("error:") <= 2, said


def test_readme(tmp_path, monkeypatch):
    """What the page shows is what is answered."""
    pandas = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(root.parent / "testdata" / "pictures", "photos")
    numpy = pytest.importorskip("numpy")
    datasets = pytest.importorskip("datasets")
    names = {"numpy": numpy, "dataset": datasets.Dataset.from_dict({"text": ["Another text", "A third text"]}), "df": pandas.DataFrame({"body": ["a text", "a text"], "url": ["x", "y"]})}
    answers = 0
    for block in re.findall(r"```python\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), re.S):
        block = re.sub(r"^( *)(\S.*?\S) +# (\[.*|\d.*|False).*$", lambda m: f"{m[1]}told({m[2]}, {m[3]!r})", block, flags=re.M)
        block = re.sub(r"^( *)(\S.*?\S) +# ((?:Removal|Rate).*)$", lambda m: f"{m[1]}told({m[2]}, {m[3]!r})", block, flags=re.M)

        def told(value, want):
            nonlocal answers
            answers += 1
            want = want.partition(";")[0].partition(": ")[0].partition(", ...")[0]
            assert repr(value).startswith(want)

        exec(block, {**names, "told": told, "simsearch": simsearch})
    assert answers == 15


def test_a_notebook(tmp_path):
    jupyter_client = pytest.importorskip("jupyter_client")
    pytest.importorskip("ipykernel")
    manager, client = jupyter_client.manager.start_new_kernel(kernel_name="python3")
    try:
        def run(code, meanwhile=None):
            printed = []

            def hear(message):
                if message["msg_type"] == "stream":
                    printed.append(message["content"]["text"])
                    if meanwhile and "begun" in message["content"]["text"]:
                        meanwhile()

            reply = client.execute_interactive(code, timeout=60, output_hook=hear)
            return reply["content"].get("ename"), "".join(printed)

        assert run(f"import tempfile; tempfile.tempdir = {str(tmp_path / 'temporary')!r}\nimport simsearch\n"
                   "ix = simsearch.Index(); ix.add('a', 'a text')\n"
                   "print(simsearch.dedup(['a text'] * 2).kept)") == (None, "[True, False]\n")
        endless = ("class Endless(list):\n    def __iter__(self):\n        for i in range(10**9):\n"
                   "            if i == 20_000: print('begun', flush=True)\n            yield f'text {i}'\n"
                   "simsearch.dedup(Endless(['a']), progress=False)")
        assert run(endless, manager.interrupt_kernel)[0] == "KeyboardInterrupt"
        endless = "print('begun', flush=True)\nwhile True:\n    ix.near(['a text'] * 100)"
        assert run(endless, manager.interrupt_kernel)[0] == "KeyboardInterrupt"
        assert run("print(ix.near('a text')[0].id, simsearch.dedup(['a text'] * 2).kept)") == (None, "a [True, False]\n")
        assert run("ix.close()") == (None, "")
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
