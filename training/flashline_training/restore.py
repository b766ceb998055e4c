"""
Makes the checkpoints of a finished target from its weights before rounding, so that a later run trains another drafter
without training the target again.

    python -m flashline_training.restore --weights work/weights --work work
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path

from . import checkpoint, safetensors_file
from .checkpoint import Progress
from .options import parse
from .qwen3 import Qwen3Config, require_shapes, weight_shapes

# Checkpoints of the stages train_target and finish, as the recipe names them.
CHECKPOINTS = ("target.pt", "finished.pt")


@dataclass(frozen=True)
class RestoreOptions:
    # Folder of target.safetensors, as `export` writes it.
    weights: Path = Path("weights")
    work: Path = Path("work")
    shape: Qwen3Config = field(default_factory=Qwen3Config)


def restore(options: RestoreOptions) -> None:
    source = options.weights / "target.safetensors"
    weights = {name: tensor.float() for name, tensor in safetensors_file.read(source).items()}
    require_shapes(weights, weight_shapes(options.shape), source)
    for name in CHECKPOINTS:
        checkpoint.save(options.work / name, asdict(options.shape), weights, Progress(finished=True))


def main() -> None:
    restore(parse(RestoreOptions, __doc__))


if __name__ == "__main__":
    main()
