"""Held-out loss in nats per token and per character, in total and by language, repository and group of repositories."""

from __future__ import annotations

from collections import defaultdict
from typing import Collection, Iterator, Mapping, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F

from .heldout import Document, Heldout
from .qwen3 import Qwen3Config, Weights, hidden_states, logits

# Repositories by the name of their group.
Groups = Mapping[str, Collection[str]]


class Span(NamedTuple):
    """Tokens [begin, end) of a stream are read; the loss counts those from `judged` on."""

    begin: int
    judged: int
    end: int


def spans(document: Document, window: int) -> Iterator[Span]:
    """
    Yields the windows in which a document is read from its start, like a prompt. If it is longer than `window` tokens
    and their successor, windows overlap by half, so every token after the first window has at least half a window
    before it.
    """
    begin, judged = document.start, document.start + 1
    while judged < document.end:
        end = min(document.end, begin + window + 1)
        yield Span(begin, judged, end)
        begin, judged = begin + window // 2, end


@torch.no_grad()
def token_nats(config: Qwen3Config, weights: Weights, heldout: Heldout, window: int, batch: int = 16) -> np.ndarray:
    """
    Returns the loss in nats of each token [n] given the tokens of its document before it; NaN for the first token of
    each.
    """
    device = weights["model.norm.weight"].device
    result = np.full(len(heldout.tokens), np.nan, np.float32)
    # Sorted by length, so that little padding is needed. It comes last, where no token before it sees it.
    longest_first = sorted(
        (span for document in heldout.documents for span in spans(document, window)), key=lambda s: s.begin - s.end
    )
    for first in range(0, len(longest_first), batch):
        group = longest_first[first : first + batch]
        ids = torch.zeros(len(group), group[0].end - group[0].begin, dtype=torch.long)
        for row, span in enumerate(group):
            ids[row, : span.end - span.begin] = torch.from_numpy(heldout.tokens[span.begin : span.end].astype(np.int64))
        ids = ids.to(device)
        h, _ = hidden_states(config, weights, ids[:, :-1])
        rows = logits(config, weights, h).float()
        nats = F.cross_entropy(rows.flatten(0, 1), ids[:, 1:].flatten(), reduction="none").view(len(group), -1).cpu()
        for row, span in enumerate(group):
            result[span.judged : span.end] = nats[row, span.judged - span.begin - 1 : span.end - span.begin - 1]
    return result


def loss_report(
    config: Qwen3Config, weights: Weights, heldout: Heldout, window: int = 2048, groups: Groups | None = None
) -> dict[str, object]:
    """
    Returns the losses of the plain documents, per token and character, and of those in fill-in-the-middle form, per
    token.
    """
    plain, fim = heldout.part(False), heldout.part(True)
    report = document_report(token_nats(config, weights, plain, window), plain, groups)
    if fim.documents:
        report["fim_nats_per_token"] = round(float(np.nanmean(token_nats(config, weights, fim, window))), 4)
    return report


def document_report(nats: np.ndarray, heldout: Heldout, groups: Groups | None = None) -> dict[str, object]:
    """Sums the losses in total and by language, repository and group of repositories."""
    sums: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(3))
    for document in heldout.documents:
        document_nats = nats[document.start + 1 : document.end]
        figures = np.array([document_nats.sum(), len(document_nats), document.characters])
        keys = ["all", f"languages/{document.language}", f"repositories/{document.repository}"]
        keys += [f"groups/{name}" for name, members in (groups or {}).items() if document.repository in members]
        for key in keys:
            sums[key] += figures
    report: dict[str, object] = {"languages": {}, "groups": {}, "repositories": {}}
    for key, (total, tokens, characters) in sorted(sums.items()):
        entry = {
            "nats_per_token": round(total / tokens, 4),
            "nats_per_character": round(total / max(1, characters), 4),
            "tokens": int(tokens),
        }
        kind, _, name = key.partition("/")
        if kind == "all":
            report.update(entry, characters_per_token=round(characters / tokens, 3))
        else:
            report[kind][name] = entry
    return report
