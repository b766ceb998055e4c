"""
The DSpark drafter: the DFlash network with next-token rows (row k predicts the token after its position, so all rows
draft), a sequential Markov head that sees the previously chosen token, and a head for the confidence in each draft.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from . import dflash
from .dflash import DFlashConfig, draft_logits
from .qwen3 import Weights

HEADS = ("vanilla", "gated", "rnn")
PREVIOUS, NEXT = "markov_head.markov_w1.weight", "markov_head.markov_w2.weight"
GATE, JOINT, CONFIDENCE = "markov_head.gate_proj", "markov_head.joint_proj", "confidence_head.proj"
TABLES = {PREVIOUS, NEXT, f"{CONFIDENCE}.weight"}


@dataclass(frozen=True)
class DSparkOptions:
    block_size: int = 7
    head: str = "gated"
    rank: int = 64
    position_decay: float = 4.0
    # Factors of the parts of the loss (see loss_sum).
    cross_entropy: float = 0.1
    distance: float = 0.9
    confidence: float = 1.0


@dataclass(frozen=True)
class DSparkConfig(DFlashConfig):
    """Config of a DSpark drafter. Its blocks always have all rows, and it has no candidate selector."""

    block_size: int = 7
    selector_rank: int = 0
    markov_head_type: str = "gated"
    markov_rank: int = 64

    def to_json(self) -> dict[str, object]:
        """
        Returns config.json in DeepSpec's flat form, without quantisation. The table and the head are the target's.
        """
        dflash_only = ("min_block_size", "selector_rank", "selector_top_k")
        fields = {name: value for name, value in asdict(self).items() if name not in dflash_only}
        return {
            "architectures": ["Qwen3DSparkModel"],
            "model_type": "qwen3",
            "layer_types": ["full_attention"] * self.num_hidden_layers,
            "tie_word_embeddings": False,
            "rope_scaling": None,
            "hidden_act": "silu",
            "attention_bias": False,
            "torch_dtype": "float32",
            **fields,
            "target_layer_ids": list(self.target_layer_ids),
            "enable_confidence_head": True,
            "confidence_head_with_markov": True,
            "has_own_embed_tokens": False,
            "has_own_lm_head": False,
        }


def weight_shapes(config: DSparkConfig) -> dict[str, tuple[int, ...]]:
    """Returns the shapes of the backbone, which is that of DFlash, and of both heads."""
    return dflash.weight_shapes(config) | head_shapes(config)


def head_shapes(config: DSparkConfig) -> dict[str, tuple[int, ...]]:
    """Returns the shapes of the Markov and confidence heads."""
    if config.markov_head_type not in HEADS:
        raise ValueError(f"Expected a head of {', '.join(HEADS)}, got {config.markov_head_type}; use one of them")
    r, vocab, hidden = config.markov_rank, config.vocab_size, config.hidden_size
    shapes: dict[str, tuple[int, ...]] = {PREVIOUS: (vocab, r), NEXT: (vocab, r)}
    if config.markov_head_type == "gated":
        shapes |= {f"{GATE}.weight": (r, hidden + r), f"{GATE}.bias": (r,)}
    if config.markov_head_type == "rnn":
        shapes |= {f"{JOINT}.weight": (3 * r, 2 * r + hidden), f"{JOINT}.bias": (3 * r,)}
    return shapes | {f"{CONFIDENCE}.weight": (1, hidden + r), f"{CONFIDENCE}.bias": (1,)}


def linear(weights: Weights, path: str, inputs: list[Tensor]) -> Tensor:
    return F.linear(torch.cat(inputs, -1), weights[f"{path}.weight"], weights[f"{path}.bias"])


def markov_step(weights: Weights, h: Tensor, previous: Tensor, state: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """
    Returns the row [..., rank] whose product with the NEXT table is added to the logits of slots with states h [...,
    hidden] after the tokens `previous` [...], and the next recurrent state (None without an rnn).
    """
    e = F.embedding(previous, weights[PREVIOUS])
    if f"{GATE}.weight" in weights:
        return torch.sigmoid(linear(weights, GATE, [h, e])) * e, None
    if f"{JOINT}.weight" in weights:
        state = torch.zeros_like(e) if state is None else state
        g, c, o = linear(weights, JOINT, [state, e, h]).chunk(3, -1)
        state = torch.sigmoid(g) * state + (1 - torch.sigmoid(g)) * torch.tanh(c)
        return torch.tanh(o), state
    return e, None


def forced_steps(weights: Weights, states: Tensor, previous: Tensor) -> Tensor:
    """Returns the steps [..., rows, rank] of all slots when the tokens before them are `previous` [..., rows]."""
    if f"{JOINT}.weight" not in weights:
        return markov_step(weights, states, previous, None)[0]
    state, steps = None, []
    for k in range(states.shape[-2]):
        step, state = markov_step(weights, states[..., k, :], previous[..., k], state)
        steps.append(step)
    return torch.stack(steps, -2)


def forced_logits(weights: Weights, base: Tensor, states: Tensor, previous: Tensor) -> Tensor:
    """Returns the logits [..., rows, vocab] of all slots when the tokens before them are `previous` [..., rows]."""
    return base + F.linear(forced_steps(weights, states, previous), weights[NEXT])


def draft(weights: Weights, base: Tensor, states: Tensor, anchors: Tensor) -> Tensor:
    """
    Returns greedy drafts [..., rows]: each slot sees the token chosen in the one before; the first sees the anchor.
    """
    state, token, tokens = None, anchors, []
    for k in range(states.shape[-2]):
        step, state = markov_step(weights, states[..., k, :], token, state)
        token = (base[..., k, :] + F.linear(step, weights[NEXT])).argmax(-1)
        tokens.append(token)
    return torch.stack(tokens, -1)


def drafts(
    config: DSparkConfig, weights: Weights, table: Tensor, states: Tensor, anchors: Tensor, truth: Tensor | None = None
) -> Tensor:
    """
    Returns the drafts [..., rows] of the first rows of blocks, with states [..., rows, hidden]; otherwise as
    dflash.drafts.
    """
    base = draft_logits(config, table, states)
    if truth is None:
        return draft(weights, base, states, anchors)
    return forced_logits(weights, base, states, previous_tokens(anchors, truth)).argmax(-1)


def previous_tokens(anchors: Tensor, drafted: Tensor) -> Tensor:
    """Returns the tokens before those of `drafted` [..., rows], which follow `anchors` [...]."""
    return torch.cat([anchors.unsqueeze(-1), drafted[..., :-1]], -1)


def confidence_logits(weights: Weights, states: Tensor, previous: Tensor) -> Tensor:
    """Returns the log-odds [..., rows] that a slot's draft is accepted once all before it were."""
    e = F.embedding(previous, weights[PREVIOUS])
    return linear(weights, CONFIDENCE, [states, e]).squeeze(-1)


