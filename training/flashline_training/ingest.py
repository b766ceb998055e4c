"""
Stages 2 to 4 on the machine that trains, for parts of the raw corpus that arrive while training runs.

    python -m flashline_training.ingest --inbox parts --tokenizer tokenizer.json --out tokens \\
        --held-out held-out.txt held-out-by-chance.txt held-out-more.txt --parts 6 --passes 5

A part is an archive part-N.tar.* as `corpus.parts` writes it, with owner+name.jsonl and .json of some repositories; it is
taken once part-N.ready exists. The first has the held-out ones. Each part is cleaned, split and written as the next piece of
tokens. Once all are there, they are written again with other holes, up to `--passes` times.
"""

from __future__ import annotations

import argparse
import json
import os
import tarfile
import time
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from . import tokenise
from .corpus.clean import clean
from .corpus.shards import MOST_HELD_OUT_BYTES
from .corpus.split import File, Split, read_cleaned, read_names
from .documents import DocumentOptions
from .source_file import SourceFile


@dataclass(frozen=True)
class IngestOptions:
    inbox: Path
    tokenizer: Path
    out: Path
    held_out: list[Path]
    earlier: Path | None = None
    """The tokenizer of an earlier pair: the same held-out files are also written for it, in the folder `earlier`."""
    keep_out: Path | None = None
    """A folder of files that nothing like them is trained on, as bench/holes."""
    parts: int = 4
    passes: int = 5
    workers: int = 16
    most_bytes: int = 12_000_000
    """Of one repository."""
    seed: int = 41
    marked: bool = False
    """As in DocumentOptions."""


@dataclass
class Corpus:
    """What has arrived so far."""

    options: IngestOptions
    split: Split
    parts: list[list[SourceFile]] = field(default_factory=list)
    sources: list[dict[str, object]] = field(default_factory=list)
    """Rows of sources.json: what is trained on of each repository."""

    def add(self, folder: Path) -> None:
        """Cleans and splits the repositories of a folder."""
        cleaned = folder / "clean"
        cleaned.mkdir()
        raw = sorted(folder.glob("*.jsonl"), key=lambda source: -source.stat().st_size)
        with get_context("fork").Pool(self.options.workers) as pool:
            pool.starmap(clean, [(source, cleaned) for source in raw], chunksize=1)
        held_out = {name for names in self.options.held_out for name in read_names(names)}
        by_name = {path.stem.replace("+", "/", 1): path for path in sorted(cleaned.glob("*.jsonl"))}
        for name in sorted(by_name.keys() & held_out):
            self.split.hold_out(read_cleaned(by_name[name]))
        files: list[SourceFile] = []
        for name in sorted(by_name.keys() - held_out):
            kept = sorted(self.split.train(read_cleaned(by_name[name])), key=lambda file: file.path)
            record = json.loads((folder / f"{by_name[name].stem}.json").read_text())
            row = {key: record[key] for key in ("repository", "commit", "licence")}
            self.sources.append({**row, "files": len(kept), "bytes": sum(file.size for file in kept), "heldOut": False})
            files += map(_source_file, kept)
        self.parts.append(files)


def _source_file(file: File) -> SourceFile:
    return SourceFile(file.repository, file.path, file.language, file.text)


def receive(inbox: Path, number: int) -> Path:
    """Waits for a part; returns the folder that it was unpacked to."""
    while not (inbox / f"part-{number}.ready").exists():
        time.sleep(0.3)
    (archive,) = inbox.glob(f"part-{number}.tar*")
    folder = inbox / f"part-{number}"
    folder.mkdir()
    with opened(archive) as files:
        files.extractall(folder)
    return folder


def opened(archive: Path) -> tarfile.TarFile:
    """Machines for training have no zstd program, but pyarrow, which has the library."""
    if archive.suffix != ".zst":
        return tarfile.open(archive)
    from pyarrow import input_stream

    return tarfile.open(fileobj=input_stream(str(archive), compression="zstd"), mode="r|")


def write_held_out(corpus: Corpus) -> None:
    options = corpus.options
    files = [_source_file(file) for file in corpus.split.measured()]
    folders = [(options.tokenizer, options.out, documents_of(options))]
    if options.earlier is not None:
        folders.append((options.earlier, options.out / "earlier", DocumentOptions()))
    for tokenizer, folder, documents in folders:
        folder.mkdir(exist_ok=True)
        own = tokenise.Options(options.inbox, tokenizer, folder, documents=documents)
        tokenise.write_held_out(files, tokenise.load_tokenizer(tokenizer), own)


def documents_of(options: IngestOptions) -> DocumentOptions:
    return DocumentOptions(marked=options.marked)


def run(options: IngestOptions) -> None:
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    options.out.mkdir(parents=True, exist_ok=True)
    corpus = Corpus(options, Split(options.most_bytes, MOST_HELD_OUT_BYTES))
    if options.keep_out is not None:
        corpus.split.keep_out(options.keep_out)
    begun = time.monotonic()
    for piece in range(options.passes * options.parts):
        data_pass, number = divmod(piece, options.parts)
        if data_pass == 0:
            corpus.add(receive(options.inbox, number))
        # One piece is one part; the seed makes the holes of each pass others.
        own = tokenise.Options(
            options.inbox,
            options.tokenizer,
            options.out,
            pieces=1,
            workers=options.workers,
            seed=options.seed + data_pass,
            documents=documents_of(options),
        )
        tokens, characters = tokenise.write_whole_piece(corpus.parts[number], piece, own)
        after = time.monotonic() - begun
        print(f"piece {piece}: {tokens} tokens, {characters} characters, after {after:.1f} s", flush=True)
        if piece == 0:
            write_held_out(corpus)
        counts = {"sources": corpus.sources, "dropped": dict(corpus.split.dropped)}
        (options.out / "sources.json").write_text(json.dumps(counts) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("inbox", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--held-out", type=Path, nargs="+", required=True)
    for name in ("earlier", "keep-out"):
        parser.add_argument(f"--{name}", type=Path)
    for name in ("parts", "passes", "workers", "most_bytes", "seed"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(IngestOptions, name))
    parser.add_argument("--marked", action="store_true")
    run(IngestOptions(**vars(parser.parse_args())))


if __name__ == "__main__":
    main()
