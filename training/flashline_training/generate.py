"""Batched greedy decoding of the target with a key-value cache."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from .attention import attention, rms_norm, rotary_tables
from .qwen3 import EMBEDDING, FINAL_NORM, KVCache, Qwen3Config, Weights, finish_layer, layer_weights, project_qkv


@dataclass
class DecodeKernels:
    """
    The functions besides attention that take most of a step of one row per sequence; `compiled` is for one batch size.
    """

    project: object = project_qkv
    finish: object = finish_layer

    @classmethod
    def compiled(cls) -> "DecodeKernels":
        return cls(torch.compile(project_qkv, dynamic=False), torch.compile(finish_layer, dynamic=False))


@torch.no_grad()
def greedy(
    config: Qwen3Config,
    weights: Weights,
    prompts: Tensor,
    count: int,
    padding: Tensor | None = None,
    kernels: DecodeKernels | None = None,
) -> Tensor:
    """
    Returns the `count` most probable tokens after each of prompts [b, n], one after the other: [b, count]. `padding`
    [b] is how many tokens at the left of each prompt are padding; positions start after them. Does not stop at end
    tokens.
    """
    kernels = kernels or DecodeKernels()
    cache = KVCache(config, len(prompts), prompts.shape[1] + count, weights[EMBEDDING])
    token = prefill(config, weights, prompts, cache, padding)
    tokens = [token]
    for _ in range(count - 1):
        h = cached_pass(config, weights, token[:, None], cache, padding, kernels)
        token = next_tokens(config, weights, h)
        tokens.append(token)
    return torch.stack(tokens, dim=1)


def next_tokens(config: Qwen3Config, weights: Weights, h: Tensor) -> Tensor:
    """Returns the most probable tokens [b] after the last rows of h [b, n, hidden]; in float32, as bf16 causes ties."""
    last = rms_norm(h[:, -1].float(), weights[FINAL_NORM], config.rms_norm_eps)
    return F.linear(last, weights[EMBEDDING].float()).argmax(-1)


def prefill(
    config: Qwen3Config, weights: Weights, prompts: Tensor, cache: KVCache, padding: Tensor | None = None
) -> Tensor:
    """Fills an empty cache in chunks of the batch, so that intermediates stay small; returns the next tokens [b]."""
    chunk = max(1, 2**18 // prompts.shape[1])
    tokens = []
    for start in range(0, len(prompts), chunk):
        rows = slice(start, start + chunk)
        chunk_padding = None if padding is None else padding[rows]
        h = cached_pass(config, weights, prompts[rows], cache.part(rows), chunk_padding, DecodeKernels())
        tokens.append(next_tokens(config, weights, h))
    cache.length = prompts.shape[1]
    return torch.cat(tokens)


def cached_pass(
    config: Qwen3Config,
    weights: Weights,
    tokens: Tensor,
    cache: KVCache,
    padding: Tensor | None,
    kernels: DecodeKernels,
) -> Tensor:
    """Returns the residual stream [b, n, hidden] of tokens [b, n] that follow those in the cache."""
    n, device = tokens.shape[1], tokens.device
    columns = torch.arange(cache.length, cache.length + n, device=device)
    positions = columns if padding is None else (columns[None] - padding[:, None]).clamp(min=0)[:, None]
    rope = rotary_tables(positions, config.head_dim, config.rope_theta)
    mask = visible(cache.length, n, padding, device)
    h = F.embedding(tokens, weights[EMBEDDING])
    for layer in range(config.num_hidden_layers):
        w = layer_weights(weights, f"model.layers.{layer}")
        q, k, v = kernels.project(h, w, rope, config.rms_norm_eps)
        attended = cached_attention(q, *cache.append(layer, k, v), mask)
        h = kernels.finish(h, attended, w, config.rms_norm_eps)
    cache.length += n
    return h


def visible(start: int, rows: int, padding: Tensor | None, device: torch.device) -> Tensor | None:
    """Returns the mask [.., rows, keys] of a pass, or None if it is just causal."""
    if padding is None and (start == 0 or rows == 1):
        return None
    columns, keys = torch.arange(start, start + rows, device=device), torch.arange(start + rows, device=device)
    mask = keys[None] <= columns[:, None]
    if padding is None:
        return mask
    # A padded row sees itself, so that its softmax has something to sum.
    real = (keys[None] >= padding[:, None])[:, None] | (keys[None, None] == columns[None, :, None])
    return (mask[None] & real)[:, None]


def cached_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    if mask is not None or q.shape[2] > 1:
        return attention(q, k, v, mask, causal=mask is None)
    # The query heads that share a key head become rows of one product.
    b, heads, _, d = q.shape
    grouped = q.reshape(b, k.shape[1], heads // k.shape[1], d)
    return attention(grouped, k, v).reshape(b, heads, 1, d)
