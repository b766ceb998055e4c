"""
The figures of a pair's model card, next to those of an earlier pair. They come from the two reports of `evaluate`, to
which "pair" is added, the result of `pair_facts`, and for the new pair "sources", that of `sources_summary`.
"""

from __future__ import annotations

from math import prod
from typing import Callable

from . import block_drafter, qwen3
from .block_drafter import config_of
from .qwen3 import Qwen3Config

START = "<!-- figures: written by python -m flashline_training.embed -->"
END = "<!-- end of figures -->"
LANGUAGES = {
    "typescript": "TypeScript", "javascript": "JavaScript", "python": "Python", "c": "C", "cpp": "C++", "csharp": "C#",
    "css": "CSS", "go": "Go", "html": "HTML", "java": "Java", "json": "JSON", "kotlin": "Kotlin", "markdown": "Markdown",
    "php": "PHP", "ruby": "Ruby", "rust": "Rust", "scss": "SCSS", "shellscript": "shell", "sql": "SQL",
    "svelte": "Svelte", "swift": "Swift", "toml": "TOML", "vue": "Vue", "yaml": "YAML",
}  # fmt: skip
# Minimum number of holes of a language for its figure to be shown.
MIN_HOLES = 40
# Readable names of modules that have other bits than the rest.
MODULES = {"model.embed_tokens": "embedding and head"}
HEAD = ("", "this pair", "the earlier pair")


def with_figures(card: str, report: dict, earlier: dict) -> str:
    """Returns the card with new text between its two marks."""
    before, start, rest = card.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(f"Expected the model card to have the lines {START} and {END}; put them back")
    return f"{before}{START}\n\n{figures(report, earlier)}\n\n{END}{after}"


def figures(report: dict, earlier: dict) -> str:
    both = (report, earlier)
    return "\n\n".join(
        [
            beside(*map(shapes, both)),
            training_text(report["sources"]),
            loss_caption(report),
            beside(*map(losses, both)),
            fill_in_caption(report),
            beside(*map(fill_ins, both)),
            rounds_caption(report),
            rounds_table(report, earlier),
        ]
    )


def table(head: tuple[str, ...], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in ([*head], ["---"] * len(head), *rows))


def beside(this: dict[str, str], earlier: dict[str, str]) -> str:
    """
    Returns a table with one row for each label of either pair; the cell of a pair without that figure stays empty.
    """
    return table(HEAD, [[label, this.get(label, ""), earlier.get(label, "")] for label in {**this, **earlier}])


def shapes(report: dict) -> dict[str, str]:
    target, drafter = report["pair"]["target"], report["pair"]["drafter"]
    target_config, drafter_config = Qwen3Config.from_json(target["config"]), config_of(drafter["config"])
    return {
        "target": decoder(target_config),
        "target: parameters": millions(qwen3.weight_shapes(target_config)),
        "target: bits": bits(target["config"]),
        "target: context": f"{target_config.max_position_embeddings} tokens",
        "target: files": megabytes(target["bytes"]),
        "drafter": decoder(drafter_config),
        "drafter: parameters": millions(block_drafter.weight_shapes(drafter_config)),
        "drafter: bits": bits(drafter["config"]),
        "drafter: block": block(drafter_config.block_size, drafter["config"]),
        "drafter: taps": f"layers {', '.join(map(str, drafter_config.target_layer_ids))} of the target",
        "drafter: files": megabytes(drafter["bytes"]),
        "all files": megabytes(target["bytes"] + drafter["bytes"]),
    }


def decoder(config: qwen3.DecoderShape) -> str:
    heads = f"{config.num_attention_heads}/{config.num_key_value_heads} heads of {config.head_dim}"
    width = f"hidden {config.hidden_size}, feed-forward {config.intermediate_size}"
    return f"{config.num_hidden_layers} layers, {width}, {heads}"


def millions(shapes: dict[str, tuple[int, ...]]) -> str:
    return f"{sum(map(prod, shapes.values())) / 1e6:.1f} M"


def megabytes(count: int) -> str:
    return f"{count / 1e6:.2f} MB"


