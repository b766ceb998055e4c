"""
Packs folders and files into one tar, which is cut into parts for transfers with a size limit.

    python -m flashline_training.pack --out parts --name pair --files model,report.json
    cat parts/pair.tar.* | tar x
"""

from __future__ import annotations

import io
import tarfile
from dataclasses import dataclass
from pathlib import Path

from .options import parse


@dataclass(frozen=True)
class PackOptions:
    out: Path = Path("parts")
    name: str = "pair"
    files: tuple[str, ...] = ("model",)
    part_mib: int = 15
    # Parts first .. first + count - 1 are written; a count of 0 means all.
    first: int = 0
    count: int = 0


def pack(options: PackOptions) -> list[Path]:
    """Writes NAME.tar.00, NAME.tar.01 and so on."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for file in map(Path, options.files):
            tar.add(file, arcname=file.name)
    data, size = stream.getbuffer(), options.part_mib * 2**20
    options.out.mkdir(parents=True, exist_ok=True)
    starts = list(enumerate(range(0, len(data), size)))[options.first :]
    written = []
    for i, start in starts[: options.count or None]:
        written.append(options.out / f"{options.name}.tar.{i:02d}")
        written[-1].write_bytes(data[start : start + size])
    return written


def main() -> None:
    for path in pack(parse(PackOptions, __doc__)):
        print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
