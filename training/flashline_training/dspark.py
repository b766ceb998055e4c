"""
The DSpark variant: the DFlash network with next-token rows (row k predicts the token after its position, so all rows
draft), a sequential Markov head that sees the previously chosen token, and a head for the confidence in each draft.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from .qwen3 import Weights

HEADS = ("vanilla", "gated", "rnn")
PREVIOUS, NEXT = "markov_head.markov_w1.weight", "markov_head.markov_w2.weight"
TABLES = {PREVIOUS, NEXT, "confidence_head.proj.weight"}


@dataclass(frozen=True)
class DSparkOptions:
    block_size: int = 7
    head: str = "gated"
    rank: int = 64
    position_decay: float = 4.0
    # Parts of the loss.
    cross_entropy: float = 0.1
    distance: float = 0.9
    confidence: float = 1.0


def head_shapes(options: DSparkOptions, vocab: int, hidden: int) -> dict[str, tuple[int, ...]]:
    """Shapes of the Markov and confidence heads."""
    if options.head not in HEADS:
        raise ValueError(f"Expected a head of {', '.join(HEADS)}, got {options.head}; use one of them")
    r = options.rank
    shapes: dict[str, tuple[int, ...]] = {PREVIOUS: (vocab, r), NEXT: (vocab, r)}
    if options.head == "gated":
        shapes |= {"markov_head.gate_proj.weight": (r, hidden + r), "markov_head.gate_proj.bias": (r,)}
    if options.head == "rnn":
        shapes |= {"markov_head.joint_proj.weight": (3 * r, 2 * r + hidden), "markov_head.joint_proj.bias": (3 * r,)}
    return shapes | {"confidence_head.proj.weight": (1, hidden + r), "confidence_head.proj.bias": (1,)}


def markov_step(weights: Weights, h: Tensor, previous: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """What the token before, `previous` [...], adds to the logits of a slot with states h [..., hidden]: [..., rank]."""
    e = F.embedding(previous, weights[PREVIOUS])
    if "markov_head.gate_proj.weight" in weights:
        gate = F.linear(
            torch.cat([h, e], -1), weights["markov_head.gate_proj.weight"], weights["markov_head.gate_proj.bias"]
        )
        return torch.sigmoid(gate) * e, None
    if "markov_head.joint_proj.weight" in weights:
        state = torch.zeros_like(e) if state is None else state
        joint, bias = weights["markov_head.joint_proj.weight"], weights["markov_head.joint_proj.bias"]
        g, c, o = F.linear(torch.cat([state, e, h], -1), joint, bias).chunk(3, -1)
        state = torch.sigmoid(g) * state + (1 - torch.sigmoid(g)) * torch.tanh(c)
        return torch.tanh(o), state
    return e, None


def forced_logits(weights: Weights, base: Tensor, states: Tensor, previous: Tensor) -> Tensor:
    """Logits [..., rows, vocab] of all slots when the tokens before them are `previous` [..., rows]."""
    state, steps = None, []
    for k in range(states.shape[-2]):
        step, state = markov_step(weights, states[..., k, :], previous[..., k], state)
        steps.append(step)
    return base + F.linear(torch.stack(steps, -2), weights[NEXT])


def draft(weights: Weights, base: Tensor, states: Tensor, anchors: Tensor) -> Tensor:
    """Greedy drafts [..., rows]: each slot sees the token chosen in the one before; the first sees the anchor."""
    state, token, tokens = None, anchors, []
    for k in range(states.shape[-2]):
        step, state = markov_step(weights, states[..., k, :], token, state)
        token = (base[..., k, :] + F.linear(step, weights[NEXT])).argmax(-1)
        tokens.append(token)
    return torch.stack(tokens, -1)


def confidence_logits(weights: Weights, states: Tensor, previous: Tensor) -> Tensor:
    """Log-odds [..., rows] that a slot's draft is accepted once all before it were."""
    e = F.embedding(previous, weights[PREVIOUS])
    inputs = torch.cat([states, e], -1)
    return F.linear(inputs, weights["confidence_head.proj.weight"], weights["confidence_head.proj.bias"]).squeeze(-1)


class SlotBatch(NamedTuple):
    """Slots of draft blocks, [..., rows] each; logits have the vocabulary as a last axis."""

    base: Tensor  # logits of the head, before the Markov head
    states: Tensor  # [..., rows, hidden]
    previous: Tensor  # the true tokens before
    labels: Tensor
    counts: Tensor  # what each slot counts; 0 where it has no label
    target: Tensor  # the target's logits for the same tokens


def loss_sum(weights: Weights, slots: SlotBatch, options: DSparkOptions) -> Tensor:
    """
    Weighted sum of cross-entropy, of the distance |p - q|_1 to the target's distribution and of the confidence's
    binary cross-entropy against the probability 1 - |p - q|_1 / 2 that a draft is accepted.
    """
    own = forced_logits(weights, slots.base, slots.states, slots.previous).float()
    labels = slots.labels.clamp(min=0)
    entropy = -own.log_softmax(-1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    distance = (own.softmax(-1) - slots.target.float().softmax(-1)).abs().sum(-1)
    accepted = (1 - distance.detach() / 2).clamp(0, 1)
    sure = confidence_logits(weights, slots.states, slots.previous).float()
    doubt = F.binary_cross_entropy_with_logits(sure, accepted, reduction="none")
    parts = options.cross_entropy * entropy + options.distance * distance + options.confidence * doubt
    return (parts * slots.counts).sum()
