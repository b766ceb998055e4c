"""
Affine quantisation as MLX does it: each group of 64 inputs of a row has a scale and a bias, and a weight is
scale * code + bias. Provides packed tensors for the product, and a rounding that gradients pass straight through.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from .dspark import CONFIDENCE, GATE, JOINT
from .qwen3 import EMBEDDING, Weights

GROUP_SIZE = 64
WORD_BITS = 32
# Type of stored scales, biases and norms: its 11 bits of mantissa are closer than bf16's 8.
STORED_TYPE = torch.float16
# Small matrices that are stored in this type too.
UNPACKED = {f"{path}.weight" for path in (CONFIDENCE, GATE, JOINT)}


@dataclass(frozen=True)
class Bits:
    """Bits of the matrices of a model: those of its layers, and of its embedding, which is the head too."""

    layers: int = 4
    embedding: int = 8

    def of(self, name: str, tensor: Tensor) -> int | None:
        """Returns the bits of a tensor, or None if it is stored as it is, as vectors are."""
        if tensor.ndim != 2 or name in UNPACKED:
            return None
        return self.embedding if name == EMBEDDING else self.layers


class Quantised(NamedTuple):
    codes: Tensor  # [rows, columns], integers in 0 .. 2^bits - 1 as floats
    scales: Tensor  # [rows, columns / 64]
    biases: Tensor  # [rows, columns / 64]

    def values(self) -> Tensor:
        """Returns scale * code + bias in float32, [rows, columns]."""
        rows = self.codes.shape[0]
        grouped = self.codes.view(rows, -1, GROUP_SIZE)
        values = grouped * self.scales.float().unsqueeze(-1) + self.biases.float().unsqueeze(-1)
        return values.view(rows, -1)


def quantise(weight: Tensor, bits: int) -> Quantised:
    """
    Returns the codes of a matrix. The end of each group's range that is farther from zero is represented exactly (in
    float16), and zero is on the grid, so the scale is negative if that end is the largest value.
    """
    rows, columns = weight.shape
    if columns % GROUP_SIZE:
        raise ValueError(f"Expected rows of a multiple of {GROUP_SIZE} weights, got {columns}; change the shape")
    groups = weight.float().view(rows, -1, GROUP_SIZE)
    top = 2**bits - 1
    low, high = groups.amin(-1), groups.amax(-1)
    scale = ((high - low) / top).clamp(min=1e-7)
    low_is_edge = low.abs() > high.abs()
    scale = torch.where(low_is_edge, scale, -scale)
    edge = torch.where(low_is_edge, low, high)
    steps = torch.round(edge / scale)
    on_grid = steps != 0
    scale = torch.where(on_grid, edge / torch.where(on_grid, steps, torch.ones_like(steps)), scale)
    bias = torch.where(on_grid, edge, torch.zeros_like(edge))
    # Codes are chosen for the scales and biases as they will be stored.
    scale, bias = scale.to(STORED_TYPE), bias.to(STORED_TYPE)
    divisor = scale.float()
    divisor = torch.where(divisor == 0, torch.ones_like(divisor), divisor)
    codes = torch.round((groups - bias.float().unsqueeze(-1)) / divisor.unsqueeze(-1)).clamp(0, top)
    return Quantised(codes.view(rows, columns), scale, bias)


def pack(codes: Tensor, bits: int) -> Tensor:
    """
    Packs codes [rows, columns] into 32-bit words [rows, columns * bits / 32] from the low bits on; int32 with those
    bits.
    """
    per_word = WORD_BITS // bits
    parts = codes.to(torch.int64).view(codes.shape[0], -1, per_word)
    shifts = torch.arange(per_word, device=codes.device, dtype=torch.int64) * bits
    words = (parts << shifts).sum(-1)
    return torch.where(words >= 2**31, words - 2**32, words).to(torch.int32)


def unpack(words: Tensor, bits: int) -> Tensor:
    """Unpacks the codes of `pack`, as floats."""
    shifts = torch.arange(WORD_BITS // bits, dtype=torch.int64, device=words.device) * bits
    codes = (words.to(torch.int64).unsqueeze(-1) >> shifts) & (2**bits - 1)
    return codes.flatten(1).float()


def stored_values(weight: Tensor, bits: int) -> Tensor:
    """Returns the values that the product will compute with, in float32."""
    return quantise(weight, bits).values()


def rounded(weight: Tensor, bits: int, values=stored_values) -> Tensor:
    """
    Returns the stored values of a matrix; the gradient is that of `weight`. `values`: stored_values or its compiled
    form.
    """
    with torch.no_grad():
        difference = values(weight.detach(), bits) - weight.float()
    return weight + difference.to(weight.dtype)


def rounded_weights(weights: Weights, bits: Bits, values=stored_values) -> Weights:
    """Returns all matrices rounded to their bits, the others as they are stored."""
    result = {}
    for name, weight in weights.items():
        tensor_bits = bits.of(name, weight)
        if tensor_bits is not None:
            result[name] = rounded(weight, tensor_bits, values)
        else:
            result[name] = weight + (weight.detach().to(STORED_TYPE).to(weight.dtype) - weight.detach())
    return result


def packed_tensors(weights: Weights, bits: Bits) -> Weights:
    """
    Returns the tensors of a model file: .weight, .scales and .biases for each packed matrix, the others in float16.
    """
    tensors = {}
    for name, weight in weights.items():
        tensor_bits = bits.of(name, weight)
        if tensor_bits is None:
            tensors[name] = weight.to(STORED_TYPE)
            continue
        path = name.removesuffix(".weight")
        codes, scales, biases = quantise(weight, tensor_bits)
        tensors[name] = pack(codes, tensor_bits)
        tensors[f"{path}.scales"], tensors[f"{path}.biases"] = scales, biases
    return tensors


def unpacked_weights(tensors: dict[str, Tensor], quantization: dict | None) -> Weights:
    """Returns the float32 weights of a model file whose config.json has this `quantization` object, or none."""
    weights = {}
    for name, tensor in tensors.items():
        if name.endswith((".scales", ".biases")):
            continue
        path = name.removesuffix(".weight")
        if f"{path}.scales" not in tensors:
            weights[name] = tensor.float()
            continue
        packing = (quantization or {}).get(path, quantization)
        if packing["group_size"] != GROUP_SIZE:
            raise ValueError(f"Expected groups of {GROUP_SIZE}, got {packing['group_size']} for {path}; requantise it")
        codes = unpack(tensor, packing["bits"])
        weights[name] = Quantised(codes, tensors[f"{path}.scales"], tensors[f"{path}.biases"]).values()
    return weights


def quantization_field(weights: Weights, bits: Bits) -> dict[str, object]:
    """Returns the `quantization` object of config.json: the bits of the layers, and the modules with different bits."""
    field: dict[str, object] = {"group_size": GROUP_SIZE, "bits": bits.layers}
    for name, weight in weights.items():
        tensor_bits = bits.of(name, weight)
        if tensor_bits is not None and tensor_bits != bits.layers:
            field[name.removesuffix(".weight")] = {"group_size": GROUP_SIZE, "bits": tensor_bits}
    return field
