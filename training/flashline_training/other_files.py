"""Quotes of other files in a prompt, as in the product: outlines of imported definitions, and similar windows."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from random import Random
from typing import Iterator, Sequence

from .source_file import SourceFile

_WORD = re.compile(r"[^\W\d][\w$]{3,}")
_DEFINITION = re.compile(
    r"^(?:@|export |public |private |protected |internal |pub |abstract |final |static |async |default |declare |const |"
    r"let |var |type |interface |class |struct |enum |trait |impl |record |object |func |function |fn |fun |def |module )"
)
_TYPE = re.compile(r"\b(?:class|interface|struct|trait|impl|enum|protocol|record|object|module)\b")
_COMMENT = re.compile(r"\s*(?://|/\*|\*|#(?!\[)|--|\"\"\"|''')")
_CLOSING = re.compile(r"\s*[)\]}]+[,;]?\s*$")
_OPENING = re.compile(r"\s*\{\s*$")
# Maximum number of characters read from a file, and of definitions in its outline.
_MAX_READ = 40_000
_MAX_DEFINITIONS = 6


@dataclass(frozen=True)
class QuoteOptions:
    """Sizes are in characters, as in a prompt of the product."""

    most: int = 4
    """Maximum number of quotes in a document."""
    lines: int = 24
    """Lines of a window."""
    room: int = 1000
    """Characters of all quotes of a document, paths included."""
    outlines: float = 0.5
    """Share of the documents with quotes that get outlines of definitions that their file names."""
    at_random: float = 0.2
    """Share of those with windows that get random ones, as from recent edits elsewhere; the rest get similar ones."""
    most_outline_lines: int = 12


def quotes(
    files: Sequence[SourceFile], around: str, random: Random, options: QuoteOptions
) -> list[tuple[str, str]]:
    """
    Returns the path and text of pieces of other files, the most helpful last; `around` is the text on both sides of the
    hole.
    """
    if not files:
        return []
    names = set(_WORD.findall(around))
    found = list(outlines(files, names, options)) if random.random() < options.outlines else []
    if not found:
        found = windows(files, options)
        random.shuffle(found)
        if random.random() >= options.at_random:
            found.sort(key=lambda window: -similarity(names, window[1]))
    chosen: list[tuple[str, str]] = []
    room = options.room
    for path, text in found[: 1 + random.randrange(options.most)]:
        if text.strip() and len(path) + len(text) <= room:
            chosen.insert(0, (path, text))
            room -= len(path) + len(text)
    return chosen


def windows(files: Sequence[SourceFile], options: QuoteOptions) -> list[tuple[str, str]]:
    found = []
    for file in files:
        lines = file.text[:_MAX_READ].split("\n")
        for first in range(0, len(lines), options.lines):
            found.append((file.path, "\n".join(lines[first : first + options.lines]).rstrip()))
    return found


def similarity(names: set[str], text: str) -> float:
    """Returns the Jaccard similarity: the share of all their words that both have."""
    words = set(_WORD.findall(text))
    return len(words & names) / (len(words | names) or 1)


def outlines(files: Sequence[SourceFile], names: set[str], options: QuoteOptions) -> Iterator[tuple[str, str]]:
    """Returns the outlines of the definitions that `names` contains, in the files whose base names it contains too."""
    for file in files:
        if PurePosixPath(file.path).name.split(".")[0] not in names:
            continue
        lines = file.text[:_MAX_READ].split("\n")
        starts = [at for at, line in enumerate(lines) if _DEFINITION.match(line) and names & set(_WORD.findall(line))]
        texts = ["\n".join(outline(lines, at, options.most_outline_lines)) for at in starts[:_MAX_DEFINITIONS]]
        if texts:
            yield file.path, "\n".join(texts)


def outline(lines: Sequence[str], at: int, most: int) -> list[str]:
    """Returns the definition that begins in a line: its signature and, of a type, the first lines of its members."""
    head = [_OPENING.sub("", lines[at])]
    if not _TYPE.search(lines[at]):
        return head
    body = []
    for line in lines[at + 1 :]:
        if line.strip() and not line[0].isspace():
            break
        if line.strip() and not _COMMENT.match(line):
            body.append(line)
    depth = min((len(line) - len(line.lstrip()) for line in body), default=0)
    members = [line for line in body if len(line) - len(line.lstrip()) == depth and not _CLOSING.match(line)]
    return [*head, *(_OPENING.sub("", line) for line in members)][:most]
