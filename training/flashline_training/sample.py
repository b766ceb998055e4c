"""A fair sample of the text of a folder of shards or of cleaned repositories."""

import bz2
import hashlib
import json
from pathlib import Path
from typing import Iterator

# Approximate number of characters per byte of a compressed shard.
BZ2_RATIO = 6


def sample_texts(folder: Path, characters: int) -> Iterator[str]:
    """Yields a random sample of the texts of files, the same each time, with about `characters` in total."""
    sources = sorted([*folder.rglob("*.jsonl"), *folder.rglob("train-*.jsonl.bz2")])
    sizes = (source.stat().st_size * (BZ2_RATIO if source.suffix == ".bz2" else 1) for source in sources)
    share = characters / max(1, sum(sizes))
    for source in sources:
        opened = bz2.open(source, "rt", encoding="utf-8") if source.suffix == ".bz2" else source.open(encoding="utf-8")
        with opened as lines:
            for at, line in enumerate(lines):
                digest = hashlib.sha1(f"sample {source.name} {at}".encode()).digest()
                if int.from_bytes(digest[:4], "big") < share * 2**32:
                    yield json.loads(line)["text"]
