"""
Writes the pair as mlx-community checkpoints that the product loads.

    python -m flashline_training.export --target finished.pt --drafter drafter.pt --tokenizer ../media/model/target \
        --out model
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from pathlib import Path

import torch

from . import checkpoint, safetensors_file
from .block_drafter import config_of
from .dflash import DFlashConfig
from .options import parse
from .quantise import Bits, packed_tensors, quantization_field, unpacked_weights
from .qwen3 import Qwen3Config, Weights

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")
# Fields of the target that a drafter depends on.
IDENTITY_FIELDS = (
    "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim",
    "vocab_size", "rope_theta", "rms_norm_eps", "tie_word_embeddings",
)  # fmt: skip
MIB = 2**20


@dataclass(frozen=True)
class ExportOptions:
    # A checkpoint, or the folder of an exported target, which stays as it is.
    target: Path = Path("finished.pt")
    drafter: Path = Path("drafter.pt")
    tokenizer: Path = Path("../media/model/target")
    out: Path = Path("model")
    # Folder for the weights before rounding, in bf16, from which a later training starts.
    weights: Path = Path("weights")
    target_bits: Bits = field(default_factory=Bits)
    drafter_bits: Bits = field(default_factory=Bits)
    shard_mib: int = 15


def target_config_sha256(config: dict) -> str:
    """Returns the SHA-256 of the canonical JSON (RFC 8785) of the shape fields of a target's config.json."""
    entries = ",".join(f'"{name}":{canonical(config[name])}' for name in sorted(IDENTITY_FIELDS))
    return hashlib.sha256(f"{{{entries}}}".encode()).hexdigest()


def canonical(value: bool | int | float) -> str:
    """Returns a number or truth value as JavaScript writes it, where 1e6 is 1000000 and 1e-6 is 0.000001."""
    if isinstance(value, bool) or not isinstance(value, float):
        return json.dumps(value)
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    if abs(value) >= 1e-6:
        return format(Decimal(repr(value)), "f")
    mantissa, exponent = repr(value).split("e")
    return f"{mantissa}e{int(exponent)}"


def write_model(folder: Path, config: dict, weights: Weights, bits: Bits, shard_bytes: int) -> int:
    """Writes config.json and the packed weights; returns the bytes of the latter."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {**config, "quantization": quantization_field(weights, bits)}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    return safetensors_file.write_folder(folder, packed_tensors(weights, bits), shard_bytes)


def write_target(
    folder: Path, config: Qwen3Config, weights: Weights, bits: Bits, tokenizer: Path, shard_mib: int
) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for name in TOKENIZER_FILES:
        shutil.copyfile(tokenizer / name, folder / name)
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [config.eos_token_id]}, indent=2) + "\n")
    return write_model(folder, config.to_json(), weights, bits, shard_mib * MIB)


def write_drafter(
    folder: Path, config: DFlashConfig, weights: Weights, bits: Bits, target: Qwen3Config, shard_mib: int
) -> int:
    fields = config.to_json()
    # The product reads the hash from dflash_config for both kinds of drafter.
    fields["dflash_config"] = {
        **fields.get("dflash_config", {}),
        "target_config_sha256": target_config_sha256(target.to_json()),
    }
    return write_model(folder, fields, weights, bits, shard_mib * MIB)


def read_target(folder: Path) -> tuple[Qwen3Config, Weights]:
    """Reads an exported target with its weights in float32."""
    fields = json.loads((folder / "config.json").read_text())
    tensors = safetensors_file.read_folder(folder)
    return Qwen3Config.from_json(fields), unpacked_weights(tensors, fields.get("quantization"))


def read_start(source: Path) -> dict:
    """Returns the result of `checkpoint.load`, also for the target of an exported pair, which has no optimiser."""
    if source.is_dir():
        config, weights = read_target(source / "target")
        return {"config": asdict(config), "weights": weights, "progress": checkpoint.Progress(), "optimiser": None}
    if not source.exists():
        raise FileNotFoundError(f"There is no checkpoint or pair at {source}; give the path of one to start from")
    return checkpoint.load(source)


def read_drafter(folder: Path) -> tuple[DFlashConfig, Weights]:
    """Reads an exported drafter with its weights in float32."""
    fields = json.loads((folder / "config.json").read_text())
    tensors = safetensors_file.read_folder(folder)
    return config_of(fields), unpacked_weights(tensors, fields.get("quantization"))


def write_unrounded(path: Path, weights: Weights) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(safetensors_file.to_bytes({name: w.detach().to(torch.bfloat16) for name, w in weights.items()}))


def export_target(options: ExportOptions) -> Qwen3Config:
    folder = options.out / "target"
    if options.target.is_dir():
        # Rounding twice would give other weights: a group need not use all of its codes.
        shutil.copytree(options.target, folder, dirs_exist_ok=True)
        return read_target(folder)[0]
    target = checkpoint.load(options.target)
    write_unrounded(options.weights / "target.safetensors", target["weights"])
    config = Qwen3Config(**target["config"])
    write_target(folder, config, target["weights"], options.target_bits, options.tokenizer, options.shard_mib)
    return config


def export(options: ExportOptions) -> dict[str, int]:
    """Writes the target, and the drafter if its checkpoint exists; returns the bytes of each folder of `out`."""
    config = export_target(options)
    if options.drafter.exists():
        drafter = checkpoint.load(options.drafter)
        weights, bits = drafter["weights"], options.drafter_bits
        write_unrounded(options.weights / "drafter.safetensors", weights)
        write_drafter(options.out / "drafter", config_of(drafter["config"]), weights, bits, config, options.shard_mib)
    return {
        path.name: sum(file.stat().st_size for file in path.iterdir())
        for path in sorted(options.out.iterdir())
        if path.is_dir()
    }


def main() -> None:
    sizes = export(parse(ExportOptions, __doc__))
    print(
        " ".join(f"{name} {size / 1e6:.2f} MB" for name, size in sizes.items()),
        f"in all {sum(sizes.values()) / 1e6:.2f} MB",
    )


if __name__ == "__main__":
    main()
