"""Splits by repository, removes copies, and writes compressed shards and the table of sources.

    python -m flashline_training.corpus.shards --raw RAW --clean CLEAN --held-out FILES --out CORPUS --sources FILE

Every training file goes to a random shard, so each shard is a sample of all files. Inside a shard the files of a
repository are next to each other, which compresses better; `tokenise` shuffles them.
"""

import argparse
import bz2
import hashlib
import json
import shutil
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

from .split import File, Split, read_cleaned, read_names

SHARDS = 16
MAX_BYTES = 4_000_000
"""Limit for the training text of one repository: about 0.1 % of all."""
MAX_HELD_OUT_BYTES = 420_000
"""Limit for the text of one held-out repository."""
MAX_PART_BYTES = 58 << 20
"""Limit for the compressed files of one part, for transfers with a size limit."""


@dataclass(frozen=True)
class Options:
    raw: Path
    clean: Path
    out: Path
    sources: Path
    held_out: list[Path]
    """Files that name the held-out repositories, one per line."""
    keep_out: Path | None = None
    """A folder: no file similar to one of its files is trained on."""
    most_bytes: int = MAX_BYTES
    most_held_out_bytes: int = MAX_HELD_OUT_BYTES
    shards: int = SHARDS
    workers: int = 2


def shard_of(file: File, shards: int) -> int:
    """Returns the shard of a file, which depends on its repository and path alone."""
    digest = hashlib.sha1(f"shard {file.repository}/{file.path}".encode()).digest()
    return int.from_bytes(digest[:8], "little") % shards


def write_shards(options: Options) -> dict[str, object]:
    """Writes plain shards and the sources table; returns all counts."""
    options.out.mkdir(parents=True, exist_ok=True)
    held_out = [name for file in options.held_out for name in read_names(file)]
    sources = sorted(options.clean.glob("*.jsonl"), key=lambda path: path.name.lower())
    by_name = {path.stem.replace("+", "/", 1): path for path in sources}
    missing = [name for name in held_out if name not in by_name]
    if missing:
        raise SystemExit(f"{options.clean} lacks the held-out repositories {missing}. Gather and clean them first.")
    split = Split(options.most_bytes, options.most_held_out_bytes)
    if options.keep_out is not None:
        split.keep_out(options.keep_out)
    for name in held_out:
        split.hold_out(read_cleaned(by_name[name]))
    table = []
    sizes: Counter[str] = Counter()

    def count(name: str, files: list[File], is_held_out: bool) -> None:
        table.append(_source(options.raw / f"{by_name[name].stem}.json", files, is_held_out))
        for file in files:
            sizes[f"{'heldout' if is_held_out else 'train'} {file.language}"] += file.size

    with ExitStack() as stack:
        paths = [options.out / f"train-{at:03}.jsonl" for at in range(options.shards)]
        shards = [stack.enter_context(path.open("w", encoding="utf-8")) for path in paths]
        for name in (name for name in by_name if name not in held_out):
            files = sorted(split.train(read_cleaned(by_name[name])), key=lambda file: file.path)
            for file in files:
                shards[shard_of(file, options.shards)].write(file.line + "\n")
            count(name, files, False)
    measured = sorted(split.measured(), key=lambda file: (held_out.index(file.repository), file.path))
    (options.out / "heldout.jsonl").write_text("".join(f"{file.line}\n" for file in measured), encoding="utf-8")
    for name in held_out:
        count(name, [file for file in measured if file.repository == name], True)
    table = sorted((row for row in table if row["files"]), key=lambda row: str(row["repository"]).lower())
    options.sources.write_text(json.dumps(table, indent=2) + "\n")
    return {"repositories": len(table), "bytes": dict(sizes), "dropped": dict(split.dropped)}


def _source(record: Path, files: list[File], is_held_out: bool) -> dict[str, object]:
    fields = json.loads(record.read_text())
    counts = {"files": len(files), "bytes": sum(file.size for file in files)}
    return {**{key: fields[key] for key in ("repository", "commit", "licence")}, **counts, "heldOut": is_held_out}


def compress(source: Path) -> int:
    """
    Replaces a file by its .bz2 and returns the size of that. bzip2 packs such text better than xz -2 or zstd -15, and
    takes a fraction of the time of xz -6, which packs better still. The standard library unpacks it anywhere.
    """
    target = source.with_name(source.name + ".bz2")
    with source.open("rb") as plain, bz2.open(target, "wb") as packed:
        shutil.copyfileobj(plain, packed, 1 << 20)
    source.unlink()
    return target.stat().st_size


def pack(folder: Path, most: int = MAX_PART_BYTES) -> list[list[str]]:
    """
    Returns the compressed files in groups of at most `most` bytes: each file, the largest first, in the first group
    with room.
    """
    groups: list[tuple[int, list[str]]] = []
    for path in sorted(folder.glob("*.bz2"), key=lambda path: (-path.stat().st_size, path.name)):
        size = path.stat().st_size
        if size > most:
            raise ValueError(f"Expected files of at most {most} bytes, got {path.name} of {size}; write more shards.")
        at = next((at for at, (used, _) in enumerate(groups) if used + size <= most), len(groups))
        if at == len(groups):
            groups.append((0, []))
        groups[at] = (groups[at][0] + size, [*groups[at][1], path.name])
    return [names for _, names in groups]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("raw", "clean", "out", "sources"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--held-out", type=Path, nargs="+", required=True, help="files with one repository per line")
    parser.add_argument("--keep-out", type=Path, help="a folder: no file similar to one of its files is trained on")
    parser.add_argument("--most-bytes", type=int, default=MAX_BYTES, help="limit for one repository")
    parser.add_argument("--shards", type=int, default=SHARDS)
    parser.add_argument("--workers", type=int, default=2)
    options = Options(**vars(parser.parse_args()))
    print(json.dumps(write_shards(options)))
    with Pool(options.workers) as pool:
        pool.map(compress, sorted(options.out.glob("*.jsonl")), chunksize=1)
    for number, names in enumerate(pack(options.out), 1):
        part = options.out / "parts" / str(number)
        part.mkdir(parents=True, exist_ok=True)
        for name in names:
            (options.out / name).rename(part / name)
        print(part, *names)


if __name__ == "__main__":
    main()
