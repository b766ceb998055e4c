"""
The DFlash drafter with z-lab's semantics: one pass over [anchor, MASK ...] in which row k predicts the token at its own
position. Taps of the target enter as keys and values only. It uses the target's embedding and head.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from .attention import attention, rms_norm, rotary_tables, rotate
from .candidate_selector import choose, selector_shapes, walk
from .qwen3 import (
    LAYER_NAMES, DecoderShape, LayerWeights, Weights, finish_layer, heads, layer_shapes, layer_weights, project_qkv,
)  # fmt: skip


@dataclass(frozen=True)
class DFlashConfig(DecoderShape):
    num_hidden_layers: int = 4
    intermediate_size: int = 1280
    num_target_layers: int = 12
    # Layers of the target whose outputs the drafter reads; the last one is not allowed.
    target_layer_ids: tuple[int, ...] = (1, 4, 7, 10)
    # Rows of a block: the anchor and block_size - 1 masks.
    block_size: int = 16
    # The narrowest block that it was trained on, which lets the product run no more rows than it wants drafts for.
    min_block_size: int = 2
    mask_token_id: int = 16383
    # DFlash2's candidate selector: width of its tables, 0 for none, and candidates per row.
    selector_rank: int = 64
    selector_top_k: int = 16

    def to_json(self) -> dict[str, object]:
        """Returns config.json in z-lab's form, without quantisation."""
        fields = asdict(self)
        names = ("mask_token_id", "min_block_size", "target_layer_ids", "selector_rank", "selector_top_k")
        inner = {name: fields.pop(name) for name in names}
        if not self.selector_rank:
            inner = {name: value for name, value in inner.items() if not name.startswith("selector_")}
        return {
            "architectures": ["DFlashDraftModel"],
            "model_type": "qwen3",
            "dflash_config": {**inner, "target_layer_ids": list(self.target_layer_ids)},
            "layer_types": ["full_attention"] * self.num_hidden_layers,
            "tie_word_embeddings": False,
            "rope_scaling": None,
            "hidden_act": "silu",
            "attention_bias": False,
            "torch_dtype": "float32",
            **fields,
        }

    @classmethod
    def from_json(cls, fields: dict) -> "DFlashConfig":
        flat = {"selector_rank": 0, **fields, **fields.get("dflash_config", {})}
        values = {name: flat[name] for name in cls.__dataclass_fields__ if name in flat}
        return cls(**{**values, "target_layer_ids": tuple(values["target_layer_ids"])})


def weight_shapes(config: DFlashConfig) -> dict[str, tuple[int, ...]]:
    hidden = config.hidden_size
    shapes: dict[str, tuple[int, ...]] = {
        "fc.weight": (hidden, len(config.target_layer_ids) * hidden),
        "hidden_norm.weight": (hidden,),
        "norm.weight": (hidden,),
    }
    for layer in range(config.num_hidden_layers):
        for name, shape in zip(LAYER_NAMES, layer_shapes(config)):
            shapes[f"layers.{layer}.{name}"] = shape
    if config.selector_rank:
        shapes |= selector_shapes(config.selector_rank, config.vocab_size, hidden)
    return shapes


class Blocks(NamedTuple):
    """Draft blocks of sequences: n of them in each of b sequences, all `rows` wide."""

    anchors: Tensor  # [b, n], positions of the first rows
    tokens: Tensor  # [b, n, rows]: the anchor's token and masks
    widths: Tensor  # [b, n]: rows that are seen; the later ones are hidden
    first: Tensor  # [b], the first context row that is seen


def make_blocks(
    config: DFlashConfig, tokens: Tensor, anchors: Tensor, widths: Tensor, first: Tensor | None = None
) -> Blocks:
    """
    Makes blocks at `anchors` [b, n] of tokens [b, s]; they see all rows before them, or those from `first` [b] on.
    """
    rows = config.block_size
    block = tokens.new_full((*anchors.shape, rows), config.mask_token_id)
    block[..., 0] = tokens.gather(1, anchors)
    return Blocks(anchors, block, widths, tokens.new_zeros(len(tokens)) if first is None else first)


