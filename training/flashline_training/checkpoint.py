"""Resumable states of a training stage. A file is complete or absent: it is written under another name and renamed."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from .optimiser import Optimiser
from .qwen3 import Weights


@dataclass
class Progress:
    """The position of a run; the data continue at batch `batch` of pass `data_pass`."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    data_pass: int = 0
    batch: int = 0
    finished: bool = False


def save(path: Path, config: dict, weights: Weights, progress: Progress, optimiser: Optimiser | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    state = {
        "config": config,
        "weights": {name: weight.detach() for name, weight in weights.items()},
        "progress": asdict(progress),
        "optimiser": optimiser.state() if optimiser else None,
    }
    partial = path.with_suffix(".partial")
    torch.save(state, partial)
    os.replace(partial, path)


def load(path: Path, device: torch.device | str = "cpu") -> dict:
    """Loads config, weights, progress and optimiser of a saved state."""
    state = torch.load(path, map_location=device)
    return {**state, "progress": Progress(**state["progress"])}


def is_finished(path: Path) -> bool:
    return path.exists() and load(path)["progress"].finished
