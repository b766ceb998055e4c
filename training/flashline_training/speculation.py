"""
Greedy speculative decoding in two forms: round by round, as it is defined, and for all rounds of a given greedy text at
once, which yields the same rounds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from .block_drafter import block_rows, drafts, first_row
from .dflash import DFlashConfig, draft_states, make_blocks
from .qwen3 import EMBEDDING, Qwen3Config, Weights, hidden_states, logits


@dataclass
class Pair:
    """A target and its drafter."""

    target: Qwen3Config
    target_weights: Weights
    drafter: DFlashConfig
    drafter_weights: Weights

    def taps(self, tokens: Tensor) -> list[Tensor]:
        return hidden_states(self.target, self.target_weights, tokens, self.drafter.target_layer_ids)[1]

    def best_tokens(self, tokens: Tensor) -> Tensor:
        """Returns the target's most probable token after each of tokens [b, n]."""
        h, _ = hidden_states(self.target, self.target_weights, tokens)
        return logits(self.target, self.target_weights, h).argmax(-1)

    def drafts(self, tokens: Tensor, anchors: Tensor, width: int, truth: Tensor | None = None) -> Tensor:
        """
        Returns the drafts [b, n, width - 1] at anchors [b, n] of tokens [b, s], when a round verifies `width` tokens:
        an anchor and its drafts. `truth`: the true tokens at the drafts' positions, if there are any (see
        dflash.drafts).
        """
        config, first = self.drafter, first_row(self.drafter)
        narrow = replace(config, block_size=block_rows(config, width))
        widths = torch.full_like(anchors, narrow.block_size)
        table = self.target_weights[EMBEDDING]
        blocks = make_blocks(narrow, tokens, anchors, widths)
        states = draft_states(narrow, self.drafter_weights, table, self.taps(tokens), blocks)
        at_anchors = tokens.gather(1, anchors)
        return drafts(config, self.drafter_weights, table, states[:, :, first : first + width - 1], at_anchors, truth)


@dataclass
class Decoded:
    tokens: list[int]
    # Tokens per round: accepted drafts and one of the target's. The last round may run past the limit.
    lengths: list[int]


@torch.no_grad()
def speculate(pair: Pair, prompt: Tensor, most_tokens: int, width: int) -> Decoded:
    """Runs rounds of drafting and verifying after prompt [n], up to an end token or `most_tokens`; without caches."""
    end = pair.target.eos_token_id
    output = [int(pair.best_tokens(prompt[None])[0, -1])]
    lengths: list[int] = []
    while len(output) < most_tokens and output[-1] != end:
        text = torch.cat([prompt, prompt.new_tensor(output)])[None]
        anchor = text.shape[1] - 1
        drafted = pair.drafts(text, torch.full((1, 1), anchor, device=text.device), width)[0, 0]
        best = pair.best_tokens(torch.cat([text, drafted[None]], dim=1))[0, anchor:]
        accepted = int((drafted == best[:-1]).int().cumprod(0).sum())
        emitted = best[: accepted + 1].tolist()
        if end in emitted:
            emitted = emitted[: emitted.index(end) + 1]
        output += emitted
        lengths.append(len(emitted))
    return Decoded(output[:most_tokens], lengths)


@torch.no_grad()
def accepted_at(pair: Pair, sequences: Tensor, prompt: int, count: int, width: int) -> Tensor:
    """
    Counts the right drafts when `width` tokens are verified, for blocks at each of the `count` positions from `prompt`
    on of greedy texts [b, s]: [b, count]. The texts must reach `width` tokens further.
    """
    anchors = torch.arange(prompt, prompt + count, device=sequences.device).expand(len(sequences), count)
    positions = anchors[..., None] + torch.arange(1, width, device=sequences.device)
    truth = sequences.gather(1, positions.flatten(1)).view(positions.shape)
    right = pair.drafts(sequences, anchors, width, truth) == truth
    return right.int().cumprod(-1).sum(-1)


def rounds(accepted: list[int], output: list[int], most_tokens: int, end: int) -> list[int]:
    """
    Returns the tokens per round of the greedy text `output`, where a block at its i-th token has `accepted[i]` right
    drafts: those of `speculate`, without drafting again.
    """
    stop = output.index(end) + 1 if end in output else len(output)
    at, lengths = 0, []
    while at + 1 < min(most_tokens, stop):
        length = min(accepted[at] + 1, stop - at - 1)
        lengths.append(length)
        at += length
    return lengths
