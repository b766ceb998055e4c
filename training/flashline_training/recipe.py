"""
All stages in order. A stage whose result is there is skipped, so an interrupted run continues where it was.

    python -m flashline_training.recipe --work work --corpus corpus --tokenizer ../media/model/target --gpus 4
    python -m flashline_training.recipe --smoke          # everything, tiny, made-up text, a minute on a CPU
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from . import checkpoint
from .options import parse
from .windows import complete_passes

STAGES = ("tokenise", "train_target", "finish", "continuations", "train_drafter", "export", "evaluate", "reference")


@dataclass(frozen=True)
class RecipeOptions:
    # All results are written here.
    work: Path = Path("work")
    corpus: Path = Path("corpus")
    # Folder of tokenizer.json and tokenizer_config.json.
    tokenizer: Path = Path("../media/model/target")
    # An earlier pair that is measured by the same program.
    earlier: Path = Path("../media/model")
    # A pair whose target is trained further, or a checkpoint of one; without one the target starts at random weights.
    start: Path = Path("none")
    # The folder of an exported target that stays as it is: only a drafter is trained for it.
    finished: Path = Path("none")
    # A pair whose drafter is trained further; from a drafter of the other variant only the backbone is used.
    start_drafter: Path = Path("none")
    # dflash or dspark.
    variant: str = "dflash"
    cases: Path = Path("../test/fixtures/pair-cases.json")
    gpus: int = 1
    workers: int = 12
    # Passes over the corpus, each with different holes, and the pieces in which `tokenise` writes each pass.
    passes: int = 8
    pieces: int = 4
    # Minutes of the stages that train or generate, each from its start.
    target_minutes: float = 9.0
    finish_minutes: float = 2.0
    continuation_minutes: float = 1.5
    drafter_minutes: float = 5.0
    # More flags, such as "finish:--bits.embedding 4; train_drafter:--shape.num-hidden-layers 3".
    extra: str = ""
    # Name of the last stage to run; not tokenise, which runs beside the other stages.
    until: str = STAGES[-1]
    smoke: bool = False


@dataclass(frozen=True)
class Stage:
    name: str
    # A file that exists once the stage is complete; a checkpoint also says whether it is finished.
    result: Path
    flags: list[str]
    # Whether the stage runs as one process per GPU.
    parallel: bool = False

    def is_done(self) -> bool:
        return checkpoint.is_finished(self.result) if self.result.suffix == ".pt" else self.result.exists()


def flags(**values: object) -> list[str]:
    """Returns --some-name value pairs; a double underscore stands for the dot of nested options."""
    pairs = ((f"--{name.replace('__', '.').replace('_', '-')}", str(value)) for name, value in values.items())
    return [part for pair in pairs for part in pair]


def stages(options: RecipeOptions) -> list[Stage]:
    if options.finished == RecipeOptions.finished:
        return target_stages(options) + drafter_stages(options, options.work / "finished.pt")
    return drafter_stages(options, options.finished)


def target_stages(options: RecipeOptions) -> list[Stage]:
    work, o = options.work, options
    tokens, target, finished = work / "tokens", work / "target.pt", work / "finished.pt"
    # A larger batch makes use of several GPUs; one GPU gets more steps instead.
    batch = 262_144 * min(2, o.gpus)
    return [
        Stage(
            "train_target",
            target,
            flags(
                tokens_folder=tokens, start=o.start, checkpoint=target, minutes=o.target_minutes, batch_tokens=batch
            ),
            True,
        ),
        Stage(
            "finish",
            finished,
            flags(
                tokens_folder=tokens, start=target, checkpoint=finished, minutes=o.finish_minutes, batch_tokens=batch
            ),
            True,
        ),
    ]


def drafter_stages(options: RecipeOptions, finished: Path) -> list[Stage]:
    """Lists the stages from a finished target on: its checkpoint, or the folder of an exported one."""
    work, o = options.work, options
    tokens, model = work / "tokens", work / "model"
    continuations, drafter = work / "continuations", work / "drafter.pt"
    heldout = {"model": model, "tokens_folder": tokens}
    unrounded = {} if finished.is_dir() else {"unrounded": finished}
    beside = flags(beside=o.start_drafter / "drafter") + ["--drafters-only"] if is_additional_drafter(o) else []
    return [
        Stage(
            "continuations",
            continuations / "continuations.json",
            flags(target=finished, tokens_folder=tokens, out=continuations, minutes=o.continuation_minutes),
            True,
        ),
        Stage(
            "train_drafter",
            drafter,
            flags(
                target=finished,
                continuations=continuations,
                start=o.start_drafter,
                checkpoint=drafter,
                minutes=o.drafter_minutes,
                **variant_flags(o),
            ),
            True,
        ),
        Stage(
            "export",
            model / "drafter/config.json",
            flags(target=finished, drafter=drafter, tokenizer=o.tokenizer, out=model, weights=work / "weights"),
        ),
        Stage("evaluate", work / "report.json", flags(**heldout, **unrounded, out=work / "report.json") + beside),
        Stage("reference", work / "goldens/pair-cases.json", flags(model=model, cases=o.cases, out=work / "goldens")),
    ]


def variant_flags(options: RecipeOptions) -> dict[str, object]:
    """
    Returns the flags of a variant. DSpark's blocks have less than half as many rows: steps take more blocks of fewer
    sequences.
    """
    sequences = 256 * min(2, options.gpus)
    if options.variant == "dflash":
        return {"batch_sequences": sequences}
    return {"variant": options.variant, "batch_sequences": sequences // 2, "anchors__every": 4}


def is_additional_drafter(options: RecipeOptions) -> bool:
    """Returns whether the drafter is one more for an unchanged target, compared only with the one it started from."""
    return options.finished != RecipeOptions.finished and options.variant == "dspark" and options.start_drafter.exists()


def command(stage: Stage, options: RecipeOptions) -> list[str]:
    given = (text.strip().split(":", 1) for text in options.extra.split(";") if text.strip())
    extra_flags = [part for name, text in given if name == stage.name for part in text.split()]
    return [sys.executable, "-m", f"flashline_training.{stage.name}", *stage.flags, *extra_flags]


def run_stage(stage: Stage, options: RecipeOptions, background: list[subprocess.Popen]) -> None:
    """Runs a stage as one process per GPU, or as one; ends it if one of them, or of `background`, fails."""
    size = options.gpus if stage.parallel else 1
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29517", "WORLD_SIZE": str(size)}
    processes = [
        subprocess.Popen(
            command(stage, options), env={**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank)}
        )
        for rank in range(size)
    ]
    while any(process.poll() is None for process in processes):
        if any(process.poll() for process in [*processes, *background]):
            for process in processes:
                process.terminate()
        time.sleep(0.2)
    if any(process.returncode for process in processes):
        codes = [process.returncode for process in processes]
        raise SystemExit(f"{stage.name} ended with exit codes {codes}. See its output above.")


def tokenise(options: RecipeOptions) -> subprocess.Popen | None:
    """Starts filling the token folder, while the training reads it pass by pass."""
    folder = options.work / "tokens"
    if complete_passes(folder) >= options.passes * options.pieces:
        return None
    stage_flags = flags(
        corpus=options.corpus,
        tokenizer=options.tokenizer / "tokenizer.json",
        out=folder,
        passes=options.passes,
        pieces=options.pieces,
        workers=options.workers,
    )
    return subprocess.Popen(command(Stage("tokenise", folder, stage_flags), options))


def measure_earlier(options: RecipeOptions) -> subprocess.Popen | None:
    """Starts the evaluation of the earlier pair, on the last GPU, alongside that of the new one."""
    out = options.work / "report-earlier.json"
    if out.exists() or not options.earlier.exists() or is_additional_drafter(options):
        return None
    stage_flags = flags(model=options.earlier, tokens_folder=options.work / "tokens", out=out)
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": str(options.gpus - 1)}
    stage = Stage("evaluate", out, stage_flags)
    return subprocess.Popen(command(stage, options), env=environment)


def run(options: RecipeOptions) -> None:
    names = [stage.name for stage in stages(options)]
    if options.until not in names:
        raise SystemExit(f"Expected --until {', '.join(names)}, got {options.until}; name one of these stages.")
    options.work.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    background = list(filter(None, [tokenise(options)]))
    for stage in stages(options):
        if stage.is_done():
            print(f"== {stage.name}: done before", flush=True)
        else:
            print(f"== {stage.name} at {time.monotonic() - started:.0f} s", flush=True)
            if stage.name == "evaluate":
                background += filter(None, [measure_earlier(options)])
            run_stage(stage, options, background)
        if stage.name == options.until:
            break
    for process in background:
        if process.wait() != 0:
            raise SystemExit(f"{process.args} ended with exit code {process.returncode}. See its output above.")
    print(f"== complete after {time.monotonic() - started:.0f} s", flush=True)
    (options.work / "recipe.json").write_text(json.dumps({"seconds": time.monotonic() - started}))


def main() -> None:
    options = parse(RecipeOptions, __doc__)
    if options.smoke:
        from .smoke import smoke_options

        options = smoke_options(options)
    run(replace(options, work=options.work.absolute()))


if __name__ == "__main__":
    main()
