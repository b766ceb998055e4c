"""Splits files into training and held-out ones: by repository, without copies, with a size limit."""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Iterator

import numpy as np

from .fair_sample import chance
from .files import language_of
from .near_duplicates import Index, signature

# Similarities as MinHash estimates them. Files to measure on are kept further apart.
SIMILAR = 0.8
SIMILAR_TO_HELD_OUT = 0.5


@dataclass
class File:
    repository: str
    path: str
    language: str
    text: str
    signature: np.ndarray

    @property
    def line(self) -> str:
        fields = {"repository": self.repository, "path": self.path, "language": self.language, "text": self.text}
        return json.dumps(fields, ensure_ascii=False)

    @property
    def size(self) -> int:
        return len(self.text.encode())


@dataclass
class Split:
    """Decides file by file; held-out files are read first, as everything else is compared with them."""

    most_bytes: int
    """Limit for one repository that is trained on."""
    most_held_out_bytes: int
    """Limit for one repository that is measured on; its other files are not used at all."""
    dropped: Counter[str] = field(default_factory=Counter)
    _seen: set[bytes] = field(default_factory=set)
    _held_out: Index = field(default_factory=Index)
    _samples: list[File | None] = field(default_factory=list)
    """Files to measure on, in the order of `_held_out`; None for a file that is only kept out of training."""
    _similar_elsewhere: set[int] = field(default_factory=set)
    """Indices of samples that are similar to a file of another repository, which is not held out."""
    _train: Index = field(default_factory=Index)

    def hold_out(self, files: Iterable[File]) -> None:
        """Excludes one repository from training, and chooses a fair sample of it to measure on."""
        room = self.most_held_out_bytes
        for file in sorted(files, key=_chance):
            if self._is_new(file, self._held_out, SIMILAR):
                self._held_out.add(file.signature)
                fits = file.size <= room
                room -= file.size * fits
                self._samples.append(file if fits else None)

    def keep_out(self, folder: Path) -> None:
        """Excludes files similar to those in a folder, which another measurement uses."""
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and language_of(path.name)):
            self._held_out.add(signature(path.read_text(encoding="utf-8")))
            self._samples.append(None)

    def train(self, files: Iterable[File]) -> Iterator[File]:
        """Adds the files of one repository in random order, so that those that fit are a fair sample."""
        room = self.most_bytes
        for file in sorted(files, key=_chance):
            if matches := self._held_out.similar(file.signature, SIMILAR_TO_HELD_OUT):
                self.dropped["like a held-out file"] += 1
                self._similar_elsewhere.update(matches)
            elif file.size > room:
                self.dropped["repository is large"] += 1
            elif self._is_new(file, self._train, SIMILAR):
                self._train.add(file.signature)
                room -= file.size
                yield file

    def measured(self) -> list[File]:
        """
        Returns the samples of held-out files; call it once all other files were seen. A file similar to one of another
        repository says nothing about new text, even if that one is not trained on either.
        """
        files = ((at, file) for at, file in enumerate(self._samples) if file is not None)
        samples = [file for at, file in files if at not in self._similar_elsewhere]
        self.dropped["held out, like another file"] = sum(file is not None for file in self._samples) - len(samples)
        return samples

    def _is_new(self, file: File, index: Index, least_similarity: float) -> bool:
        key = fingerprint(file.text)
        if key in self._seen:
            self.dropped["copy"] += 1
            return False
        if index.similar(file.signature, least_similarity):
            self.dropped["near copy"] += 1
            return False
        self._seen.add(key)
        return True


def fingerprint(text: str) -> bytes:
    """Returns a hash that is equal for texts that differ only in the kind and length of their white space."""
    return hashlib.sha1(" ".join(text.split()).encode()).digest()


def _chance(file: File) -> bytes:
    return chance(file.repository, file.path)


def read_cleaned(source: Path) -> Iterator[File]:
    """Reads the files of one repository, from CLEAN/owner+name.jsonl."""
    repository = source.stem.replace("+", "/", 1)
    signatures = np.load(source.with_suffix(".npy"))
    with source.open(encoding="utf-8") as lines:
        for line, signature in zip(lines, signatures):
            yield File(repository=repository, signature=signature, **json.loads(line))


def read_names(source: Path) -> list[str]:
    """Reads the names of repositories, one per line; # begins a comment."""
    lines = (line.partition("#")[0].strip() for line in source.read_text().splitlines())
    return [line for line in lines if line]
