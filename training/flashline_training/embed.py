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
# Options of a report that are paths on the machine that made it.
PATH_OPTIONS = ("model", "beside", "groups", "unrounded", "tokens_folder", "out")


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
    # Whether to allow a tokenizer that differs from that of the present pair.
    any_tokenizer: bool = False


def read_json(path: Path) -> Any:
    return json.loads(path.read_text())


def require_small(pair: dict[str, dict], most_bytes: int) -> None:
    size = sum(model["bytes"] for model in pair.values())
    if size > most_bytes:
        raise ValueError(f"Expected a pair of at most {most_bytes} bytes, got {size}; export it with fewer bits")


def require_tokenizer(model: Path, built_in: Path) -> None:
    paths = [folder / "target/tokenizer.json" for folder in (model, built_in)]
    if paths[1].exists() and paths[0].read_bytes() != paths[1].read_bytes():
        raise ValueError(
            f"The tokenizer in {paths[0]} differs from the present one in {paths[1]}; give --any-tokenizer to change it"
        )


def new_report(options: EmbedOptions, pair: dict[str, dict]) -> dict:
    """Returns the report of the new pair; raises ValueError if it describes a different pair."""
    report = read_json(options.report)
    if report.get("pair", pair) != pair:
        raise ValueError(
            f"Expected {options.report} to describe {options.model}, but it describes another pair; evaluate the model"
        )
    return kept_report(report, pair)


def earlier_report(options: EmbedOptions, pair: dict[str, dict]) -> dict:
    """Returns the earlier report, with the facts of its pair."""
    report, built_in = read_json(options.earlier), options.into / PAIR
    if "pair" in report:
        return kept_report(report, report["pair"])
    facts = pair_facts(options.earlier_model if options.earlier_model.exists() else built_in)
    # If the pair is built in already, the facts of the pair before it are in the built-in report of the earlier pair.
    return kept_report(report, read_json(built_in / "report-earlier.json")["pair"] if facts == pair else facts)


def kept_report(report: dict, pair: dict[str, dict]) -> dict:
    """Returns the part of a report that stays in the repository."""
    kept_options = {name: value for name, value in report["options"].items() if name not in PATH_OPTIONS}
    return {**report, "pair": pair, "options": kept_options}


def replace_models(model: Path, built_in: Path) -> None:
    for name in MODELS:
        shutil.rmtree(built_in / name, ignore_errors=True)
        (built_in / name).mkdir(parents=True)
        for file in sorted((model / name).iterdir()):
            shutil.copyfile(file, built_in / name / file.name)


def write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n")


def write_cases(path: Path, cases: list[dict]) -> None:
    """Writes one case per line, so that a diff shows which one has changed."""
    path.write_text("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n")


def embed(options: EmbedOptions) -> list[Path]:
    """Replaces everything that belongs to the built-in pair; returns the paths. A ValueError leaves all as it was."""
    built_in, fixtures = options.into / PAIR, options.into / FIXTURES
    pair, golden = pair_facts(options.model), golden_part(options.goldens)
    cases, sources = read_json(options.goldens / "pair-cases.json"), read_json(options.sources)
    require_small(pair, options.most_bytes)
    if not options.any_tokenizer:
        require_tokenizer(options.model, built_in)
    report = {**new_report(options, pair), "sources": sources_summary(sources)}
    earlier = earlier_report(options, pair)
    card = with_figures((built_in / "README.md").read_text(), report, earlier)

    replace_models(options.model, built_in)
    write_json(built_in / "report.json", report)
    write_json(built_in / "report-earlier.json", earlier)
    (built_in / "README.md").write_text(card)
    (built_in / "SOURCES.md").write_text(sources_table(sources))
    write_cases(fixtures / "pair-cases.json", cases)
    (fixtures / "pair-golden.safetensors").write_bytes(safetensors_file.to_bytes(golden))
    return [built_in, fixtures / "pair-cases.json", fixtures / "pair-golden.safetensors"]


def main() -> None:
    options = parse(EmbedOptions, __doc__)
    for path in embed(options):
        print(f"replaced {path}")


if __name__ == "__main__":
    main()
