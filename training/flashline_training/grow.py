"""
Grows a pair that computes what a smaller one does: more layers, which add nothing at first, and more tokens.

    python -m flashline_training.grow --pair ../media/model --tokenizer tokenizer.json --layers 18 --out grown

Writes grown/target.pt and grown/drafter.pt, which `train_target` and `train_drafter` start from.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from . import checkpoint
from .candidate_selector import TABLES
from .checkpoint import Progress
from .dflash import DFlashConfig
from .export import read_drafter, read_target
from .options import parse
from .qwen3 import EMBEDDING, LAYER_NAMES, Qwen3Config, Weights

# Matrices whose outputs are added to the residual stream.
ADDING = ("self_attn.o_proj.weight", "mlp.down_proj.weight")
# Parts of an id without an entry: its row equals that of token 0, so it is never more probable than that token.
UNUSED = (0, 0)


@dataclass(frozen=True)
class GrowOptions:
    pair: Path = Path("../media/model")
    # The pair's tokenizer with more merges, as `extend_tokenizer` writes it.
    tokenizer: Path = Path("tokenizer.json")
    layers: int = 18
    out: Path = Path("grown")


def layer_indices(old: int, new: int) -> list[int]:
    """Returns the index of each old layer among the new ones; the others are spread between them."""
    if new < old:
        raise ValueError(f"Expected at least {old} layers, got {new}; a pair can only grow")
    return [(at * new + new // 2) // old for at in range(old)]


def grown_layers(weights: Weights, old: int, new: int) -> Weights:
    """Adds layers, each like the old one below it, except that what it would add to the residual stream is zero."""
    indices = layer_indices(old, new)
    grown = {name: weight for name, weight in weights.items() if not name.startswith("model.layers.")}
    for layer in range(new):
        source = max((at for at in range(old) if indices[at] <= layer), default=0)
        for name in LAYER_NAMES:
            weight = weights[f"model.layers.{source}.{name}"]
            is_old = indices[source] == layer
            silent = not is_old and name in ADDING
            grown[f"model.layers.{layer}.{name}"] = torch.zeros_like(weight) if silent else weight.clone()
    return grown


def parts_of(tokenizer: Path, entries: int) -> list[tuple[int, int]]:
    """
    Returns the two tokens that each entry from `entries` on was merged from, in the order of the ids. `extended` can
    leave out ids: their parts are UNUSED.
    """
    fields = json.loads(tokenizer.read_text(encoding="utf-8"))
    vocabulary = fields["model"]["vocab"]
    merged = [pair if isinstance(pair, list) else pair.split(" ") for pair in fields["model"]["merges"]]
    found = {vocabulary["".join(pair)]: (vocabulary[pair[0]], vocabulary[pair[1]]) for pair in reversed(merged)}
    return [found.get(id_, UNUSED) for id_ in range(entries, 1 + max(vocabulary.values()))]


def grown_table(table: Tensor, parts: list[tuple[int, int]]) -> Tensor:
    """
    Adds a row for each new entry: the mean of the rows of its two parts. The table is tied: as the input, the last part
    says most about the tokens that follow; as the output, the first part says most about whether the entry comes next.
    """
    rows = torch.cat([table, table.new_zeros(len(parts), table.shape[1])])
    for at, (left, right) in enumerate(parts):
        rows[len(table) + at] = (rows[left] + rows[right]) / 2
    return rows


def grow(options: GrowOptions) -> tuple[Qwen3Config, DFlashConfig]:
    config, weights = read_target(options.pair / "target")
    old = config.num_hidden_layers
    parts = parts_of(options.tokenizer, config.vocab_size)
    target = replace(config, num_hidden_layers=options.layers, vocab_size=config.vocab_size + len(parts))
    weights = grown_layers(weights, old, options.layers)
    weights[EMBEDDING] = grown_table(weights[EMBEDDING], parts)
    checkpoint.save(options.out / "target.pt", asdict(target), weights, Progress(finished=True))

    config, weights = read_drafter(options.pair / "drafter")
    taps = tuple(layer_indices(old, options.layers)[tap] for tap in config.target_layer_ids)
    drafter = replace(config, vocab_size=target.vocab_size, num_target_layers=options.layers, target_layer_ids=taps)
    for name in TABLES & weights.keys():
        weights[name] = grown_table(weights[name], parts)
    checkpoint.save(options.out / "drafter.pt", asdict(drafter), weights, Progress(finished=True))
    return target, drafter


def main() -> None:
    target, drafter = grow(parse(GrowOptions, __doc__))
    taps = ",".join(map(str, drafter.target_layer_ids))
    print(f"{target.num_hidden_layers} layers, {target.vocab_size} entries, taps {taps}")


if __name__ == "__main__":
    main()
