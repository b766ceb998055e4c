"""Batches of the target's continuations, in a random order that depends on the seed and the position alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .checkpoint import Progress
from .distributed import Group


class Sequences:
    """All sequences [count, length] of a folder, on the device; the first `prompt` tokens are not the target's own."""

    def __init__(self, folder: Path, batch: int, seed: int, group: Group) -> None:
        files = sorted(folder.glob("*.npy"))
        if not files or not (folder / "continuations.json").exists():
            raise FileNotFoundError(f"Expected complete continuations in {folder}, got none; run continuations first")
        tokens = np.concatenate([np.load(file) for file in files]).astype(np.int32)
        self.prompt = json.loads((folder / "continuations.json").read_text())["prompt"]
        self.tokens = torch.from_numpy(tokens).to(group.device)
        if len(tokens) < batch or batch % group.size:
            raise ValueError(f"Expected a batch of at most {len(tokens)} in multiples of {group.size}, got {batch}")
        self.batch, self.seed, self.group = batch, seed, group
        self.epoch = -1

    def next(self, progress: Progress) -> Tensor:
        """This process's share [batch / processes, length] of the batch that `progress` stands at; it moves on."""
        if (progress.batch + 1) * self.batch > len(self.tokens):
            progress.data_pass, progress.batch = progress.data_pass + 1, 0
        if self.epoch != progress.data_pass:
            self.epoch = progress.data_pass
            generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.epoch)
            self.order = torch.randperm(len(self.tokens), generator=generator).to(self.tokens.device)
        start = progress.batch * self.batch
        progress.batch += 1
        return self.tokens[self.order[start + self.group.rank : start + self.batch : self.group.size]].long()
