"""
Trains the target on windows of packed documents, within a number of minutes or of tokens.

    python -m flashline_training.train_target --tokens-folder tokens --checkpoint target.pt --minutes 9
    torchrun --standalone --nproc-per-node 4 -m flashline_training.train_target ...
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch

from . import checkpoint
from .checkpoint import Progress
from .distributed import Group, join, leave
from .export import read_start
from .middle_weights import MiddleOptions, middle_weights
from .optimiser import Optimiser, OptimiserOptions
from .options import parse
from .quantise import Bits, rounded_weights, stored_values
from .qwen3 import (
    EMBEDDING, Kernels, Qwen3Config, Weights, initial_weights, loss_sum, require_shapes, weight_shapes,
)  # fmt: skip
from .schedule import Budget, Schedule
from .windows import Windows, heldout_tokens


@dataclass(frozen=True)
class TargetOptions:
    tokens_folder: Path = Path("tokens")
    checkpoint: Path = Path("target.pt")
    # A finished checkpoint or an exported pair, whose target is trained further; without one it starts at random
    # weights.
    start: Path = Path("none")
    # One of the two determines how long to train.
    minutes: float = 0.0
    tokens: int = 0
    window: int = 2048
    # Tokens of one step, over all processes.
    batch_tokens: int = 262_144
    # Windows of one forward pass of one process, at most.
    micro_windows: int = 64
    seed: int = 1
    checkpoint_minutes: float = 2.0
    log_steps: int = 20
    compile: bool = True
    shape: Qwen3Config = field(default_factory=Qwen3Config)
    middle: MiddleOptions = field(default_factory=MiddleOptions)
    optimiser: OptimiserOptions = field(default_factory=OptimiserOptions)
    # The stage `finish` continues from `end` down to 0.
    schedule: Schedule = field(default_factory=lambda: Schedule(warmup_steps=100, decay_from=0.1, end=0.2))


@dataclass
class Stage:
    """A loop over batches that survives interruption. With `bits` the forward pass sees rounded weights."""

    options: TargetOptions
    group: Group
    weights: Weights
    optimiser: Optimiser
    progress: Progress
    bits: Bits | None = None

    def __post_init__(self) -> None:
        cuda = self.group.device.type == "cuda"
        self.dtype = torch.bfloat16 if cuda else torch.float32
        compiles = self.options.compile and cuda
        self.kernels = Kernels.compiled() if compiles else Kernels()
        self.stored_values = torch.compile(stored_values, dynamic=False) if compiles else stored_values

    def compute_weights(self) -> Weights:
        """Returns the weights that the forward pass uses; gradients reach those of the optimiser."""
        weights = rounded_weights(self.weights, self.bits, self.stored_values) if self.bits else self.weights
        return {name: weight.to(self.dtype) for name, weight in weights.items()}

    def run(self) -> None:
        options, progress, group = self.options, self.progress, self.group
        budget = Budget(options.tokens, options.minutes, progress.seconds)
        windows = Windows(options.tokens_folder, options.window, options.batch_tokens, options.seed, group)
        saved, logged = progress.seconds, time.monotonic()
        last_loss = None
        while (fraction := budget.fraction(progress.tokens, seconds := group.agree(budget.seconds))) < 1:
            loss = self._step(windows, options.schedule.rate(progress.step, fraction))
            progress.step += 1
            progress.tokens += options.batch_tokens
            progress.seconds = seconds
            if last_loss is not None and progress.step % options.log_steps == 0:
                speed = options.log_steps * options.batch_tokens / (time.monotonic() - logged)
                logged = time.monotonic()
                self._log(float(last_loss), speed, fraction)
            elif last_loss is not None:
                last_loss.item()  # At most one step is in flight, so that the clock is right.
            last_loss = loss
            if seconds - saved > 60 * options.checkpoint_minutes:
                self._save()
                group.say(f"heldout {heldout_loss(self, 256):.4f} nats/token at {seconds:.0f} s")
                saved = seconds
        progress.finished = True
        self._save()

    def _step(self, windows: Windows, rate: float) -> torch.Tensor:
        """Takes one step over a batch; returns the weighted loss per token of this process's share."""
        batch = windows.next(self.progress)
        total = torch.zeros((), device=self.group.device)
        for micro in batch.split(self.options.micro_windows):
            tokens, labels = micro[:, :-1], micro[:, 1:]
            loss_weights = middle_weights(labels, self.options.middle)
            weights = self.compute_weights()
            loss = loss_sum(self.options.shape, weights, tokens, labels, loss_weights, self.kernels)
            (loss / self.options.batch_tokens).backward()
            total += loss.detach()
        self.optimiser.step(rate)
        return total * self.group.size / self.options.batch_tokens

    def _log(self, loss: float, speed: float, fraction: float) -> None:
        p = self.progress
        rate = self.options.schedule.rate(p.step, fraction)
        self.group.say(
            f"step {p.step} tokens {p.tokens / 1e6:.0f} M loss {loss:.4f} rate {rate:.3f} "
            f"{speed / 1e6:.3f} M tokens/s {fraction:.1%} {p.seconds:.0f} s pass {p.data_pass}"
        )

    def _save(self) -> None:
        if self.group.is_first:
            checkpoint.save(
                self.options.checkpoint, asdict(self.options.shape), self.weights, self.progress, self.optimiser
            )
        self.group.wait()


