"""The differences between the two kinds of drafter, DFlash and DSpark, for code that uses either."""

from __future__ import annotations

from torch import Tensor

from . import candidate_selector, dflash, dspark
from .dflash import DFlashConfig
from .dspark import DSparkConfig
from .qwen3 import Weights

# Matrices of both kinds that AdamW trains instead of Muon.
TABLES = dspark.TABLES | candidate_selector.TABLES


def config_of(fields: dict) -> DFlashConfig:
    """Returns the configuration that config.json or a checkpoint describes."""
    kind = DSparkConfig if "markov_rank" in fields else DFlashConfig
    return kind.from_json(fields)


def weight_shapes(config: DFlashConfig) -> dict[str, tuple[int, ...]]:
    return dspark.weight_shapes(config) if isinstance(config, DSparkConfig) else dflash.weight_shapes(config)


def first_row(config: DFlashConfig) -> int:
    """
    Returns the first row of a block that drafts: DSpark's rows predict the next token, so its anchor's row drafts too.
    """
    return 0 if isinstance(config, DSparkConfig) else 1


def block_rows(config: DFlashConfig, width: int) -> int:
    """
    Returns the number of rows of a block when the target verifies `width` tokens, the anchor and its drafts; a block of
    DSpark is always full.
    """
    return config.block_size if isinstance(config, DSparkConfig) else width


def widest(config: DFlashConfig) -> int:
    """Returns the most tokens that the target verifies: the anchor and all drafts of a block."""
    return config.block_size + 1 - first_row(config)


def drafts(
    config: DFlashConfig, weights: Weights, table: Tensor, states: Tensor, anchors: Tensor, truth: Tensor | None = None
) -> Tensor:
    """
    Returns the drafts [..., rows] of rows from `first_row` on, with states [..., rows, hidden] (see dflash.drafts).
    """
    kind = dspark if isinstance(config, DSparkConfig) else dflash
    return kind.drafts(config, weights, table, states, anchors, truth)
