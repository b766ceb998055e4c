"""The held-out part of the corpus as `tokenise` writes it: documents one after the other, and where each one is."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Document:
    """Tokens start .. end of heldout.bin, the end token included; `characters` of the file's text."""

    start: int
    end: int
    repository: str
    language: str
    characters: int
    # Whether the document is in fill-in-the-middle form.
    fim: bool
    # Number of tokens of the middle, which are the last ones before the end token.
    middle: int = 0


@dataclass(frozen=True)
class Heldout:
    tokens: np.ndarray
    documents: list[Document]

    @classmethod
    def read(cls, folder: Path) -> "Heldout":
        fields = json.loads((folder / "heldout.json").read_text())
        documents = [Document(**{n: d[n] for n in Document.__dataclass_fields__ if n in d}) for d in fields["documents"]]
        return cls(np.fromfile(folder / "heldout.bin", "<u2"), documents)

    def part(self, fim: bool) -> "Heldout":
        """Returns the documents of one form, packed."""
        chosen, parts, at = [], [], 0
        for document in self.documents:
            if document.fim != fim:
                continue
            length = document.end - document.start
            chosen.append(replace(document, start=at, end=at + length))
            parts.append(self.tokens[document.start : document.end])
            at += length
        return Heldout(np.concatenate(parts) if parts else self.tokens[:0], chosen)
