"""
Measures an exported pair on held-out repositories and prints the numbers of the model card as JSON.

    python -m flashline_training.evaluate --model model --tokens-folder tokens --out report.json
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from . import checkpoint
from .block_drafter import widest
from .corpus.split import read_names
from .dflash import DFlashConfig
from .export import read_drafter, read_target
from .fill_in import MAX_ANSWER_TOKENS, fill_in_report, single_line_holes
from .generate import greedy
from .heldout import Heldout
from .loss_report import loss_report
from .options import parse
from .pair_facts import model_facts, pair_facts
from .prompts import PromptOptions, SpecialTokens, cut_prompts
from .qwen3 import Weights
from .speculation import Pair, accepted_at, rounds
from .token_text import TokenText


@dataclass(frozen=True)
class EvaluateOptions:
    # A folder with target/ and drafter/.
    model: Path = Path("model")
    # A state of the target before rounding, for comparison; skipped if there is no such file.
    unrounded: Path = Path("none")
    tokens_folder: Path = Path("tokens")
    out: Path = Path("report.json")
    # The folder of another drafter for the same target, which is measured on the same texts.
    beside: Path = Path("none")
    # Whether to leave out the target's own figures.
    drafters_only: bool = False
    # Maximum number of held-out tokens, for a quick look; 0 takes all.
    most_tokens: int = 0
    # Maximum number of tokens of context before a token whose loss is measured.
    window: int = 2048
    # Files that name held-out repositories; the losses of each are reported under its name too.
    groups: tuple[Path, ...] = (Path("held-out.txt"), Path("held-out-by-chance.txt"))
    # Holes of each order of the prompt: all if there are fewer, otherwise at least this many, but not twice as many.
    holes: int = 400
    # Completion prompts of each kind, and the tokens to complete.
    prompts: int = 128
    completion: int = 64
    widths: tuple[int, ...] = (2, 4, 6, 8, 12, 16)
    seed: int = 4
    prompt: PromptOptions = field(default_factory=lambda: PromptOptions(at_middle=1.0, at_end=0.0))
    special: SpecialTokens = field(default_factory=SpecialTokens)


def read_pair(folder: Path, device: torch.device) -> Pair:
    """Reads an exported pair in float32, as the product computes on a CPU."""
    target, weights = read_target(folder / "target")
    return Pair(target, on_device(weights, device), *read_drafter_on(folder / "drafter", device))


def read_drafter_on(folder: Path, device: torch.device) -> tuple[DFlashConfig, Weights]:
    config, weights = read_drafter(folder)
    return config, on_device(weights, device)


def on_device(weights: Weights, device: torch.device) -> Weights:
    return {name: weight.to(device) for name, weight in weights.items()}


def limited(heldout: Heldout, most_tokens: int, seed: int) -> Heldout:
    """Returns random documents with about `most_tokens` tokens in total, or all documents if that is 0."""
    documents = heldout.documents
    if most_tokens:
        # At random, since forms and languages alternate: every n-th document could have the same form.
        share = most_tokens / sum(d.end - d.start for d in documents)
        chosen = np.random.default_rng(seed).random(len(documents)) < share
        documents = [document for document, is_chosen in zip(documents, chosen) if is_chosen]
    return Heldout(heldout.tokens, documents)


@torch.no_grad()
def acceptance_reports(
    pairs: list[Pair], options: EvaluateOptions, tokens: np.ndarray, fim: bool
) -> list[dict[str, float]]:
    """
    Returns the mean tokens per round over completions of held-out prompts: for each of `pairs`, which have the same
    target, by the number of tokens that a round verifies (the anchor and its drafts).
    """
    pair = pairs[0]
    device = pair.target_weights["model.norm.weight"].device
    settings = replace(options.prompt, fim_share=1.0 if fim else 0.0)
    random = np.random.default_rng(options.seed)
    prompts = cut_prompts(tokens, options.prompts, options.special, settings, random).astype(np.int64)
    prompts = torch.from_numpy(prompts).to(device)
    count = options.completion + max(options.widths)
    outputs = torch.cat([greedy(pair.target, pair.target_weights, p, count) for p in prompts.split(32)])
    return [
        {
            str(width): tokens_per_round(one_pair, prompts, outputs, options.completion, width)
            for width in options.widths
            if width <= widest(one_pair.drafter)
        }
        for one_pair in pairs
    ]


def tokens_per_round(pair: Pair, prompts: Tensor, outputs: Tensor, completion: int, width: int) -> float:
    """Returns the mean over the rounds that complete prompts [b, n], whose greedy outputs are `outputs`."""
    lengths: list[int] = []
    sequences = torch.cat([prompts, outputs], dim=1)
    for part, texts in zip(sequences.split(8), outputs.split(8)):
        counts = accepted_at(pair, part, prompts.shape[1], completion, width).tolist()
        for accepted, text in zip(counts, texts.tolist()):
            lengths += rounds(accepted, text, completion, pair.target.eos_token_id)
    return round(sum(lengths) / max(1, len(lengths)), 3)


def evaluate(options: EvaluateOptions, device: torch.device) -> dict[str, object]:
    pair = read_pair(options.model, device)
    heldout = limited(Heldout.read(options.tokens_folder), options.most_tokens, options.seed)
    report: dict[str, object] = {"pair": pair_facts(options.model)}
    if not options.drafters_only:
        report |= target_report(pair, options, heldout, device)
    pairs = [pair]
    if options.beside.exists():
        pairs.append(Pair(pair.target, pair.target_weights, *read_drafter_on(options.beside, device)))
    parts = {"fim": heldout.part(True), "plain": heldout.part(False)}
    by_form = {name: acceptance_reports(pairs, options, part.tokens, name == "fim") for name, part in parts.items()}
    report["tokens_per_round"] = {name: reports[0] for name, reports in by_form.items()}
    if len(pairs) > 1:
        rounds_beside = {name: reports[1] for name, reports in by_form.items()}
        report["beside"] = {"drafter": model_facts(options.beside), "tokens_per_round": rounds_beside}
    report["options"] = asdict(options)
    return report


def target_report(pair: Pair, options: EvaluateOptions, heldout: Heldout, device: torch.device) -> dict[str, object]:
    """Returns the target's losses and its infilling results."""
    text = TokenText(options.model / "target/tokenizer.json")
    groups = {path.stem: read_names(path) for path in options.groups if path.exists()}
    report: dict[str, object] = {}
    report["loss"] = loss_report(pair.target, pair.target_weights, heldout, options.window, groups)
    if options.unrounded.exists():
        weights = checkpoint.load(options.unrounded, device)["weights"]
        unrounded = loss_report(pair.target, {n: w.detach() for n, w in weights.items()}, heldout, options.window)
        report["loss_before_rounding"] = {key: unrounded[key] for key in ("nats_per_token", "nats_per_character")}
    most_prompt = pair.target.max_position_embeddings - MAX_ANSWER_TOKENS
    holes = list(single_line_holes(heldout.part(True), text, options.special, most_prompt))
    report["fill_in"] = {}
    for name, suffix_first in (("prefix_first", False), ("suffix_first", True)):
        in_order = [hole for hole in holes if hole.suffix_first == suffix_first]
        # Spread over all repositories, which follow each other in `holes`.
        some = in_order[:: max(1, len(in_order) // options.holes)]
        report["fill_in"][name] = fill_in_report(pair.target, pair.target_weights, some, text)
    return report


def main() -> None:
    options = parse(EvaluateOptions, __doc__)
    torch.backends.cuda.matmul.allow_tf32 = True
    report = evaluate(options, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    text = json.dumps(report, indent=1, default=str)
    options.out.write_text(text)
    loss = {k: v for k, v in report.get("loss", {}).items() if k != "repositories"}
    shown = {**report, "loss": loss, "options": None}
    print(json.dumps(shown, default=str))


if __name__ == "__main__":
    main()
