"""
Goldens of an exported pair that the product's tests compare with: float32, plain attention and, except for the
outputs of the cases, no key-value cache.

    python -m flashline_training.reference --model model --cases ../test/fixtures/pair-cases.json --out goldens
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from . import attention, safetensors_file
from .attention import rms_norm
from .block_drafter import drafts, first_row, widest
from .dflash import draft_logits, draft_states, make_blocks
from .dspark import DSparkConfig, confidence_logits, forced_logits, previous_tokens
from .evaluate import read_pair
from .generate import greedy
from .options import parse
from .qwen3 import EMBEDDING, FINAL_NORM, hidden_states, logits
from .speculation import Pair, accepted_at, rounds


@dataclass(frozen=True)
class ReferenceOptions:
    model: Path = Path("model")
    # The prompts: a list of objects with path, prompt and prompt_ids.
    cases: Path = Path("../test/fixtures/pair-cases.json")
    out: Path = Path("goldens")
    # Maximum number of output tokens of each case, and of prompt tokens of the first case, whose states are written.
    most_tokens: int = 64
    state_tokens: int = 16
    most_cases: int = 1000
    # Draft blocks start after this many tokens.
    starts: tuple[int, ...] = (8, 12)


def target_golden(pair: Pair, tokens: Tensor, greedy_tokens: int = 24) -> dict[str, Tensor]:
    """
    Returns the states [layers + 1, n, hidden] (embeddings first, the last after the final norm), logits and greedy
    text.
    """
    config, weights = pair.target, pair.target_weights
    h, layers = hidden_states(config, weights, tokens, range(config.num_hidden_layers))
    normed = rms_norm(h, weights[FINAL_NORM], config.rms_norm_eps)
    states = torch.stack([weights[EMBEDDING][tokens], *layers[:-1], normed])[:, 0]
    ids, margins, text = [], [], tokens
    for _ in range(greedy_tokens):
        last = logits(config, weights, hidden_states(config, weights, text)[0][:, -1])[0]
        best = last.topk(2)
        ids.append(best.indices[0])
        margins.append(best.values[0] - best.values[1])
        text = torch.cat([text, best.indices[:1][None]], dim=1)
    return {
        "input_ids": tokens[0].int(),
        "logits": logits(config, weights, h)[0],
        "hidden_states": states,
        "greedy_ids": torch.stack(ids).int(),
        "greedy_margin": torch.stack(margins),
    }


def drafter_golden(pair: Pair, tokens: Tensor, starts: tuple[int, ...]) -> dict[str, Tensor]:
    """Returns, for a full block at each start, states [block, hidden] after the final norm, and what its rows draft."""
    golden = {"input_ids": tokens[0].int()}
    config = pair.drafter
    for i, start in enumerate(starts):
        anchors = torch.tensor([[start]], device=tokens.device)
        blocks = make_blocks(config, tokens, anchors, torch.full_like(anchors, config.block_size))
        table = pair.target_weights[EMBEDDING]
        states = draft_states(config, pair.drafter_weights, table, pair.taps(tokens), blocks)[0, 0]
        golden |= {f"r{i}.start": torch.tensor([start]).int(), f"r{i}.hidden": states}
        drafted = block_golden(pair, states[first_row(config) :], tokens[0, start])
        golden |= {f"r{i}.{name}": value for name, value in drafted.items()}
    return golden


def block_golden(pair: Pair, states: Tensor, anchor: Tensor) -> dict[str, Tensor]:
    """
    Returns the logits and ids of the drafts of rows with states [rows, hidden]. For DSpark also the logits before the
    Markov head, and the confidence; its logits include that of the mask token, as DeepSpec's do.
    """
    config, weights, table = pair.drafter, pair.drafter_weights, pair.target_weights[EMBEDDING]
    ids = drafts(config, weights, table, states, anchor)
    if not isinstance(config, DSparkConfig):
        return {"draft_logits": draft_logits(config, table, states), "draft_ids": ids.int()}
    base, previous = F.linear(states, table), previous_tokens(anchor, ids)
    return {
        "base_logits": base,
        "draft_logits": forced_logits(weights, base, states, previous),
        "draft_ids": ids.int(),
        "confidence_logits": confidence_logits(weights, states, previous),
    }


def pair_case(pair: Pair, case: dict, most_tokens: int, device: torch.device) -> dict:
    """Returns the case with its greedy output and the tokens per round of the full block."""
    prompt = torch.tensor([case["prompt_ids"]], device=device)
    width, end = widest(pair.drafter), pair.target.eos_token_id
    output = greedy(pair.target, pair.target_weights, prompt, most_tokens + width)
    sequence = torch.cat([prompt, output], dim=1)
    accepted = accepted_at(pair, sequence, prompt.shape[1], most_tokens, width)[0].tolist()
    ids = output[0, :most_tokens].tolist()
    if end in ids:
        ids = ids[: ids.index(end) + 1]
    return {**case, "output_ids": ids, "acceptance_lengths": rounds(accepted, output[0].tolist(), most_tokens, end)}


@torch.no_grad()
def write_goldens(options: ReferenceOptions, device: torch.device) -> None:
    pair = read_pair(options.model, device)
    cases = json.loads(options.cases.read_text())[: options.most_cases]
    options.out.mkdir(parents=True, exist_ok=True)
    tokens = torch.tensor([cases[0]["prompt_ids"][: options.state_tokens]], device=device)
    goldens = {"target": target_golden(pair, tokens), "drafter": drafter_golden(pair, tokens, options.starts)}
    for name, golden in goldens.items():
        (options.out / f"{name}.safetensors").write_bytes(safetensors_file.to_bytes(golden))
    done = [pair_case(pair, case, options.most_tokens, device) for case in cases]
    (options.out / "pair-cases.json").write_text(json.dumps(done))
    lengths = [length for case in done for length in case["acceptance_lengths"]]
    print(f"{len(done)} cases, {sum(lengths) / max(1, len(lengths)):.3f} tokens per round")


def main() -> None:
    # Plain operations in full float32.
    attention.HAS_FUSED = False
    torch.backends.cuda.matmul.allow_tf32 = False
    write_goldens(parse(ReferenceOptions, __doc__), torch.device("cuda" if torch.cuda.is_available() else "cpu"))


if __name__ == "__main__":
    main()
