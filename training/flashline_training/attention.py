"""Grouped-query attention, rotary positions and the norms, as the product computes them."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

HAS_FUSED = hasattr(F, "scaled_dot_product_attention")


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Returns x / rms(x) * weight over the last axis, computed in float32."""
    wide = x.float()
    normed = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps)
    return (normed * weight.float()).to(x.dtype)


def rotary_tables(positions: Tensor, head_dim: int, theta: float) -> tuple[Tensor, Tensor]:
    """Returns the cosines and sines [..., head_dim / 2] of the angles of integer positions [...], in float32."""
    steps = torch.arange(0, head_dim, 2, device=positions.device, dtype=torch.float32)
    angles = positions.float().unsqueeze(-1) * theta ** (-steps / head_dim)
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotates the halves of each head of x [..., heads, rows, head_dim] by tables that broadcast to its rows."""
    first, second = x.float().chunk(2, dim=-1)
    turned = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
    return turned.to(x.dtype)


def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
    """
    Returns softmax(q k^T / sqrt(d) + mask) v with q [b, heads, n, d] and k, v [b, kv_heads, m, d]. A boolean mask [..,
    n, m] is true where a row sees a key; `causal` (n = m) lets row i see keys up to i.
    """
    if not HAS_FUSED:
        return reference_attention(q, k, v, mask, causal)
    if mask is None:
        grouped = q.shape[1] != k.shape[1]
        if not grouped or q.dtype == torch.bfloat16:
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=grouped)
    # The kernels for masks and for float32 do not support grouped heads.
    k, v = repeat_heads(k, q.shape[1]), repeat_heads(v, q.shape[1])
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)


def reference_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool) -> Tensor:
    """Computes attention as it is defined, in plain operations."""
    k, v = repeat_heads(k, q.shape[1]), repeat_heads(v, q.shape[1])
    scores = (q @ k.transpose(-1, -2)).float() * q.shape[-1] ** -0.5
    if causal:
        mask = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device).tril()
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1).to(v.dtype) @ v


def repeat_heads(x: Tensor, heads: int) -> Tensor:
    """Repeats [b, kv_heads, m, d] to [b, heads, m, d]: query head h reads key head h // (heads / kv_heads)."""
    b, kv_heads, m, d = x.shape
    if kv_heads == heads:
        return x
    return x.unsqueeze(2).expand(b, kv_heads, heads // kv_heads, m, d).reshape(b, heads, m, d)
