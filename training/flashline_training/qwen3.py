"""
The target: a dense Qwen3 with a tied head, with the names and in the form that the product's loader reads.

Weights are a plain dictionary from Hugging Face names to tensors, and the network is functions over it: training, its
quantised form and the export then differ only in the dictionary.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from .attention import attention, rms_norm, rotary_tables, rotate

Weights = dict[str, Tensor]
EMBEDDING = "model.embed_tokens.weight"
FINAL_NORM = "model.norm.weight"


@dataclass(frozen=True)
class DecoderShape:
    """Fields that targets and drafters share, by their names in config.json; defaults are the target's."""

    num_hidden_layers: int = 12
    hidden_size: int = 512
    intermediate_size: int = 1536
    num_attention_heads: int = 8
    num_key_value_heads: int = 4
    head_dim: int = 64
    vocab_size: int = 16384
    max_position_embeddings: int = 2048
    rope_theta: float = 1e6
    rms_norm_eps: float = 1e-6
    eos_token_id: int = 16374

    @property
    def query_size(self) -> int:
        return self.num_attention_heads * self.head_dim

    @property
    def key_size(self) -> int:
        return self.num_key_value_heads * self.head_dim


@dataclass(frozen=True)
class Qwen3Config(DecoderShape):
    """The shape of a target."""

    def to_json(self) -> dict[str, object]:
        """Returns config.json without quantisation."""
        return {
            "architectures": ["Qwen3ForCausalLM"],
            "model_type": "qwen3",
            "tie_word_embeddings": True,
            "rope_scaling": None,
            "hidden_act": "silu",
            "attention_bias": False,
            "torch_dtype": "float32",
            **asdict(self),
        }

    @classmethod
    def from_json(cls, fields: dict) -> "Qwen3Config":
        return cls(**{name: fields[name] for name in cls.__dataclass_fields__ if name in fields})


class LayerWeights(NamedTuple):
    """One decoder layer; matrices are [out, in]."""

    input_norm: Tensor
    q: Tensor
    k: Tensor
    v: Tensor
    o: Tensor
    q_norm: Tensor
    k_norm: Tensor
    mlp_norm: Tensor
    gate: Tensor
    up: Tensor
    down: Tensor


LAYER_NAMES = LayerWeights(
    "input_layernorm.weight",
    "self_attn.q_proj.weight",
    "self_attn.k_proj.weight",
    "self_attn.v_proj.weight",
    "self_attn.o_proj.weight",
    "self_attn.q_norm.weight",
    "self_attn.k_norm.weight",
    "post_attention_layernorm.weight",
    "mlp.gate_proj.weight",
    "mlp.up_proj.weight",
    "mlp.down_proj.weight",
)


def layer_shapes(config: DecoderShape) -> LayerWeights:
    """Returns the shapes of one layer."""
    hidden, wide, narrow, ffn = config.hidden_size, config.query_size, config.key_size, config.intermediate_size
    head = (config.head_dim,)
    return LayerWeights(
        (hidden,), (wide, hidden), (narrow, hidden), (narrow, hidden), (hidden, wide), head, head,
        (hidden,), (ffn, hidden), (ffn, hidden), (hidden, ffn),
    )  # fmt: skip


def weight_shapes(config: Qwen3Config) -> dict[str, tuple[int, ...]]:
    shapes = {EMBEDDING: (config.vocab_size, config.hidden_size), FINAL_NORM: (config.hidden_size,)}
    for layer in range(config.num_hidden_layers):
        for name, shape in zip(LAYER_NAMES, layer_shapes(config)):
            shapes[f"model.layers.{layer}.{name}"] = shape
    return shapes


def require_shapes(weights: Weights, expected: dict[str, tuple[int, ...]], source: Path) -> None:
    """Raises ValueError unless the weights that were read have exactly these names and shapes."""
    found = {name: tuple(weight.shape) for name, weight in weights.items()}
    for name in sorted({*found, *expected}):
        if found.get(name) != expected.get(name):
            raise ValueError(
                f"Expected {name} to be {shape_text(expected.get(name))} in {source}, but it is "
                f"{shape_text(found.get(name))}; give the shape that it was trained with"
            )


def shape_text(shape: tuple[int, ...] | None) -> str:
    return "absent" if shape is None else f"of shape {shape}"


def initial_weights(shapes: dict[str, tuple[int, ...]], residual_layers: int, seed: int) -> Weights:
    """
    Returns norms and biases 1, matrices N(0, 0.02), those that write to the residual stream smaller by sqrt(2 *
    layers).
    """
    generator = torch.Generator().manual_seed(seed)
    weights = {}
    for name, shape in shapes.items():
        if len(shape) == 1:
            weights[name] = torch.ones(shape)
            continue
        residual = name.endswith(("o_proj.weight", "down_proj.weight"))
        std = 0.02 / (2 * residual_layers) ** 0.5 if residual else 0.02
        weights[name] = torch.randn(shape, generator=generator) * std
    return weights


def layer_weights(weights: Weights, prefix: str) -> LayerWeights:
    return LayerWeights(*(weights[f"{prefix}.{name}"] for name in LAYER_NAMES))


