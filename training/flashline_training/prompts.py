"""Prompts in the shapes of real requests, cut from training documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SpecialTokens:
    """Ids of the built-in pair's tokenizer."""

    end: int = 16374
    fim_prefix: int = 16377
    fim_middle: int = 16378
    fim_suffix: int = 16379
    file: int = 16382


@dataclass(frozen=True)
class PromptOptions:
    # Tokens of a prompt; earlier tokens of its document are left out.
    length: int = 512
    # Share of prompts for a middle; the others continue a file anywhere.
    fim_share: float = 0.7
    # With the prefix first or a marked middle (see DocumentOptions): share of prompts that end with the middle token,
    # as requests do; the others end up to 16 tokens later.
    at_middle: float = 0.6
    # Otherwise, with the suffix first: share of prompts that end in the last `near` tokens of the document, where most
    # middles begin; the others end anywhere after the middle token.
    at_end: float = 0.5
    near: int = 48


def middle_ends(tokens: np.ndarray, special: SpecialTokens, options: PromptOptions, random: np.random.Generator):
    """
    Returns the ends (exclusive) of prompts, one or none for each middle token. With the suffix first and no marked
    middle, the text after the middle token begins with the text before the cursor, and the tokens do not show where the
    cursor is.
    """
    middles = np.flatnonzero(tokens == special.fim_middle)
    ends = np.append(np.flatnonzero(tokens == special.end), len(tokens))
    document_ends = ends[np.searchsorted(ends, middles)]
    prefixes = np.flatnonzero(tokens == special.fim_prefix)
    opening = prefixes[np.maximum(np.searchsorted(prefixes, middles) - 1, 0)] if len(prefixes) else middles
    suffix_first = tokens[np.minimum(opening + 1, len(tokens) - 1)] == special.fim_suffix
    anywhere = middles + 1 + (random.random(len(middles)) * (document_ends - middles)).astype(np.int64)
    nearest = np.minimum(options.near, document_ends - middles)
    late = document_ends - (random.random(len(middles)) * nearest).astype(np.int64)
    suffix_first_ends = np.where(random.random(len(middles)) < options.at_end, late, anywhere)
    shortly = middles + 1 + random.integers(1, 17, len(middles))
    exact = random.random(len(middles)) < options.at_middle
    cut = np.where(suffix_first, suffix_first_ends, np.where(exact, middles + 1, shortly))
    return cut[cut <= document_ends]


def prompt_ends(
    tokens: np.ndarray, count: int, special: SpecialTokens, options: PromptOptions, random: np.random.Generator
) -> np.ndarray:
    """Returns `count` ends of prompts at random, each with `options.length` tokens before it."""
    fim = middle_ends(tokens, special, options, random)
    fim = fim[fim >= options.length]
    fim_count = round(count * options.fim_share) if len(fim) else 0
    plain = random.integers(options.length, len(tokens) + 1, count - fim_count)
    # After the end of a file there is nothing to continue.
    plain = np.where(tokens[plain - 1] == special.end, np.maximum(plain - 1, options.length), plain)
    chosen = random.choice(fim, fim_count, replace=len(fim) < fim_count) if fim_count else np.empty(0, np.int64)
    return random.permutation(np.concatenate([chosen, plain]).astype(np.int64))


def cut_prompts(
    tokens: np.ndarray, count: int, special: SpecialTokens, options: PromptOptions, random: np.random.Generator
) -> np.ndarray:
    """Returns [count, options.length] tokens that end where a request would."""
    ends = prompt_ends(tokens, count, special, options, random)
    return tokens[ends[:, None] + np.arange(-options.length, 0)]
