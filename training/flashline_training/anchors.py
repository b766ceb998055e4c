"""Draft blocks in training: their starts and widths, and the labels and weights of their rows."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

IGNORED = -100


@dataclass(frozen=True)
class AnchorOptions:
    # One block for every this many tokens after the prompt.
    every: int = 8
    # Share of blocks of full width; the others are 2 .. block_size - 1 rows wide.
    full_width: float = 0.5
    # Share of sequences whose blocks see the prompt only from a random place on, like short prompts.
    short_context: float = 0.25
    # Row k counts exp(-(k - 1) / decay): an early wrong draft makes the later ones worthless.
    position_decay: float = 7.0
    # Share of blocks that learn without the candidate selector, so that the right token is among the candidates.
    unselected: float = 0.3
    # A block counts this plus the improbability of its anchor for the target, relative to the other blocks: decoding
    # starts blocks at tokens that were not drafted, which are seldom the obvious ones.
    floor: float = 0.15


def anchor_mask(tokens: Tensor, prompt: int, end_token: int) -> Tensor:
    """
    Positions [b, s] of own tokens of the target: from the first after `prompt` on, up to the first end token. All
    can be labels; one can be an anchor if the token after it is an own token too.
    """
    own = torch.zeros_like(tokens, dtype=torch.bool)
    own[:, prompt:] = True
    ended = ((tokens == end_token) & own).int()
    return own & (ended.cumsum(1) - ended == 0)


def choose_anchors(own: Tensor, count: int, generator: torch.Generator | None = None) -> Tensor:
    """
    `count` positions [b, count] of each sequence, at random and without repetition while there are enough; a sequence
    with fewer repeats an ignored position: its last.
    """
    valid = own[:, :-1] & own[:, 1:]
    scores = torch.rand(valid.shape, generator=generator, device=valid.device).masked_fill(~valid, -1)
    best = scores.topk(count, dim=1)
    last = own.shape[1] - 1
    return torch.where(best.values >= 0, best.indices, torch.full_like(best.indices, last)).sort(dim=1).values


def choose_widths(
    shape: tuple[int, ...], rows: int, full_share: float, device: torch.device, generator: torch.Generator | None = None
) -> Tensor:
    """Widths 2 .. rows of blocks; `full_share` of them are full."""
    narrow = torch.randint(2, rows, shape, generator=generator, device=device) if rows > 2 else None
    full = torch.rand(shape, generator=generator, device=device) < full_share
    whole = torch.full(shape, rows, device=device)
    return whole if narrow is None else torch.where(full, whole, narrow)


def block_labels(tokens: Tensor, own: Tensor, anchors: Tensor, widths: Tensor, rows: int, shift: int = 0) -> Tensor:
    """
    Labels of the rows of blocks, [b, n, rows]: the token at anchor + k + `shift`. Ignored where that is the anchor
    itself, beyond the block's width or the sequence, or after a token that is not the target's own.
    """
    b, n = anchors.shape
    offsets = torch.arange(rows, device=tokens.device) + shift
    places = anchors[..., None] + offsets
    inside = places < tokens.shape[1]
    flat = places.clamp(max=tokens.shape[1] - 1).view(b, -1)
    labels, known = tokens.gather(1, flat).view(b, n, rows), own.gather(1, flat).view(b, n, rows)
    counted = torch.arange(rows, device=tokens.device) < widths[..., None]
    usable = inside & known & counted
    # The anchor has no label, and neither have the rows after the first unusable one.
    first = 1 - shift
    usable[..., :first] = True
    usable = usable.int().cumprod(-1).bool()
    usable[..., :first] = False
    return torch.where(usable, labels, torch.full_like(labels, IGNORED))


def block_weights(probabilities: Tensor, valid: Tensor, floor: float) -> Tensor:
    """Weights of blocks by the target's `probabilities` of their anchors; on average 1 over the `valid` ones."""
    weights = floor + 1 - probabilities
    mean = (weights * valid).sum() / valid.sum().clamp(min=1)
    return weights / mean.clamp(min=1e-6)


def position_weights(labels: Tensor, decay: float, first_row: int = 1) -> Tensor:
    """exp(-(k - first_row) / decay) for the rows [.., rows] that have a label, 0 for the others."""
    k = torch.arange(labels.shape[-1], device=labels.device) - first_row
    return torch.exp(-k.clamp(min=0) / decay) * (labels != IGNORED)
