"""Stage 1b, for `ingest`: the gathered repositories in archives of a size, the held-out ones in the first.

    python -m flashline_training.corpus.parts --raw RAW --out PARTS --held-out FILES
    zstd -9 --long=27 --rm PARTS/*.tar

385 MB become about 58 MB. A repository is in one part, with as much of it as `room` has place for.
"""

import argparse
import io
import tarfile
from collections import Counter
from pathlib import Path
from typing import Iterator

from .room import fair_sample
from .split import read_names

PART_BYTES = 385_000_000


def in_order(raw: Path, held_out: set[str]) -> list[str]:
    """The names of the files, without endings: those of held-out repositories first."""
    stems = sorted(path.stem for path in raw.glob("*.json") if path.with_suffix(".jsonl").exists())
    return sorted(stems, key=lambda stem: stem.replace("+", "/", 1) not in held_out)


def lines_of(raw: Path, stem: str) -> bytes:
    """What there is room for, in the order of the paths, in which like is next to like."""
    with (raw / f"{stem}.jsonl").open(encoding="utf-8") as lines:
        return "".join(sorted(fair_sample(stem, lines, Counter()))).encode()


def groups(raw: Path, stems: list[str], most: int) -> Iterator[list[tuple[str, bytes]]]:
    """Repositories with their lines, until they have `most` bytes together."""
    group: list[tuple[str, bytes]] = []
    for stem in stems:
        group.append((stem, lines_of(raw, stem)))
        if sum(len(lines) for _, lines in group) >= most:
            yield group
            group = []
    if group:
        yield group


def write_parts(raw: Path, out: Path, held_out: set[str], most: int = PART_BYTES) -> int:
    """Writes part-N.tar; returns how many there are, which `ingest` has to know."""
    out.mkdir(parents=True, exist_ok=True)
    count = 0
    for count, group in enumerate(groups(raw, in_order(raw, held_out), most), 1):
        with tarfile.open(out / f"part-{count - 1}.tar", "w") as archive:
            for stem, lines in group:
                archive.add(raw / f"{stem}.json", f"{stem}.json")
                entry = tarfile.TarInfo(f"{stem}.jsonl")
                entry.size = len(lines)
                archive.addfile(entry, io.BytesIO(lines))
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raw", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--held-out", type=Path, nargs="+", required=True, help="files of names")
    parser.add_argument("--part-bytes", type=int, default=PART_BYTES)
    options = parser.parse_args()
    held_out = {name for source in options.held_out for name in read_names(source)}
    print(write_parts(options.raw, options.out, held_out, options.part_bytes), "parts")


if __name__ == "__main__":
    main()
