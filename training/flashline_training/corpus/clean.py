"""Drops everything but hand-written code, file by file, and prepares the comparison of texts.

    python -m flashline_training.corpus.clean --raw RAW --out CLEAN --workers 2

writes CLEAN/owner+name.jsonl, CLEAN/owner+name.npy (a MinHash row for each line) and CLEAN/owner+name.json (counts).
"""

import argparse
import json
from collections import Counter
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from .benchmarks import is_benchmark
from .fair_sample import fair_sample
from .files import refused_path
from .generated import refused_text
from .near_duplicates import PERMUTATIONS, signature
from .secrets import has_secret


def refused(path: str, text: str) -> str | None:
    """Returns why a file is dropped; None if it stays."""
    if reason := refused_path(path) or refused_text(text):
        return reason
    if is_benchmark(text):
        return "benchmark"
    return "secret" if has_secret(text) else None


def clean(source: Path, out: Path) -> Counter[str]:
    """Cleans one repository; returns how many files were dropped for each reason."""
    reasons: Counter[str] = Counter()
    signatures = []
    target = out / source.name
    with source.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as kept:
        for line in fair_sample(source.stem, lines, reasons):
            file = json.loads(line)
            reason = refused(file["path"], file["text"])
            reasons[reason or "kept"] += 1
            if reason is None:
                kept.write(line)
                signatures.append(signature(file["text"]))
    np.save(target.with_suffix(".npy"), np.array(signatures, dtype=np.uint32).reshape(-1, PERMUTATIONS))
    target.with_suffix(".json").write_text(json.dumps(reasons) + "\n")
    return reasons


def _clean_one(task: tuple[Path, Path]) -> Counter[str]:
    return clean(*task)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raw", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    # Counts are written last, so they exist for each repository that an interrupted run has finished.
    done = {path.stem for path in options.out.glob("*.json")}
    records = sorted(path for path in options.raw.glob("*.json") if path.stem not in done)
    tasks = [(path.with_suffix(".jsonl"), options.out) for path in records]
    total: Counter[str] = Counter()
    with Pool(options.workers) as pool:
        for reasons in pool.imap_unordered(_clean_one, tasks):
            total.update(reasons)
    print(json.dumps(dict(total.most_common())))


if __name__ == "__main__":
    main()
