"""
Makes an exported, evaluated pair the built-in one: its files, its fixtures, and the figures of its card.

    python -m flashline_training.embed --model work/model --goldens work/goldens --report work/report.json \
        --earlier work/report-earlier.json --into ..
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import safetensors_file
from .corpus.sources_table import sources_summary, sources_table
from .golden_part import golden_part
from .model_card import with_figures
from .options import parse
from .pair_facts import MODELS, pair_facts

PAIR = Path("media/model")
FIXTURES = Path("test/fixtures")
# Options of a report that name places on the machine it was made on.
PLACES = ("model", "unrounded", "tokens_folder", "out")


@dataclass(frozen=True)
class EmbedOptions:
    # Outputs of `export`, `reference` and `evaluate`.
    model: Path = Path("work/model")
    goldens: Path = Path("work/goldens")
    report: Path = Path("work/report.json")
    # Report of the earlier pair, from the same program.
    earlier: Path = Path("work/report-earlier.json")
    # Files of the earlier pair, if its report does not describe them; by default those of the present built-in pair.
    earlier_model: Path = Path("none")
    # Table of the training data.
    sources: Path = Path("sources.json")
    # The repository of the product.
    into: Path = Path("..")
    most_bytes: int = 75_000_000
    # Whether to allow another tokenizer than that of the present pair.
    any_tokenizer: bool = False


def read_json(path: Path) -> Any:
    return json.loads(path.read_text())


def require_small(pair: dict[str, dict], most_bytes: int) -> None:
    size = sum(model["bytes"] for model in pair.values())
    if size > most_bytes:
        raise ValueError(f"Expected a pair of at most {most_bytes} bytes, got {size}; export it with fewer bits")


def require_tokenizer(model: Path, present: Path) -> None:
    paths = [folder / "target/tokenizer.json" for folder in (model, present)]
    if paths[1].exists() and paths[0].read_bytes() != paths[1].read_bytes():
        raise ValueError(
            f"Expected the tokenizer of {paths[1]}, got another in {paths[0]}; give --any-tokenizer if it is meant"
        )


def own_report(options: EmbedOptions, pair: dict[str, dict]) -> dict:
    """The report of the new pair, which must not be one of another."""
    report = read_json(options.report)
    if report.get("pair", pair) != pair:
        raise ValueError(f"Expected {options.report} to be of {options.model}, got that of another pair; evaluate it")
    return kept(report, pair)


def earlier_report(options: EmbedOptions, pair: dict[str, dict]) -> dict:
    """The earlier report, with the facts of its pair."""
    report, present = read_json(options.earlier), options.into / PAIR
    if "pair" in report:
        return kept(report, report["pair"])
    facts = pair_facts(options.earlier_model if options.earlier_model.exists() else present)
    # The same pair again: the facts of the one before it are in the earlier report.
    return kept(report, read_json(present / "report-earlier.json")["pair"] if facts == pair else facts)


def kept(report: dict, pair: dict[str, dict]) -> dict:
    """The part of a report that stays in the repository."""
    measured = {name: value for name, value in report["options"].items() if name not in PLACES}
    return {**report, "pair": pair, "options": measured}


def replace_models(model: Path, present: Path) -> None:
    for name in MODELS:
        shutil.rmtree(present / name, ignore_errors=True)
        (present / name).mkdir(parents=True)
        for file in sorted((model / name).iterdir()):
            shutil.copyfile(file, present / name / file.name)


def write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n")


def write_cases(path: Path, cases: list[dict]) -> None:
    """One case per line, so that a diff shows which one has changed."""
    path.write_text("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n")


def embed(options: EmbedOptions) -> list[Path]:
    """Replaces everything that belongs to the built-in pair; returns the paths. Nothing is touched if it refuses."""
    present, fixtures = options.into / PAIR, options.into / FIXTURES
    pair, golden = pair_facts(options.model), golden_part(options.goldens)
    cases, sources = read_json(options.goldens / "pair-cases.json"), read_json(options.sources)
    require_small(pair, options.most_bytes)
    if not options.any_tokenizer:
        require_tokenizer(options.model, present)
    report = {**own_report(options, pair), "sources": sources_summary(sources)}
    earlier = earlier_report(options, pair)
    card = with_figures((present / "README.md").read_text(), report, earlier)

    replace_models(options.model, present)
    write_json(present / "report.json", report)
    write_json(present / "report-earlier.json", earlier)
    (present / "README.md").write_text(card)
    (present / "SOURCES.md").write_text(sources_table(sources))
    write_cases(fixtures / "pair-cases.json", cases)
    (fixtures / "pair-golden.safetensors").write_bytes(safetensors_file.to_bytes(golden))
    return [present, fixtures / "pair-cases.json", fixtures / "pair-golden.safetensors"]


def main() -> None:
    options = parse(EmbedOptions, __doc__)
    for path in embed(options):
        print(f"replaced {path}")


if __name__ == "__main__":
    main()
