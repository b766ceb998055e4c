"""Held-out loss in nats per token and per character, in all and by language and repository."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import torch
import torch.nn.functional as F

from .heldout import Heldout
from .qwen3 import Qwen3Config, Weights, hidden_states, logits


@torch.no_grad()
def token_nats(config: Qwen3Config, weights: Weights, tokens: np.ndarray, window: int, batch: int = 16) -> np.ndarray:
    """
    Nats of each token [n] when the stream is read in windows of `window` + 1 tokens that share their ends; the first
    token and those behind the last whole window are not judged, and are NaN.
    """
    device = weights["model.norm.weight"].device
    result = np.full(len(tokens), np.nan, np.float32)
    starts = np.arange(0, len(tokens) - window, window)
    for group in np.array_split(starts, max(1, -(-len(starts) // batch))):
        places = group[:, None] + np.arange(window + 1)
        ids = torch.from_numpy(tokens[places].astype(np.int64)).to(device)
        h, _ = hidden_states(config, weights, ids[:, :-1])
        rows = logits(config, weights, h).float()
        nats = F.cross_entropy(rows.flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
        result[places[:, 1:].ravel()] = nats.cpu().numpy()
    return result


def loss_report(config: Qwen3Config, weights: Weights, heldout: Heldout, window: int = 1024) -> dict[str, object]:
    """Losses of the plain documents, of which the characters are known, and of those in fill-in-the-middle form."""
    plain, fim = heldout.part(False), heldout.part(True)
    report = document_report(token_nats(config, weights, plain.tokens, window), plain)
    if fim.documents:
        nats = token_nats(config, weights, fim.tokens, window)
        report["fim_nats_per_token"] = round(float(np.nanmean(nats)), 4)
    return report


def document_report(nats: np.ndarray, heldout: Heldout) -> dict[str, object]:
    """Documents of which every token is judged, added up."""
    groups: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(3))
    for document in heldout.documents:
        own = nats[document.start : document.end]
        if np.isnan(own).any():
            continue
        figures = np.array([own.sum(), len(own), document.characters])
        for key in ("all", f"language/{document.language}", f"repository/{document.repository}"):
            groups[key] += figures
    report: dict[str, object] = {"languages": {}, "repositories": {}}
    for key, (total, tokens, characters) in sorted(groups.items()):
        entry = {
            "nats_per_token": round(total / tokens, 4),
            "nats_per_character": round(total / max(1, characters), 4),
            "tokens": int(tokens),
        }
        kind, _, name = key.partition("/")
        if kind == "all":
            report.update(entry, characters_per_token=round(characters / tokens, 3))
        else:
            report["languages" if kind == "language" else "repositories"][name] = entry
    return report
