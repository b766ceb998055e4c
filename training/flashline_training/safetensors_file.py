"""Reads and writes the safetensors format: a length, a JSON header, raw little-endian data."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

# uint32 words are held as int32 in torch, with the same bits, so int32 is written as U32.
TYPES = {
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "U32": torch.int32,
    "I32": torch.int32,
    "I64": torch.int64,
}
NAMES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int32: "U32", torch.int64: "I64"}


def read(path: Path) -> dict[str, Tensor]:
    """Returns all tensors of a file."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = entry["data_offsets"]
        raw = np.frombuffer(data, np.uint8, end - start, 8 + length + start)
        if entry["dtype"] not in TYPES:
            raise ValueError(f"Expected {path} to hold {', '.join(TYPES)}, got {entry['dtype']}; convert it")
        flat = torch.from_numpy(raw.copy()).view(TYPES[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


def read_folder(folder: Path) -> dict[str, Tensor]:
    """Returns all tensors of the model files of a folder."""
    files = sorted(folder.glob("model*.safetensors"))
    if not files:
        raise FileNotFoundError(f"There is no model*.safetensors in {folder}; export a model there")
    return {name: tensor for file in files for name, tensor in read(file).items()}


def to_bytes(tensors: dict[str, Tensor]) -> bytes:
    """Returns the contents of a file of tensors, in the order of the dictionary, with a header padded to 8 bytes."""
    header: dict[str, object] = {"__metadata__": {"format": "mlx"}}
    parts, offset = [], 0
    for name, tensor in tensors.items():
        raw = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        entry = {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape)}
        header[name] = {**entry, "data_offsets": [offset, offset + len(raw)]}
        parts.append(raw)
        offset += len(raw)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([struct.pack("<Q", len(text)), text, *parts])


def write_folder(folder: Path, tensors: dict[str, Tensor], limit: int) -> int:
    """
    Replaces the model files of a folder by one with these tensors, or by shards with at most `limit` bytes of data
    each, and an index. Returns the bytes of these files, without the index. Raises ValueError for a tensor larger than
    `limit`, and then leaves the folder as it was.
    """
    shards = split_shards(tensors, limit)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("model*.safetensors*"):
        old.unlink()
    total, weight_map = 0, {}
    for i, shard in enumerate(shards):
        single = len(shards) == 1
        name = "model.safetensors" if single else f"model-{i + 1:05d}-of-{len(shards):05d}.safetensors"
        total += (folder / name).write_bytes(to_bytes(shard))
        weight_map.update({tensor: name for tensor in shard})
    if len(shards) > 1:
        size = sum(size_of(tensor) for tensor in tensors.values())
        index = {"metadata": {"total_size": size}, "weight_map": weight_map}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=1))
    return total


def split_shards(tensors: dict[str, Tensor], limit: int) -> list[dict[str, Tensor]]:
    shards: list[dict[str, Tensor]] = []
    room = 0
    for name, tensor in tensors.items():
        size = size_of(tensor)
        if size > limit:
            raise ValueError(f"Expected tensors of at most {limit} bytes, got {name} of {size}; raise the limit")
        if size > room:
            shards.append({})
            room = limit
        shards[-1][name] = tensor
        room -= size
    return shards


def size_of(tensor: Tensor) -> int:
    return tensor.numel() * tensor.element_size()
