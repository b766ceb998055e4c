"""The table of sources as Markdown, for the model card.

    python -m flashline_training.corpus.sources_table --sources sources.json --out ../media/model/SOURCES.md
"""

import argparse
import json
from collections import Counter
from pathlib import Path

HEADER = """# Sources of the built-in pair

The repositories that the pair was trained on, each with its commit and the licence that its licence files gave there,
and those that were held out for measuring: the pair was trained on none of their files, nor on any file similar to one
of them. `kB` counts the text that was used.

| repository | commit | licence | files | kB | used for |
|---|---|---|---:|---:|---|
"""


def sources_table(sources: list[dict]) -> str:
    """Returns one row for each source, in the order of their names."""
    return HEADER + "".join(_row(source) for source in sorted(sources, key=lambda row: row["repository"].lower()))


def sources_summary(sources: list[dict]) -> dict[str, object]:
    """
    Returns the counts of the training data, its bytes by licence, the largest first, and the number of held-out
    repositories.
    """
    trained = [source for source in sources if not source["heldOut"]]
    licences: Counter[str] = Counter()
    for source in trained:
        licences[source["licence"]] += source["bytes"]
    return {
        "repositories": len(trained),
        "files": sum(source["files"] for source in trained),
        "bytes": licences.total(),
        "licences": dict(licences.most_common()),
        "heldOut": len(sources) - len(trained),
    }


def _row(source: dict) -> str:
    name, commit, use = source["repository"], source["commit"][:12], "measuring" if source["heldOut"] else "training"
    size = round(source["bytes"] / 1000)
    return f"| {name} | `{commit}` | {source['licence']} | {source['files']} | {size} | {use} |\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.write_text(sources_table(json.loads(options.sources.read_text())))


if __name__ == "__main__":
    main()
