"""Documents as the product's prompts and answers have them, built of special tokens and texts.

A text is a piece of its own wherever the model's input can end: it is tokenised by itself, so that a prompt that
stops inside a word ends with a partial token, as it does when a person types.
"""

import math
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Iterator, Sequence

from .fim import FimOptions, Infill, infill


class Special(Enum):
    """Tokens with a meaning, by their spelling in tokenizer.json."""

    END = "<|endoftext|>"
    FIM_PREFIX = "<|fim_prefix|>"
    FIM_MIDDLE = "<|fim_middle|>"
    FIM_SUFFIX = "<|fim_suffix|>"
    FILE = "<|file_sep|>"


Piece = Special | str


@dataclass(frozen=True)
class SourceFile:
    """One line of a shard."""

    repository: str
    path: str
    language: str
    text: str


@dataclass(frozen=True)
class Document:
    pieces: list[Piece]
    characters: int
    """Of the file's own text."""
    fim: bool


@dataclass(frozen=True)
class DocumentOptions:
    """Sizes are in characters; there are about 3.5 to a token, so the longest prompts have about 1024 tokens."""

    fim: FimOptions = field(default_factory=FimOptions)
    base_name: float = 0.4
    """The model is told the file's name without its folders."""
    least_span: int = 800
    most_span: int = 3200
    """A file is cut into spans of such sizes, each with its own hole; the sizes' logarithms are uniform."""
    with_others: float = 0.08
    """Pieces of files of the same repository come before a span."""
    most_others: int = 3
    others_lines: int = 24
    others_share: float = 0.3
    """Of the longest span, for all pieces of other files; as in the product's prompts."""


def documents_of(
    file: SourceFile, others: Sequence[SourceFile], random: Random, options: DocumentOptions
) -> Iterator[Document]:
    """A file as one plain document, or as one with a hole for each of its spans."""
    if random.random() >= options.fim.share:
        yield plain_document(_name(file, random, options), file.text)
        return
    for text in spans(file.text, random, options):
        filled = infill(text, random, options.fim)
        name = _name(file, random, options)
        if filled is None:
            yield plain_document(name, text)
            continue
        joined = others if random.random() < options.with_others else ()
        yield infill_document(name, filled, _snippets(joined, random, options))


def plain_document(name: str, text: str) -> Document:
    return Document([Special.FILE, f"{name}\n", text, Special.END], len(text), fim=False)


def infill_document(name: str, filled: Infill, before: Sequence[Piece] = ()) -> Document:
    """`<prefix>P<suffix>S<middle>M` or, with the suffix first, `<prefix><suffix>S<middle>PM`."""
    head = [*before, Special.FILE, f"{name}\n", Special.FIM_PREFIX]
    after = [Special.FIM_SUFFIX, filled.suffix, Special.FIM_MIDDLE]
    body = [*after, filled.prefix] if filled.suffix_first else [filled.prefix, *after]
    characters = len(filled.prefix) + len(filled.middle) + len(filled.suffix)
    return Document([*head, *body, filled.middle, Special.END], characters, fim=True)


def spans(text: str, random: Random, options: DocumentOptions) -> Iterator[str]:
    """The text in parts that begin at line starts, except in lines that are longer than a part."""
    begin = 0
    while begin < len(text):
        low, high = math.log(options.least_span), math.log(options.most_span)
        end = begin + int(math.exp(random.uniform(low, high)))
        if len(text) - end < options.least_span // 2:
            end = len(text) if len(text) - begin <= options.most_span else end
        if end < len(text):
            end = text.rfind("\n", begin, end) + 1 or end
        yield text[begin:end]
        begin = end


def _snippets(others: Sequence[SourceFile], random: Random, options: DocumentOptions) -> list[Piece]:
    """Windows of lines of other files, while there is room for them."""
    room = int(options.most_span * options.others_share)
    pieces: list[Piece] = []
    for other in random.sample(others, min(len(others), 1 + random.randrange(options.most_others))):
        lines = other.text.split("\n")
        first = options.others_lines * random.randrange(1 + len(lines) // options.others_lines)
        text = "\n".join(lines[first : first + options.others_lines]).rstrip()
        if text and len(text) <= room:
            pieces += [Special.FILE, f"{_name(other, random, options)}\n{text}\n"]
            room -= len(text)
    return pieces


def _name(file: SourceFile, random: Random, options: DocumentOptions) -> str:
    return file.path.rsplit("/", 1)[-1] if random.random() < options.base_name else file.path