def block_mask(blocks: Blocks, context: int) -> Tensor:
    """
    Returns the visible keys of the rows of all blocks, [b, 1, n * rows, context + n * rows]: context rows before their
    anchor (not the anchor's own, whose taps do not exist yet), and the first `width` rows of their own block, later
    ones included.
    """
    b, n, rows = blocks.tokens.shape
    device = blocks.tokens.device
    columns = torch.arange(context, device=device)
    before = (columns < blocks.anchors[..., None]) & (columns >= blocks.first[:, None, None])
    before = before[:, :, None].expand(b, n, rows, context).reshape(b, n * rows, context)
    within_width = torch.arange(rows, device=device) < blocks.widths[..., None]
    same_block = torch.eye(n, dtype=torch.bool, device=device)[None, :, None, :, None]
    within_block = (same_block & within_width[:, None, None]).expand(b, n, rows, n, rows).reshape(b, n * rows, n * rows)
    return torch.cat([before, within_block], dim=-1)[:, None]


def context_rows(config: DFlashConfig, weights: Weights, taps: list[Tensor]) -> Tensor:
    """
    Returns the context rows of the target for all layers, [b, s, hidden], from one tap [b, s, hidden] per target layer
    id.
    """
    fused = F.linear(torch.cat(taps, dim=-1), weights["fc.weight"])
    return rms_norm(fused, weights["hidden_norm.weight"], config.rms_norm_eps)


def draft_layer(
    h: Tensor, context: Tensor, w: LayerWeights, rope: tuple[Tensor, ...], mask: Tensor, eps: float
) -> Tensor:
    """
    Runs a layer in which rows h [b, r, hidden] see context rows [b, s, hidden] and each other. `rope`: cos and sin of
    both.
    """
    cos, sin, context_cos, context_sin = rope
    d = w.q_norm.shape[0]
    q, k, v = project_qkv(h, w, (cos, sin), eps)
    context_k = rotate(rms_norm(heads(F.linear(context, w.k), d), w.k_norm, eps), context_cos, context_sin)
    context_v = heads(F.linear(context, w.v), d)
    k, v = torch.cat([context_k, k], dim=2), torch.cat([context_v, v], dim=2)
    return finish_layer(h, attention(q, k, v, mask), w, eps)


def draft_states(
    config: DFlashConfig,
    weights: Weights,
    table: Tensor,
    taps: list[Tensor],
    blocks: Blocks,
    layer_function=draft_layer,
) -> Tensor:
    """
    Returns the states [b, n, rows, hidden] after the final norm; the target's head makes logits of them. `table` is the
    target's embedding, `taps` its layer outputs [b, s, hidden] at positions 0 .. s - 1.
    """
    b, n, rows = blocks.tokens.shape
    context = context_rows(config, weights, taps)
    positions = blocks.anchors[..., None] + torch.arange(rows, device=context.device)
    tables = rotary_tables(positions.reshape(b, 1, n * rows), config.head_dim, config.rope_theta)
    context_positions = torch.arange(context.shape[1], device=context.device)
    rope = (*tables, *rotary_tables(context_positions, config.head_dim, config.rope_theta))
    mask = block_mask(blocks, context.shape[1])
    h = F.embedding(blocks.tokens.reshape(b, n * rows), table)
    if torch.is_grad_enabled():
        h.requires_grad_()  # As in the layers that follow, so that one compiled layer serves all.
    for layer in range(config.num_hidden_layers):
        h = layer_function(h, context, layer_weights(weights, f"layers.{layer}"), rope, mask, config.rms_norm_eps)
    return rms_norm(h, weights["norm.weight"], config.rms_norm_eps).view(b, n, rows, -1)


def draft_logits(config: DFlashConfig, table: Tensor, states: Tensor) -> Tensor:
    """Returns the logits of the target's head over states [..., hidden]; the mask token is never drafted."""
    logits = F.linear(states, table)
    logits[..., config.mask_token_id] = float("-inf")
    return logits


def drafts(
    config: DFlashConfig, weights: Weights, table: Tensor, states: Tensor, anchors: Tensor, truth: Tensor | None = None
) -> Tensor:
    """
    Returns the drafts [..., rows] of the rows after the anchor, with states [..., rows, hidden], of blocks whose
    anchors are the tokens `anchors` [...]. If the true tokens `truth` [..., rows] are given, each row follows the true
    token before it, which makes no difference up to the first wrong draft.
    """
    logits = draft_logits(config, table, states)
    if not config.selector_rank:
        return logits.argmax(-1)
    if truth is None:
        return walk(weights, logits, states, anchors, config.selector_top_k)
    previous = torch.cat([anchors.unsqueeze(-1), truth[..., :-1]], -1)
    return choose(weights, logits, states, previous, config.selector_top_k)
