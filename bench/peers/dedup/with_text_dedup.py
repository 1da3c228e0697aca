"""with_text_dedup.py IN OUT: python -m text_dedup.minhash, and its data set written as JSON Lines. Its features are single words
here, as those of the others; by default it takes sequences of five."""
import contextlib
import io
import logging
import os
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import datasets
from text_dedup import minhash

logging.disable(logging.CRITICAL)
datasets.disable_progress_bars()


def main():
    with tempfile.TemporaryDirectory() as out, contextlib.redirect_stderr(io.StringIO()):
        kept = os.path.join(out, "kept")
        minhash.main(
            ["--path", "json", "--data_files", sys.argv[1], "--split", "train", "--column", "text", "--ngram", "1", "--min_length", "1",
             "--threshold", "0.8", "--num_proc", "2", "--output", kept, "--cache_dir", os.path.join(out, "cache")],
            standalone_mode=False)
        datasets.load_from_disk(kept).to_json(sys.argv[2], lines=True, force_ascii=False)


if __name__ == "__main__":
    main()
