"""The part of a pair's goldens that is small enough to be a fixture, in one file: all states, some of the logits."""

from __future__ import annotations

from pathlib import Path

from torch import Tensor

from . import safetensors_file

# One entry of the vocabulary out of this many is kept, so that no part of the head goes untested.
STRIDE = 16


def golden_part(folder: Path) -> dict[str, Tensor]:
    """Returns the tensors of `target.safetensors` and `drafter.safetensors` as target.NAME and drafter.NAME."""
    return {
        f"{model}.{name}": (tensor[:, ::STRIDE] if name.endswith("logits") and tensor.ndim == 2 else tensor)
        for model in ("target", "drafter")
        for name, tensor in safetensors_file.read(folder / f"{model}.safetensors").items()
    }
