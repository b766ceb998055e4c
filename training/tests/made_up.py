"""Small made-up inputs that several tests share."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch

from flashline_training.qwen3 import Qwen3Config, Weights, initial_weights, weight_shapes

# At these sizes threads cost more than they gain.
torch.set_num_threads(1)

# The smallest shape that has groups of query heads and whole quantisation groups.
TINY = Qwen3Config(3, 64, 64, 2, 1, 32, vocab_size=128, max_position_embeddings=256, eos_token_id=118)


def tiny_weights(config: Qwen3Config = TINY, seed: int = 0, sharp: float = 1.0) -> Weights:
    """
    Returns random weights; a `sharp` above 1 scales the layers, so that greedy text does not repeat a single token.
    """
    weights = initial_weights(weight_shapes(config), config.num_hidden_layers, seed)
    return {n: w * sharp if w.ndim == 2 and "embed" not in n else w for n, w in weights.items()}


def write_tokens(folder: Path, passes: int = 2, tokens: int = 4000, vocab: int = 100, seed: int = 0) -> None:
    """Writes token files as `tokenise` does: passes of a repeating pattern with some noise, and a held-out part."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(seed)
    pattern = generator.integers(0, vocab, 40)
    for data_pass in range(passes):
        for worker in range(2):
            ids = np.tile(pattern, tokens // 40)
            noise = generator.random(len(ids)) < 0.1
            ids = np.where(noise, generator.integers(0, vocab, len(ids)), ids)
            ids.astype("<u2").tofile(folder / f"pass-{data_pass}-{worker}.bin")
        (folder / f"pass-{data_pass}.done").touch()
    np.tile(pattern, 20).astype("<u2").tofile(folder / "heldout.bin")
    (folder / "heldout.json").write_text(json.dumps({}))