class KVCache:
    """Keys and values [layers, b, kv_heads, capacity, head_dim], filled up to `length`."""

    def __init__(self, config: Qwen3Config, batch: int, capacity: int, like: Tensor) -> None:
        shape = (config.num_hidden_layers, batch, config.num_key_value_heads, capacity, config.head_dim)
        self.keys = torch.empty(shape, dtype=like.dtype, device=like.device)
        self.values = torch.empty_like(self.keys)
        self.length = 0

    def part(self, rows: slice) -> "KVCache":
        """Returns an empty cache for some of the sequences, in this one's storage."""
        part = object.__new__(KVCache)
        part.keys, part.values, part.length = self.keys[:, rows], self.values[:, rows], 0
        return part

    def append(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Stores rows after `length`, which the caller advances once per pass; returns all rows."""
        end = self.length + k.shape[2]
        self.keys[layer, :, :, self.length : end] = k
        self.values[layer, :, :, self.length : end] = v
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]


def heads(x: Tensor, head_dim: int) -> Tensor:
    """Reshapes [b, n, heads * d] to [b, heads, n, d]."""
    b, n, _ = x.shape
    return x.view(b, n, -1, head_dim).transpose(1, 2)


def project_qkv(h: Tensor, w: LayerWeights, rope: tuple[Tensor, Tensor], eps: float):
    """Returns normed and rotated queries and keys, and values, of the rows h [b, n, hidden]."""
    d = w.q_norm.shape[0]
    x = rms_norm(h, w.input_norm, eps)
    q, k, v = F.linear(x, torch.cat([w.q, w.k, w.v])).split([w.q.shape[0], w.k.shape[0], w.v.shape[0]], dim=-1)
    q, k = rms_norm(heads(q, d), w.q_norm, eps), rms_norm(heads(k, d), w.k_norm, eps)
    return rotate(q, *rope), rotate(k, *rope), heads(v, d)


def finish_layer(h: Tensor, attended: Tensor, w: LayerWeights, eps: float) -> Tensor:
    """Adds the projected attention [b, heads, n, d] and the gated MLP to h [b, n, hidden]."""
    h = h + F.linear(attended.transpose(1, 2).flatten(2), w.o)
    x = rms_norm(h, w.mlp_norm, eps)
    gate, up = F.linear(x, torch.cat([w.gate, w.up])).chunk(2, dim=-1)
    return h + F.linear(F.silu(gate) * up, w.down)


def causal_layer(h: Tensor, w: LayerWeights, cos: Tensor, sin: Tensor, eps: float) -> Tensor:
    """Runs a decoder layer over whole sequences [b, n, hidden]."""
    q, k, v = project_qkv(h, w, (cos, sin), eps)
    return finish_layer(h, attention(q, k, v, causal=True), w, eps)


def head_logits(h: Tensor, norm: Tensor, embedding: Tensor, eps: float) -> Tensor:
    return F.linear(rms_norm(h, norm, eps), embedding)


def head_loss(
    h: Tensor, norm: Tensor, embedding: Tensor, labels: Tensor, loss_weights: Tensor | None, eps: float
) -> Tensor:
    """
    Returns the summed cross-entropy in nats of rows h [..., hidden] against labels [...], each times its weight [...]
    or 1. A label of -100 adds nothing.
    """
    logits = head_logits(h, norm, embedding, eps).flatten(0, -2).float()
    if loss_weights is None:
        return F.cross_entropy(logits, labels.flatten(), reduction="sum")
    return (F.cross_entropy(logits, labels.flatten(), reduction="none") * loss_weights.flatten()).sum()


@dataclass
class Kernels:
    """The functions that take most of the training time. `compiled` shares one layer, so it compiles in seconds."""

    layer: object = causal_layer
    loss: object = head_loss

    @classmethod
    def compiled(cls) -> "Kernels":
        return cls(torch.compile(causal_layer, dynamic=False), torch.compile(head_loss, dynamic=False))


def hidden_states(
    config: Qwen3Config, weights: Weights, tokens: Tensor, taps: Sequence[int] = (), kernels: Kernels | None = None
) -> tuple[Tensor, list[Tensor]]:
    """
    Returns the residual stream after the last layer, [b, n, hidden], before the final norm, of tokens [b, n] at
    positions 0 .. n - 1, and the outputs of the layers `taps`.
    """
    layer_function = (kernels or Kernels()).layer
    positions = torch.arange(tokens.shape[1], device=tokens.device)
    cos, sin = rotary_tables(positions, config.head_dim, config.rope_theta)
    h = F.embedding(tokens, weights[EMBEDDING])
    outputs = []
    for layer in range(config.num_hidden_layers):
        h = layer_function(h, layer_weights(weights, f"model.layers.{layer}"), cos, sin, config.rms_norm_eps)
        outputs.append(h)
    return h, [outputs[tap] for tap in taps]


def logits(config: Qwen3Config, weights: Weights, h: Tensor) -> Tensor:
    return head_logits(h, weights[FINAL_NORM], weights[EMBEDDING], config.rms_norm_eps)


def loss_sum(
    config: Qwen3Config,
    weights: Weights,
    tokens: Tensor,
    labels: Tensor,
    loss_weights: Tensor | None = None,
    kernels: Kernels | None = None,
) -> Tensor:
    """
    Returns the summed nats of labels [b, n], the tokens that follow `tokens` [b, n], times their weights [b, n] or 1.
    """
    kernels = kernels or Kernels()
    h, _ = hidden_states(config, weights, tokens, kernels=kernels)
    return kernels.loss(h, weights[FINAL_NORM], weights[EMBEDDING], labels, loss_weights, config.rms_norm_eps)
