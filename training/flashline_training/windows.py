"""Windows of training tokens, in a random order that depends only on the seed and the position."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .checkpoint import Progress
from .distributed import Group


def complete_passes(folder: Path) -> int:
    """Returns the number of passes that all workers have completed: the marker of a pass is written last."""
    count = 0
    while (folder / f"pass-{count}.done").exists():
        count += 1
    return count


def read_pass(folder: Path, data_pass: int) -> np.ndarray:
    """Reads all tokens of a pass, uint16."""
    files = sorted(folder.glob(f"pass-{data_pass}-*.bin"))
    if not files:
        raise FileNotFoundError(f"There is no pass-{data_pass}-*.bin in {folder}; run tokenise first")
    return np.concatenate([np.fromfile(file, "<u2") for file in files])


class Windows:
    """Batches [windows, length + 1] of this process, on its device; a whole pass is held there."""

    def __init__(self, folder: Path, length: int, batch_tokens: int, seed: int, group: Group) -> None:
        count = batch_tokens // length
        if count % group.size or count == 0:
            raise ValueError(
                f"Expected batch tokens of a multiple of {length * group.size}, got {batch_tokens}; change the batch"
            )
        self.folder, self.length, self.count = folder, length, count
        self.seed, self.group = seed, group
        self.held = -1

    def next(self, progress: Progress) -> Tensor:
        """Returns the batch at `progress`, which advances by one."""
        if self.held != progress.data_pass:
            self._hold(progress.data_pass)
        if (progress.batch + 1) * self.count > len(self.starts):
            progress.data_pass, progress.batch = progress.data_pass + 1, 0
            return self.next(progress)
        share = slice(progress.batch * self.count + self.group.rank, (progress.batch + 1) * self.count, self.group.size)
        progress.batch += 1
        return self.tokens[self.starts[share, None] + self.offsets].long()

    def _hold(self, data_pass: int) -> None:
        source = self._source(data_pass)
        tokens = torch.from_numpy(read_pass(self.folder, source).astype(np.int32))
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + data_pass)
        first = int(torch.randint(self.length, (1,), generator=generator))
        windows = (len(tokens) - first - 1) // self.length
        if windows < self.count:
            raise ValueError(f"Expected {self.count} windows in pass {source}, got {windows}; use a smaller batch")
        self.starts = (first + self.length * torch.randperm(windows, generator=generator)).to(self.group.device)
        self.tokens = tokens.to(self.group.device)
        self.offsets = torch.arange(self.length + 1, device=self.group.device)
        self.held = data_pass
        self.group.say(f"pass {data_pass}: {len(tokens) / 1e6:.1f} M tokens of file pass {source}")

    def _source(self, data_pass: int) -> int:
        """
        Returns the pass of files to read: `data_pass`, or an earlier one in a new order while that is not complete.
        """
        while (complete := complete_passes(self.folder)) == 0:
            time.sleep(0.2)
        source = data_pass if data_pass < complete else data_pass % complete
        return int(self.group.agree(source))


def heldout_tokens(folder: Path) -> tuple[np.ndarray, dict]:
    """Reads heldout.bin and its description."""
    return np.fromfile(folder / "heldout.bin", "<u2"), json.loads((folder / "heldout.json").read_text())
