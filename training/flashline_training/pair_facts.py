"""Facts about an exported pair from its files: both configs as they are, and the bytes of all files."""

from __future__ import annotations

import json
from pathlib import Path

MODELS = ("target", "drafter")


def pair_facts(folder: Path) -> dict[str, dict]:
    """Returns, for the target and the drafter of a folder, `config`, `bytes` of the whole folder, and its `files`."""
    return {name: model_facts(folder / name) for name in MODELS}


def model_facts(folder: Path) -> dict[str, object]:
    files = sorted(file for file in folder.iterdir() if file.is_file())
    return {
        "config": json.loads((folder / "config.json").read_text()),
        "bytes": sum(file.stat().st_size for file in files),
        "files": [file.name for file in files],
    }
