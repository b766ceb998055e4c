"""
The end of the target's training: the learning rate falls to zero while the forward pass sees the weights rounded to
their stored bits, so that the stored model loses next to nothing compared with the trained one.

    python -m flashline_training.finish --start target.pt --checkpoint finished.pt --minutes 2
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .distributed import join, leave
from .options import parse
from .quantise import Bits
from .schedule import Schedule
from .train_target import TargetOptions, heldout_loss, new_stage


@dataclass(frozen=True)
class FinishOptions(TargetOptions):
    start: Path = Path("target.pt")
    checkpoint: Path = Path("finished.pt")
    bits: Bits = field(default_factory=Bits)
    # Continues at the end of train_target's schedule.
    schedule: Schedule = field(default_factory=lambda: Schedule(warmup_steps=1, decay_from=0.0, start=0.2))


def main() -> None:
    options = parse(FinishOptions, __doc__)
    group = join(same_lengths=True)
    stage = new_stage(options, group, options.bits)
    if not stage.progress.finished:
        stage.run()
    rounded = heldout_loss(stage)
    stage.bits = None
    group.say(f"heldout {rounded:.4f} nats/token as stored, {heldout_loss(stage):.4f} before rounding")
    leave(group)


if __name__ == "__main__":
    main()
