"""The corpus as tokens, with fresh holes in each pass; and the held-out files, plain and with a hole.

    python -m flashline_training.tokenise --corpus DIR --tokenizer FILE --out DIR --passes 4 --workers 16

writes pass-P-WW.bin (uint16, documents one after another, each with its end token), pass-P.done when all of these
exist, heldout.bin, and heldout.json (where each document is). P counts pieces: each pass over the corpus is
written in 4 of them (--pieces), 0 to 3 for the first pass, so `train_target` can begin when the first quarter is done.
Keeps the pieces that an interrupted run has completed. With other flags, use another folder.
"""

import argparse
import bz2
import json
import os
import time
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.pool import AsyncResult
from pathlib import Path
from random import Random
from typing import Iterator, Protocol, Sequence

import numpy as np

from .documents import Document, DocumentOptions, Special, documents_of, infill_document, plain_document
from .fim import FimOptions, infill
from .source_file import SourceFile

BATCH = 256
"""Files that are tokenised at a time."""
NEIGHBOURS = 6
"""Files on each side, in the order of their paths, that quotes are taken from."""


MARKED = DocumentOptions(fim=FimOptions(suffix_first=1.0), marked=True)
"""The form of the documents that the built-in pair was trained on."""


class Encoding(Protocol):
    ids: list[int]


class Tokenizer(Protocol):
    """The part of `tokenizers.Tokenizer` that is used."""

    def encode_batch_fast(self, texts: list[str], add_special_tokens: bool) -> Sequence[Encoding]: ...

    def token_to_id(self, token: str) -> int | None: ...


@dataclass(frozen=True)
class Options:
    corpus: Path
    tokenizer: Path
    out: Path
    earlier: Path | None = None
    """Tokenizer of an earlier pair, for which the held-out files are also written, to the folder `earlier`."""
    passes: int = 4
    """Number of passes to write, from `first_pass` on."""
    pieces: int = 4
    """Pieces of a pass over the corpus; each file is in one of them."""
    first_pass: int = 0
    """The first pass to write, if earlier ones exist. The held-out files are written with pass 0 only."""
    workers: int = 16
    seed: int = 8
    documents: DocumentOptions = DocumentOptions()


def encode(documents: Sequence[Document], tokenizer: Tokenizer) -> list[np.ndarray]:
    """Returns each document's tokens, uint16; every text is tokenised separately."""
    texts = [piece for document in documents for piece in document.pieces if isinstance(piece, str)]
    encoded = iter(tokenizer.encode_batch_fast(texts, add_special_tokens=False))
    specials = {special: _id(tokenizer, special) for special in Special}
    arrays = []
    for document in documents:
        ids: list[int] = []
        for piece in document.pieces:
            if isinstance(piece, Special):
                ids.append(specials[piece])
            else:
                ids += next(encoded).ids
        arrays.append(np.array(ids, dtype="<u2"))
    return arrays


def _id(tokenizer: Tokenizer, special: Special) -> int:
    found = tokenizer.token_to_id(special.value)
    if found is None:
        raise ValueError(f"The tokenizer lacks {special.value}. Use the one of media/model/target.")
    return found


def read_files(corpus: Path, pattern: str) -> list[SourceFile]:
    """Reads all files of the shards that match, in the order of repositories and paths."""
    sources = sorted(corpus.rglob(pattern))
    if not sources:
        raise FileNotFoundError(f"There are no files {pattern} in {corpus}. Unpack the parts there.")
    with get_context("fork").Pool(min(len(sources), os.cpu_count() or 1)) as pool:
        files = [file for part in pool.imap_unordered(_read_shard, sources) for file in part]
    return sorted(files, key=lambda file: (file.repository, file.path))


def _read_shard(source: Path) -> list[SourceFile]:
    with bz2.open(source, "rt", encoding="utf-8", newline="\n") as lines:
        return [SourceFile(**json.loads(line)) for line in lines]


def neighbours(files: Sequence[SourceFile], at: int) -> list[SourceFile]:
    """Returns the files of the same repository and language that are near this one in the order of paths."""
    file = files[at]
    near = [*files[max(0, at - NEIGHBOURS) : at], *files[at + 1 : at + 1 + NEIGHBOURS]]
    origin = (file.repository, file.language)
    return [candidate for candidate in near if (candidate.repository, candidate.language) == origin]


def piece_documents(
    files: Sequence[SourceFile], share: tuple[int, int], piece: int, options: Options
) -> Iterator[list[Document]]:
    """
    Yields one worker's documents of a piece, in batches and in random order. `share`: the worker's number, and how many
    there are. Together the workers and pieces of a pass have every file once.
    """
    worker, workers = share
    data_pass = piece // options.pieces
    order = list(range(len(files)))
    Random(f"{options.seed} order {data_pass}").shuffle(order)
    worker_files = order[piece % options.pieces :: options.pieces][worker::workers]
    for first in range(0, len(worker_files), BATCH):
        documents: list[Document] = []
        for at in worker_files[first : first + BATCH]:
            random = Random(f"{options.seed} {data_pass} {files[at].repository} {files[at].path}")
            documents += documents_of(files[at], neighbours(files, at), random, options.documents)
        # The spans of a file should not follow each other, where one would give away the next.
        Random(f"{options.seed} {piece} {worker} {first}").shuffle(documents)
        yield documents


