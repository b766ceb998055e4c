"""The weight of each token of a training window: those of a middle count more, as requests ask for middles."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from .prompts import SpecialTokens


@dataclass(frozen=True)
class MiddleOptions:
    # Weight of each of the last tokens of a document with a hole; about a fortieth of all tokens are in middles.
    weight: float = 4.0
    # Number of these tokens, including the end token. With the suffix first, no token marks the start of a middle
    # unless the documents are `marked` (see DocumentOptions).
    near: int = 24
    # Weight of the end token of these documents, times `weight`: it is where a middle joins what follows.
    end: float = 1.0
    special: SpecialTokens = field(default_factory=SpecialTokens)


def middle_weights(labels: Tensor, options: MiddleOptions) -> Tensor:
    """
    Returns the weights of labels [b, n] of packed documents: `weight` in the last `near` tokens of those with a hole,
    as far as they come after its middle token, times `end` for the last; otherwise 1. A document whose middle token or
    end is outside the window counts 1.
    """
    n = labels.shape[1]
    positions = torch.arange(n, device=labels.device).expand_as(labels)
    ends = labels == options.special.end
    next_end = torch.where(ends, positions, n + options.near).flip(1).cummin(1).values.flip(1)
    last_end = torch.where(ends, positions, -1).cummax(1).values
    # The end token belongs to the document that it ends.
    end_before = torch.where(ends, torch.roll(last_end, 1, dims=1), last_end)
    end_before[:, :1] = -1
    last_middle = torch.where(labels == options.special.fim_middle, positions, -1).cummax(1).values
    inside = (last_middle > end_before) & (last_middle < positions) & (next_end - positions < options.near)
    return torch.where(inside, torch.where(ends, options.weight * options.end, options.weight), 1.0)
