"""Batches of the target's continuations, in a random order that depends on the seed and the position alone."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .checkpoint import Progress
from .distributed import Group


class Sequences:
    """
    The sequences of a folder on the device, by their length: [count, length] each; the first `prompt` tokens are not
    the target's own. A batch has sequences of one length.
    """

    def __init__(self, folder: Path, batch: int, seed: int, group: Group) -> None:
        if not (folder / "continuations.json").exists():
            raise FileNotFoundError(f"{folder} has no continuations.json. Run the stage continuations first.")
        self.prompt = json.loads((folder / "continuations.json").read_text())["prompt"]
        self.kinds = [tokens.to(group.device) for tokens in by_length(folder)]
        self.batch, self.seed, self.group = batch, seed, group
        self.batches = [len(tokens) // batch for tokens in self.kinds]
        if not any(self.batches) or batch % group.size:
            most = max(map(len, self.kinds), default=0)
            raise ValueError(
                f"Expected a batch of at most {most} in multiples of {group.size}, got {batch}; change batch_sequences"
            )
        self.epoch = -1

    def next(self, progress: Progress) -> Tensor:
        """Returns this process's share [batch / processes, length] of the batch at `progress`, which advances."""
        if progress.batch >= sum(self.batches):
            progress.data_pass, progress.batch = progress.data_pass + 1, 0
        if self.epoch != progress.data_pass:
            self._shuffle(progress.data_pass)
        kind, at = self.plan[progress.batch]
        progress.batch += 1
        rows = self.orders[kind][at * self.batch + self.group.rank : (at + 1) * self.batch : self.group.size]
        return self.kinds[kind][rows].long()

    def _shuffle(self, epoch: int) -> None:
        self.epoch = epoch
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
        self.orders = [torch.randperm(len(tokens), generator=generator).to(tokens.device) for tokens in self.kinds]
        batches = [(kind, at) for kind, count in enumerate(self.batches) for at in range(count)]
        self.plan = [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]


def by_length(folder: Path) -> list[Tensor]:
    """Returns all sequences of each length, [count, length], the shortest first."""
    found: dict[int, list[np.ndarray]] = defaultdict(list)
    for file in sorted(folder.glob("*.npy")):
        tokens = np.load(file)
        found[tokens.shape[1]].append(tokens)
    return [torch.from_numpy(np.concatenate(found[length]).astype(np.int32)) for length in sorted(found)]
