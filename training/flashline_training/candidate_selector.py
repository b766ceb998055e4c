"""
The candidate selector of DFlash2 drafters. The rows of a block do not see each other's drafts, so two drafts that
are each likely need not go together. The selector takes the rows one after the other: to the logit of each of the most
probable tokens of a row it adds <predecessor[chosen] * (W state), successor[token]>, with the token chosen before.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from .qwen3 import Weights

PREDECESSOR = "candidate_selector.predecessor_codebook.weight"
SUCCESSOR = "candidate_selector.successor_codebook.weight"
PROJECTION = "candidate_selector.hidden_projection.weight"
TABLES = {PREDECESSOR, SUCCESSOR}


def selector_shapes(rank: int, vocab: int, hidden: int) -> dict[str, tuple[int, ...]]:
    return {PREDECESSOR: (vocab, rank), SUCCESSOR: (vocab, rank), PROJECTION: (rank, hidden)}


def preference(weights: Weights, states: Tensor, previous: Tensor) -> Tensor:
    """Returns the preferences [..., rank] of rows with `states` [..., hidden] after the tokens `previous` [...]."""
    return F.embedding(previous, weights[PREDECESSOR]) * F.linear(states, weights[PROJECTION])


def choose(weights: Weights, logits: Tensor, states: Tensor, previous: Tensor, top_k: int) -> Tensor:
    """Returns the drafts [...] of rows with logits [..., vocab], when the tokens before them are `previous` [...]."""
    best = logits.topk(min(top_k, logits.shape[-1]), dim=-1)
    gain = (F.embedding(best.indices, weights[SUCCESSOR]) * preference(weights, states, previous).unsqueeze(-2)).sum(-1)
    chosen = (best.values + gain).argmax(-1, keepdim=True)
    return best.indices.gather(-1, chosen).squeeze(-1)


def walk(weights: Weights, logits: Tensor, states: Tensor, anchors: Tensor, top_k: int) -> Tensor:
    """Returns the drafts [..., rows] of blocks with logits [..., rows, vocab]; each depends on the token before it."""
    token, tokens = anchors, []
    for k in range(states.shape[-2]):
        token = choose(weights, logits[..., k, :], states[..., k, :], token, top_k)
        tokens.append(token)
    return torch.stack(tokens, -1)


def joint(weights: Weights, table: Tensor, states: Tensor, previous: Tensor, selected: Tensor) -> tuple[Tensor, Tensor]:
    """
    Returns rows [..., hidden + rank] and a table [vocab, hidden + rank]. Their product is the logits of the head plus,
    where `selected` [...] is 1 and not 0, the selector's gains for the whole vocabulary.
    """
    scaled = preference(weights, states, previous) * selected.unsqueeze(-1).to(states.dtype)
    return torch.cat([states, scaled], -1), torch.cat([table, weights[SUCCESSOR]], -1)