class Slots(NamedTuple):
    """The slots of draft blocks, one row each. Logits are products of rows and a table [vocab, ...]."""

    rows: Tensor  # [slots, hidden + rank]
    table: Tensor
    target_rows: Tensor  # [slots, hidden], after the target's final norm, at the token before the label
    target_table: Tensor
    log_odds: Tensor  # [slots], of the confidence head
    labels: Tensor  # [slots]
    loss_weights: Tensor  # [slots]; 0 where a slot has no label


def slots(
    weights: Weights,
    head_and_states: tuple[Tensor, Tensor],
    states: Tensor,
    previous: Tensor,
    labels: Tensor,
    loss_weights: Tensor,
) -> Slots:
    """
    Returns the slots with states [..., rows, hidden] after the true tokens `previous` [..., rows]. `head_and_states`:
    the target's head, and its normed states [..., rows, hidden] at those tokens.
    """
    head, target_states = head_and_states
    rows = torch.cat([states, forced_steps(weights, states, previous)], -1)
    table = torch.cat([head, weights[NEXT]], -1)
    log_odds = confidence_logits(weights, states, previous)
    flat = [part.flatten(0, -2) for part in (rows, target_states)]
    return Slots(flat[0], table, flat[1], head, log_odds.flatten(), labels.flatten(), loss_weights.flatten())


def loss_sum(slots: Slots, cross_entropy: float, distance: float, confidence: float) -> Tensor:
    """
    Returns the weighted sum of cross-entropy, of the distance |p - q|_1 to the target's distribution and of the
    confidence's binary cross-entropy against the probability 1 - |p - q|_1 / 2 that a draft is accepted, each times its
    factor.
    """
    logprobs = F.linear(slots.rows, slots.table).float().log_softmax(-1)
    target_probabilities = F.linear(slots.target_rows, slots.target_table).float().softmax(-1)
    nats = -logprobs.gather(-1, slots.labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    distances = (logprobs.exp() - target_probabilities).abs().sum(-1)
    accepted = (1 - distances.detach() / 2).clamp(0, 1)
    confidence_loss = F.binary_cross_entropy_with_logits(slots.log_odds.float(), accepted, reduction="none")
    losses = cross_entropy * nats + distance * distances + confidence * confidence_loss
    return (losses * slots.loss_weights).sum()
