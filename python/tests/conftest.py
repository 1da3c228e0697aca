import os
import sys
from pathlib import Path

import pytest

root = Path(__file__).parents[2]
if "SIMSEARCH_INSTALLED" not in os.environ:  # where the package is installed, it has its program
    sys.path.insert(0, str(root / "python" / "src"))
    os.environ.setdefault("SIMSEARCH_PROGRAM", str(root / "bin" / "simsearch"))
    os.environ["PYTHONPATH"] = str(root / "python" / "src")


def pytest_collection_modifyitems(items):
    if os.environ.get("SIMSEARCH_TESTS") != "long":
        for item in items:
            if "long" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="long: SIMSEARCH_TESTS=long runs it"))


@pytest.fixture(autouse=True)
def nothing_left(tmp_path, monkeypatch):
    """Each test has a directory of its own for what is temporary, where nothing stays, and no process of it lives on."""
    import tempfile

    private = tmp_path / "temporary"
    private.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    import simsearch._child

    yield
    import gc

    simsearch._scratch = None
    gc.collect()
    assert list(private.iterdir()) == []
    assert [c for c in simsearch._child._children if c.process.poll() is None] == []
