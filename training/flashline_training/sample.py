"""A fair sample of the text of a folder of shards or of cleaned repositories."""

import bz2
import hashlib
import json
from pathlib import Path
from typing import Iterator


def sample_texts(folder: Path, characters: int) -> Iterator[str]:
    """Texts of files by chance, the same each time, of about `characters` in all."""
    sources = sorted([*folder.rglob("*.jsonl"), *folder.rglob("train-*.jsonl.bz2")])
    share = characters / max(1, sum(source.stat().st_size * (6 if source.suffix == ".bz2" else 1) for source in sources))
    for source in sources:
        opened = bz2.open(source, "rt", encoding="utf-8") if source.suffix == ".bz2" else source.open(encoding="utf-8")
        with opened as lines:
            for at, line in enumerate(lines):
                digest = hashlib.sha1(f"sample {source.name} {at}".encode()).digest()
                if int.from_bytes(digest[:4], "big") < share * 2**32:
                    yield json.loads(line)["text"]
