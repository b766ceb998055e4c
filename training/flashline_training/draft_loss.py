"""The loss of a drafter on a batch of sequences: blocks at random anchors, in one pass of the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from . import block_drafter, candidate_selector, dspark
from .anchors import (
    IGNORED, anchor_mask, block_labels, block_weights, choose_anchors, choose_widths, position_weights,
)  # fmt: skip
from .attention import rms_norm
from .dflash import DFlashConfig, draft_layer, draft_states, make_blocks
from .qwen3 import EMBEDDING, FINAL_NORM, Weights, hidden_states, logits

if TYPE_CHECKING:
    from .train_drafter import DrafterOptions, DrafterStage


def weighted_loss(states: Tensor, table: Tensor, labels: Tensor, counts: Tensor) -> Tensor:
    """Weighted sum of the cross-entropy of the head over rows states [rows, hidden]."""
    nats = F.cross_entropy(F.linear(states, table).float(), labels, ignore_index=IGNORED, reduction="none")
    return (nats * counts).sum()


@dataclass
class DraftKernels:
    """The functions that take most of the training time."""

    layer: object = draft_layer
    loss: object = weighted_loss
    slot_loss: object = dspark.loss_sum

    @classmethod
    def compiled(cls) -> "DraftKernels":
        functions = (draft_layer, weighted_loss, dspark.loss_sum)
        return cls(*(torch.compile(function, dynamic=False) for function in functions))


class Plan(NamedTuple):
    """
    Sequences [b, s] and their blocks: anchors and widths [b, n], labels and their weights [b, n, rows]; `selected` is 1
    for blocks that learn with the candidate selector, else 0 [b, n].
    """

    tokens: Tensor
    anchors: Tensor
    widths: Tensor
    first: Tensor
    labels: Tensor
    counts: Tensor
    selected: Tensor

    def part(self, rows: slice) -> "Plan":
        return Plan(*(field[rows] for field in self))


def plan(
    config: DFlashConfig, options: DrafterOptions, tokens: Tensor, prompt: int, generator: torch.Generator
) -> Plan:
    """Random blocks for a batch of sequences whose own tokens start at `prompt`."""
    chosen, rows = options.anchors, config.block_size
    own = anchor_mask(tokens, prompt, config.eos_token_id)
    count = max(1, (tokens.shape[1] - prompt) // chosen.every)
    anchors = choose_anchors(own, count, generator)
    shift = 1 - block_drafter.first_row(config)
    # DSpark always runs whole blocks.
    full_width = 1.0 if shift else chosen.full_width
    widths = choose_widths(tuple(anchors.shape), rows, full_width, tokens.device, generator)
    labels = block_labels(tokens, own, anchors, widths, rows, shift)
    decay = options.dspark.position_decay if shift else chosen.position_decay
    counts = position_weights(labels, decay, first_row=1 - shift)
    selected = torch.rand(anchors.shape, generator=generator, device=tokens.device) >= chosen.unselected
    starts = context_starts(tokens, prompt, chosen.short_context, generator)
    return Plan(tokens, anchors, widths, starts, labels, counts, selected.float())


def context_starts(tokens: Tensor, prompt: int, share: float, generator: torch.Generator) -> Tensor:
    """First visible context rows [b]: 0, or for a `share` of sequences any row of the prompt, as if it were shorter."""
    b, device = len(tokens), tokens.device
    anywhere = torch.randint(0, max(1, prompt - 1), (b,), generator=generator, device=device)
    short = torch.rand(b, generator=generator, device=device) < share
    return torch.where(short, anywhere, torch.zeros_like(anywhere))


def micro_loss(stage: DrafterStage, micro: Plan, weights: Weights) -> tuple[Tensor, Tensor]:
    """Weighted loss sum and the states [b, n, rows, hidden]."""
    config, target, table = stage.config, stage.target, stage.target[EMBEDDING]
    with torch.no_grad():
        last, taps = hidden_states(stage.target_config, target, micro.tokens, config.target_layer_ids, stage.kernels)
    blocks = make_blocks(config, micro.tokens, micro.anchors, micro.widths, micro.first)
    states = draft_states(config, weights, table, taps, blocks, stage.draft_kernels.layer)
    counts = micro.counts * block_counts(stage, micro, last)[..., None]
    if block_drafter.first_row(config) == 0:
        return slot_loss(stage, micro._replace(counts=counts), weights, states, last), states
    rows, head = states[:, :, 1:], table
    if config.selector_rank:
        selected = micro.selected[..., None].expand(rows.shape[:3])
        rows, head = candidate_selector.joint(weights, table, rows, previous_tokens(micro)[..., :-1], selected)
    labels, counts = micro.labels[:, :, 1:].flatten(), counts[:, :, 1:].flatten()
    return stage.draft_kernels.loss(rows.flatten(0, 2), head, labels, counts), states


@torch.no_grad()
def block_counts(stage: DrafterStage, micro: Plan, last: Tensor) -> Tensor:
    """The weight of each block [b, n], from the target's states `last` [b, s, hidden] before its anchor."""
    before = last.gather(1, (micro.anchors - 1)[..., None].expand(-1, -1, last.shape[-1]))
    chances = logits(stage.target_config, stage.target, before).float().softmax(-1)
    tokens = micro.tokens.gather(1, micro.anchors)
    of_anchors = chances.gather(-1, tokens[..., None]).squeeze(-1)
    return block_weights(of_anchors, micro.counts.sum(-1) > 0, stage.options.anchors.floor)


def row_places(micro: Plan) -> Tensor:
    """Positions [b, n * rows] of all rows; past the end of a sequence its last one."""
    places = micro.anchors[..., None] + torch.arange(micro.labels.shape[2], device=micro.tokens.device)
    return places.clamp(max=micro.tokens.shape[1] - 1).flatten(1)


def previous_tokens(micro: Plan) -> Tensor:
    """The true tokens [b, n, rows] at the places of all rows."""
    return micro.tokens.gather(1, row_places(micro)).view(micro.labels.shape)


def slot_loss(stage: DrafterStage, micro: Plan, weights: Weights, states: Tensor, last: Tensor) -> Tensor:
    """Slot k is preceded by the true token at anchor + k; the target's distribution after that is the one to match."""
    target, own = stage.target, stage.options.dspark
    with torch.no_grad():
        normed = rms_norm(last, target[FINAL_NORM], stage.target_config.rms_norm_eps)
        places = row_places(micro)[..., None].expand(-1, -1, last.shape[-1])
        tables = target[EMBEDDING], normed.gather(1, places).view(states.shape)
    slots = dspark.slots(weights, tables, states, previous_tokens(micro), micro.labels, micro.counts)
    return stage.draft_kernels.slot_loss(slots, own.cross_entropy, own.distance, own.confidence)


@torch.no_grad()
def accepted_drafts(stage: DrafterStage, micro: Plan, states: Tensor) -> Tensor:
    """Mean number of right drafts before the first wrong one, over the full-width blocks with all labels known."""
    table, first = stage.target[EMBEDDING], block_drafter.first_row(stage.config)
    labels = micro.labels[:, :, first:]
    full = (labels != IGNORED).all(-1)
    some, known = states[:, :, first:][full][:2048], labels[full][:2048]
    anchors = micro.tokens.gather(1, micro.anchors)[full][:2048]
    best = block_drafter.drafts(stage.config, stage.compute_weights(False), table, some, anchors, known)
    right = (best == known).int()
    return right.cumprod(-1).sum(-1).float().mean()
