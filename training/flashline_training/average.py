"""
Averages the weights of several targets that were trained from one start; training can continue from the mean.

    python -m flashline_training.average --starts first.pt second.pt --shares 0.5 0.5 --out mean.pt

Two runs that each ended at a learning rate of 0 have a mean better than both (Wortsman et al. 2022, "Model soups").
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Sequence

from . import checkpoint
from .checkpoint import Progress
from .export import read_start
from .qwen3 import Weights


def average(sources: Sequence[Path], shares: Sequence[float]) -> tuple[dict, Weights, Progress]:
    """Returns config, weights and progress for `checkpoint.save`; the data continue where the last source ended."""
    if len(sources) != len(shares) or abs(sum(shares) - 1) > 1e-6:
        raise ValueError(f"Expected {len(sources)} shares with a sum of 1, got {list(shares)}; give one for each start")
    config, mean, progress = {}, {}, Progress()
    for source, share in zip(sources, shares):
        start = read_start(source)
        config, weights, progress = start["config"], start["weights"], start["progress"]
        if mean and {n: w.shape for n, w in mean.items()} != {n: w.shape for n, w in weights.items()}:
            raise ValueError(f"{source} has other weight shapes than the starts before it; leave it out")
        mean = {name: mean.get(name, 0) + share * weight.detach().float() for name, weight in weights.items()}
    return config, mean, replace(progress, finished=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=Path, nargs="+", required=True)
    parser.add_argument("--shares", type=float, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    checkpoint.save(options.out, *average(options.starts, options.shares))


if __name__ == "__main__":
    main()
