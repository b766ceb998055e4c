"""The whole recipe in a minute on a CPU: tiny sizes, about 20 steps a stage, and token files of made-up documents."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .prompts import SpecialTokens

if TYPE_CHECKING:
    from .recipe import RecipeOptions

WINDOW = 128
SIZES = (
    "--shape.num-hidden-layers 3 --shape.hidden-size 64 --shape.intermediate-size 64 --shape.num-attention-heads 2 "
    "--shape.num-key-value-heads 1 --shape.head-dim 32"
)


def made_up_document(random: np.random.Generator, fim: bool) -> list[int]:
    """Returns a document of `tokenise`: a path, then one of few patterns with noise, cut for filling in or whole."""
    special = SpecialTokens()
    text = np.tile(np.random.default_rng(random.integers(8)).integers(20, 2000, 12), 6)
    text = np.where(random.random(len(text)) < 0.05, random.integers(20, 2000, len(text)), text).tolist()
    head = [special.file, 20, 21, 198]
    if not fim:
        return [*head, *text, special.end]
    a, b = sorted(random.integers(10, 60, 2).tolist())
    b = min(b, a + 8)
    prefix, middle, suffix = text[:a], text[a:b], text[b:]
    if random.random() < 0.5:
        return [
            *head,
            special.fim_prefix,
            *prefix,
            special.fim_suffix,
            *suffix,
            special.fim_middle,
            *middle,
            special.end,
        ]
    return [*head, special.fim_prefix, special.fim_suffix, *suffix, special.fim_middle, *prefix, *middle, special.end]


def write_made_up_tokens(folder: Path, passes: int, documents: int = 400) -> None:
    """Writes the output of `tokenise`: passes of two workers, and a held-out part in both forms."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    for data_pass in range(passes):
        for worker in range(2):
            ids = [i for _ in range(documents) for i in made_up_document(random, bool(random.random() < 0.6))]
            np.array(ids, "<u2").tofile(folder / f"pass-{data_pass}-{worker}.bin")
        (folder / f"pass-{data_pass}.done").touch()
    ids, entries = [], []
    for i in range(60):
        document = made_up_document(random, fim=i % 2 == 1)
        where = {"start": len(ids), "end": len(ids) + len(document), "fim": i % 2 == 1}
        origin = {"repository": f"owner/{i % 3}", "language": ("python", "typescript")[i % 2], "characters": 300}
        entries.append({**where, **origin})
        ids += document
    np.array(ids, "<u2").tofile(folder / "heldout.bin")
    (folder / "heldout.json").write_text(json.dumps({"documents": entries}))


def smoke_options(options: RecipeOptions) -> RecipeOptions:
    """Returns the recipe's options for a tiny run in a separate folder."""
    work = Path(tempfile.mkdtemp(prefix="flashline-smoke-"))
    write_made_up_tokens(work / "tokens", passes=2)
    batch = 8 * WINDOW
    train = f"--minutes 0 --tokens {20 * batch} --batch-tokens {batch} --window {WINDOW} --log-steps 5"
    extra = (
        f"train_target:{train} {SIZES}",
        f"finish:{train} {SIZES}",
        "continuations:--minutes 0 --tokens 1 --batch 32 --continuation 32 --middle 16 --prompt.length 48",
        f"train_drafter:--minutes 0 --tokens {20 * 8 * 80} --batch-sequences 8 --anchors.every 8 --log-steps 5 {SIZES} "
        "--shape.num-hidden-layers 2 --shape.num-target-layers 3 --shape.target-layer-ids 0,1",
        f"evaluate:--window {WINDOW} --prompts 4 --completion 16 --prompt.length 32 --holes 8",
        "reference:--most-cases 1 --most-tokens 8",
    )
    return replace(options, work=work, extra="; ".join(extra), passes=2, pieces=1, earlier=work / "none")