def block(rows: int, config: dict) -> str:
    narrowest = config["dflash_config"].get("min_block_size")
    return f"{rows} rows" if narrowest is None else f"{narrowest} to {rows} rows"


def bits(config: dict) -> str:
    """Returns the bits of most matrices, those of the others, and the weights that share a scale."""
    field = config.get("quantization")
    if field is None:
        return "not rounded"
    overrides = {name: module["bits"] for name, module in field.items() if isinstance(module, dict)}
    named = "".join(f", {MODULES.get(name, name)} {count}" for name, count in overrides.items())
    return f"{field['bits']}{named}; groups of {field['group_size']}"


def training_text(sources: dict) -> str:
    shares = (f"{100 * count / sources['bytes']:.1f} % {name}" for name, count in sources["licences"].items())
    size = f"{sources['bytes'] / 1e6:.1f} MB"
    return (
        f"Trained on {sources['files']} files of {sources['repositories']} repositories, {size}: {', '.join(shares)}. "
        f"{sources['heldOut']} other repositories were held out."
    )


def loss_caption(report: dict) -> str:
    loss = report["loss"]
    return (
        f"Nats per token (per character) on {len(loss['repositories'])} repositories that were not trained on, "
        f"{loss['tokens']} tokens of {loss['characters_per_token']} characters:"
    )


def losses(report: dict) -> dict[str, str]:
    loss = report["loss"]
    rows = {"all": nats(loss), **by_language(loss["languages"], nats)}
    rows |= {name.replace("-", " "): nats(group) for name, group in loss.get("groups", {}).items()}
    if "fim_nats_per_token" in loss:
        rows["all, in fill-in-the-middle form"] = f"{loss['fim_nats_per_token']:.4f}"
    if "loss_before_rounding" in report:
        rows["all, before rounding"] = nats(report["loss_before_rounding"])
    return rows


def by_language(entries: dict[str, dict], shown: Callable[[dict], str]) -> dict[str, str]:
    """Shows entries by language: in the order of LANGUAGES, then any others."""
    names = [*(name for name in LANGUAGES if name in entries), *(name for name in entries if name not in LANGUAGES)]
    return {LANGUAGES.get(name, name): shown(entries[name]) for name in names}


def nats(loss: dict) -> str:
    return f"{loss['nats_per_token']:.4f} ({loss['nats_per_character']:.4f})"


def fill_in_caption(report: dict) -> str:
    counts = [
        f"{result['holes']} with the {name.replace('_', ' ')}"
        for name, result in report["fill_in"].items()
        if result["holes"]
    ]
    return f"Single-line holes, {' and '.join(counts)}, exact match and edit similarity:"


def fill_ins(report: dict) -> dict[str, str]:
    rows = {}
    for name, result in report["fill_in"].items():
        if result["holes"]:
            order = name.replace("_", " ")
            enough = {name: entry for name, entry in result["languages"].items() if entry["holes"] >= MIN_HOLES}
            languages = by_language(enough, filled)
            rows |= {f"{order}: {name}": text for name, text in {"all": filled(result), **languages}.items()}
    return rows


def filled(result: dict) -> str:
    return f"{100 * result['exact_match']:.2f} %, {100 * result['edit_similarity']:.2f} %"


def rounds_caption(report: dict) -> str:
    options = report["options"]
    return (
        f"Tokens per round by rows of the block, greedy, at most {options['completion']} tokens after "
        f"{options['prompts']} prompts of {options['prompt']['length']} tokens of each kind:"
    )


def rounds_table(report: dict, earlier: dict) -> str:
    kinds = {"fim": "fill-in prompts", "plain": "plain prompts"}
    widths = sorted({int(width) for by_width in report["tokens_per_round"].values() for width in by_width})
    rows = [
        [f"{name}, {whose}", *(rounds_at(source, kind, width) for width in widths)]
        for kind, name in kinds.items()
        for whose, source in (("this pair", report), ("the earlier pair", earlier))
    ]
    return table(("", *map(str, widths)), rows)


def rounds_at(report: dict, kind: str, width: int) -> str:
    found = report["tokens_per_round"][kind].get(str(width))
    return "" if found is None else f"{found:.3f}"