def write_piece(
    files: Sequence[SourceFile], tokenizer: Tokenizer, share: tuple[int, int], piece: int, options: Options
) -> tuple[int, int]:
    """Writes one worker's part of a piece; returns its tokens and characters."""
    tokens = characters = 0
    with (options.out / f"pass-{piece}-{share[0]:02}.bin").open("wb") as target:
        for documents in piece_documents(files, share, piece, options):
            for ids in encode(documents, tokenizer):
                target.write(ids.tobytes())
                tokens += len(ids)
            characters += sum(document.characters for document in documents)
    return tokens, characters


def write_held_out(files: Sequence[SourceFile], tokenizer: Tokenizer, options: Options) -> None:
    """Writes every file as a plain document, and a span of it with a hole, which is always the same."""
    chosen: list[tuple[SourceFile, Document, str]] = []
    for file in files:
        chosen.append((file, plain_document(file.path, file.text), ""))
        random = Random(f"{options.seed} heldout {file.repository} {file.path}")
        begin = random.randrange(1 + max(0, len(file.text) - options.documents.most_span))
        begin = file.text.rfind("\n", 0, begin) + 1
        filled = infill(file.text[begin : begin + options.documents.most_span], random, options.documents.fim)
        if filled is not None:
            chosen.append((file, infill_document(file.path, filled, marked=options.documents.marked), filled.middle))
    middles = tokenizer.encode_batch_fast([middle for _, _, middle in chosen], add_special_tokens=False)
    rows, start = [], 0
    with (options.out / "heldout.bin").open("wb") as target:
        tokens = encode([document for _, document, _ in chosen], tokenizer)
        for (file, document, _), ids, middle in zip(chosen, tokens, middles):
            target.write(ids.tobytes())
            row = {"start": start, "end": start + len(ids), "repository": file.repository, "path": file.path}
            row |= {"language": file.language, "characters": document.characters, "fim": document.fim}
            rows.append({**row, "middle": len(middle.ids)})
            start += len(ids)
    (options.out / "heldout.json").write_text(json.dumps({"documents": rows}) + "\n")


_files: list[SourceFile] = []
_held_out: list[SourceFile] = []
"""Both lists are read before the workers are forked, which then share them."""


def _work(task: tuple[int, int, Options]) -> tuple[int, int]:
    worker, piece, options = task
    return write_piece(_files, load_tokenizer(options.tokenizer), (worker, options.workers), piece, options)


def _work_held_out(options: Options) -> None:
    write_held_out(_held_out, load_tokenizer(options.tokenizer), options)
    if options.earlier is not None:
        earlier = replace(options, out=options.out / "earlier", documents=DocumentOptions())
        earlier.out.mkdir(exist_ok=True)
        write_held_out(_held_out, load_tokenizer(options.earlier), earlier)


def load_tokenizer(source: Path) -> Tokenizer:
    from tokenizers import Tokenizer as FastTokenizer

    return FastTokenizer.from_file(str(source))


def run(options: Options) -> None:
    # The workers are the parallelism; threads inside them would only compete.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    options.out.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    _files[:] = read_files(options.corpus, "train-*.jsonl.bz2")
    _held_out[:] = read_files(options.corpus, "heldout.jsonl.bz2")
    print(f"{len(_files)} files read after {time.monotonic() - begun:.1f} s", flush=True)
    # The last file that _work_held_out writes.
    held_out = (options.out if options.earlier is None else options.out / "earlier") / "heldout.json"
    held_out_written: AsyncResult[None] | None = None
    with get_context("fork").Pool(options.workers) as pool:
        first = options.first_pass * options.pieces
        for piece in range(first, first + options.passes * options.pieces):
            done = options.out / f"pass-{piece}.done"
            if done.exists():
                print(f"piece {piece}: done before", flush=True)
            else:
                tasks = [(worker, piece, options) for worker in range(options.workers)]
                tokens, characters = map(sum, zip(*pool.map(_work, tasks, chunksize=1)))
                done.write_text(f"{tokens}\n")
                after = time.monotonic() - begun
                print(f"piece {piece}: {tokens} tokens, {characters} characters, after {after:.1f} s", flush=True)
            if piece == 0 and not held_out.exists():
                held_out_written = pool.apply_async(_work_held_out, (options,))
        if held_out_written is not None:
            held_out_written.get()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("corpus", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--earlier", type=Path, help="the tokenizer of an earlier pair")
    for name in ("passes", "pieces", "first_pass", "workers", "seed"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(Options, name))
    parser.add_argument("--marked", action="store_true", help="every hole with the suffix first and a marked middle")
    given = vars(parser.parse_args())
    documents = MARKED if given.pop("marked") else DocumentOptions()
    run(Options(**given, documents=documents))


if __name__ == "__main__":
    main()
