"""
Trains the drafter on the target's own continuations, within a number of minutes or of tokens.

    python -m flashline_training.train_drafter --target finished.pt --continuations continuations \
        --checkpoint drafter.pt --minutes 5
    torchrun --standalone --nproc-per-node 4 -m flashline_training.train_drafter ...
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import torch
from torch import Tensor

from . import block_drafter, checkpoint, dflash, draft_loss
from .anchors import AnchorOptions
from .checkpoint import Progress
from .continuations import load_target
from .dflash import DFlashConfig
from .distributed import Group, join, leave
from .dspark import DSparkConfig, DSparkOptions
from .export import read_drafter
from .optimiser import Optimiser, OptimiserOptions
from .options import parse
from .quantise import Bits, rounded_weights, stored_values
from .qwen3 import Kernels, Weights, initial_weights, require_shapes
from .schedule import Budget, Schedule
from .sequences import Sequences


@dataclass(frozen=True)
class DrafterOptions:
    # A checkpoint, or the folder of an exported target.
    target: Path = Path("finished.pt")
    continuations: Path = Path("continuations")
    checkpoint: Path = Path("drafter.pt")
    # An exported pair whose drafter is trained further, for this target, or a checkpoint as `grow` writes it; without
    # one it starts at random weights. Of a drafter of the other variant only the backbone is taken.
    start: Path = Path("none")
    # dflash, or dspark with next-token rows, a Markov head and a confidence head.
    variant: str = "dflash"
    # Budget: give either minutes or tokens of whole sequences.
    minutes: float = 0.0
    tokens: int = 0
    # Sequences of one step, over all processes.
    batch_sequences: int = 256
    # Sequences of one forward pass of one process.
    micro_sequences: int = 64
    seed: int = 3
    checkpoint_minutes: float = 2.0
    log_steps: int = 50
    compile: bool = True
    # Fraction of the budget after which the forward pass sees rounded weights.
    rounded_from: float = 0.7
    bits: Bits = field(default_factory=Bits)
    target_bits: Bits = field(default_factory=Bits)
    shape: DFlashConfig = field(default_factory=DFlashConfig)
    anchors: AnchorOptions = field(default_factory=AnchorOptions)
    dspark: DSparkOptions = field(default_factory=DSparkOptions)
    optimiser: OptimiserOptions = field(default_factory=lambda: OptimiserOptions(muon_decay=0.02))
    schedule: Schedule = field(default_factory=lambda: Schedule(warmup_steps=100, decay_from=0.3))


class DrafterStage:
    """The training loop; continues its checkpoint if there is one."""

    def __init__(self, options: DrafterOptions, group: Group) -> None:
        self.options, self.group = options, group
        self.target_config, self.target = load_target(options.target, group, options.target_bits)
        state = checkpoint.load(options.checkpoint, group.device) if options.checkpoint.exists() else None
        self.config = drafter_config(options)
        weights = state["weights"] if state else starting_weights(options)
        self.weights = {name: weight.to(group.device) for name, weight in weights.items()}
        self.optimiser = Optimiser(self.weights, block_drafter.TABLES, options.optimiser, group)
        self.progress = state["progress"] if state else Progress()
        if state:
            self.optimiser.load(state["optimiser"])
        self.dtype = torch.bfloat16 if group.device.type == "cuda" else torch.float32
        compiled = options.compile and group.device.type == "cuda"
        self.kernels = Kernels.compiled() if compiled else Kernels()
        self.stored_values = torch.compile(stored_values, dynamic=False) if compiled else stored_values
        self.draft_kernels = draft_loss.DraftKernels.compiled() if compiled else draft_loss.DraftKernels()

    def run(self) -> None:
        options, progress, group = self.options, self.progress, self.group
        budget = Budget(options.tokens, options.minutes, progress.seconds)
        sequences = Sequences(options.continuations, options.batch_sequences, options.seed, group)
        saved, last_loss = progress.seconds, None
        while (fraction := budget.fraction(progress.tokens, seconds := group.agree(budget.seconds))) < 1:
            rate = options.schedule.rate(progress.step, fraction)
            logged = progress.step % options.log_steps == 0
            batch = sequences.next(progress)
            loss, drafted = self.step(batch, sequences.prompt, rate, fraction >= options.rounded_from, logged)
            progress.step += 1
            progress.tokens += batch.numel() * group.size
            progress.seconds = seconds
            if last_loss is not None:
                last_loss.item()  # At most one step is in flight, so that the clock is right.
            last_loss = loss
            if logged:
                group.say(
                    f"step {progress.step} loss {float(loss):.4f} tokens per round {1 + float(drafted):.3f} rate "
                    f"{rate:.3f} {fraction:.1%} {progress.seconds:.0f} s epoch {progress.data_pass}"
                )
            if seconds - saved > 60 * options.checkpoint_minutes:
                self.save()
                saved = seconds
        progress.finished = True
        self.save()

    def step(self, batch: Tensor, prompt: int, rate: float, is_rounded: bool, measures: bool) -> tuple[Tensor, Tensor]:
        """
        Takes one step over a batch; returns its mean loss, and the accepted drafts per full block of this process's
        first micro-batch, 0 unless `measures`.
        """
        options, group = self.options, self.group
        generator = torch.Generator(group.device).manual_seed(self.progress.step * group.size + group.rank)
        plan = draft_loss.plan(self.config, options, batch, prompt, generator)
        total_weight = group.sum_(plan.loss_weights.sum()) + 1e-6
        total = torch.zeros((), device=group.device)
        drafted = torch.zeros((), device=group.device)
        for start in range(0, len(batch), options.micro_sequences):
            micro = plan.part(slice(start, start + options.micro_sequences))
            loss, states = draft_loss.micro_loss(self, micro, self.compute_weights(is_rounded))
            (loss / total_weight).backward()
            total += loss.detach() / total_weight
            if measures and start == 0:
                drafted = draft_loss.accepted_drafts(self, micro, states.detach())
        self.optimiser.step(rate)
        return group.sum_(total), drafted

    def compute_weights(self, is_rounded: bool) -> Weights:
        weights = rounded_weights(self.weights, self.options.bits, self.stored_values) if is_rounded else self.weights
        return {name: weight.to(self.dtype) for name, weight in weights.items()}

    def save(self) -> None:
        if self.group.is_first:
            checkpoint.save(self.options.checkpoint, asdict(self.config), self.weights, self.progress, self.optimiser)
        self.group.wait()


def starting_weights(options: DrafterOptions) -> Weights:
    config = drafter_config(options)
    shapes = block_drafter.weight_shapes(config)
    initial = initial_weights(shapes, config.num_hidden_layers, options.seed)
    if options.start == DrafterOptions.start:
        return initial
    if options.start.is_file():
        weights = checkpoint.load(options.start)["weights"]
        require_shapes(weights, shapes, options.start)
        return weights
    found, weights = read_drafter(options.start / "drafter")
    if type(found) is type(config):
        require_shapes(weights, shapes, options.start)
        return weights
    shapes = dflash.weight_shapes(replace(config, selector_rank=0))
    backbone = {name: weight for name, weight in weights.items() if name in shapes}
    require_shapes(backbone, shapes, options.start)
    return {**initial, **backbone}


def drafter_config(options: DrafterOptions) -> DFlashConfig:
    if options.variant not in ("dflash", "dspark"):
        raise ValueError(f"Expected the variant dflash or dspark, got {options.variant}; use one of them")
    if options.variant == "dflash":
        return options.shape
    dspark = options.dspark
    heads = {"block_size": dspark.block_size, "markov_head_type": dspark.head, "markov_rank": dspark.rank}
    return DSparkConfig(**{**asdict(options.shape), "selector_rank": 0, **heads})


def main() -> None:
    options = parse(DrafterOptions, __doc__)
    group = join()
    stage = DrafterStage(options, group)
    if not stage.progress.finished:
        stage.run()
    group.say(f"drafter trained on {stage.progress.tokens / 1e6:.0f} M tokens of sequences")
    leave(group)


if __name__ == "__main__":
    main()
