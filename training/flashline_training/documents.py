"""Documents in the form of the product's prompts with their answers, as pieces: special tokens and texts.

A piece ends wherever the model's input can end. Each is tokenised by itself, so that a prompt that stops inside a word
ends with a partial token, as it does when a person types.
"""

import math
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Iterator, Sequence

from .fim import FimOptions, Infill, infill
from .other_files import QuoteOptions, quotes
from .source_file import SourceFile


class Special(Enum):
    """Tokens with a meaning, by their spelling in tokenizer.json."""

    END = "<|endoftext|>"
    FIM_PREFIX = "<|fim_prefix|>"
    FIM_MIDDLE = "<|fim_middle|>"
    FIM_SUFFIX = "<|fim_suffix|>"
    FILE = "<|file_sep|>"


Piece = Special | str


@dataclass(frozen=True)
class Document:
    pieces: list[Piece]
    characters: int
    """Length of the file's text in the document, without names and quotes."""
    fim: bool


@dataclass(frozen=True)
class DocumentOptions:
    """Sizes are in characters, about 3.8 to a token, so documents with a hole have at most about 1100 tokens."""

    fim: FimOptions = field(default_factory=FimOptions)
    base_name: float = 0.4
    """Share of documents whose file name comes without its folders."""
    least_span: int = 800
    most_span: int = 3200
    """A file is cut into spans of such sizes, each with its own hole; the sizes' logarithms are uniform."""
    uncut: float = 0.5
    """Probability that a file that fits into one span is not cut: a prompt contains all of a short file."""
    with_quotes: float = 0.25
    """Share of spans that come after quotes of other files of the same repository."""
    quotes: QuoteOptions = field(default_factory=QuoteOptions)
    marked: bool = False
    """With the suffix first, the middle token marks where the middle begins, not where the prefix does."""


def documents_of(
    file: SourceFile, other_files: Sequence[SourceFile], random: Random, options: DocumentOptions
) -> Iterator[Document]:
    """Yields a file as one plain document, or as one with a hole for each of its spans."""
    if random.random() >= options.fim.share:
        yield plain_document(_name(file, random, options), file.text)
        return
    for text in spans(file.text, random, options):
        filled = infill(text, random, options.fim)
        name = _name(file, random, options)
        if filled is None:
            yield plain_document(name, text)
            continue
        quotable = other_files if random.random() < options.with_quotes else ()
        quoted = quotes(quotable, f"{filled.prefix}\n{filled.suffix}", random, options.quotes)
        # Paths of quotes are shortened if that of the file is.
        short = "/" not in name
        before = [part for path, text in quoted for part in _quoted(path, text, short)]
        yield infill_document(name, filled, before, options.marked)


def plain_document(name: str, text: str) -> Document:
    return Document([Special.FILE, f"{name}\n", text, Special.END], len(text), fim=False)


def infill_document(name: str, filled: Infill, before: Sequence[Piece] = (), marked: bool = False) -> Document:
    """
    Returns `<prefix>P<suffix>S<middle>M` or, with the suffix first, `<prefix><suffix>S<middle>PM`; marked
    `<suffix>S<prefix>P<middle>M`.
    """
    head = [*before, Special.FILE, f"{name}\n"]
    prefix = [Special.FIM_PREFIX, filled.prefix]
    suffix = [Special.FIM_SUFFIX, filled.suffix]
    if not filled.suffix_first:
        body = [*prefix, *suffix, Special.FIM_MIDDLE]
    elif marked:
        body = [*suffix, *prefix, Special.FIM_MIDDLE]
    else:
        body = [Special.FIM_PREFIX, *suffix, Special.FIM_MIDDLE, filled.prefix]
    characters = len(filled.prefix) + len(filled.middle) + len(filled.suffix)
    return Document([*head, *body, filled.middle, Special.END], characters, fim=True)


def spans(text: str, random: Random, options: DocumentOptions) -> Iterator[str]:
    """Yields the text in parts that begin at line starts, except in lines that are longer than a part."""
    if len(text) <= options.most_span and random.random() < options.uncut:
        yield text
        return
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


def _quoted(path: str, text: str, short: bool) -> list[Piece]:
    return [Special.FILE, f"{path.rsplit('/', 1)[-1] if short else path}\n{text}\n"]


def _name(file: SourceFile, random: Random, options: DocumentOptions) -> str:
    return file.path.rsplit("/", 1)[-1] if random.random() < options.base_name else file.path
