"""The loss of a drafter on a batch of sequences, with blocks at random anchors in one pass of the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from . import block_drafter, candidate_selector, dspark
from .anchors import (
    IGNORED, block_labels, block_weights, choose_anchors, choose_widths, generated_mask, position_weights,
)  # fmt: skip
from .attention import rms_norm
from .dflash import DFlashConfig, draft_layer, draft_states, make_blocks
from .qwen3 import EMBEDDING, FINAL_NORM, Weights, hidden_states, logits

if TYPE_CHECKING:
    from .train_drafter import DrafterOptions, DrafterStage


MAX_MEASURED_BLOCKS = 2048


def weighted_loss(states: Tensor, table: Tensor, labels: Tensor, loss_weights: Tensor) -> Tensor:
    """
    Returns the weighted sum of the cross-entropy of `states` [rows, hidden], whose logits are their products with
    `table`.
    """
    nats = F.cross_entropy(F.linear(states, table).float(), labels, ignore_index=IGNORED, reduction="none")
    return (nats * loss_weights).sum()


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
    Sequences [b, s] and their blocks: anchors and widths [b, n], the `first` context row that is seen [b], labels and
    the weights of their losses [b, n, rows]; `selected` [b, n] is 1 for blocks that learn with the candidate selector,
    else 0.
    """

    tokens: Tensor
    anchors: Tensor
    widths: Tensor
    first: Tensor
    labels: Tensor
    loss_weights: Tensor
    selected: Tensor

    def part(self, rows: slice) -> "Plan":
        return Plan(*(field[rows] for field in self))


def plan(
    config: DFlashConfig, options: DrafterOptions, tokens: Tensor, prompt: int, generator: torch.Generator
) -> Plan:
    """Plans random blocks for a batch of sequences whose generated tokens start at `prompt`."""
    anchor_options, rows = options.anchors, config.block_size
    generated = generated_mask(tokens, prompt, config.eos_token_id)
    count = max(1, (tokens.shape[1] - prompt) // anchor_options.every)
    anchors = choose_anchors(generated, count, generator)
    shift = 1 - block_drafter.first_row(config)
    # DSpark always runs full blocks.
    full_width = 1.0 if shift else anchor_options.full_width
    widths = choose_widths(tuple(anchors.shape), rows, full_width, tokens.device, generator)
    labels = block_labels(tokens, generated, anchors, widths, rows, shift)
    decay = options.dspark.position_decay if shift else anchor_options.position_decay
    loss_weights = position_weights(labels, decay, first_row=1 - shift)
    selected = torch.rand(anchors.shape, generator=generator, device=tokens.device) >= anchor_options.unselected
    starts = context_starts(tokens, prompt, anchor_options.short_context, generator)
    return Plan(tokens, anchors, widths, starts, labels, loss_weights, selected.float())


def context_starts(tokens: Tensor, prompt: int, share: float, generator: torch.Generator) -> Tensor:
    """
    Returns the first visible context rows [b]: 0, or for a `share` of sequences any row of the prompt, as if it were
    shorter.
    """
    b, device = len(tokens), tokens.device
    anywhere = torch.randint(0, max(1, prompt - 1), (b,), generator=generator, device=device)
    short = torch.rand(b, generator=generator, device=device) < share
    return torch.where(short, anywhere, torch.zeros_like(anywhere))


def micro_loss(stage: DrafterStage, micro: Plan, weights: Weights) -> tuple[Tensor, Tensor]:
    """Returns the weighted loss sum and the states [b, n, rows, hidden]."""
    config, target, table = stage.config, stage.target, stage.target[EMBEDDING]
    with torch.no_grad():
        last, taps = hidden_states(stage.target_config, target, micro.tokens, config.target_layer_ids, stage.kernels)
    blocks = make_blocks(config, micro.tokens, micro.anchors, micro.widths, micro.first)
    states = draft_states(config, weights, table, taps, blocks, stage.draft_kernels.layer)
    loss_weights = micro.loss_weights * block_loss_weights(stage, micro, last)[..., None]
    if block_drafter.first_row(config) == 0:
        return slot_loss(stage, micro._replace(loss_weights=loss_weights), weights, states, last), states
    rows, head = states[:, :, 1:], table
    if config.selector_rank:
        selected = micro.selected[..., None].expand(rows.shape[:3])
        rows, head = candidate_selector.joint(weights, table, rows, previous_tokens(micro)[..., :-1], selected)
    labels, loss_weights = micro.labels[:, :, 1:].flatten(), loss_weights[:, :, 1:].flatten()
    return stage.draft_kernels.loss(rows.flatten(0, 2), head, labels, loss_weights), states


@torch.no_grad()
def block_loss_weights(stage: DrafterStage, micro: Plan, last: Tensor) -> Tensor:
    """Returns the weight of each block [b, n], from the target's states `last` [b, s, hidden] before its anchor."""
    before = last.gather(1, (micro.anchors - 1)[..., None].expand(-1, -1, last.shape[-1]))
    probabilities = logits(stage.target_config, stage.target, before).float().softmax(-1)
    tokens = micro.tokens.gather(1, micro.anchors)
    anchor_probabilities = probabilities.gather(-1, tokens[..., None]).squeeze(-1)
    return block_weights(anchor_probabilities, micro.loss_weights.sum(-1) > 0, stage.options.anchors.floor)


def row_positions(micro: Plan) -> Tensor:
    """Returns the positions [b, n * rows] of all rows; past the end of a sequence its last one."""
    positions = micro.anchors[..., None] + torch.arange(micro.labels.shape[2], device=micro.tokens.device)
    return positions.clamp(max=micro.tokens.shape[1] - 1).flatten(1)


def previous_tokens(micro: Plan) -> Tensor:
    """Returns the true tokens [b, n, rows] at the positions of all rows."""
    return micro.tokens.gather(1, row_positions(micro)).view(micro.labels.shape)


def slot_loss(stage: DrafterStage, micro: Plan, weights: Weights, states: Tensor, last: Tensor) -> Tensor:
    """
    Returns the loss of DSpark's slots. Slot k follows the true token at anchor + k and learns the target's distribution
    there.
    """
    target, factors = stage.target, stage.options.dspark
    with torch.no_grad():
        normed = rms_norm(last, target[FINAL_NORM], stage.target_config.rms_norm_eps)
        positions = row_positions(micro)[..., None].expand(-1, -1, last.shape[-1])
        head_and_states = target[EMBEDDING], normed.gather(1, positions).view(states.shape)
    slots = dspark.slots(weights, head_and_states, states, previous_tokens(micro), micro.labels, micro.loss_weights)
    return stage.draft_kernels.slot_loss(slots, factors.cross_entropy, factors.distance, factors.confidence)


@torch.no_grad()
def accepted_drafts(stage: DrafterStage, micro: Plan, states: Tensor) -> Tensor:
    """
    Returns the mean number of right drafts before the first wrong one, over at most MAX_MEASURED_BLOCKS blocks whose
    rows all have labels.
    """
    table, first = stage.target[EMBEDDING], block_drafter.first_row(stage.config)
    labels = micro.labels[:, :, first:]
    full = (labels != IGNORED).all(-1)
    chosen = states[:, :, first:][full][:MAX_MEASURED_BLOCKS]
    truth = labels[full][:MAX_MEASURED_BLOCKS]
    anchors = micro.tokens.gather(1, micro.anchors)[full][:MAX_MEASURED_BLOCKS]
    best = block_drafter.drafts(stage.config, stage.compute_weights(False), table, chosen, anchors, truth)
    right = (best == truth).int()
    return right.cumprod(-1).sum(-1).float().mean()
