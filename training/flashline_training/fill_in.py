"""Single-line holes of held-out files: how often the target restores the removed text exactly, and the similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

import numpy as np
import torch

from .generate import greedy
from .heldout import Heldout
from .prompts import SpecialTokens
from .qwen3 import Qwen3Config, Weights
from .token_text import TokenText


MAX_ANSWER_TOKENS = 64


@dataclass(frozen=True)
class Hole:
    prompt: list[int]
    # The removed text.
    text: str
    language: str
    # The order of the prompt: suffix, prefix, middle, or prefix, suffix, middle.
    suffix_first: bool


def single_line_holes(heldout: Heldout, text: TokenText, special: SpecialTokens, most_prompt: int) -> Iterator[Hole]:
    """
    Returns the holes of documents in fill-in-the-middle form whose middle is part of one line and not blank, with
    prompts of at most `most_prompt` tokens.
    """
    for document in heldout.documents:
        ids = heldout.tokens[document.start : document.end].tolist()
        end = len(ids) - 1
        prompt, filling = ids[: end - document.middle], text.decode(ids[end - document.middle : end])
        if document.middle == 0 or len(prompt) > most_prompt:
            continue
        if "\n" not in filling.rstrip("\n") and filling.strip():
            suffix_at = prompt.index(special.fim_suffix)
            suffix_first = special.fim_prefix not in prompt[: suffix_at - 1]
            yield Hole(prompt, filling.rstrip("\n"), document.language, suffix_first)


def fill_in_report(
    config: Qwen3Config,
    weights: Weights,
    holes: list[Hole],
    text: TokenText,
    most_tokens: int = MAX_ANSWER_TOKENS,
    batch: int = 64,
) -> dict[str, object]:
    """
    Returns exact matches and mean edit similarity, in total and by language; answers end at their first line break.
    """
    if not holes:
        return {"holes": 0}
    figures: dict[str, list[tuple[float, float]]] = {}
    for start in range(0, len(holes), batch):
        part = holes[start : start + batch]
        for hole, answer in zip(part, answers(config, weights, part, text, most_tokens)):
            scores = (float(answer == hole.text), edit_similarity(answer, hole.text))
            figures.setdefault(hole.language, []).append(scores)
    return summary([s for scores in figures.values() for s in scores]) | {
        "languages": {language: summary(scores) for language, scores in sorted(figures.items())}
    }


def summary(scores: list[tuple[float, float]]) -> dict[str, object]:
    exact, similar = np.array(scores).mean(0)
    return {"holes": len(scores), "exact_match": round(float(exact), 4), "edit_similarity": round(float(similar), 4)}


def answers(config: Qwen3Config, weights: Weights, holes: list[Hole], text: TokenText, most_tokens: int) -> list[str]:
    """Returns the first lines of the greedy answers to holes, whose prompts are padded at the left to one length."""
    device = weights["model.norm.weight"].device
    longest = max(len(hole.prompt) for hole in holes)
    padding = [longest - len(hole.prompt) for hole in holes]
    prompts = torch.tensor([[0] * pad + hole.prompt for pad, hole in zip(padding, holes)], device=device)
    outputs = greedy(config, weights, prompts, most_tokens, torch.tensor(padding, device=device)).tolist()
    ended = (ids[: ids.index(config.eos_token_id)] if config.eos_token_id in ids else ids for ids in outputs)
    return [text.decode(ids).split("\n", 1)[0] for ids in ended]


def edit_similarity(a: str, b: str) -> float:
    """Returns 1 - edits / length of the longer one, with insertions, deletions and replacements of characters."""
    if not a and not b:
        return 1.0
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return 1 - row[-1] / max(len(a), len(b))