@torch.no_grad()
def heldout_loss(stage: Stage, most_windows: int = 2048) -> float:
    """Returns the nats per token over the first windows of heldout.bin, shared out over the processes."""
    options, group = stage.options, stage.group
    tokens = torch.from_numpy(heldout_tokens(options.tokens_folder)[0].astype("int32"))
    count = min(most_windows, (len(tokens) - 1) // options.window)
    starts = torch.arange(group.rank, count, group.size)[:, None] * options.window
    batches = tokens[starts + torch.arange(options.window + 1)].long().to(group.device)
    weights = stage.compute_weights()
    total = torch.zeros(2, device=group.device)
    for micro in batches.split(16):
        total[0] += loss_sum(options.shape, weights, micro[:, :-1], micro[:, 1:])
        total[1] += micro[:, 1:].numel()
    group.sum_(total)
    return float(total[0] / total[1])


def new_stage(options: TargetOptions, group: Group, bits: Bits | None = None) -> Stage:
    """
    Returns a stage that continues its own checkpoint if there is one. Otherwise it starts where `options.start` ends,
    with its optimiser and data position if they were kept, or at random weights.
    """
    source = options.start
    if options.checkpoint.exists():
        source = options.checkpoint
        state = checkpoint.load(source, group.device)
        progress = state["progress"]
    else:
        state = starting_state(options)
        before = state["progress"]
        progress = Progress(data_pass=before.data_pass, batch=before.batch)
    weights = {name: weight.to(group.device) for name, weight in state["weights"].items()}
    require_shapes(weights, weight_shapes(options.shape), source)
    optimiser = Optimiser(weights, {EMBEDDING}, options.optimiser, group)
    if state["optimiser"]:
        optimiser.load(state["optimiser"])
    return Stage(options, group, weights, optimiser, progress, bits)


def starting_state(options: TargetOptions) -> dict:
    """Returns weights, optimiser and progress to start from: those of `options.start`, or random weights."""
    if options.start != TargetOptions.start:
        return read_start(options.start)
    shape = options.shape
    weights = initial_weights(weight_shapes(shape), shape.num_hidden_layers, options.seed)
    return {"weights": weights, "optimiser": None, "progress": Progress()}


def main() -> None:
    options = parse(TargetOptions, __doc__)
    group = join(same_lengths=True)
    stage = new_stage(options, group)
    if not stage.progress.finished:
        stage.run()
    group.say(f"heldout {heldout_loss(stage):.4f} nats/token after {stage.progress.tokens / 1e6:.0f} M tokens")
    leave(group)


if __name__ == "__main__":
    main()
